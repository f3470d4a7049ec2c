package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/specgate/specgate/internal/app"
	"github.com/specgate/specgate/internal/github"
	"github.com/specgate/specgate/internal/sandbox"
	"github.com/specgate/specgate/internal/verus"
)

type serveCmd struct {
	Listen            string        `placeholder:"HOST:PORT" default:"127.0.0.1:8080" env:"SPECGATE_LISTEN" help:"Address to listen on. GitHub sends its webhooks to /webhook there. Default: 127.0.0.1:8080."`
	Database          string        `placeholder:"FILE|URL" env:"SPECGATE_DATABASE" help:"File of SQLite, for one server; or postgres://USER:PASSWORD@HOST/NAME, for one or several. Default: specgate.db in --dir."`
	AppID             *int64        `name:"app-id" placeholder:"N" env:"SPECGATE_APP_ID" help:"Number of the GitHub App."`
	PrivateKey        string        `placeholder:"FILE" env:"SPECGATE_PRIVATE_KEY_FILE" help:"File with the App's private key, in PEM. The key itself may stand in SPECGATE_PRIVATE_KEY instead."`
	WebhookSecretFile string        `placeholder:"FILE" env:"SPECGATE_WEBHOOK_SECRET_FILE" help:"File with the secret of the App's webhook. The secret itself may stand in SPECGATE_WEBHOOK_SECRET instead."`
	APIURL            string        `name:"api-url" placeholder:"URL" env:"SPECGATE_API_URL" help:"Address of GitHub's API; that of an Enterprise Server is https://HOST/api/v3. Default: https://api.github.com."`
	Dir               string        `placeholder:"DIR" default:"/var/lib/specgate" env:"SPECGATE_DIR" help:"Directory for data: what is being checked, answers of the verifier, and the file of SQLite. Default: /var/lib/specgate."`
	Verus             string        `placeholder:"PATH" env:"SPECGATE_VERUS" help:"Verify changes with this executable of Verus, or the one in this directory. Default: the release that a policy pins, if it is installed."`
	Rustc             string        `placeholder:"PATH" env:"SPECGATE_RUSTC" help:"Compile code of changes with this rustc to measure the strength of contracts. Default: the one on PATH."`
	NoRun             bool          `env:"SPECGATE_NO_RUN" help:"Run no code of changes: the strength of contracts is not measured."`
	Cache             string        `placeholder:"DIR" env:"SPECGATE_CACHE" help:"Directory that the verifier's answers are kept in. Default: cache in --dir."`
	NoCache           bool          `help:"Do not keep answers of the verifier."`
	Jobs              int           `placeholder:"N" default:"1" env:"SPECGATE_JOBS" help:"Checks to run at once. Default: 1."`
	Timeout           time.Duration `placeholder:"DURATION" default:"30m" env:"SPECGATE_TIMEOUT" help:"The longest that one check may take. Default: 30m."`
	Patience          time.Duration `placeholder:"DURATION" default:"60s" env:"SPECGATE_PATIENCE" help:"When the server is told to stop: how long running checks may go on before they are cancelled, to be done again by the next server. Default: 60s."`
}

// Help is shown below the flags.
func (serveCmd) Help() string {
	return `Runs specgate as a GitHub App: it takes webhooks, checks every head of every pull request and merge group, and posts a check run for each. docs/github-app.md says how to make the App and run this.

The webhook is POST /webhook. GET /healthz, /readyz and /metrics are for operators: let GitHub reach /webhook alone. SIGTERM and an interrupt stop the server in order; a second one ends it at once, and nothing is lost then either.

Examples:

    specgate serve --app-id 12345 --private-key app.pem --webhook-secret-file secret
    specgate serve --listen :8080 --dir /srv/specgate --jobs 4 --verus /opt/verus
    specgate serve --database postgres://specgate@db/specgate

Exit codes: 0 stopped as it was told to, 2 a usage error, 3 could not start or go on.`
}

// fetchTime is how long fetching, and coming to an end, may take besides the check itself.
const fetchTime = 15 * time.Minute

// minSecret is the shortest secret of a webhook that is taken: who guesses it can have anything checked.
const minSecret = 16

func (c *serveCmd) Run(r *run) error {
	config, runner, err := c.config(r)
	if err != nil {
		return err
	}
	r.patient.Store(true) // it ends by itself, within --patience
	if err := c.askGitHub(r.ctx, config); err != nil {
		return err
	}
	if ps, err := sandbox.Protections(r.ctx); err != nil || len(sandbox.Missing(ps)) > 0 {
		config.Log.Warn("checks cannot be isolated in full here, so no code of a change is run: nothing is verified or measured; see specgate doctor", "found", sandbox.Statement(ps), "error", err)
	}
	checker, err := app.NewRunner(runner)
	if err != nil {
		return err
	}
	config.Checker = checker
	return errors.Join(app.Run(r.ctx, config), checker.Close())
}

