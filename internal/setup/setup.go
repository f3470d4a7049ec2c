// Package setup installs releases of the Verus verifier, and says what a machine has of all that specgate uses.
//
// An installation is made from the zip of a release, which must have the hash that is expected. It appears whole or not at all,
// whenever the process ends, and any number of processes may install at the same time. See docs/setup.md.
package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/specgate/specgate/internal/sandbox"
	"github.com/specgate/specgate/internal/verus"
)

// Runner starts programs; verus.Sandboxed is the real one.
type Runner interface {
	Run(context.Context, sandbox.Command) (sandbox.Result, error)
}

// Request says what to install, and where.
type Request struct {
	// Release is the release of Verus, such as 0.2026.09.27.3cf1832, and Platform one of those that verus.Platform gives.
	Release, Platform string
	// SHA256 is the hash that the zip must have, in lower-case hexadecimal; empty: that of KnownSHA256.
	SHA256 string
	// From is the zip, as a file or an https or http URL; empty: that of GitHub's release.
	From string
	// Zip is a file that the downloaded zip is kept in, and that is used instead of a download when it has the hash already. Whoever can write to it
	// can therefore do no harm. Empty: it is not kept. A zip that is a file already is not.
	Zip string
	// Data is the directory that releases are installed in, and downloaded to.
	Data string
	// NoToolchain leaves the Rust toolchain out that the release needs.
	NoToolchain bool
	// Runner starts rustup; nil: verus.Sandboxed.
	Runner Runner
	// Say is told what is being done, in a line; nil: nobody is.
	Say func(line string)
	// Progress is told how many bytes have been downloaded, of how many: -1 if that is not known. nil: nobody is.
	Progress func(done, total int64)

	pause time.Duration // before a download is taken up again; 0: a second
}

// Installed is an installation that is whole.
type Installed struct {
	// Path is the absolute path of the executable of Verus.
	Path string
	Record
	// Fresh says that it was installed just now.
	Fresh bool
}

// UnknownHashError says that there is no hash that a zip must have, so that it was not installed.
type UnknownHashError struct {
	Release, Platform string
	// From is the file that was looked at, SHA256 its hash.
	From, SHA256 string
}

func (e *UnknownHashError) Error() string {
	return fmt.Sprintf(`no hash is known that the zip of %s for %s must have, so it was not installed
%s has the SHA-256 %s
compare that with what the page of the release shows (https://github.com/verus-lang/verus/releases/tag/release/%s), and if it is right, write into the policy:

[verus]
release = %q

[verus.sha256]
%s = %q
`, e.Release, e.Platform, e.From, e.SHA256, e.Release, e.Release, e.Platform, e.SHA256)
}

// DefaultURL is where GitHub has the zip of a release.
func DefaultURL(release, platform string) string {
	return "https://github.com/verus-lang/verus/releases/download/release/" + release + "/" + asset(release, platform)
}

func asset(release, platform string) string { return "verus-" + release + "-" + platform + ".zip" }

func (r Request) say(line string) {
	if r.Say != nil {
		r.Say(visible(line))
	}
}

func (r Request) progress(done, total int64) {
	if r.Progress != nil {
		r.Progress(done, total)
	}
}

func (r Request) runner() Runner {
	if r.Runner != nil {
		return r.Runner
	}
	return verus.Sandboxed{}
}

