package setup

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/specgate/specgate/internal/sandbox"
)

// toolchainName keeps what a zip says from being read as an option, or as anything but a name.
var toolchainName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// rustupTime is the most time that a question to rustup may take.
const rustupTime = time.Minute

// rustupVariables are what rustup may know of the environment.
var rustupVariables = []string{"RUSTUP_HOME", "CARGO_HOME", "RUSTUP_DIST_SERVER", "RUSTUP_UPDATE_ROOT",
	"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR"}

// rustup runs rustup where no file of a repository can tell it what to do: one in the working directory could name a toolchain.
func rustup(ctx context.Context, runner Runner, limit time.Duration, args ...string) (string, error) {
	res, err := runner.Run(ctx, sandbox.Command{Name: "rustup", Args: args, Dir: "/", Env: sandbox.Environ(rustupVariables...),
		Limits: sandbox.Limits{Wall: limit, Stdout: 1 << 20, Stderr: 4 << 20}, Grace: 2 * time.Second})
	if err != nil {
		if last := lastLine(res.Stderr); last != "" {
			return "", fmt.Errorf("%w: %s", err, last)
		}
		return "", err
	}
	return string(res.Stdout), nil
}

// lastLine is the last line of what a program wrote, as it may be shown.
func lastLine(text []byte) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.TrimSpace(visible(lines[len(lines)-1]))
}

// visible replaces what could make a terminal show something else. The texts are of this machine; what is odd in them need not
// be told apart.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029' || r == unicode.ReplacementChar {
			return '?'
		}
		return r
	}, s)
}

// hasToolchain says whether rustup has a toolchain of exactly this name that works. The list alone does not tell: an installation
// that was killed is in it, without a compiler.
func hasToolchain(ctx context.Context, runner Runner, name string) (bool, error) {
	out, err := rustup(ctx, runner, rustupTime, "toolchain", "list")
	if err != nil {
		return false, err
	}
	listed := false
	for line := range strings.Lines(out) {
		words := strings.Fields(line) // what follows the name is "(default)" and the like
		listed = listed || len(words) > 0 && words[0] == name
	}
	if !listed {
		return false, nil
	}
	_, err = rustup(ctx, runner, rustupTime, "run", name, "rustc", "--version")
	var exit *sandbox.ExitError
	if errors.As(err, &exit) {
		return false, nil
	}
	return err == nil, err
}

// installToolchain installs the Rust toolchain of a release, unless it is there. rustup also mends one that is not whole.
func (r Request) installToolchain(ctx context.Context, name string) error {
	if !toolchainName.MatchString(name) {
		return fmt.Errorf("install the Rust toolchain: the release names %q, which is no name of a toolchain", name)
	}
	const leave = "or leave the toolchain out with --no-toolchain"
	there, err := hasToolchain(ctx, r.runner(), name)
	if err == nil && !there {
		r.say("installing the Rust toolchain " + name)
		// Not self-update: what this command is asked for is one toolchain.
		_, err = rustup(ctx, r.runner(), time.Hour, "toolchain", "install", name, "--profile", "minimal", "--no-self-update")
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("install the Rust toolchain %s: %w", name, context.Cause(ctx))
	case errors.Is(err, sandbox.ErrNotFound):
		return fmt.Errorf("install the Rust toolchain %s: there is no rustup on PATH; install it from https://rustup.rs and run this again, %s: %w", name, leave, err)
	}
	return fmt.Errorf("install the Rust toolchain %s: %w; try it by hand with: rustup toolchain install %s, %s", name, err, name, leave)
}
