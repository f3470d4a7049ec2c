package cli

import (
	"context"
	"errors"
	"os"

	"github.com/specgate/specgate/internal/action"
)

type actionCmd struct {
	Plan    actionPlanCmd    `cmd:"" help:"Find out what the event of the job wants checked, and fetch it."`
	Check   actionCheckCmd   `cmd:"" help:"Check what was fetched, and write the report."`
	Merge   actionMergeCmd   `cmd:"" help:"Join the parts that other jobs checked, and write the report."`
	Publish actionPublishCmd `cmd:"" help:"Put the result onto GitHub and into the summary of the job."`
}

type (
	actionPlanCmd    struct{ actionHelp }
	actionCheckCmd   struct{ actionHelp }
	actionMergeCmd   struct{ actionHelp }
	actionPublishCmd struct{ actionHelp }
)

func (actionPlanCmd) Run(r *run) error    { return runStep(r, (*action.Step).Plan) }
func (actionCheckCmd) Run(r *run) error   { return runStep(r, (*action.Step).Check) }
func (actionMergeCmd) Run(r *run) error   { return runStep(r, (*action.Step).Merge) }
func (actionPublishCmd) Run(r *run) error { return runStep(r, (*action.Step).Publish) }

type actionHelp struct{}

// Help is shown below the flags.
func (actionHelp) Help() string {
	return `action.yml runs this in a job of GitHub Actions, with the inputs of the action in INPUT_ variables. It writes to the files that the runner names in GITHUB_OUTPUT and GITHUB_STEP_SUMMARY. docs/action.md says what there is.

Examples:

    uses: specgate/specgate@v0     # in a workflow, which runs it

Exit codes: 0 done, 2 a mistake in the workflow or in the policy, 3 could not complete. The exit code of the check is the output exit-code.`
}

// runStep runs a step of the action, and tells the runner when it could not be done.
func runStep(r *run, do func(*action.Step, context.Context) error) error {
	step, err := action.New(action.Options{Getenv: os.Getenv, Stdout: r.stdout, Log: r.log, Version: version(), Today: today()})
	if err != nil {
		return err
	}
	err = do(step, r.ctx)
	var code exit
	if err == nil || errors.As(err, &code) {
		return err
	}
	code = exit(exitCode(err))
	step.Fail(err, int(code))
	return code
}
