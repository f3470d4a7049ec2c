package harness

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/specgate/specgate/internal/sandbox"
)

// job is a function or a mutant on inputs, in some order.
type job struct {
	target  *target
	variant int // 0: the function itself; else the mutant at variant-1
	order   []int
	steps   []uint64 // at most, by input
	to      []Outcome
}

const (
	// maxOutput is the most bytes that all outcomes together may take.
	maxOutput = 256 << 20
	// maxEnded is how many cases of a function and its mutants may end all of the program, before the others are given up.
	maxEnded = 3
	// maxProcesses is the most processes and threads of the program: far more than there are at a time, as the system counts those
	// that have just ended for a while.
	maxProcesses = 1024
	// maxEndless is how many calls of the mutants of a function may take longer than Limits.Case, before the other mutants are given up.
	maxEndless = 8
	noJob      = 1<<32 - 1
)

// GivenUp is the Detail of calls of mutants that were not run since those of others took too long.
const GivenUp = "calls of other mutants did not end too often"

// A mutant that takes far more steps than the function does not end, for all that is to be known.
const (
	stepsFactor = 16
	stepsMore   = 10_000
)

// run runs all cases: the functions first; then, in another process, once more and in the other order, and the mutants.
func (b *build) run(ctx context.Context) error {
	start := time.Now()
	defer func() { b.res.RunTook = time.Since(start) }()
	deadline := start.Add(b.req.Limits.Run)
	var first, again, mutants []*job
	for _, t := range b.targets {
		if t.dropped() {
			continue
		}
		j := &job{target: t, to: make([]Outcome, len(t.encoded))}
		for i := range t.encoded {
			j.order = append(j.order, i)
			j.steps = append(j.steps, b.req.Limits.Steps)
		}
		first = append(first, j)
	}
	if err := b.runJobs(ctx, first, deadline); err != nil {
		return err
	}
	ends := true
	for _, j := range first {
		k := &job{target: j.target, steps: j.steps, to: make([]Outcome, len(j.to))}
		for _, i := range slices.Backward(j.order) {
			ends = ends && j.to[i].settled()
			if j.to[i].Kind != TimedOut {
				k.order = append(k.order, i)
			}
		}
		again = append(again, k)
	}
	if !ends {
		// Mutants are run only where something is known of the function.
		if err := b.runJobs(ctx, again, deadline); err != nil {
			return err
		}
	}
	for n, j := range first {
		t := j.target
		t.out.Observed = j.to
		var order []int
		var steps []uint64
		for i, o := range j.to {
			if o.Kind == NotRun {
				o = again[n].to[i]
			}
			if o.settled() {
				order = append(order, i)
			}
			most := b.req.Limits.Steps
			if o.Kind == Returned || o.Kind == Panicked {
				most = min(most, o.steps*stepsFactor+stepsMore)
			}
			steps = append(steps, most)
		}
		for i, m := range t.mutants {
			if m.out.Failure == "" {
				m.out.Outcomes = slices.Repeat([]Outcome{{Kind: NotRun, Detail: "the function did not end"}}, len(j.to))
				mutants = append(mutants, &job{target: t, variant: i + 1, order: order, steps: steps, to: m.out.Outcomes})
			}
		}
	}
	rest := mutants
	if ends {
		rest = slices.Concat(again, mutants)
	}
	if err := b.runJobs(ctx, rest, deadline); err != nil {
		return err
	}
	for i, j := range first {
		b.settle(j, again[i])
	}
	return nil
}

// Unsteady begins the text of Measured.Unmeasured for a function that depends on more than its arguments.
const Unsteady = "it does not give the same for the same arguments"

// settle compares what a function gave in two runs, and its mutants with it.
func (b *build) settle(j, again *job) {
	t := j.target
	for i, o := range j.to {
		p := again.to[i]
		if o.Kind == NotRun {
			j.to[i] = p
			continue
		}
		if known := func(o Outcome) bool { return o.Kind == Returned || o.Kind == Panicked }; !known(o) || !known(p) {
			if known(o) && p.Kind != NotRun {
				j.to[i] = p // what depends on how busy the machine is does not count as returned
			}
			continue
		}
		if o.Kind != p.Kind || !bytes.Equal(o.raw, p.raw) {
			t.drop(Unsteady+": %s the first time, %s the second", o.text(), p.text())
			t.out.Observed, t.out.Mutants = nil, nil
			return
		}
	}
	for k := range t.mutants {
		m := t.mutants[k].out
		for i, o := range m.Outcomes {
			if o.settled() && j.to[i].settled() && !o.same(j.to[i]) {
				m.Differs = append(m.Differs, i)
			}
		}
	}
}

