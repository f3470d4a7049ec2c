package action

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/specgate/specgate/internal/github"
)

// event is what is used of an event's payload: hashes of commits, numbers, and names of branches of the repository itself.
// docs.github.com, "Webhook events and payloads" and "Events that trigger workflows".
type event struct {
	name string

	// Of a push: what the branch or tag was and is. All zeros is none.
	Before string `json:"before"`
	After  string `json:"after"`
	Ref    string `json:"ref"`

	PullRequest struct {
		Number int `json:"number"`
		Head   struct {
			SHA string `json:"sha"`
		} `json:"head"`
	} `json:"pull_request"`
	MergeGroup struct {
		HeadSHA string `json:"head_sha"`
		HeadRef string `json:"head_ref"`
		BaseSHA string `json:"base_sha"`
		BaseRef string `json:"base_ref"`
	} `json:"merge_group"`
	WorkflowRun struct {
		HeadSHA string `json:"head_sha"`
		// Event started the run.
		Event string `json:"event"`
	} `json:"workflow_run"`
	Repository struct {
		DefaultBranch string `json:"default_branch"`
	} `json:"repository"`
}

// maxEvent is the most bytes of a payload: GitHub caps them at 25 MB.
const maxEvent = 32 << 20

// readEvent reads the event that started a job. GitHub wrote the file.
func readEvent(name, file string) (*event, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("read the event: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxEvent+1))
	if err != nil {
		return nil, fmt.Errorf("read the event: %w", err)
	}
	if len(text) > maxEvent {
		return nil, fmt.Errorf("read the event %s: it has more than %d MiB", file, maxEvent>>20)
	}
	e := &event{name: name}
	if err := json.Unmarshal(text, e); err != nil {
		return nil, fmt.Errorf("read the event %s: %w", file, err)
	}
	return e, nil
}

// head is the commit that the event is about; empty: the event names none. GITHUB_SHA would be the test merge of a pull request, or the default
// branch.
func (e *event) head() string {
	switch e.name {
	case "pull_request", "pull_request_target":
		return e.PullRequest.Head.SHA
	case "push":
		return e.After
	case "merge_group":
		return e.MergeGroup.HeadSHA
	case "workflow_run":
		return e.WorkflowRun.HeadSHA
	}
	return ""
}

// HeadCommit is the commit that the event of a job is about, by the job's GITHUB_EVENT_NAME and GITHUB_EVENT_PATH.
func HeadCommit(name, file string) (string, error) {
	if name == "" || file == "" {
		return "", errors.New("GITHUB_EVENT_NAME and GITHUB_EVENT_PATH are not set")
	}
	e, err := readEvent(name, file)
	if err != nil {
		return "", err
	}
	if e.head() == "" {
		return "", fmt.Errorf("the event %q names no head commit", name)
	}
	return e.head(), nil
}

var runID = regexp.MustCompile(`^[0-9]{1,20}$`)

// RunURL is the page of the workflow run that an environment is of, or empty.
func RunURL(repo github.Repo, getenv func(string) string) string {
	server, id := getenv("GITHUB_SERVER_URL"), getenv("GITHUB_RUN_ID")
	if server == "" || !runID.MatchString(id) {
		return ""
	}
	return fmt.Sprintf("%s/%s/actions/runs/%s", server, repo, id)
}

// none tells whether a hash stands for no commit.
func none(sha string) bool { return strings.Trim(sha, "0") == "" }

// queued is a branch of a merge queue, which GitHub names after the last pull request in it.
var queued = regexp.MustCompile(`^refs/heads/gh-readonly-queue/.+/pr-([1-9][0-9]{0,8})-[0-9a-f]{40,64}$`)

// queuedPull is the pull request that a merge group is for; 0 if that cannot be told.
func (e *event) queuedPull() int {
	m := queued.FindStringSubmatch(e.MergeGroup.HeadRef)
	if m == nil {
		return 0
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		return 0
	}
	return n
}

// queuedInto is the branch that a merge group is to be merged into; empty: the default branch.
func (e *event) queuedInto() string {
	into := strings.TrimPrefix(e.MergeGroup.BaseRef, "refs/heads/")
	if into == e.Repository.DefaultBranch {
		return ""
	}
	return into
}

// events that start a check, or, the last one, publish the result of another.
func events() []string {
	return []string{"pull_request", "push", "merge_group", "workflow_dispatch", "workflow_run"}
}

// supported refuses an event that the action is not for.
func supported(name string) error {
	switch {
	case name == "pull_request_target":
		return inputf("the event pull_request_target is not supported: its jobs have a token that can write, and the secrets, and a check builds and runs code of the pull request. " +
			"Use pull_request; for pull requests from forks publish the report from a workflow_run, as docs/action.md shows")
	case !slices.Contains(events(), name):
		return inputf("the event %q is not supported; the action is for %s", name, strings.Join(events(), ", "))
	}
	return nil
}
