package app

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/github"
)

const about = `"installation":{"id":6},"repository":{"id":1000,"full_name":"acme/numbers"},"sender":{"id":77,"login":"alice"}`

// shas by a letter, to keep the table readable.
func expand(text string) string {
	for _, c := range "abc" {
		text = strings.ReplaceAll(text, "SHA-"+string(c), strings.Repeat(string(c), 40))
	}
	return strings.ReplaceAll(text, "ABOUT", about)
}

var eventCases = []struct {
	name, body string
	want       event
	err        string
}{
	{"pull_request", `{"action":"opened","number":7,ABOUT,"pull_request":{"state":"open","updated_at":"2026-01-01T00:00:01Z","head":{"sha":"SHA-a"}}}`,
		event{action: "opened", effect: pullSeen, pull: 7, head: "SHA-a", open: true, updated: 1767225601000}, ""},
	{"pull_request", `{"action":"synchronize","number":7,"before":"SHA-b",ABOUT,"pull_request":{"state":"open","updated_at":"2026-01-01T00:00:01Z","head":{"sha":"SHA-a"}}}`,
		event{action: "synchronize", effect: pullSeen, pull: 7, head: "SHA-a", before: "SHA-b", open: true, updated: 1767225601000}, ""},
	{"pull_request", `{"action":"closed","number":7,ABOUT,"pull_request":{"state":"closed","updated_at":"2026-01-01T00:00:01Z","head":{"sha":"SHA-a"}}}`,
		event{action: "closed", effect: pullSeen, pull: 7, head: "SHA-a", updated: 1767225601000}, ""},
	{"pull_request", `{"action":"edited","number":7,"changes":{"title":{"from":"x"}},ABOUT}`, event{action: "edited"}, ""},
	{"pull_request", `{"action":"edited","number":7,"changes":{"base":{"sha":{"from":"x"}}},ABOUT,"pull_request":{"state":"open","updated_at":"2026-01-01T00:00:01Z","head":{"sha":"SHA-a"}}}`,
		event{action: "edited", effect: pullMoved, pull: 7, head: "SHA-a", open: true, updated: 1767225601000}, ""},
	{"pull_request", `{"action":"labeled","number":7,"label":{"name":"<b>"},ABOUT,"pull_request":{"state":"open","updated_at":"2026-01-01T00:00:01Z","head":{"sha":"SHA-a"}}}`,
		event{action: "labeled", effect: pullLabelled, pull: 7, head: "SHA-a", open: true, updated: 1767225601000, label: "<b>"}, ""},
	{"check_suite", `{"action":"requested",ABOUT,"check_suite":{"head_sha":"SHA-a","pull_requests":[],"app":{"id":5}}}`, event{action: "requested", effect: suiteAsked, head: "SHA-a"}, ""},
	{"check_suite", `{"action":"rerequested",ABOUT,"check_suite":{"head_sha":"SHA-a","app":{"id":5}}}`, event{action: "rerequested", effect: askedAgain, head: "SHA-a"}, ""},
	{"check_run", `{"action":"rerequested",ABOUT,"check_run":{"id":9,"head_sha":"SHA-a","app":{"id":5}}}`, event{action: "rerequested", effect: askedAgain, head: "SHA-a", checkRun: 9}, ""},
	{"check_run", `{"action":"requested_action","requested_action":{"identifier":"accept"},ABOUT,"check_run":{"id":9,"head_sha":"SHA-a","app":{"id":5}}}`,
		event{action: "requested_action", effect: pressed, head: "SHA-a", checkRun: 9, identifier: "accept"}, ""},
	{"check_run", `{"action":"rerequested",ABOUT,"check_run":{"id":9,"head_sha":"SHA-a","app":{"id":4}}}`, event{action: "rerequested"}, ""},
	{"check_run", `{"action":"completed"}`, event{action: "completed"}, ""},
	{"merge_group", `{"action":"checks_requested",ABOUT,"merge_group":{"head_sha":"SHA-a","base_sha":"SHA-b","head_ref":"refs/heads/gh-readonly-queue/main/pr-12-SHA-b"}}`,
		event{action: "checks_requested", effect: groupAsked, head: "SHA-a", groupBase: "SHA-b", pull: 12}, ""},
	{"merge_group", `{"action":"destroyed",ABOUT,"merge_group":{"head_sha":"SHA-a","base_sha":"SHA-b"}}`, event{action: "destroyed", effect: groupGone, head: "SHA-a", groupBase: "SHA-b"}, ""},
	{"installation", `{"action":"deleted","installation":{"id":6}}`, event{action: "deleted", effect: uninstalled}, ""},
	{"installation", `{"action":"created","installation":{"id":6}}`, event{action: "created"}, ""},
	{"installation_repositories", `{"action":"removed","installation":{"id":6},"repositories_removed":[{"id":1000},{"id":1001}]}`,
		event{action: "removed", effect: uninstalled, removed: []int64{1000, 1001}}, ""},
	{"installation_repositories", `{"action":"removed","installation":{"id":6},"repositories_removed":[]}`, event{action: "removed", installation: 6}, ""},
	{"ping", `{"zen":"x"}`, event{}, ""},
	{"ping", `null`, event{}, ""},

	{"ping", `{`, event{}, "read the event: unexpected end of JSON input"},
	{"pull_request", `{"action":"opened","number":7}`, event{}, "read the event pull_request: it names no installation; is the webhook that of a GitHub App?"},
	{"pull_request", `{"action":"opened","number":7,"installation":{"id":6}}`, event{}, "read the event pull_request: it names no repository"},
	{"pull_request", `{"action":"opened","number":7,"installation":{"id":6},"repository":{"id":1,"full_name":"../../x"}}`, event{},
		"read the event pull_request: read repository \"../../x\": want OWNER/NAME, of letters, digits, `-`, `_` and `.` alone"},
	{"pull_request", `{"action":"opened","number":0,ABOUT,"pull_request":{}}`, event{}, "read the event pull_request: it names no number of a pull request"},
	{"pull_request", `{"action":"opened","number":7,ABOUT,"pull_request":{}}`, event{}, "read the event pull_request: it does not say when the pull request was updated"},
	{"pull_request", `{"action":"opened","number":7,ABOUT}`, event{}, "read the event pull_request: it does not have what it is about"},
	{"pull_request", `{"action":"opened","number":7,ABOUT,"pull_request":{"updated_at":"2026-01-01T00:00:01Z","head":{"sha":"x"}}}`, event{},
		"read the event pull_request: its head: \"x\" is not the full hash of a commit"},
	{"check_run", `{"action":"requested_action",ABOUT,"check_run":{"id":9,"head_sha":"SHA-a"}}`, event{},
		"read the event check_run: it does not say which button was pressed, on which check run and by whom"},
	{"merge_group", `{"action":"checks_requested",ABOUT,"merge_group":{"head_sha":"SHA-a","base_sha":""}}`, event{},
		"read the event merge_group: its base: \"\" is not the full hash of a commit"},
}