func (o Outcome) text() string {
	switch {
	case o.Kind == Returned:
		return "it returned"
	case o.Detail != "":
		return "it " + o.Kind.String() + " (" + o.Detail + ")"
	}
	return "it " + o.Kind.String()
}

// runJobs runs jobs, and starts the program anew behind a case that ended all of it.
func (b *build) runJobs(ctx context.Context, jobs []*job, deadline time.Time) error {
	var done point // the first case that has no outcome
	next := func() {
		for done.job < len(jobs) && done.at >= len(jobs[done.job].order) {
			done = point{done.job + 1, 0}
		}
	}
	// One after another: each case of the first job in a process of its own, so that it is known which of them ended the program.
	careful := false
	for {
		for next(); done.job < len(jobs) && jobs[done.job].target.ended >= maxEnded; next() {
			j := jobs[done.job]
			j.to[j.order[done.at]] = Outcome{Kind: NotRun, Detail: "earlier cases ended the harness too often"}
			done.at++
		}
		if done.job >= len(jobs) {
			return nil
		}
		left := time.Until(deadline)
		if left <= 0 {
			for n := done; n.job < len(jobs); n = (point{n.job + 1, 0}) {
				for _, i := range jobs[n.job].order[n.at:] {
					jobs[n.job].to[i] = Outcome{Kind: NotRun, Detail: "the time for all cases was used up"}
				}
			}
			return nil
		}
		before := done
		nonce := rand.Uint64() // the code under test does not meet it by chance
		c := sandbox.Command{Name: b.program(), Dir: b.outDir(), Stdin: b.input(jobs, done, careful, nonce),
			Limits:  sandbox.Limits{Wall: left, Stdout: maxOutput, Stderr: 1 << 20, Memory: b.req.Limits.RunMemory, FileSize: 1 << 20, Processes: maxProcesses},
			Isolate: &sandbox.Isolation{ReadOnly: []string{b.outDir()}, Require: b.req.Require}}
		res, err := c.Run(ctx)
		b.res.Processes++
		b.res.Protections = res.Protections
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		complete := false
		for out := res.Stdout; ; {
			f, rest, ok := readFrame(out, nonce)
			if !ok {
				break
			}
			out = rest
			if f.job == noJob {
				complete = true
				break
			}
			// Outcomes come in the order of the cases.
			next()
			if done.job >= len(jobs) || int(f.job) != done.job || int(f.case_) != jobs[done.job].order[done.at] {
				break
			}
			jobs[done.job].to[f.case_] = b.outcome(jobs[done.job].target, f)
			done.at++
			careful = careful && done.at < len(jobs[done.job].order)
		}
		next()
		switch {
		case done.job >= len(jobs):
			return nil
		case errors.Is(err, sandbox.ErrWallLimit):
			continue
		case complete || err == nil || !ended(err):
			// Not a single case was run.
			if err == nil {
				err = errors.New("it stopped before the end")
			}
			return fmt.Errorf("run the program: %w", err)
		case !careful || done != before:
			careful = true
			continue
		}
		j := jobs[done.job]
		j.to[j.order[done.at]] = Outcome{Kind: Crashed, Detail: "it ended the harness: " + reason(err)}
		j.target.ended++
		done.at++
	}
}

// point is a case: the place of its job, and its own in the order of the job.
type point struct{ job, at int }

// ended tells whether what ended the program can have been a case.
func ended(err error) bool {
	var exit *sandbox.ExitError
	for _, limit := range []error{sandbox.ErrMemoryLimit, sandbox.ErrProcessLimit, sandbox.ErrCPULimit, sandbox.ErrOutputLimit, sandbox.ErrOutputHeld} {
		if errors.Is(err, limit) {
			return true
		}
	}
	return errors.As(err, &exit)
}

// reason is an error of the program without its path.
func reason(err error) string {
	var exit *sandbox.ExitError
	switch {
	case !errors.As(err, &exit):
		return err.Error()
	case exit.Signal != "":
		return exit.Signal
	}
	return "status " + strconv.Itoa(exit.ExitCode)
}

