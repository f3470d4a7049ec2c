package action

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"

	"github.com/specgate/specgate/internal/engine"
	"github.com/specgate/specgate/internal/github"
	"github.com/specgate/specgate/internal/gitrepo"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/publish"
	"github.com/specgate/specgate/internal/shard"
	"github.com/specgate/specgate/internal/verus"
)

// What the steps after Plan do.
const (
	modeCheck   = "check"   // check the change, or a part of it, and publish the result unless it is of a part
	modeMerge   = "merge"   // join the reports of parts that other jobs of the run wrote, and publish the result
	modePublish = "publish" // publish the report that another run wrote
)

// change is what an event wants checked.
type change struct {
	head string
	// base is empty if only a report is to be published, which names its own.
	base string
	// pull is the pull request, or, of a merge group, that whose labels count; 0: none.
	pull int
	// accepted: the head is the tip of the default branch.
	accepted bool
	// chosen: somebody named the base.
	chosen bool
}

// verusAuto and nothing are words that the inputs verus and rustc may have instead of a path.
const (
	verusAuto = "auto"
	nothing   = "none"
)

// Words of the input cache.
const (
	cacheFalse = "false"
	cacheTrue  = "true"
	cacheAll   = "all"
)

var (
	artifactName = regexp.MustCompile(`^[A-Za-z0-9._-]{1,100}$`)
	notInKeys    = regexp.MustCompile(`[^A-Za-z0-9._+-]+`)
)

// Plan finds out what the event wants checked, fetches it, and says what later steps have to do. It is the one step that looks at the event.
func (s *Step) Plan(ctx context.Context) error {
	if err := supported(s.context.EventName); err != nil {
		return err
	}
	e, err := readEvent(s.context.EventName, s.context.EventPath)
	if err != nil {
		return err
	}
	if _, err := s.settings(); err != nil {
		return err
	}
	if text := s.runner.GetInput("cache"); !slices.Contains([]string{cacheFalse, cacheTrue, cacheAll}, text) {
		return inputf("the input cache is %q; want true, false or all", text)
	}
	out := outputs{"mode": modeCheck}
	switch text := s.runner.GetInput("merge"); {
	case e.name == "workflow_run":
		out["mode"] = modePublish
	case text == "true":
		out["mode"] = modeMerge
	case text != "" && text != "false":
		return inputf("the input merge is %q; want true or false", text)
	}
	if err := s.idle(out["mode"]); err != nil {
		return err
	}
	if err := s.artifacts(out); err != nil {
		return err
	}
	client, repo, err := s.client()
	if err != nil {
		return err
	}
	c, err := s.change(ctx, e, client, repo)
	if err != nil {
		return err
	}
	out["head"], out["base"] = c.head, c.base
	out["reports"], out["shards"] = s.reportDir(), s.shardsDir()
	if c.pull > 0 {
		out["pull"] = strconv.Itoa(c.pull)
	}
	if c.chosen {
		// Who names the base names the policy. What comes of that must not count where the result is required.
		out["check"] = publish.CheckName + " by hand"
	}
	// An earlier use of the action in the same job has left its files.
	if err := os.RemoveAll(s.temp); err != nil {
		return fmt.Errorf("make place for the report: %w", err)
	}
	if err := os.MkdirAll(s.reportDir(), 0o700); err != nil {
		return fmt.Errorf("make place for the report: %w", err)
	}
	if c.base != "" {
		target := publish.Target{Client: client, Repo: repo, SHA: c.head}
		if err := s.fetch(ctx, &target, c, out); err != nil {
			return err
		}
	}
	fmt.Fprintf(s.o.Stdout, "%s: head %s", out["mode"], c.head)
	if c.base != "" {
		fmt.Fprintf(s.o.Stdout, ", base %s", c.base)
	}
	if c.pull > 0 {
		fmt.Fprintf(s.o.Stdout, ", pull request %d", c.pull)
	}
	fmt.Fprintln(s.o.Stdout)
	return s.write(out)
}

// idle refuses inputs that would do nothing in a job, as they are about what it does not do. One that has its default is as good as left out.
func (s *Step) idle(mode string) error {
	var job string
	var names []string
	switch {
	case mode == modeMerge:
		job, names = "join what others checked", []string{"cache", "rustc", "shard", "timeout", "verus"}
	case mode == modePublish:
		job, names = "publish what another run checked", []string{"cache", "merge", "only", "rustc", "shard", "timeout", "verus"}
	case s.runner.GetInput("shard") != "":
		job, names = "check a part of the change", []string{"comments"}
	}
	usual := map[string]string{"cache": cacheTrue, "merge": "false", "verus": verusAuto}
	for _, name := range names {
		if text := s.runner.GetInput(name); text != "" && text != usual[name] {
			return inputf("the input %s does nothing in this job, which is to %s; leave it out", name, job)
		}
	}
	return nil
}

// artifacts names what is uploaded, or downloaded.
func (s *Step) artifacts(out outputs) error {
	name, shards := s.runner.GetInput("artifact"), s.runner.GetInput("shard")
	if name != "" && !artifactName.MatchString(name) {
		return inputf("the input artifact is %q; want up to 100 letters, digits, `-`, `_` and `.`", name)
	}
	out["artifact"] = name
	switch {
	case name == "" && (shards != "" || out["mode"] != modeCheck):
		return inputf("the input artifact is empty, so no report can be handed from one job to another")
	case shards != "":
		n, err := shard.ParseNumber(shards)
		if err != nil {
			return inputf("the input shard is %w", err)
		}
		out["artifact"] = fmt.Sprintf("%s-shard-%d", name, n.K)
	}
	return nil
}

