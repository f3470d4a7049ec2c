package app_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/app/apptest"
	"github.com/specgate/specgate/internal/github/githubtest"
)

// TestRedeliver: events that could not be delivered are asked for until they have arrived or GitHub does not have them any more, and no others.
func TestRedeliver(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		event := func(sha string, at int) apptest.Webhook {
			return s.Event(t, "pull_request", "acme/numbers", map[string]any{"action": "synchronize", "number": 7, "pull_request": map[string]any{"number": 7, "state": "open",
				"updated_at": time.Date(2026, 1, 1, 0, 0, at, 0, time.UTC), "head": map[string]any{"sha": sha}}})
		}
		deliver := func(h apptest.Webhook) {
			if status, text, err := apptest.Send(http.DefaultClient, s.address, h, nil); err != nil || status != http.StatusAccepted {
				t.Errorf("%d %q %v", status, text, err)
			}
		}
		lost, stored := event(two, 2), event(one, 1)
		s.start()
		deliver(stored)
		s.want("2222 completed success: " + passTitle)
		restart := func(later time.Duration) {
			t.Helper()
			if err := s.stop(); err != nil {
				t.Fatal(err)
			}
			s.config.Now = func() time.Time { return time.Now().Add(later) }
			s.start()
		}
		asked := func(want ...int64) {
			t.Helper()
			s.eventually(fmt.Sprintf("%v are asked for", want), func() bool { return len(s.Redelivered()) >= len(want) })
			if diff := cmp.Diff(want, s.Redelivered()); diff != "" {
				t.Errorf("asked for (-want +got):\n%s", diff)
			}
		}
		hour := func(n int) time.Time { return time.Now().Add(time.Duration(n) * time.Hour) }
		add := func(id int64, guid, event, action string, at time.Time, status int) {
			s.AddDelivery(githubtest.Delivery{ID: id, GUID: guid, Event: event, Action: action, At: at, Status: status})
		}
		add(1, "too-old", "pull_request", "opened", hour(-73), 502)
		add(2, "never", "pull_request", "opened", hour(-60), 502)
		add(3, "removed", "installation", "suspend", hour(-51), 502)
		add(4, "taken", "pull_request", "opened", hour(-50), 202)
		for id := range int64(150) { // more than one page
			add(10+id, fmt.Sprintf("much-%d", id), "check_run", "created", hour(-40), 0)
		}
		add(200, lost.Delivery, "pull_request", "synchronize", hour(-30), 0)
		s.AddDelivery(githubtest.Delivery{ID: 201, GUID: lost.Delivery, Event: "pull_request", Action: "synchronize", At: hour(-29), Redelivery: true})
		add(202, stored.Delivery, "pull_request", "synchronize", hour(-28), 0)

		restart(2 * time.Minute)
		asked(2, 200)
		// It did not help, and is tried again, but not at once.
		add(203, "later", "merge_group", "checks_requested", hour(-1), 500)
		restart(4 * time.Minute)
		asked(2, 200, 203)
		restart(30 * time.Minute)
		asked(2, 200, 203, 2, 200, 203)
		s.Change(func(st githubtest.State) { st["acme/numbers"].Pulls[7].Head = two })
		deliver(lost)
		s.want("2222 completed success: "+passTitle, "3333 completed success: "+passTitle)
		restart(6 * time.Hour)
		asked(2, 200, 203, 2, 200, 203, 2, 203)

		restart(13 * time.Hour)
		s.eventually("one is lost", func() bool {
			return strings.Contains(apptest.Metrics(t, s.address), `specgate_redeliveries_total{result="lost"} 1`+"\n")
		})
		asked(2, 200, 203, 2, 200, 203, 2, 203, 203)
		if !strings.Contains(s.log.String(), `msg="an event is lost" delivery=never event=pull_request action=opened`) {
			t.Error("the log does not say so")
		}
	})
}

// TestRedeliverOnce: of several servers with one database one asks, and a GitHub that has forgotten a delivery, or does not answer, does no harm.
func TestRedeliverOnce(t *testing.T) {
	s := newScene(t, postgresURL(t))
	s.config.Log = slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	s.AddDelivery(githubtest.Delivery{ID: 1, GUID: "gone", Event: "pull_request", Action: "opened", At: time.Now().Add(-2 * time.Hour)})
	s.AddDelivery(githubtest.Delivery{ID: 2, GUID: "there", Event: "pull_request", Action: "opened", At: time.Now().Add(-time.Hour)})
	s.Fail(githubtest.Fault{Method: http.MethodPost, Path: "/deliveries/1/attempts", Kind: githubtest.Answer, Status: http.StatusNotFound, Body: "{}"})
	s.start()
	s.eventually("it is asked for", func() bool { return cmp.Equal([]int64{2}, s.Redelivered()) })
	if want := `msg="an event is lost" delivery=gone event=pull_request action=opened`; !strings.Contains(s.log.String(), want) {
		t.Errorf("the log has no %s", want)
	}
	second := *s
	second.log = &lockedBuffer{}
	second.config.Log = slog.New(slog.NewTextHandler(second.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	second.start()
	s.eventually("the second does not ask", func() bool { return strings.Contains(second.log.String(), "deliveries were looked at not long ago") })
	if err := second.stop(); err != nil {
		t.Error(err)
	}

	other := newScene(t, filepath.Join(t.TempDir(), "specgate.db"))
	other.Fail(githubtest.Fault{Path: "/app/hook/deliveries", Kind: githubtest.Answer, Status: http.StatusNotFound, Body: "{}"})
	other.start()
	other.eventually("it says so", func() bool {
		return strings.Contains(other.log.String(), `msg="look for events that did not arrive" error="list the deliveries of the webhook: not found, or not visible with this token"`)
	})
	other.pull("opened", one, 1, nil)
	other.want("2222 completed success: " + passTitle)
}

// TestRedeliverSlowClock: what a server whose clock is slow takes for underway is looked at when its clock is right.
func TestRedeliverSlowClock(t *testing.T) {
	s := newScene(t, filepath.Join(t.TempDir(), "specgate.db"))
	s.AddDelivery(githubtest.Delivery{ID: 1, GUID: "failed", Event: "pull_request", Action: "opened", At: time.Now().Add(-10 * time.Minute), Status: 502})
	s.AddDelivery(githubtest.Delivery{ID: 2, GUID: "taken", Event: "pull_request", Action: "opened", At: time.Now(), Status: 202})
	s.config.Now = func() time.Time { return time.Now().Add(-time.Hour) }
	s.start()
	s.eventually("GitHub is asked", func() bool {
		return slices.ContainsFunc(s.Requests(), func(r githubtest.Request) bool { return strings.HasSuffix(r.Path, "/hook/deliveries") })
	})
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	s.config.Now = func() time.Time { return time.Now().Add(2 * time.Minute) }
	s.start()
	s.eventually("it is asked for", func() bool { return cmp.Equal([]int64{1}, s.Redelivered()) })
}