// Verus installs a release, or finds that it is installed: then nothing is downloaded, and only the toolchain is looked at.
// The error is an *UnknownHashError when there is no hash to expect.
func Verus(ctx context.Context, r Request) (*Installed, error) {
	if err := CheckRelease(r.Release); err != nil {
		return nil, fmt.Errorf("install Verus: %w", err)
	}
	data, err := filepath.Abs(r.Data)
	if err != nil {
		return nil, fmt.Errorf("install Verus: %w", err)
	}
	want := r.SHA256
	if want == "" {
		want = KnownSHA256(r.Release, r.Platform)
	}
	if want != "" && !sha256Hex.MatchString(want) {
		return nil, fmt.Errorf("install Verus: %q is no SHA-256 of 64 lower-case hexadecimal digits", want)
	}
	dir := verus.InstallDir(data, r.Release, r.Platform)
	done := &Installed{Path: filepath.Join(dir, executable(r.Platform))}

	record, err := Intact(dir)
	if err != nil || record.SHA256 != want {
		if err := os.MkdirAll(filepath.Join(data, "downloads"), 0o755); err != nil {
			return nil, notWritable(data, err)
		}
		unlock, err := lock(ctx, dir+".lock", func() { r.say("waiting for another process that installs the same release") })
		if err != nil {
			return nil, notWritable(data, err)
		}
		record, done.Fresh, err = r.install(ctx, data, dir, want)
		if err := errors.Join(err, unlock()); err != nil {
			return nil, err
		}
	}
	done.Record = *record
	switch {
	case r.NoToolchain:
	case record.Toolchain == "":
		r.say("the release does not say which Rust toolchain it needs; " + done.Path + " --version does, and rustup installs it")
	default:
		if err := r.installToolchain(ctx, record.Toolchain); err != nil {
			return nil, err
		}
	}
	return done, nil
}

func executable(platform string) string {
	if platform == "x86-win" {
		return "verus.exe"
	}
	return "verus"
}

// notWritable explains errors about the directory.
func notWritable(data string, err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, errReadOnly) {
		return fmt.Errorf("install Verus into %s: %w; make it writable, or name another directory with --dir", data, err)
	}
	return fmt.Errorf("install Verus into %s: %w", data, err)
}

// install makes the installation while no other process does.
func (r Request) install(ctx context.Context, data, dir, want string) (*Record, bool, error) {
	record, err := Intact(dir)
	var damaged *DamagedError
	switch {
	case err == nil && want != "" && record.SHA256 == want: // by the process that was waited for
		return record, false, nil
	case err == nil && want == "":
		return nil, false, &UnknownHashError{Release: r.Release, Platform: r.Platform, From: "the zip that is installed in " + dir, SHA256: record.SHA256}
	case err == nil:
		r.say("what is installed is from a zip with the SHA-256 " + record.SHA256 + ", and another one is wanted; installing it anew")
	case errors.As(err, &damaged):
		r.say(damaged.Error() + "; installing it anew")
	case !errors.Is(err, fs.ErrNotExist):
		return nil, false, notWritable(data, err)
	}
	// What runs that were killed left behind. The lock is held, so nobody else uses it.
	pattern := filepath.Join(data, ".unpack-"+filepath.Base(dir)+"-*")
	left, err := filepath.Glob(globQuote(data) + strings.TrimPrefix(pattern, data))
	if err != nil {
		return nil, false, notWritable(data, err)
	}
	for _, path := range left {
		if err := os.RemoveAll(path); err != nil {
			return nil, false, notWritable(data, err)
		}
	}
	archive, fetched, err := r.archive(ctx, data, want)
	if err != nil {
		return nil, false, err
	}
	from := archive
	if fetched != nil {
		from = fetched.name()
	}
	r.say("checking " + filepath.Base(archive))
	sum, _, err := hashOf(archive)
	switch {
	case err != nil:
		return nil, false, fmt.Errorf("install Verus: %w", err)
	case want == "":
		return nil, false, &UnknownHashError{Release: r.Release, Platform: r.Platform, From: from, SHA256: sum}
	case sum != want:
		err := fmt.Errorf("install Verus: %s has the SHA-256 %s, and %s is wanted; it is not the file that was pinned, so nothing was installed", from, sum, want)
		if fetched != nil { // or it would be found again
			err = errors.Join(err, fetched.remove())
		}
		return nil, false, err
	}
	if err := context.Cause(ctx); err != nil {
		return nil, false, fmt.Errorf("install Verus: %w", err)
	}
	r.say("unpacking into " + dir)
	if record, err = r.place(ctx, archive, data, dir, sum); err != nil {
		return nil, false, err
	}
	if fetched != nil {
		if r.Zip != "" {
			if err := copyFile(r.Zip, archive); err != nil {
				return nil, false, fmt.Errorf("install Verus: keep the zip: %w", err)
			}
		}
		if err := fetched.remove(); err != nil {
			return nil, false, fmt.Errorf("install Verus: remove the download: %w", err)
		}
	}
	return record, true, nil
}

// globQuote makes the characters that filepath.Glob takes for others stand for themselves.
func globQuote(s string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(s)
}

