// Package harness compiles the executable code of functions, and of their mutants, and runs it on inputs.
//
// All functions and mutants of a crate are compiled in one go, ghost code erased, with overflow checks, and run by one program. Each
// function and each mutant runs in a process of its own, made by forking: what it does to its memory, its threads or its process is
// met by its own later cases at most. A case that panics, never ends, or ends the process is an outcome of this case alone.
//
// What runs is hostile. It is compiled and run only within internal/sandbox. The program writes its outcomes to a stream of which
// the code under test knows nothing: what it prints goes nowhere, and it reads nothing. It runs in the process that writes its
// outcomes, however. Code that looks for the harness in its own memory and descriptors can make up outcomes of its own function
// and its own mutants, which it could as well do by computing something else; it cannot make up those of other functions.
//
// Build scripts and procedural macros of other crates that the crate is built with run where the program is made, so they can make up all of them.
// They reach nothing else: each attempt to compile has directories of its own, what they leave there is neither read nor followed, and of what they
// may write to only the program is taken, which is run within the sandbox.
package harness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/mutate"
	"github.com/specgate/specgate/internal/sandbox"
	"github.com/specgate/specgate/internal/spectest"
)

// Target is a function to run.
type Target struct {
	Function *model.Function
	// Spec has the types of the function's parameters, and what its type parameters stand for.
	Spec   *spectest.Target
	Inputs []spectest.Input
	// Mutants that run on the same inputs. Those of a function with a Reason are none.
	Mutants mutate.Result
}

// Limits bound the cases and the run. Zero values mean the defaults.
type Limits struct {
	// Steps of a case: calls of the crate's functions and turns of its loops. A mutant has fewer where the function took few.
	Steps uint64
	// Case is the longest time of one case.
	Case time.Duration
	// Stack is the most bytes of stack.
	Stack int64
	// Value is the most bytes that the results of one case may take.
	Value int
	// Deaths is how many cases of a function or mutant may end its process, before the others are given up.
	Deaths int
	// Compile is the longest time of one compilation, Run that of all cases together.
	Compile, Run time.Duration
	// CompileMemory and RunMemory are the most bytes of memory.
	CompileMemory, RunMemory int64
}

func (l Limits) orDefaults() Limits {
	set := func(d *time.Duration, to time.Duration) {
		if *d <= 0 {
			*d = to
		}
	}
	if l.Steps == 0 {
		l.Steps = 1_000_000
	}
	set(&l.Case, 2*time.Second)
	set(&l.Compile, 5*time.Minute)
	set(&l.Run, 5*time.Minute)
	if l.Stack <= 0 {
		l.Stack = 64 << 20
	}
	if l.Value <= 0 {
		l.Value = 64 << 10
	}
	if l.Deaths <= 0 {
		l.Deaths = 8
	}
	if l.CompileMemory <= 0 {
		l.CompileMemory = 4 << 30
	}
	if l.RunMemory <= 0 {
		l.RunMemory = 1 << 30
	}
	return l
}

// Request says what is run.
type Request struct {
	// Files of the tree by path: the sources of the crate, and what they include.
	Files map[string][]byte
	// Root is the path of the crate's root file.
	Root string
	// Crate is the name that stands before the paths of the crate's types in values.
	Crate string
	// Manifest is the path of the Cargo.toml of the crate's package; empty for a file that no package has.
	Manifest string
	// Edition is the edition of Rust. If empty, it is that of the package; without one, 2021.
	Edition string
	// Features of the package that are on besides its default ones.
	Features []string
	Targets  []Target
	Limits   Limits
	// Rustc is the path of the compiler, or of rustup's stand-in for it.
	// With rustup, it is that of the toolchain which RUSTUP_TOOLCHAIN names, or the default. Cargo is the one beside it.
	Rustc string
	// CargoHome is the directory in which cargo has what it downloaded, for crates with dependencies. Nothing is downloaded. If empty,
	// only dependencies in the tree are there.
	CargoHome string
	// Work is an empty directory, which is the caller's to remove, by sandbox.RemoveAll. It must be an absolute path.
	Work string
	// Require makes Run fail where the machine cannot give all of the isolation.
	Require bool
	// Seed goes into the names that are put into the crate.
	Seed uint64
}

// Kind says what became of a case.
type Kind uint8

const (
	// Returned: the function returned. Outcome.Got has what.
	Returned Kind = iota + 1
	// Panicked: it panicked. Outcome.Detail is the message.
	Panicked
	// Steps: it took more than Limits.Steps.
	Steps
	// Stack: it used up the stack.
	Stack
	// TimedOut: it took longer than Limits.Case.
	TimedOut
	// Crashed: a signal ended the process, such as on an access to memory that is not its own, an abort, or out of memory.
	Crashed
	// Exited: the function ended the process.
	Exited
	// Forged: it wrote to the stream of the outcomes.
	Forged
	// TooLarge: the result takes more than Limits.Value.
	TooLarge
	// NotRun: the case was not run; Outcome.Detail says why.
	NotRun
)

