package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/specgate/specgate/internal/github"
)

// effect is what an event means for the state. The zero value is of an event that means nothing.
type effect uint8

const (
	// pullSeen: a pull request has this head, and wants it checked if it is open.
	pullSeen effect = iota + 1
	// pullMoved is pullSeen of one that goes into another branch now, so that what was found before says nothing.
	pullMoved
	// pullLabelled is pullSeen of one with a label more or less.
	pullLabelled
	// suiteAsked: a commit was pushed, maybe to a fork, of which the event names no pull request.
	suiteAsked
	// askedAgain: somebody wants a commit checked again.
	askedAgain
	// pressed: somebody pressed a button of a check run.
	pressed
	// groupAsked, groupGone: a merge queue wants to know of a commit, or no longer.
	groupAsked
	groupGone
	// uninstalled: the App has no access any more, to all repositories of the installation or to those of removed.
	uninstalled
)

// event is what specgate takes from a webhook. All of it is checked; labels and logins may hold any character.
type event struct {
	name, action string
	effect       effect
	repo         int64
	repoName     string
	installation int64

	pull    int64
	head    string
	before  string // the head that it replaces; empty: not known
	open    bool
	updated int64
	label   string

	groupBase  string
	identifier string
	checkRun   int64
	sender     string
	senderID   int64

	removed []int64
}

// payload has the keys that are read of all events. docs.github.com, "Webhook events and payloads".
type payload struct {
	Action       string `json:"action"`
	Number       int64  `json:"number"`
	Before       string `json:"before"`
	Installation *struct {
		ID int64 `json:"id"`
	} `json:"installation"`
	Repository *struct {
		ID       int64  `json:"id"`
		FullName string `json:"full_name"`
	} `json:"repository"`
	Sender *struct {
		ID    int64  `json:"id"`
		Login string `json:"login"`
	} `json:"sender"`
	PullRequest *struct {
		State     string    `json:"state"`
		UpdatedAt time.Time `json:"updated_at"`
		Head      struct {
			SHA string `json:"sha"`
		} `json:"head"`
	} `json:"pull_request"`
	Changes *struct {
		Base json.RawMessage `json:"base"`
	} `json:"changes"`
	Label *struct {
		Name string `json:"name"`
	} `json:"label"`
	CheckSuite *struct {
		HeadSHA string  `json:"head_sha"`
		App     *wireID `json:"app"`
	} `json:"check_suite"`
	CheckRun *struct {
		ID      int64   `json:"id"`
		HeadSHA string  `json:"head_sha"`
		App     *wireID `json:"app"`
	} `json:"check_run"`
	RequestedAction *struct {
		Identifier string `json:"identifier"`
	} `json:"requested_action"`
	MergeGroup *struct {
		HeadSHA string `json:"head_sha"`
		HeadRef string `json:"head_ref"`
		BaseSHA string `json:"base_sha"`
	} `json:"merge_group"`
	RepositoriesRemoved []wireID `json:"repositories_removed"`
}

// groupRef is the branch of a merge group, which names the pull request that it adds.
var groupRef = regexp.MustCompile(`^refs/heads/gh-readonly-queue/.+/pr-([1-9][0-9]*)-[0-9a-f]+$`)

type wireID struct {
	ID int64 `json:"id"`
}

// parseEvent reads the body of a webhook of a name. Events and actions that mean nothing to specgate have no effect; of the others all that is
// needed must be there. Events about check runs and suites of another App have no effect either.
func parseEvent(name string, body []byte, appID int64) (event, error) {
	var p payload
	if err := json.Unmarshal(body, &p); err != nil {
		return event{}, fmt.Errorf("read the event: %w", err)
	}
	e := event{name: name, action: p.Action}
	e.effect = effectOf(name, p.Action)
	ours := func(app *wireID) bool { return app == nil || app.ID == appID }
	switch {
	case e.effect == pullMoved && (p.Changes == nil || len(p.Changes.Base) == 0),
		p.CheckSuite != nil && !ours(p.CheckSuite.App), p.CheckRun != nil && !ours(p.CheckRun.App):
		e.effect = 0
	}
	if e.effect == 0 {
		return e, nil
	}
	if err := e.read(&p); err != nil {
		return event{}, fmt.Errorf("read the event %s: %w", name, err)
	}
	return e, nil
}

