package github

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/go-github/v60/github"
)

// Delivery is an event as GitHub sent it, or tried to send it, to the webhook of an App.
type Delivery struct {
	ID int64
	// GUID is the event's, which X-GitHub-Delivery has. It is the same when the event is sent again.
	GUID          string
	Event, Action string
	At            time.Time
	// Again: somebody asked for it to be sent again.
	Again bool
	// Taken: it was answered with a status from 200 to 299.
	Taken bool
}

// Webhook is the webhook of an App, of which the App itself can ask. It needs no permission.
type Webhook struct{ c *Client }

// NewWebhook makes a client. o.App needs neither an installation nor a repository. It asks GitHub nothing yet.
func NewWebhook(o Options) (*Webhook, error) {
	if o.App == nil {
		return nil, errors.New("sign in to GitHub as an App: there is no key")
	}
	app := *o.App
	app.Repository = Repo{"any", "any"}
	o.App = &app
	c, err := New(o)
	if err != nil {
		return nil, err
	}
	return &Webhook{c}, nil
}

// AppSlug asks GitHub what the App is called that o.App.ID and the key are of. ErrUnauthorized says that they do not belong together, or are
// of no App. o.App needs neither an installation nor a repository.
func AppSlug(ctx context.Context, o Options) (string, error) {
	hook, err := NewWebhook(o)
	if err != nil {
		return "", err
	}
	got, _, err := hook.c.app.Apps.Get(ctx, "")
	if err != nil {
		return "", failure("ask for the name of the App", err)
	}
	if got.GetID() != o.App.ID {
		return "", fmt.Errorf("ask for the name of App %d: GitHub answers with App %d", o.App.ID, got.GetID())
	}
	return got.GetSlug(), nil
}

// Deliveries since a time, the newest first, of those that GitHub keeps: 3 days (docs.github.com, "Viewing webhook deliveries"). It asks for limit of
// them, rounded up to a hundred; whole is false if there are more.
func (w *Webhook) Deliveries(ctx context.Context, since time.Time, limit int) (all []Delivery, whole bool, err error) {
	o := github.ListCursorOptions{PerPage: 100}
	for len(all) < limit {
		some, response, err := w.c.app.Apps.ListHookDeliveries(ctx, &o)
		if err != nil {
			return nil, false, failure("list the deliveries of the webhook", err)
		}
		for _, d := range some {
			at := d.GetDeliveredAt().Time
			if at.Before(since) {
				return all, true, nil
			}
			status := d.GetStatusCode()
			all = append(all, Delivery{ID: d.GetID(), GUID: d.GetGUID(), Event: d.GetEvent(), Action: d.GetAction(), At: at, Again: d.GetRedelivery(),
				Taken: status >= 200 && status < 300})
		}
		if response.Cursor == "" || len(some) == 0 {
			return all, true, nil
		}
		o.Cursor = response.Cursor
	}
	return all, false, nil
}

// Redeliver asks GitHub to send a delivery again. ErrNotFound says that GitHub does not have it any more.
func (w *Webhook) Redeliver(ctx context.Context, id int64) error {
	_, _, err := w.c.app.Apps.RedeliverHookDelivery(ctx, id)
	var accepted *github.AcceptedError // its answer is 202, which the library takes for an error
	if errors.As(err, &accepted) {
		return nil
	}
	return failure(fmt.Sprintf("ask for delivery %d again", id), err)
}