// copyFile makes a file that is whole or not there.
func copyFile(to, from string) (err error) {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.CreateTemp(filepath.Dir(to), ".specgate-*")
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err == nil {
		err = os.Rename(out.Name(), to)
	}
	if err != nil {
		return errors.Join(err, os.Remove(out.Name()))
	}
	return nil
}

// archive gives the zip: the file that was named, the one that was kept if it is the wanted one, or one that is downloaded.
func (r Request) archive(ctx context.Context, data, want string) (string, *download, error) {
	from, hosts := r.From, []string(nil)
	if from == "" {
		from, hosts = DefaultURL(r.Release, r.Platform), assetHosts
	}
	u, err := url.Parse(from)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		if strings.Contains(from, "://") {
			return "", nil, fmt.Errorf("install Verus from %q: it is neither a file nor an https or http URL", from)
		}
		info, err := os.Stat(from)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return "", nil, fmt.Errorf("install Verus from %s: there is no such file", from)
		case err != nil:
			return "", nil, fmt.Errorf("install Verus: %w", err)
		case !info.Mode().IsRegular():
			return "", nil, fmt.Errorf("install Verus from %s: it is not a file; name the zip of the release", from)
		}
		return from, nil, nil
	}
	if info, err := os.Lstat(r.Zip); r.Zip != "" && want != "" && err == nil {
		// A pipe would keep the run waiting.
		if info.Mode().IsRegular() {
			if sum, _, err := hashOf(r.Zip); err == nil && sum == want {
				return r.Zip, nil, nil
			}
		}
		r.say("what is kept in " + r.Zip + " is not the zip that is wanted; downloading it anew")
	}
	d := &download{url: u, path: filepath.Join(data, "downloads", asset(r.Release, r.Platform)), hosts: hosts, pause: cmp.Or(r.pause, time.Second), report: r.progress}
	r.say("downloading " + d.name())
	if err := d.run(ctx); err != nil {
		return "", nil, err
	}
	return d.path, d, nil
}

// place unpacks the zip beside the place of the installation, and puts it there when it is whole.
func (r Request) place(ctx context.Context, archive, data, dir, sum string) (_ *Record, err error) {
	// In one directory with dir, so that it is on one file system and renaming is one step.
	temp, err := os.MkdirTemp(data, ".unpack-"+filepath.Base(dir)+"-*")
	if err != nil {
		return nil, notWritable(data, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	fresh, old := filepath.Join(temp, "new"), filepath.Join(temp, "old")
	if err := os.Mkdir(fresh, 0o755); err != nil {
		return nil, notWritable(data, err)
	}
	record := &Record{Release: r.Release, Platform: r.Platform, SHA256: sum}
	if record.Files, err = unpack(ctx, archive, fresh, r.Platform); err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(fresh, executable(r.Platform))); err != nil {
		return nil, fmt.Errorf("unpack %s: there is no verus in it; nothing was installed", archive)
	}
	version, err := verus.ReadVersion(fresh)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("unpack %s: it has neither version.json nor version.txt, so it is not known to be %s; nothing was installed", archive, r.Release)
	case err != nil:
		return nil, fmt.Errorf("unpack %s: %w; nothing was installed", archive, err)
	case version.Release != r.Release:
		return nil, fmt.Errorf("unpack %s: it is Verus %q, and %s is wanted; nothing was installed", archive, version.Release, r.Release)
	case version.Toolchain != "" && !toolchainName.MatchString(version.Toolchain):
		return nil, fmt.Errorf("unpack %s: it names the Rust toolchain %q, which is no name of a toolchain; nothing was installed", archive, version.Toolchain)
	}
	record.Toolchain = version.Toolchain
	if err := writeRecord(fresh, record); err != nil {
		return nil, err
	}
	if err := flush(fresh); err != nil {
		return nil, fmt.Errorf("install Verus into %s: %w", dir, err)
	}
	if err := os.Rename(dir, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, notWritable(data, err)
	}
	if err := os.Rename(fresh, dir); err != nil {
		return nil, notWritable(data, err)
	}
	if err := flush(data); err != nil {
		return nil, fmt.Errorf("install Verus into %s: %w", dir, err)
	}
	return record, nil
}
