package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/riverqueue/river"
)

// What is wanted of a head.
const (
	wantCheck = "check"
	wantEnd   = "end"
)

// How a head ended, if not with the conclusion of a check run.
const (
	resultNone      = "none"      // no pull request has it as its head; there is no check run
	resultCancelled = "cancelled" // the check run says why
	resultGone      = "gone"      // the commit or the App's access to it is gone
	resultLost      = "lost"      // given up; the row says after which error
)

// head is a row: a revision and what is wanted of it.
type head struct {
	id, repo     int64
	name         string // of the repository, as it was called last
	installation int64
	sha          string
	// groupBase is the base of a merge group; empty: it is none.
	groupBase string
	// groupPull is the pull request that the merge group adds to the one before it; 0: it is none, or not known.
	groupPull int64
	want      string
	// reason why it is ended.
	reason string
	// asked counts how often something was asked for, done is what it was when that was last done. It is done when they are equal.
	asked, done  int64
	failures     int64
	failingSince int64
	result       string
	// relabelled counts changes of labels that came while it was not done.
	relabelled int64
}

func (h *head) isDone() bool { return h.done >= h.asked }

// needed tells whether it is the head of an open pull request, as the events say.
func (h *head) needed(ctx context.Context, t tx) (bool, error) {
	var pulls int
	err := one(ctx, t, "SELECT COUNT(*) FROM specgate_pulls WHERE repo = $1 AND head = $2 AND is_open = 1", []any{h.repo, h.sha}, &pulls)
	return pulls > 0, err
}

const headColumns = `SELECT h.id, h.repo, r.name, r.installation, h.sha, h.group_base, h.group_pull, h.want, h.reason, h.asked, h.done, h.failures, h.failing_since, h.result, h.relabelled
	FROM specgate_heads h JOIN specgate_repos r ON r.id = h.repo `

func (h *head) columns() []any {
	return []any{&h.id, &h.repo, &h.name, &h.installation, &h.sha, &h.groupBase, &h.groupPull, &h.want, &h.reason, &h.asked, &h.done, &h.failures, &h.failingSince, &h.result, &h.relabelled}
}

func headByID(ctx context.Context, t tx, id int64) (h head, err error) {
	err = one(ctx, t, headColumns+"WHERE h.id = $1", []any{id}, h.columns()...)
	return h, err
}

func headBySHA(ctx context.Context, t tx, repo int64, sha string) (h head, found bool, err error) {
	err = one(ctx, t, headColumns+"WHERE h.repo = $1 AND h.sha = $2", []any{repo, sha}, h.columns()...)
	if errors.Is(err, errNoRow) {
		return head{}, false, nil
	}
	return h, err == nil, err
}

// arrived stores that a delivery came. It tells whether it is the first time.
func arrived(ctx context.Context, t tx, delivery string, e event, now time.Time) (bool, error) {
	n, err := t.exec(ctx, "INSERT INTO specgate_deliveries (id, event, action, repo, received) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (id) DO NOTHING",
		delivery, e.name, e.action, e.repo, millis(now))
	return n > 0, err
}

// apply changes the state as an event says, and adds the jobs for it.
func apply(ctx context.Context, t tx, e event, now time.Time) error {
	if e.effect == 0 {
		return nil
	}
	if e.effect == uninstalled {
		return forget(ctx, t, e, now)
	}
	// All events of a repository wait for one another here, so that they cannot wait for each other.
	_, err := t.exec(ctx, "INSERT INTO specgate_repos (id, name, installation) VALUES ($1, $2, $3) ON CONFLICT (id) DO UPDATE SET name = $2, installation = $3",
		e.repo, e.repoName, e.installation)
	if err != nil {
		return err
	}
	switch e.effect {
	case pullSeen, pullMoved, pullLabelled:
		return pullEvent(ctx, t, e, now)
	case suiteAsked:
		return want(ctx, t, e.repo, e.head, "", ifNew, now)
	case askedAgain:
		return want(ctx, t, e.repo, e.head, "", again, now)
	case groupAsked:
		if err := want(ctx, t, e.repo, e.head, e.groupBase, unlessDone, now); err != nil {
			return err
		}
		_, err := t.exec(ctx, "UPDATE specgate_heads SET group_pull = $1 WHERE repo = $2 AND sha = $3", e.pull, e.repo, e.head)
		return err
	case groupGone:
		h, found, err := headBySHA(ctx, t, e.repo, e.head)
		if err != nil || !found {
			return err
		}
		return retire(ctx, t, h, "The merge queue does not need this commit any more.", now)
	case pressed:
		h, found, err := headBySHA(ctx, t, e.repo, e.head)
		if err != nil {
			return err
		}
		args := buttonArgs{Repo: e.repo, SHA: e.head, CheckRun: e.checkRun, Identifier: e.identifier, Sender: e.sender, SenderID: e.senderID}
		if found && h.isDone() {
			args.Asked = h.asked
		}
		_, err = t.insert(ctx, args,
			&river.InsertOpts{Queue: queueGitHub, MaxAttempts: buttonAttempts})
		return err
	}
	return fmt.Errorf("event %s/%s has the unknown effect %d", e.name, e.action, e.effect)
}