var kindNames = [...]string{Returned: "returned", Panicked: "panicked", Steps: "ran out of steps", Stack: "ran out of stack", TimedOut: "timed out",
	Crashed: "crashed", Exited: "ended the process", Forged: "wrote to the stream of outcomes", TooLarge: "gave a result that is too large", NotRun: "was not run"}

// String is what became of the case, as a verb.
func (k Kind) String() string {
	if int(k) < len(kindNames) && kindNames[k] != "" {
		return kindNames[k]
	}
	return "?"
}

// Outcome is what became of one case.
type Outcome struct {
	Kind Kind
	// Got is what a function that returned gave; nil otherwise. What is ghost in it is value.Unspecified.
	Got *spectest.Observed
	// Detail is the message of a panic, the signal of a crash, the status of an exit, or why the case was not run.
	Detail string

	raw   []byte
	steps uint64
}

// same tells whether two outcomes are the same. What was returned is compared as it was written.
func (o Outcome) same(p Outcome) bool { return o.Kind == p.Kind && bytes.Equal(o.raw, p.raw) }

// settled tells an outcome that does not depend on how busy the machine is.
func (o Outcome) settled() bool { return o.Kind != NotRun && o.Kind != TimedOut }

// Mutant is what became of a mutant.
type Mutant struct {
	// ID is that of mutate.Mutant.
	ID string
	// Failure says why the mutant was not run: what the compiler says of it. Empty if it was.
	Failure string
	// Outcomes has an entry for every input; nil if the mutant was not run.
	Outcomes []Outcome
	// Differs are the places of inputs for which the mutant returned something else than the function, or ended otherwise. Cases that
	// timed out or were not run are not among them.
	Differs []int
}

// Measured is what became of a target.
type Measured struct {
	// Unmeasured says why nothing is known; empty if the function was run.
	Unmeasured string
	// Observed has an entry for every input; Mutants one for every mutant. Both are nil if the function was not run.
	Observed []Outcome
	Mutants  []Mutant
}

// Way is how the crate was compiled.
type Way string

const (
	// ByRustc: by rustc alone, with stand-ins for what the code uses of vstd.
	ByRustc Way = "rustc"
	// ByCargo: by cargo, as the code uses other crates; with stand-ins for vstd all the same. Build scripts and macros of these crates
	// run when they are compiled, isolated as everything.
	ByCargo Way = "cargo"
	// ByVstd: by cargo and with vstd itself, from where the package has it, as the code uses parts of it for which there are no stand-ins.
	ByVstd Way = "cargo with vstd"
)

// Result is what a run gave.
type Result struct {
	// Targets are in the order of the request's.
	Targets []Measured
	Way     Way
	// LeftOut are the places of the crate's code that does not compile without its ghost code, with what the compiler says; the rest of
	// the crate was run without. A function that needs it is unmeasured, and a case that comes there was not run.
	LeftOut []string
	// Rustc is the compiler's version; empty if it was not asked.
	Rustc string
	// Whole says that nothing of the crate was left out, and that few functions or mutants were refused one after another: then each target is
	// as it would be without the others.
	Whole bool
	// Compilations and Processes are how often the compiler and the program were started.
	Compilations, Processes int
	// CompileTook and RunTook are the times of all of them.
	CompileTook, RunTook time.Duration
	// Protections are those that the program ran with; empty if it was not run.
	Protections []sandbox.Protection
}

// Run compiles the functions of a request with their mutants, and runs them. What cannot be measured is said of each target; an error
// means that nothing could be: the request makes no sense, the compiler or the program cannot be started, or ctx is done.
func Run(ctx context.Context, req Request) (*Result, error) {
	req.Limits = req.Limits.orDefaults()
	b, ok, err := prepared(ctx, req, false, false)
	if err == nil && !ok && b.broken {
		first := b
		if b.pkg != nil && len(b.pkg.verus) > 0 && !b.pkg.script {
			// It may use parts of vstd for which there is no stand-in.
			b, ok, err = prepared(ctx, req, true, true)
			b.add(first)
		}
		if err == nil && !ok && b.broken {
			before := b
			b, ok, err = prepared(ctx, req, false, true)
			b.add(before)
			if !ok && b.broken {
				b.res.Targets = first.res.Targets // before anything was left out
			}
		}
	}
	if err == nil && ok {
		b.res.Whole = !b.salvage && b.res.Compilations < maxRounds-2
		err = b.run(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("run functions of %s: %w", req.Root, err)
	}
	return b.res, nil
}

// prepared is a compiled crate; not ok if there is nothing to run.
func prepared(ctx context.Context, req Request, vstd, salvage bool) (b *build, ok bool, err error) {
	b, err = newBuild(req, vstd, salvage, &Result{Targets: make([]Measured, len(req.Targets)), Way: ByRustc})
	if err != nil {
		return nil, false, err
	}
	for _, t := range b.targets {
		if !t.dropped() {
			ok, err = b.compile(ctx)
			return b, ok, err
		}
	}
	return b, false, nil
}

// add counts what was spent on an attempt before.
func (b *build) add(before *build) {
	if b != nil {
		b.res.Compilations += before.res.Compilations
		b.res.CompileTook += before.res.CompileTook
	}
}

var errRequest = errors.New("bad request")