func (c *serveCmd) config(r *run) (app.Config, app.RunnerOptions, error) {
	fail := func(err error) (app.Config, app.RunnerOptions, error) {
		return app.Config{}, app.RunnerOptions{}, usageError{err}
	}
	if c.AppID == nil {
		return fail(errors.New("--app-id is missing, and SPECGATE_APP_ID is not set; it stands on the page of the App's settings"))
	}
	if *c.AppID < 1 {
		return fail(fmt.Errorf("--app-id %d: it must be at least 1; it stands on the page of the App's settings", *c.AppID))
	}
	if c.Jobs < 1 || c.Jobs > 1000 {
		return fail(fmt.Errorf("--jobs %d: it must be from 1 to 1000", c.Jobs))
	}
	if c.Timeout <= 0 {
		return fail(fmt.Errorf("--timeout %v: it must be more than 0", c.Timeout))
	}
	if c.Patience < 0 {
		return fail(fmt.Errorf("--patience %v: it must not be negative", c.Patience))
	}
	_, port, err := net.SplitHostPort(c.Listen)
	if err == nil {
		_, err = net.DefaultResolver.LookupPort(r.ctx, "tcp", port)
	}
	if err != nil {
		return fail(fmt.Errorf("--listen %q: want HOST:PORT, such as 127.0.0.1:8080, or :8080 for all addresses", c.Listen))
	}
	if err := github.CheckBaseURL(c.APIURL); err != nil {
		return fail(fmt.Errorf("--api-url: %w", err))
	}
	verifier, compiler := c.Verus, c.Rustc
	if verifier != "" {
		if verifier, err = verus.Check(verifier, "--verus"); err != nil {
			return fail(err)
		}
	}
	if compiler != "" && !c.NoRun {
		if compiler, err = sandbox.LookPath(compiler); err != nil {
			return fail(fmt.Errorf("--rustc: %w", err))
		}
	}
	key, err := secret("--private-key", c.PrivateKey, "SPECGATE_PRIVATE_KEY")
	if err != nil {
		return fail(err)
	}
	webhook, err := secret("--webhook-secret-file", c.WebhookSecretFile, "SPECGATE_WEBHOOK_SECRET")
	if err != nil {
		return fail(err)
	}
	webhook = strings.TrimRight(webhook, "\r\n")
	if len(webhook) < minSecret {
		return fail(fmt.Errorf("the secret of the webhook has %d characters, and needs at least %d; make one with `openssl rand -hex 32`", len(webhook), minSecret))
	}
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return fail(fmt.Errorf("--dir: %w", err))
	}
	database, cache := c.Database, c.Cache
	if database == "" {
		database = filepath.Join(dir, "specgate.db")
	}
	shown, err := app.CheckDatabase(database)
	if err != nil {
		return fail(fmt.Errorf("--database: %w", err))
	}
	switch {
	case c.NoCache:
		cache = ""
	case cache == "":
		cache = filepath.Join(dir, "cache")
	default:
		if cache, err = filepath.Abs(cache); err != nil {
			return fail(fmt.Errorf("--cache: %w", err))
		}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fail(fmt.Errorf("--dir: %w", err))
	}
	level := slog.LevelInfo
	if r.log.Enabled(r.ctx, slog.LevelDebug) {
		level = slog.LevelDebug
	}
	log := slog.New(slog.NewJSONHandler(r.stderr, &slog.HandlerOptions{Level: level, ReplaceAttr: durations}))
	log.Info("starting", "version", version(), "app", *c.AppID, "dir", dir, "database", shown, "jobs", c.Jobs)
	agent := "specgate/" + version()
	return app.Config{
			Listen: c.Listen, Database: database, AppID: *c.AppID, PrivateKey: []byte(key), WebhookSecret: []byte(webhook), APIURL: c.APIURL, UserAgent: agent,
			Jobs: c.Jobs, Timeout: c.Timeout + fetchTime, Patience: c.Patience, Log: log,
		}, app.RunnerOptions{
			Work: filepath.Join(dir, "work"), Cache: cache, BaseURL: c.APIURL, Verus: verifier, Rustc: compiler, NoRun: c.NoRun, Wall: c.Timeout, Log: log,
		}, nil
}

// durations writes them as people do, such as 1.5s; the library's own are bare nanoseconds.
func durations(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindDuration {
		a.Value = slog.StringValue(a.Value.Duration().Round(time.Millisecond).String())
	}
	return a
}

// secret reads a secret from a file, or from a variable: never from an argument, which every user of the machine can see.
func secret(flag, file, variable string) (string, error) {
	text := os.Getenv(variable)
	switch {
	case file != "" && text != "":
		return "", fmt.Errorf("both %s and %s are set; want one of them", flag, variable)
	case file != "":
		read, err := os.ReadFile(file)
		if err != nil {
			return "", fmt.Errorf("%s: %w", flag, err)
		}
		text = string(read)
	}
	if strings.TrimSpace(text) == "" {
		return "", fmt.Errorf("%s is missing or empty, and %s is not set", flag, variable)
	}
	return text, nil
}

// askGitHub finds out early whether the key is that of the App. A GitHub that does not answer is no reason not to start: jobs wait for it.
func (c *serveCmd) askGitHub(ctx context.Context, config app.Config) error {
	slug, err := github.AppSlug(ctx, github.Options{BaseURL: config.APIURL, UserAgent: config.UserAgent, RequestTimeout: 5 * time.Second, MaxWait: time.Second, Log: config.Log,
		App: &github.App{ID: config.AppID, PrivateKey: config.PrivateKey}})
	var lost *github.LostError
	var limit *github.LimitError
	switch {
	case err == nil:
		config.Log.Info("signed in to GitHub", "app", slug)
	case errors.As(err, &lost) || errors.As(err, &limit):
		config.Log.Warn("GitHub does not answer, so whether the key is the App's is not known; it is asked once, and jobs wait for GitHub", "error", err)
	default:
		return usageError{fmt.Errorf("--app-id and --private-key: %w", err)}
	}
	return nil
}
