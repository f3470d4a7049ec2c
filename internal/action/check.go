package action

import (
	"context"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/engine"
	"github.com/specgate/specgate/internal/host"
)

// files of the report, by format.
func files() map[string]string {
	return map[string]string{"json": "report.json", "html": "report.html", "sarif": "report.sarif"}
}

// Check checks what Plan has fetched, and writes the report. It has no token.
func (s *Step) Check(ctx context.Context) error {
	o, err := s.options()
	if err != nil {
		return err
	}
	result, err := host.InTime(o.Timeout, func() (*engine.Result, error) { return engine.Check(ctx, o) })
	if err != nil {
		return err
	}
	rendering := host.Rendering(result)
	for format, name := range files() {
		if err := host.WriteFile(filepath.Join(s.reportDir(), name), func(w io.Writer) error {
			return host.Write(w, format, result.Report, rendering, false, 0)
		}); err != nil {
			return err
		}
	}
	if err := s.say(func(w io.Writer) error { return host.Write(w, "text", result.Report, rendering, false, 0) }); err != nil {
		return err
	}
	return s.write(outputs{"report": s.reportFile(), "html": filepath.Join(s.reportDir(), files()["html"])})
}

// options of the check, of the inputs and of what Plan said.
func (s *Step) options() (engine.Options, error) {
	none := engine.Options{}
	only, err := families(s.runner.GetInput("only"))
	if err != nil {
		return none, err
	}
	timeout := time.Duration(0)
	if text := s.runner.GetInput("timeout"); text != "" {
		if timeout, err = time.ParseDuration(text); err != nil || timeout <= 0 {
			return none, inputf("the input timeout is %q; want a time such as 90s or 10m", text)
		}
	}
	o := engine.Options{
		Repo: s.repositoryDir(), Base: s.runner.GetInput("base"), Head: s.runner.GetInput("head"),
		Only: only, Timeout: timeout, Jobs: runtime.GOMAXPROCS(0),
		Today: s.o.Today, Version: s.o.Version, Log: s.o.Log,
	}
	if o.Base == "" || o.Head == "" {
		return none, inputf("the commits to check are missing; action.yml runs this step after the one that finds them")
	}
	switch path := s.runner.GetInput("verus"); path {
	case nothing:
	case verusAuto:
		o.Verifier = host.Verifier("")
	default:
		o.Verifier = host.Verifier(path)
	}
	switch path := s.runner.GetInput("rustc"); path {
	case nothing:
	default:
		o.Compiler = host.Compiler(path, false)
	}
	keep, err := s.flag("cache")
	if err != nil {
		return none, err
	}
	if keep {
		o.Cache = s.answersDir()
	}
	return o, nil
}

// families of rules, separated by commas.
func families(text string) ([]checks.Family, error) {
	var out []checks.Family
	if text == "" {
		return nil, nil
	}
	for word := range strings.SplitSeq(text, ",") {
		f := checks.Family(strings.TrimSpace(word))
		if !slices.Contains(checks.Families(), f) {
			return nil, inputf("the input only is %q, and there is no family %q; the families are trust, edit, contract, proof, strength", text, f)
		}
		out = append(out, f)
	}
	return out, nil
}
