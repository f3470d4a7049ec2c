package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/specgate/specgate/internal/github"
)

const (
	// deliveriesEvery is how often GitHub is asked which events did not arrive. A server that starts asks, unless one did so in the last
	// deliveriesPause.
	deliveriesEvery = 10 * time.Minute
	deliveriesPause = time.Minute
	// deliveriesKept is how long GitHub can send an event again (docs.github.com, "Redelivering webhooks").
	deliveriesKept = 3 * 24 * time.Hour
	// deliveriesOverlap is how far back of the newest one that was seen they are listed again: one is listed when it has ended.
	deliveriesOverlap = 5 * time.Minute
	// deliveryUnderway is how old one is that has ended for sure. GitHub gives up after 10 s.
	deliveryUnderway = time.Minute
	// maxDeliveries is how many are looked at in a round, in 100 requests of the 5,000 that an App has in an hour; maxRedelivered how many are asked
	// for.
	maxDeliveries  = 10_000
	maxRedelivered = 200
	// deliveriesTime is how long a round may take.
	deliveriesTime = 5 * time.Minute
)

// missed sees to it that events are sent again which GitHub could not deliver. It does not do that by itself.
func (a *App) missed(ctx context.Context) {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for pause := deliveriesPause; ; pause = deliveriesEvery {
		limited, cancel := context.WithTimeout(ctx, deliveriesTime)
		err := a.redeliver(limited, pause)
		cancel()
		if err != nil && ctx.Err() == nil {
			a.log.Warn("look for events that did not arrive", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// redeliver is one round, if the last one, of whichever process, was so long ago.
func (a *App) redeliver(ctx context.Context, pause time.Duration) error {
	now := a.now()
	mine, seen := false, int64(0)
	err := a.db.within(ctx, func(t tx) error {
		// A time to come is of a clock that was wrong.
		n, err := t.exec(ctx, "UPDATE specgate_webhook SET asked = $1 WHERE asked <= $2 OR asked > $3", millis(now), millis(now.Add(-pause)), millis(now.Add(time.Minute)))
		if mine = n > 0; err != nil || !mine {
			return err
		}
		return one(ctx, t, "SELECT seen FROM specgate_webhook", nil, &seen)
	})
	if err != nil {
		return err
	}
	if !mine {
		a.log.Debug("deliveries were looked at not long ago")
		return nil
	}
	hook, err := github.NewWebhook(github.Options{BaseURL: a.config.APIURL, UserAgent: a.config.UserAgent, MaxWait: a.clients.wait, Log: a.log,
		Transport: a.clients.transport, App: &github.App{ID: a.config.AppID, PrivateKey: a.config.PrivateKey}})
	if err != nil {
		return err
	}
	oldest := now.Add(-deliveriesKept)
	since := oldest
	if last := time.UnixMilli(seen).Add(-deliveriesOverlap); last.After(since) {
		since = last
	}
	all, whole, err := hook.Deliveries(ctx, since, maxDeliveries)
	if err != nil {
		return err
	}
	if !whole {
		a.log.Error("GitHub has more deliveries than are looked at; events before may be lost", "looked_at", len(all), "before", all[len(all)-1].At)
	}
	var lost []undelivered
	err = a.db.within(ctx, func(t tx) (err error) {
		if err := noteFailed(ctx, t, all, now); err != nil {
			return err
		}
		lost, err = givenUp(ctx, t, oldest)
		return err
	})
	if err != nil {
		return err
	}
	for _, u := range lost {
		a.lostEvent(u, fmt.Sprintf("it did not arrive within %v", deliveriesKept))
	}
	var due []undelivered
	err = a.db.within(ctx, func(t tx) (err error) {
		due, err = takeDue(ctx, t, now)
		return err
	})
	if err != nil {
		return err
	}
	for _, u := range due {
		err := hook.Redeliver(ctx, u.delivery)
		if errors.Is(err, github.ErrNotFound) {
			err = a.db.within(ctx, func(t tx) error {
				_, err := t.exec(ctx, "DELETE FROM specgate_undelivered WHERE guid = $1", u.guid)
				return err
			})
			if err == nil {
				a.lostEvent(u, "GitHub does not have it any more")
			}
		} else if err == nil {
			a.metrics.redelivered.WithLabelValues("asked").Inc()
			a.log.Info("GitHub is asked to send an event again that did not arrive", "delivery", u.guid, "event", u.event, "action", u.action, "sent", time.UnixMilli(u.at).UTC(), "attempt", u.attempts+1)
		}
		if err != nil {
			return err // the others are due again, each after its pause
		}
	}
	return nil
}

func (a *App) lostEvent(u undelivered, why string) {
	a.metrics.redelivered.WithLabelValues("lost").Inc()
	a.log.Error("an event is lost", "delivery", u.guid, "event", u.event, "action", u.action, "sent", time.UnixMilli(u.at).UTC(), "attempts", u.attempts, "why", why)
}

// undelivered is an event that means something to specgate, and that GitHub says could not be delivered.
type undelivered struct {
	guid, event, action    string
	delivery, at, attempts int64
}

const undeliveredColumns = "SELECT guid, delivery, event, action, at, attempts FROM specgate_undelivered "

func readUndelivered(ctx context.Context, t tx, where string, args ...any) (all []undelivered, err error) {
	err = t.each(ctx, undeliveredColumns+where, args, func(scan func(...any) error) error {
		var u undelivered
		if err := scan(&u.guid, &u.delivery, &u.event, &u.action, &u.at, &u.attempts); err != nil {
			return err
		}
		all = append(all, u)
		return nil
	})
	return all, err
}

// noteFailed stores which deliveries are to be asked for, and forgets those that have arrived since.
func noteFailed(ctx context.Context, t tx, all []github.Delivery, now time.Time) error {
	newest := int64(0)
	for _, d := range all {
		if now.Sub(d.At) < deliveryUnderway {
			continue // it is for the next round, even if this machine's clock is slow
		}
		newest = max(newest, millis(d.At))
		// What failed once more when it was sent again is known from the first time. That the App was removed shows by itself, and it may be there again
		// when that arrives late.
		means := effectOf(d.Event, d.Action)
		if d.Taken || d.Again || !deliveryPattern.MatchString(d.GUID) || means == 0 || means == uninstalled {
			continue
		}
		_, err := t.exec(ctx, `INSERT INTO specgate_undelivered (guid, delivery, event, action, at, attempts, next) VALUES ($1, $2, $3, $4, $5, 0, 0) ON CONFLICT (guid) DO NOTHING`,
			d.GUID, d.ID, d.Event, d.Action, millis(d.At))
		if err != nil {
			return err
		}
	}
	// GitHub may have missed the answer to one that was stored.
	if _, err := t.exec(ctx, "DELETE FROM specgate_undelivered WHERE guid IN (SELECT id FROM specgate_deliveries)"); err != nil {
		return err
	}
	_, err := t.exec(ctx, "UPDATE specgate_webhook SET seen = $1 WHERE seen < $1", newest)
	return err
}

// givenUp forgets those that GitHub cannot send any more.
func givenUp(ctx context.Context, t tx, oldest time.Time) ([]undelivered, error) {
	lost, err := readUndelivered(ctx, t, "WHERE at < $1 ORDER BY at, guid", millis(oldest))
	if err == nil {
		_, err = t.exec(ctx, "DELETE FROM specgate_undelivered WHERE at < $1", millis(oldest))
	}
	return lost, err
}

// takeDue are those to ask for now, the oldest first. The next time is after 10, 20, 40, ... minutes, so that what cannot arrive costs little.
func takeDue(ctx context.Context, t tx, now time.Time) ([]undelivered, error) {
	due, err := readUndelivered(ctx, t, "WHERE next <= $1 ORDER BY at, guid LIMIT $2", millis(now), maxRedelivered)
	for _, u := range due {
		if err != nil {
			return nil, err
		}
		pause := deliveriesEvery << min(u.attempts, 8)
		_, err = t.exec(ctx, "UPDATE specgate_undelivered SET attempts = attempts + 1, next = $1 WHERE guid = $2", millis(now.Add(pause)), u.guid)
	}
	return due, err
}
