package action

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/engine"
	"github.com/specgate/specgate/internal/host"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/shard"
)

// files of the report, by format.
func files() map[string]string {
	return map[string]string{"json": "report.json", "html": "report.html", "sarif": "report.sarif"}
}

// Check checks what Plan has fetched, or a part of it, and writes the report. It has no token.
func (s *Step) Check(ctx context.Context) error {
	o, err := s.options()
	if err != nil {
		return err
	}
	switch path := s.runner.GetInput("verus"); path {
	case nothing:
	case verusAuto:
		o.Verifier = host.Verifier("")
	default:
		o.Verifier = host.Verifier(path)
	}
	path := s.runner.GetInput("rustc")
	o.Compiler = host.Compiler(path, path == nothing)
	o.Cache = s.runner.GetInput("answers")
	if text := s.runner.GetInput("shard"); text != "" {
		return s.checkShard(ctx, o, text)
	}
	result, err := host.InTime(o.Timeout, func() (*engine.Result, error) { return engine.Check(ctx, o) })
	if err != nil {
		return err
	}
	return s.written(result)
}

// written writes the report of a result in all formats, and its text to the log.
func (s *Step) written(result *engine.Result) error {
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

// checkShard checks a part. That alone is no result, so no finding of it blocks: the job that joins the parts is the gate.
func (s *Step) checkShard(ctx context.Context, o engine.Options, text string) error {
	n, err := shard.ParseNumber(text)
	if err != nil {
		return inputf("the input shard is %w", err)
	}
	part, err := host.InTime(o.Timeout, func() (*shard.File, error) { return engine.CheckShard(ctx, o, n) })
	if err != nil {
		return err
	}
	return s.writtenShard(n, part)
}

// writtenShard writes a part. One that is not done is exit code 3, as for the command, so that the job which ran out of time is the one that is red.
func (s *Step) writtenShard(n shard.Number, part *shard.File) error {
	name := filepath.Join(s.reportDir(), fmt.Sprintf("shard-%d.json", n.K))
	if err := host.WriteFile(name, part.Write); err != nil {
		return err
	}
	if err := s.say(part.WriteText); err != nil {
		return err
	}
	state, code := "is done", "0"
	if part.Unfinished != "" {
		state, code = "is not done: "+part.Unfinished, "3"
	}
	if err := s.summarize(fmt.Sprintf("specgate: shard %s %s. The job that joins the shards has the result.\n", n, state)); err != nil {
		return err
	}
	return s.write(outputs{"report": name, "exit-code": code})
}

// Merge joins the parts of a check that other jobs of the run wrote, and writes the report.
func (s *Step) Merge(ctx context.Context) error {
	o, err := s.options()
	if err != nil {
		return err
	}
	names, err := filepath.Glob(filepath.Join(s.shardsDir(), "shard-*.json"))
	if err != nil {
		return fmt.Errorf("look for the shards: %w", err)
	}
	if len(names) == 0 {
		return inputf("no job of this run has uploaded a shard; this job needs those with the input shard, which must have the same input artifact")
	}
	var parts []*shard.File
	for _, name := range names {
		// What somebody else packed can be a link to any file.
		if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() {
			return inputf("open the shard %s: it is not a file", filepath.Base(name))
		}
		part, err := shard.Open(name)
		if err != nil {
			return err
		}
		parts = append(parts, part)
	}
	result, err := engine.MergeShards(ctx, o, parts)
	if err != nil {
		return err
	}
	return s.written(result)
}

// settings are the inputs that do not say what is checked.
type settings struct {
	only     []checks.Family
	timeout  time.Duration
	comments policy.Comments
}

// settings reads them. Every step that is given some reads all, so that a mistake is found before anything is checked.
func (s *Step) settings() (settings, error) {
	out := settings{comments: policy.Comments(s.runner.GetInput("comments"))}
	var err error
	if text := s.runner.GetInput("only"); text != "" {
		if out.only, err = host.Families(strings.Split(text, ",")); err != nil {
			return out, inputf("the input only: %w", err)
		}
	}
	if text := s.runner.GetInput("timeout"); text != "" {
		if out.timeout, err = time.ParseDuration(text); err != nil || out.timeout <= 0 {
			return out, inputf("the input timeout is %q; want a time such as 90s or 10m", text)
		}
	}
	if known := []policy.Comments{"", policy.CommentsOff, policy.CommentsSticky, policy.CommentsReview}; !slices.Contains(known, out.comments) {
		return out, inputf("the input comments is %q; want off, sticky or review", out.comments)
	}
	return out, nil
}

// options say what is checked, by the inputs and by what Plan found.
func (s *Step) options() (engine.Options, error) {
	none := engine.Options{}
	set, err := s.settings()
	if err != nil {
		return none, err
	}
	o := engine.Options{
		Repo: s.repositoryDir(), Base: s.runner.GetInput("base"), Head: s.runner.GetInput("head"),
		Only: set.only, Timeout: set.timeout, Jobs: runtime.GOMAXPROCS(0),
		Today: s.o.Today, Version: s.o.Version, Log: s.o.Log,
	}
	if o.Base == "" || o.Head == "" {
		return none, inputf("the commits to check are missing; action.yml runs this step after the one that finds them")
	}
	return o, nil
}
