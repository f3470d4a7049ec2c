package github_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/github"
	"github.com/specgate/specgate/internal/github/githubtest"
)

func TestDeliveries(t *testing.T) {
	key, pemKey := newKey(t)
	s := githubtest.New(repository(), "/api/v3")
	defer s.Close()
	s.AddApp(githubtest.App{ID: 5, Slug: "specgate-app", Key: key, Installation: 6})
	hook, err := github.NewWebhook(github.Options{BaseURL: s.URL, UserAgent: "specgate/test", App: &github.App{ID: 5, PrivateKey: pemKey}})
	wantError(t, err, "")
	list := func(since time.Time, limit int) (ids []int64, whole bool) {
		t.Helper()
		all, whole, err := hook.Deliveries(t.Context(), since, limit)
		wantError(t, err, "")
		for _, d := range all {
			ids = append(ids, d.ID)
		}
		return ids, whole
	}
	if ids, whole := list(time.Time{}, 1000); len(ids) != 0 || !whole {
		t.Errorf("of a new App: %v %v", ids, whole)
	}
	now := time.Now().UTC().Truncate(time.Second)
	at := func(id int) time.Time { return now.Add(time.Duration(id-250) * time.Minute) }
	s.AddDelivery(githubtest.Delivery{ID: 1, GUID: "old", At: now.Add(-73 * time.Hour)})
	var want []int64
	for id := 2; id <= 250; id++ {
		s.AddDelivery(githubtest.Delivery{ID: int64(id), GUID: fmt.Sprint("g", id), Event: "pull_request", Action: "opened", At: at(id), Status: 299 + id%2, Redelivery: id == 250})
		want = append([]int64{int64(id)}, want...)
	}
	for _, c := range []struct {
		since        time.Time
		limit, count int
		whole        bool
	}{{time.Time{}, 1000, 249, true}, {time.Time{}, 249, 249, true}, {time.Time{}, 200, 200, false}, {time.Time{}, 1, 100, false}, {at(101), 1000, 150, true}, {now.Add(time.Hour), 1000, 0, true}} {
		if ids, whole := list(c.since, c.limit); !cmp.Equal(ids, want[:c.count]) && c.count > 0 || len(ids) != c.count || whole != c.whole {
			t.Errorf("since %v, %d at most: %d, whole: %v", c.since, c.limit, len(ids), whole)
		}
	}
	all, _, err := hook.Deliveries(t.Context(), at(249), 1000)
	wantError(t, err, "")
	if diff := cmp.Diff([]github.Delivery{
		{ID: 250, GUID: "g250", Event: "pull_request", Action: "opened", At: at(250), Again: true, Taken: true},
		{ID: 249, GUID: "g249", Event: "pull_request", Action: "opened", At: at(249)},
	}, all); diff != "" {
		t.Error(diff)
	}

	wantError(t, hook.Redeliver(t.Context(), 249), "")
	for _, id := range []int64{1, 251} {
		if err := hook.Redeliver(t.Context(), id); !errors.Is(err, github.ErrNotFound) {
			t.Errorf("%d: %v", id, err)
		}
	}
	if diff := cmp.Diff([]int64{249}, s.Redelivered()); diff != "" {
		t.Error(diff)
	}
	// What may have been done is not asked for once more.
	s.Fail(githubtest.Fault{Method: http.MethodPost, Kind: githubtest.Answer, Status: http.StatusBadGateway})
	var lost *github.LostError
	if err := hook.Redeliver(t.Context(), 249); !errors.As(err, &lost) {
		t.Errorf("%v", err)
	}
	if len(s.Problems()) > 0 {
		t.Errorf("bad requests: %q", s.Problems())
	}
}