// lockRepo makes a transaction wait for the others about the repository, as those of events do.
func lockRepo(ctx context.Context, t tx, repo int64) error {
	_, err := t.exec(ctx, "UPDATE specgate_repos SET id = id WHERE id = $1", repo)
	return err
}

func pullEvent(ctx context.Context, t tx, e event, now time.Time) error {
	var known string
	var open, updated int64
	err := one(ctx, t, "SELECT head, is_open, updated FROM specgate_pulls WHERE repo = $1 AND number = $2", []any{e.repo, e.pull}, &known, &open, &updated)
	found := err == nil
	if err != nil && !errors.Is(err, errNoRow) {
		return err
	}
	if e.effect == pullMoved {
		// It was accepted for another branch.
		if err := unaccept(ctx, t, e.repo, e.pull); err != nil {
			return err
		}
	}
	if found && e.updated < updated {
		// It comes late. What it says was overtaken, but its head may never have been heard of, and that the base is another may be news.
		if e.effect == pullMoved && open == 1 {
			if err := want(ctx, t, e.repo, known, "", again, now); err != nil {
				return err
			}
		}
		if e.head != known && e.open {
			return overtaken(ctx, t, e.repo, e.head, known, now)
		}
		return nil
	}
	if err := putPull(ctx, t, e.repo, e.pull, e.head, e.open, e.updated); err != nil {
		return err
	}
	for _, old := range []string{known, e.before} {
		if old == "" || old == e.head {
			continue
		}
		h, found, err := headBySHA(ctx, t, e.repo, old)
		if err != nil {
			return err
		}
		if found && h.groupBase == "" {
			if err := retire(ctx, t, h, superseded(e.head), now); err != nil {
				return err
			}
		}
	}
	h, heard, err := headBySHA(ctx, t, e.repo, e.head)
	if err != nil {
		return err
	}
	switch {
	case !e.open && heard && h.groupBase == "":
		return retire(ctx, t, h, closed(e.pull), now)
	case !e.open:
		return nil
	case e.effect == pullMoved, heard && !(found && open == 1 && known == e.head):
		// What was found of the head, or is being looked for, may be of another base: that of another pull request, or one that this one had
		// before it was closed.
		return want(ctx, t, e.repo, e.head, "", again, now)
	case e.effect == pullLabelled && heard && h.want == wantCheck && !h.isDone():
		// The check that is to come, or runs, looks at the labels last.
		_, err := t.exec(ctx, "UPDATE specgate_heads SET relabelled = relabelled + 1 WHERE id = $1", h.id)
		return err
	case e.effect == pullLabelled && heard && h.want == wantCheck:
		var matters string
		if err := one(ctx, t, "SELECT label FROM specgate_heads WHERE id = $1", []any{h.id}, &matters); err != nil {
			return err
		}
		if !slices.Contains(strings.Split(matters, labelSeparator), e.label) {
			return nil
		}
		return want(ctx, t, e.repo, e.head, "", again, now)
	}
	return want(ctx, t, e.repo, e.head, "", unlessDone, now)
}

func superseded(by string) string { return "Superseded by " + by + "." }

func closed(number int64) string {
	return "Pull request " + strconv.FormatInt(number, 10) + " was closed."
}

func putPull(ctx context.Context, t tx, repo, number int64, sha string, open bool, updated int64) error {
	isOpen := 0
	if open {
		isOpen = 1
	}
	_, err := t.exec(ctx, `INSERT INTO specgate_pulls (repo, number, head, is_open, updated) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (repo, number) DO UPDATE SET head = $3, is_open = $4, updated = $5`, repo, number, sha, isOpen, updated)
	return err
}

// overtaken sees to it that a head that is none any more, when it is heard of for the first time, ends too.
func overtaken(ctx context.Context, t tx, repo int64, sha, by string, now time.Time) error {
	n, err := t.exec(ctx, newHead, repo, sha, "", wantEnd, superseded(by), millis(now))
	if err != nil || n == 0 {
		return err
	}
	h, _, err := headBySHA(ctx, t, repo, sha)
	if err != nil {
		return err
	}
	return schedule(ctx, t, h.id, queueGitHub, 1)
}

const newHead = `INSERT INTO specgate_heads (repo, sha, group_base, want, reason, asked, done, failures, failing_since, result, error, label, relabelled, changed)
	VALUES ($1, $2, $3, $4, $5, 1, 0, 0, 0, '', '', '', 0, $6) ON CONFLICT (repo, sha) DO NOTHING`

