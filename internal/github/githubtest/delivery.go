package githubtest

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// kept is how long GitHub has deliveries (docs.github.com, "Viewing webhook deliveries").
const kept = 3 * 24 * time.Hour

// listDeliveries answers with a page, the newest first. The page that follows is named by a cursor, and not by a number.
func (c *call) listDeliveries() (any, *refusal) {
	q := c.r.URL.Query()
	size, before := 30, int64(0)
	for key := range q {
		value := q.Get(key)
		var err error
		switch key {
		case "per_page":
			if size, err = strconv.Atoi(value); err != nil || size < 1 || size > 100 {
				return nil, invalid("per_page %q", value)
			}
		case "cursor":
			text, ok := strings.CutPrefix(value, "v1_")
			if before, err = strconv.ParseInt(text, 10, 64); err != nil || !ok {
				return nil, refuse(http.StatusBadRequest, "cursor %q", value)
			}
		default:
			return nil, invalid("parameter %q", key)
		}
	}
	all := []any{}
	for _, d := range slices.Backward(c.deliveries) {
		if before > 0 && d.ID >= before || time.Since(d.At) > kept {
			continue
		}
		if len(all) == size {
			q.Set("cursor", fmt.Sprintf("v1_%d", all[size-1].(map[string]any)["id"]))
			next := *c.r.URL
			next.RawQuery = q.Encode()
			c.header.Set("Link", fmt.Sprintf("<%s%s>; rel=\"next\"", c.http.URL, next.RequestURI()))
			break
		}
		status := "OK"
		if d.Status != http.StatusOK {
			status = "failed"
		}
		all = append(all, map[string]any{"id": d.ID, "guid": d.GUID, "delivered_at": d.At.UTC().Format(time.RFC3339Nano), "redelivery": d.Redelivery, "duration": 0.2,
			"status": status, "status_code": d.Status, "event": d.Event, "action": d.Action, "installation_id": c.app.Installation, "repository_id": 1000})
	}
	return all, nil
}

func (c *call) redeliver(id string) (any, *refusal) {
	if len(c.body) > 0 {
		return nil, invalid("a body")
	}
	i := slices.IndexFunc(c.deliveries, func(d Delivery) bool { return strconv.FormatInt(d.ID, 10) == id })
	if i < 0 || time.Since(c.deliveries[i].At) > kept {
		return nil, notFound
	}
	c.redelivered = append(c.redelivered, c.deliveries[i].ID)
	c.status = http.StatusAccepted
	return map[string]any{}, nil
}