// input is what the program reads: settings, inputs, and the jobs from a case on. With care, each case of the first is a job of its own.
func (b *build) input(jobs []*job, from point, careful bool, nonce uint64) []byte {
	l := b.req.Limits
	var out []byte
	u64 := func(n uint64) { out = binary.LittleEndian.AppendUint64(out, n) }
	u32 := func(n int) { out = binary.LittleEndian.AppendUint32(out, uint32(n)) }
	u64(nonce)
	u64(uint64(max(l.Case.Milliseconds(), 1)))
	u64(uint64(l.Value))
	u64(uint64(l.Stack))
	u32(l.Deaths)
	u32(maxEndless)
	// The inputs of all targets, once; of those that do not run there are none.
	runs := map[*target]bool{}
	for _, j := range jobs[from.job:] {
		runs[j.target] = true
	}
	u32(len(b.targets))
	for _, t := range b.targets {
		if !runs[t] {
			u32(0)
			continue
		}
		u32(len(t.encoded))
		for _, in := range t.encoded {
			u32(len(in))
			out = append(out, in...)
		}
	}
	count := len(jobs) - from.job
	if careful {
		count += len(jobs[from.job].order) - from.at - 1
	}
	u32(count)
	write := func(n int, order []int) {
		j := jobs[n]
		u32(n)
		u32(j.target.number)
		u32(j.variant)
		u32(len(order))
		for _, i := range order {
			u32(i)
			u64(j.steps[i])
		}
	}
	for n := from.job; n < len(jobs); n++ {
		order := jobs[n].order
		if n == from.job {
			order = order[from.at:]
		}
		if n == from.job && careful {
			for i := range order {
				write(n, order[i:i+1])
			}
			continue
		}
		write(n, order)
	}
	return out
}

type frame struct {
	job, case_ uint32
	kind       byte
	steps      uint64
	payload    []byte
}

// readFrame reads what the program's own part wrote.
func readFrame(b []byte, nonce uint64) (f frame, rest []byte, ok bool) {
	const head = 8 + 4 + 4 + 1 + 8 + 4
	if len(b) < head || binary.LittleEndian.Uint64(b) != nonce {
		return f, nil, false
	}
	n := int(binary.LittleEndian.Uint32(b[25:]))
	if n > len(b)-head {
		return f, nil, false
	}
	return frame{binary.LittleEndian.Uint32(b[8:]), binary.LittleEndian.Uint32(b[12:]), b[16], binary.LittleEndian.Uint64(b[17:]), b[head : head+n]}, b[head+n:], true
}

// maxDetail bounds the message of a panic, in bytes.
const maxDetail = 400

// outcome reads what became of a case.
func (b *build) outcome(t *target, f frame) Outcome {
	number := func() int {
		if len(f.payload) == 4 {
			return int(binary.LittleEndian.Uint32(f.payload))
		}
		return -1
	}
	switch f.kind {
	case 1:
		got, err := b.observed(t, f.payload)
		if errors.Is(err, errDeep) {
			return Outcome{Kind: TooLarge, Detail: err.Error()}
		}
		if err != nil {
			return Outcome{Kind: Forged, Detail: err.Error()}
		}
		return Outcome{Kind: Returned, Got: got, raw: f.payload, steps: f.steps}
	case 2:
		return Outcome{Kind: Panicked, Detail: strings.ToValidUTF8(string(f.payload[:min(len(f.payload), maxDetail)]), ""), steps: f.steps}
	case 3:
		return Outcome{Kind: Steps}
	case 4:
		return Outcome{Kind: Stack}
	case 5:
		return Outcome{Kind: TimedOut}
	case 6:
		return Outcome{Kind: Crashed, Detail: syscall.Signal(number()).String()}
	case 7:
		return Outcome{Kind: Exited, Detail: "status " + strconv.Itoa(number())}
	case 8:
		return Outcome{Kind: Forged}
	case 9:
		return Outcome{Kind: TooLarge}
	case 10:
		return Outcome{Kind: Panicked, Detail: "a payload that is no text"}
	case 11:
		return Outcome{Kind: NotRun, Detail: "earlier cases ended the process too often"}
	case 13:
		return Outcome{Kind: NotRun, Detail: "it reaches code that does not compile"}
	case 14:
		return Outcome{Kind: NotRun, Detail: GivenUp}
	case 12:
		return Outcome{Kind: NotRun, Detail: "no thread could be started for it"}
	}
	return Outcome{Kind: Forged}
}