// When a head that is known already is to be checked.
type when uint8

const (
	ifNew      when = iota + 1 // never
	unlessDone                 // if it was ended, or its check came to nothing
	again                      // always
)

// want sees to it that a head is checked.
func want(ctx context.Context, t tx, repo int64, sha, groupBase string, w when, now time.Time) error {
	n, err := t.exec(ctx, newHead, repo, sha, groupBase, wantCheck, "", millis(now))
	if err != nil {
		return err
	}
	h, found, err := headBySHA(ctx, t, repo, sha)
	if err != nil {
		return err
	}
	if !found {
		return fmt.Errorf("head %s of repository %d is not there after it was stored", sha, repo)
	}
	if n == 0 {
		ended := h.want == wantEnd || h.result == resultNone || h.result == resultGone || h.result == resultLost
		// A push to the branch of a merge group is an event too, and may have been heard of first. It does not say what to compare with.
		known := groupBase == "" || groupBase == h.groupBase
		if w == ifNew || w == unlessDone && !ended && known {
			return nil
		}
		_, err := t.exec(ctx, "UPDATE specgate_heads SET want = $1, reason = '', asked = asked + 1, group_base = $2, failures = 0, failing_since = 0, error = '', changed = $3 WHERE id = $4",
			wantCheck, cmp.Or(groupBase, h.groupBase), millis(now), h.id)
		if err != nil {
			return err
		}
	}
	priority, err := priorityIn(ctx, t, repo)
	if err != nil {
		return err
	}
	return schedule(ctx, t, h.id, queueChecks, priority)
}

// retire ends a head that is not done and that nothing needs any more.
func retire(ctx context.Context, t tx, h head, reason string, now time.Time) error {
	if h.isDone() || h.want == wantEnd {
		return nil
	}
	if needed, err := h.needed(ctx, t); err != nil || needed {
		return err
	}
	_, err := t.exec(ctx, "UPDATE specgate_heads SET want = $1, reason = $2, asked = asked + 1, failures = 0, failing_since = 0, error = '', changed = $3 WHERE id = $4",
		wantEnd, reason, millis(now), h.id)
	if err != nil {
		return err
	}
	return schedule(ctx, t, h.id, queueGitHub, 1)
}

// forget gives up the heads of repositories that the App may not see any more: nothing can be posted there.
func forget(ctx context.Context, t tx, e event, now time.Time) error {
	const query = `UPDATE specgate_heads SET done = asked, result = $1, error = 'the App was removed', changed = $2
		WHERE done < asked AND repo IN (SELECT id FROM specgate_repos WHERE installation = $3 AND (id = $4 OR $4 = 0))`
	removed := e.removed
	if len(removed) == 0 {
		removed = []int64{0}
	}
	for _, id := range removed {
		if _, err := t.exec(ctx, query, resultGone, millis(now), e.installation, id); err != nil {
			return err
		}
	}
	return nil
}

// The first of these many checks of a repository, and of an installation, that wait have priority 1, 2 and 3.
var (
	repoShares         = [3]int{2, 8, 32}
	installationShares = [3]int{8, 32, 128}
)

// priorityIn is the priority of one more check of a repository, 1 to 4: the more of its checks wait, or of those of its installation, the later it
// comes. So what others ask for does not wait behind all that one that is busy has asked for.
func priorityIn(ctx context.Context, t tx, repo int64) (int, error) {
	ofRepo, waiting := 0, map[int64]int{}
	err := t.each(ctx, `SELECT h.repo, COUNT(*) FROM specgate_heads h JOIN specgate_repos r ON r.id = h.repo
		WHERE h.want = $1 AND h.done < h.asked AND r.installation = (SELECT installation FROM specgate_repos WHERE id = $2) GROUP BY h.repo`, []any{wantCheck, repo}, func(scan func(...any) error) error {
		var id int64
		var n int
		err := scan(&id, &n)
		if waiting[id] = n; id == repo {
			ofRepo = n
		}
		return err
	})
	// Of a busy repository only so many come before this one.
	ofInstallation := 0
	for _, n := range waiting {
		ofInstallation += min(n, ofRepo)
	}
	priority := 1
	for i := range repoShares {
		if ofRepo > repoShares[i] || ofInstallation > installationShares[i] {
			priority = i + 2
		}
	}
	return priority, err
}

