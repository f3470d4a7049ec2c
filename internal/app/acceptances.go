package app

import (
	"context"
	"time"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/github"
)

// Acceptance is a finding that a person with write access accepted for one pull request.
type Acceptance struct {
	// Fingerprint of the finding, which stays the same when the change is rebased.
	Fingerprint string
	// Who is the login, Reason what they accepted it with, At when.
	Who, Reason string
	At          time.Time
}

// accept stores acceptances. One that is there already stays as it is.
func accept(ctx context.Context, t tx, repo int64, pull int, all []Acceptance) error {
	for _, one := range all {
		_, err := t.exec(ctx, `INSERT INTO specgate_acceptances (repo, pull, fingerprint, who, reason, at) VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (repo, pull, fingerprint) DO NOTHING`, repo, int64(pull), one.Fingerprint, one.Who, one.Reason, millis(one.At))
		if err != nil {
			return err
		}
	}
	return nil
}

// unaccept takes back all that was accepted for a pull request.
func unaccept(ctx context.Context, t tx, repo, pull int64) error {
	_, err := t.exec(ctx, "DELETE FROM specgate_acceptances WHERE repo = $1 AND pull = $2", repo, pull)
	return err
}

// acceptances are those of a pull request, by fingerprint.
func acceptances(ctx context.Context, t tx, repo int64, pull int) (map[string]Acceptance, error) {
	all := map[string]Acceptance{}
	err := t.each(ctx, "SELECT fingerprint, who, reason, at FROM specgate_acceptances WHERE repo = $1 AND pull = $2", []any{repo, int64(pull)}, func(scan func(...any) error) error {
		var a Acceptance
		var at int64
		if err := scan(&a.Fingerprint, &a.Who, &a.Reason, &at); err != nil {
			return err
		}
		a.At = time.UnixMilli(at).UTC()
		all[a.Fingerprint] = a
		return nil
	})
	return all, err
}

// accepted are the findings that were accepted for every one of the pull requests: what was for one of them says nothing of another.
func (b *bringing) accepted(ctx context.Context, pulls []github.Pull) (refs map[string]checks.WaiverRef, err error) {
	err = b.app.db.within(ctx, func(t tx) error {
		refs = nil
		for i, p := range pulls {
			all, err := acceptances(ctx, t, b.h.repo, p.Number)
			if err != nil {
				return err
			}
			if i == 0 {
				refs = map[string]checks.WaiverRef{}
				for f, a := range all {
					refs[f] = waiverOf(a)
				}
			}
			for f := range refs {
				if _, ok := all[f]; !ok {
					delete(refs, f)
				}
			}
		}
		return nil
	})
	return refs, err
}
