package verus

import "context"

// Expected asks cargo which targets of a workspace the verifier has to verify: the libraries and programs of the packages chosen, and of
// those of the workspace that they depend on. Dependencies outside it are not looked at. An error that is about the workspace or
// the installation is a *Problem.
func (v *Verifier) Expected(ctx context.Context, w *Work, manifest string, o Options) ([]Expected, error) {
	meta, err := v.metadata(ctx, w, manifest, o)
	if err != nil {
		return nil, err
	}
	return expected(meta, o.Packages), nil
}