// share gives the checks that wait their priorities anew: those that came first of each repository and installation are before the others now. So
// a check does not wait for ever because others keep coming that are of less busy ones.
func share(ctx context.Context, t tx) error {
	_, err := t.exec(ctx, fmt.Sprintf(`UPDATE river_job SET priority = shares.priority FROM (
		SELECT id, CASE WHEN n <= %d AND m <= %d THEN 1 WHEN n <= %d AND m <= %d THEN 2 WHEN n <= %d AND m <= %d THEN 3 ELSE 4 END AS priority FROM (
			SELECT id, n, ROW_NUMBER() OVER (PARTITION BY installation ORDER BY n, scheduled_at, id) AS m FROM (
				SELECT j.id, j.scheduled_at, r.installation, ROW_NUMBER() OVER (PARTITION BY r.id ORDER BY j.scheduled_at, j.id) AS n
				FROM (SELECT id, scheduled_at, CAST(args->>'head' AS BIGINT) AS head FROM river_job WHERE kind = $1 AND queue = $2 AND state = 'available') j
				JOIN specgate_heads h ON h.id = j.head JOIN specgate_repos r ON r.id = h.repo) AS of_repo) AS of_installation) AS shares
		WHERE river_job.id = shares.id AND river_job.priority <> shares.priority`, repoShares[0], installationShares[0], repoShares[1], installationShares[1],
		repoShares[2], installationShares[2]), headArgs{}.Kind(), queueChecks)
	return err
}

// schedule sees to it that a job of the head is going to run, in that queue and soon. One that runs sees by itself that something was asked.
func schedule(ctx context.Context, t tx, id int64, queue string, priority int) error {
	inserted, err := t.insert(ctx, headArgs{Head: id}, &river.InsertOpts{Queue: queue, Priority: priority, MaxAttempts: headAttempts,
		UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: headStates()}})
	if err != nil {
		return fmt.Errorf("add a job: %w", err)
	}
	if !inserted.UniqueSkippedAsDuplicate {
		return nil
	}
	_, err = t.exec(ctx, "UPDATE river_job SET queue = $1, priority = $2, state = 'available', scheduled_at = "+t.now(0)+
		" WHERE id = $3 AND state IN ('available', 'scheduled', 'retryable')", queue, priority, inserted.Job.ID)
	return err
}

// sweep adds jobs for heads that are not done and have none, which should not happen. And it ends the pauses of those that something was asked of since:
// a job that was about to pause when it was asked did not see it.
func sweep(ctx context.Context, t tx, now time.Time) error {
	type waiting struct {
		id          int64
		want, error string
	}
	var all []waiting
	err := t.each(ctx, "SELECT id, want, error FROM specgate_heads WHERE done < asked AND changed < $1", []any{millis(now.Add(-time.Minute))}, func(scan func(...any) error) error {
		var w waiting
		err := scan(&w.id, &w.want, &w.error)
		all = append(all, w)
		return err
	})
	if err != nil {
		return err
	}
	for _, w := range all {
		queue, priority := queueChecks, 3
		if w.want == wantEnd {
			queue, priority = queueGitHub, 1
		}
		inserted, err := t.insert(ctx, headArgs{Head: w.id}, &river.InsertOpts{Queue: queue, Priority: priority, MaxAttempts: headAttempts,
			UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: headStates()}})
		if err != nil {
			return fmt.Errorf("add a job: %w", err)
		}
		// Whatever is asked for takes the error of what was tried before from the row, and a failure that makes a job pause puts one there.
		if inserted.UniqueSkippedAsDuplicate && w.error == "" {
			_, err := t.exec(ctx, "UPDATE river_job SET queue = $1, state = 'available', scheduled_at = "+t.now(0)+" WHERE id = $2 AND state IN ('scheduled', 'retryable')",
				queue, inserted.Job.ID)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// purge forgets what nobody asks for any more: deliveries older than GitHub sends again (docs.github.com, "Redelivering webhooks": 3 days),
// with a margin, and heads, pull requests and what was accepted for them of which nothing was heard for long.
func purge(ctx context.Context, t tx, now time.Time) error {
	if _, err := t.exec(ctx, "DELETE FROM specgate_deliveries WHERE received < $1", millis(now.Add(-30*24*time.Hour))); err != nil {
		return err
	}
	old := millis(now.Add(-180 * 24 * time.Hour))
	if _, err := t.exec(ctx, "DELETE FROM specgate_heads WHERE done >= asked AND changed < $1", old); err != nil {
		return err
	}
	if _, err := t.exec(ctx, "DELETE FROM specgate_pulls WHERE is_open = 0 AND updated < $1", old); err != nil {
		return err
	}
	_, err := t.exec(ctx, `DELETE FROM specgate_acceptances WHERE at < $1 AND NOT EXISTS (SELECT 1 FROM specgate_pulls p
		WHERE p.repo = specgate_acceptances.repo AND p.number = specgate_acceptances.pull)`, old)
	if err != nil {
		return err
	}
	_, err = t.exec(ctx, "DELETE FROM specgate_blocking WHERE head NOT IN (SELECT id FROM specgate_heads)")
	return err
}