// change finds the commits that an event is about.
func (s *Step) change(ctx context.Context, e *event, client *github.Client, repo github.Repo) (*change, error) {
	base, head := s.runner.GetInput("base"), s.runner.GetInput("head")
	if (base != "" || head != "") && e.name != "workflow_dispatch" {
		return nil, inputf("the inputs base and head are for the event workflow_dispatch; of a %s the commits are known", e.name)
	}
	c := &change{head: e.head()}
	switch {
	case e.name == "workflow_dispatch":
		c.head = s.context.SHA
		if head != "" {
			c.head = head
		}
	case e.name == "push" && none(c.head):
		return nil, inputf("the push deleted %q, so there is nothing to check", e.Ref)
	}
	if err := github.CheckSHA(c.head); err != nil {
		return nil, inputf("the head of the %s: %w", e.name, err)
	}
	switch e.name {
	case "workflow_run":
		return c, nil
	case "pull_request":
		target, err := publish.Find(ctx, client, repo, c.head, e.PullRequest.Number)
		if err != nil {
			return nil, lacking(readPulls, err)
		}
		if target.Pull == nil {
			return nil, inputf("the pull_request is number %d, and no open one has the head %s", e.PullRequest.Number, c.head)
		}
		c.pull = target.Pull.Number
		c.base, err = target.MergeBase(ctx)
		return c, lacking(readContents, err)
	case "merge_group":
		c.base, c.pull = e.MergeGroup.BaseSHA, e.queuedPull()
		if err := github.CheckSHA(c.base); err != nil {
			return nil, inputf("the base of the merge_group: %w", err)
		}
		return c, nil
	case "workflow_dispatch":
		if base != "" {
			if err := github.CheckSHA(base); err != nil {
				return nil, inputf("the input base: %w", err)
			}
			c.base, c.chosen = base, true
			return c, nil
		}
	case "push":
		if e.Repository.DefaultBranch != "" && e.Ref == "refs/heads/"+e.Repository.DefaultBranch {
			if none(e.Before) {
				return nil, inputf("the push made the default branch, so there is no commit to compare with")
			}
			c.accepted = true
			var err error
			c.base, err = client.MergeBase(ctx, repo, e.Before, c.head)
			return c, lacking(readContents, err)
		}
		pulls, err := client.Pulls(ctx, repo, c.head)
		if err != nil {
			return nil, lacking(readPulls, err)
		}
		if len(pulls) == 1 {
			c.pull = pulls[0].Number
			target := publish.Target{Client: client, Repo: repo, SHA: c.head, Pull: &pulls[0]}
			c.base, err = target.MergeBase(ctx)
			return c, lacking(readContents, err)
		}
	}
	tip, err := client.DefaultBranch(ctx, repo)
	if err != nil {
		return nil, lacking(readContents, err)
	}
	if c.base, err = client.MergeBase(ctx, repo, tip, c.head); err != nil {
		return nil, lacking(readContents, err)
	}
	if e.name == "workflow_dispatch" && c.base == c.head {
		return nil, inputf("%s is part of the default branch, so there is nothing to compare it with; name a commit in the input base", c.head)
	}
	return c, nil
}

// fetch gets the commits and the policy, and says which verifier is wanted, and where what is kept lies.
func (s *Step) fetch(ctx context.Context, target *publish.Target, c *change, out outputs) error {
	text, found, err := target.Client.File(ctx, target.Repo, c.base, policy.FileName)
	if err != nil {
		return lacking(readContents, err)
	}
	pol := policy.Default()
	if found {
		if pol, err = policy.Parse(policy.FileName, text, engine.RuleInfos()); err != nil {
			return fmt.Errorf("read the policy of %s: %w\n%s", c.base, err, policy.Recovery)
		}
	}
	o := gitrepo.FetchOptions{Dir: s.repositoryDir(), URL: fmt.Sprintf("%s/%s.git", s.context.ServerURL, target.Repo), Token: s.runner.GetInput("token"),
		Commits: []string{c.base, c.head}}
	if c.base == c.head {
		o.Commits = o.Commits[:1]
	}
	if c.accepted {
		o.Accepted = c.head
	}
	if err := gitrepo.Fetch(ctx, o); err != nil {
		return lacking(readContents, err)
	}
	if out["mode"] != modeCheck {
		return nil
	}
	key := fmt.Sprintf("%s-%s-%s", s.o.Version, runtime.GOOS, runtime.GOARCH)
	if part := s.runner.GetInput("shard"); part != "" {
		key += "-shard-" + part // the cache takes one file under a key, and each part has other answers
	}
	out["cache-key"] = notInKeys.ReplaceAllString(key, "_")
	switch s.runner.GetInput("cache") {
	case cacheAll:
		out["verus-zip"], out["answers"] = s.zipFile(), s.answersDir()
	case cacheTrue:
		// A run restores what any workflow of the same branch or pull request has saved, before it looks at what the default branch has. What is
		// restored can be any files. So this is for runs of what has been accepted.
		if c.accepted || s.context.EventName == "merge_group" {
			out["verus-zip"], out["answers"] = s.zipFile(), s.answersDir()
		}
	}
	if c.accepted && out["answers"] != "" {
		out["save"] = "true"
	}
	if s.runner.GetInput("verus") != verusAuto || pol.Verus.Release == "" {
		return nil
	}
	if _, err := verus.Platform(runtime.GOOS, runtime.GOARCH); err != nil {
		return err
	}
	if err := os.WriteFile(s.policyFile(), text, 0o600); err != nil {
		return fmt.Errorf("write the policy: %w", err)
	}
	out["policy"] = s.policyFile()
	out["verus-release"] = pol.Verus.Release
	out["cache-key"] += "-" + pol.Verus.Release
	return nil
}
