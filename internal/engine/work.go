package engine

import (
	"sync/atomic"
	"time"

	"github.com/specgate/specgate/internal/measure"
)

// work counts what a run did, for the log. It is not in the report, which is the same whatever was kept from runs before.
type work struct {
	// stages that are done, each with the time that it took, as the log takes them; since is when the last of them ended.
	stages []any
	since  time.Time
	// measured functions, and those whose strength was kept.
	measured, kept int
	// spent on functions that were compiled and run.
	spent measure.Spent
	// asked counts questions to the evaluator: whether a contract allows a wrong result.
	asked atomic.Int64
	// questions to the verifier, and its runs for them.
	questions, runs int
}

func (w *work) ran(s measure.Spent) {
	w.spent.Compilations += s.Compilations
	w.spent.Processes += s.Processes
	w.spent.Calls += s.Calls
}

// done notes the end of a stage.
func (w *work) done(stage string) {
	if w != nil {
		now := time.Now()
		w.stages, w.since = append(w.stages, stage, now.Sub(w.since).Round(time.Microsecond)), now
	}
}

// logWork tells what was done.
func (r *runner) logWork() {
	w := r.work
	w.done("judge")
	r.o.Log.Info("stages", w.stages...)
	functions := 0
	if r.pairs != nil {
		functions = len(r.pairs.Functions)
	}
	r.o.Log.Info("work", "files-read", r.head.store.read.Load(), "files-parsed", r.head.store.parsings.Load(), "functions-compared", functions,
		"functions-measured", w.measured, "functions-kept", w.kept, "compilations", w.spent.Compilations, "programs", w.spent.Processes,
		"calls", w.spent.Calls, "spectests", w.asked.Load(), "questions", w.questions, "question-runs", w.runs)
}
