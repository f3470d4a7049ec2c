package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/riverqueue/river"

	"github.com/specgate/specgate/internal/github"
)

// buttonAttempts is how often what a button asks for is tried: for about half a day, as the pauses grow.
const buttonAttempts = 20

type buttonWorker struct {
	river.WorkerDefaults[buttonArgs]
	app *App
}

// Work does what a button asks for.
func (w *buttonWorker) Work(ctx context.Context, job *river.Job[buttonArgs]) error {
	ctx, end := w.app.running.begin(ctx, job.ID)
	defer end()
	started := time.Now()
	err := w.app.press(ctx, job.Args)
	w.app.metrics.job("button", "", err, time.Since(started))
	if err != nil && ctx.Err() != nil {
		return river.JobSnooze(0)
	}
	return err
}

// rerunButton has the head checked again.
var rerunButton = github.Action{Label: "Re-run", Description: "Check this commit again", Identifier: "rerun"}

// press does what a button asks for.
func (a *App) press(ctx context.Context, p buttonArgs) error {
	var h head
	var found bool
	err := a.db.within(ctx, func(t tx) (err error) {
		if p.Identifier != rerunButton.Identifier {
			h, found, err = headBySHA(ctx, t, p.Repo, p.SHA)
			return err
		}
		if err := lockRepo(ctx, t, p.Repo); err != nil {
			return err
		}
		return want(ctx, t, p.Repo, p.SHA, "", again, a.now())
	})
	if err != nil || p.Identifier == rerunButton.Identifier {
		return err
	}
	if !found {
		return river.JobCancel(errors.New("a button was pressed on a commit that was never asked for"))
	}
	if p.Identifier == acceptButton.Identifier {
		return a.accept(ctx, h, p)
	}
	return river.JobCancel(fmt.Errorf("a button %q was pressed on %s in %s, which specgate does not have", p.Identifier, h.sha, h.name))
}