// effectOf is what an event of a name and an action may mean; that of some depends on what else they say. 0: it means nothing.
func effectOf(name, action string) effect {
	switch name + "/" + action {
	case "pull_request/opened", "pull_request/reopened", "pull_request/synchronize", "pull_request/ready_for_review", "pull_request/closed":
		return pullSeen
	case "pull_request/edited":
		return pullMoved
	case "pull_request/labeled", "pull_request/unlabeled":
		return pullLabelled
	case "check_suite/requested":
		return suiteAsked
	case "check_suite/rerequested", "check_run/rerequested":
		return askedAgain
	case "check_run/requested_action":
		return pressed
	case "merge_group/checks_requested":
		return groupAsked
	case "merge_group/destroyed":
		return groupGone
	case "installation/deleted", "installation/suspend", "installation_repositories/removed":
		return uninstalled
	}
	return 0
}

func (e *event) read(p *payload) error {
	if p.Installation == nil || p.Installation.ID < 1 {
		return errors.New("it names no installation; is the webhook that of a GitHub App?")
	}
	e.installation = p.Installation.ID
	if e.effect == uninstalled {
		for _, r := range p.RepositoriesRemoved {
			e.removed = append(e.removed, r.ID)
		}
		if e.name == "installation_repositories" && len(e.removed) == 0 {
			e.effect = 0
		}
		return nil
	}
	if p.Repository == nil || p.Repository.ID < 1 {
		return errors.New("it names no repository")
	}
	e.repo, e.repoName = p.Repository.ID, p.Repository.FullName
	if _, err := github.ParseRepo(e.repoName); err != nil {
		return err
	}
	if p.Sender != nil {
		e.sender, e.senderID = p.Sender.Login, p.Sender.ID
	}
	switch {
	case p.PullRequest != nil && e.name == "pull_request":
		if p.Number < 1 {
			return errors.New("it names no number of a pull request")
		}
		if p.PullRequest.UpdatedAt.Year() < 2000 {
			return errors.New("it does not say when the pull request was updated")
		}
		e.pull, e.head, e.open, e.updated = p.Number, p.PullRequest.Head.SHA, p.PullRequest.State == "open", millis(p.PullRequest.UpdatedAt)
		if p.Action == "synchronize" && github.CheckSHA(p.Before) == nil {
			e.before = p.Before
		}
		if p.Label != nil {
			e.label = p.Label.Name
		}
	case p.CheckSuite != nil && e.name == "check_suite":
		e.head = p.CheckSuite.HeadSHA
	case p.CheckRun != nil && e.name == "check_run":
		e.head, e.checkRun = p.CheckRun.HeadSHA, p.CheckRun.ID
		if e.effect == pressed {
			if p.RequestedAction == nil || p.RequestedAction.Identifier == "" || p.CheckRun.ID < 1 || e.sender == "" {
				return errors.New("it does not say which button was pressed, on which check run and by whom")
			}
			e.identifier = p.RequestedAction.Identifier
		}
	case p.MergeGroup != nil && e.name == "merge_group":
		e.head, e.groupBase = p.MergeGroup.HeadSHA, p.MergeGroup.BaseSHA
		if m := groupRef.FindStringSubmatch(p.MergeGroup.HeadRef); m != nil {
			e.pull, _ = strconv.ParseInt(m[1], 10, 64) // 0 if it is too large for a number
		}
		if err := github.CheckSHA(e.groupBase); err != nil && e.effect == groupAsked {
			return fmt.Errorf("its base: %w", err)
		}
	default:
		return errors.New("it does not have what it is about")
	}
	if err := github.CheckSHA(e.head); err != nil {
		return fmt.Errorf("its head: %w", err)
	}
	return nil
}
