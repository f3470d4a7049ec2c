package engine

import (
	"context"
	"errors"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/policy"
)

// StrengthKeys are the keys of what is measured of a change, by symbol; empty where nothing would be kept. Nothing of the change is run.
func StrengthKeys(ctx context.Context, o Options) (map[string]string, error) {
	r, err := start(ctx, o)
	if err != nil {
		return nil, err
	}
	r.report = r.newReport()
	if err := r.buildPairs(); err != nil {
		return nil, err
	}
	r.input = &checks.Input{Pairs: r.pairs}
	subjects := r.subjects()
	m, groups, err := r.measuring(subjects)
	if err != nil {
		return nil, err
	}
	if m.compiler, err = o.Compiler(); err != nil {
		return nil, err
	}
	// What isolation this machine has does not matter here.
	if r.policy.Gate.Sandbox == policy.SandboxOff {
		return nil, errors.New("nothing is kept without a sandbox")
	}
	if m.kept, err = r.openStrengths(m.compiler); err != nil {
		return nil, err
	}
	out := map[string]string{}
	if m.kept == nil {
		return out, errors.Join(r.stores.close())
	}
	for _, g := range groups {
		for _, i := range g.at {
			key, err := m.key(g, subjects, i)
			if err != nil {
				return nil, err
			}
			out[subjects[i].Symbol] = ""
			if key != nil {
				out[subjects[i].Symbol] = key.String()
			}
		}
	}
	return out, r.stores.close()
}

// Subjects are the functions of a change that are measured, and why others are not.
func Subjects(ctx context.Context, o Options) (symbols []string, reasons []checks.Reason, err error) {
	r, err := start(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	r.report = r.newReport()
	if err := r.buildPairs(); err != nil {
		return nil, nil, err
	}
	r.input = &checks.Input{Pairs: r.pairs}
	for _, s := range r.subjects() {
		symbols = append(symbols, s.Symbol)
	}
	return symbols, r.report.Reasons, nil
}

// CasesOf is how many spectests of each of n functions are put to the verifier.
var CasesOf = casesOf

// RestsProved is how the stage verify ends for a function that is proved, in the words of a line, and why.
func RestsProved(rests []*model.Function, run *checks.ProofRun) (string, string) {
	check, why := restsProved(rests, run)
	return checkWords[check], why
}