func TestParseEvent(t *testing.T) {
	for _, c := range eventCases {
		got, err := parseEvent(c.name, []byte(expand(c.body)), 5)
		text := ""
		if err != nil {
			text = err.Error()
		}
		want := c.want
		if c.err == "" {
			want.name, want.head, want.before, want.groupBase = c.name, expand(want.head), expand(want.before), expand(want.groupBase)
		}
		if want.effect != 0 {
			want.installation = 6
		}
		if want.effect != 0 && want.effect != uninstalled {
			want.repo, want.repoName, want.sender, want.senderID = 1000, "acme/numbers", "alice", 77
		}
		if text != c.err {
			t.Errorf("%s %s: %q, want %q", c.name, c.body, text, c.err)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(event{})); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", c.name, c.body, diff)
		}
	}
}

// FuzzWebhook: whatever comes, what has an effect has all that the effect needs, checked.
func FuzzWebhook(f *testing.F) {
	for _, c := range eventCases {
		f.Add(c.name, []byte(expand(c.body)))
	}
	f.Fuzz(func(t *testing.T, name string, body []byte) {
		e, err := parseEvent(name, body, 5)
		if err != nil || e.effect == 0 {
			return
		}
		if e.installation < 1 {
			t.Errorf("no installation: %+v", e)
		}
		if e.effect == uninstalled {
			return
		}
		if _, err := github.ParseRepo(e.repoName); err != nil || e.repo < 1 {
			t.Errorf("no repository: %+v", e)
		}
		if github.CheckSHA(e.head) != nil || e.before != "" && github.CheckSHA(e.before) != nil {
			t.Errorf("bad hashes: %+v", e)
		}
		switch e.effect {
		case pullSeen, pullMoved, pullLabelled:
			if e.pull < 1 || e.updated <= 0 {
				t.Errorf("no pull request: %+v", e)
			}
		case groupAsked:
			if github.CheckSHA(e.groupBase) != nil || e.pull < 0 {
				t.Errorf("no base: %+v", e)
			}
		case pressed:
			if e.checkRun < 1 || e.identifier == "" || e.sender == "" {
				t.Errorf("no button: %+v", e)
			}
		}
	})
}
