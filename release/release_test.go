// Package release_test checks that releases can be built anew by anybody, byte for byte, and that nothing else is taken for one.
package release_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"

	"github.com/specgate/specgate"
)

// build runs a tree's release/build.sh for linux/amd64, and gives the binary.
func build(t *testing.T, tree string, env ...string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "specgate")
	run(t, tree, env, 0, "bash", "release/build.sh", out, "linux", "amd64")
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// run runs a program that must end with an exit code, and gives what it printed, stdout before stderr.
func run(t *testing.T, dir string, env []string, code int, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	if got != code {
		t.Fatalf("%s: exit code %d, want %d\n%s%s", strings.Join(args, " "), got, code, &stdout, &stderr)
	}
	return stdout.String() + stderr.String()
}

// TestReproducible: the same sources in another folder, of another user with other settings, give the same bytes.
func TestReproducible(t *testing.T) {
	here, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	first := build(t, here)
	elsewhere := filepath.Join(t.TempDir(), "a folder", "of another name")
	err = filepath.WalkDir(here, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(here, file)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if base := d.Name(); name != "." && (strings.HasPrefix(base, ".") || base == "testdata" || base == "bin" || base == "dist" || base == "target") {
				return filepath.SkipDir
			}
			return os.MkdirAll(filepath.Join(elsewhere, name), 0o700)
		}
		if strings.HasSuffix(name, "_test.go") || !d.Type().IsRegular() {
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(elsewhere, name), text, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	settings := filepath.Join(t.TempDir(), "env")
	if err := os.WriteFile(settings, []byte("GOAMD64=v3\nGOFLAGS=-tags=other\nCGO_ENABLED=1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, elsewhere, nil, 0, "git", "init", "-q")
	second := build(t, elsewhere, "GOENV="+settings, "GOAMD64=v3", "GOFLAGS=-buildvcs=true -ldflags=-X=main.x=y", "CGO_ENABLED=1", "GOOS=plan9", "TZ=Asia/Tokyo", "CDPATH=..:/")
	if !bytes.Equal(first, second) {
		t.Errorf("the binaries of two folders differ: SHA-256 %x and %x", sha256.Sum256(first), sha256.Sum256(second))
	}
	goroot := strings.TrimSpace(run(t, here, nil, 0, "go", "env", "GOROOT"))
	for _, path := range []string{here, elsewhere, goroot} {
		if bytes.Contains(first, []byte(path+"/")) {
			t.Errorf("the binary has the path %s in it", path)
		}
	}
}

// repository makes a repository of a program, and of the scripts, for two platforms. It has no release yet.
func repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"VERSION":               "0.1.0-dev\n",
		"go.mod":                "module github.com/specgate/specgate\n\ngo 1.25.0\n\ntoolchain " + runtime.Version() + "\n",
		"cmd/specgate/main.go":  "package main\n\nfunc main() { println(1) }\n",
		"release/platforms.txt": "linux amd64\nlinux arm64\n",
		"release/checksums.txt": "# what this is\n",
	} {
		write(t, filepath.Join(dir, name), text)
	}
	for _, name := range []string{"build.sh", "checksums.sh", "verify.sh"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, "release", name), string(text))
	}
	run(t, dir, nil, 0, "git", "init", "-q")
	commit(t, dir)
	return dir
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func commit(t *testing.T, dir string) {
	t.Helper()
	run(t, dir, nil, 0, "git", "add", "-A")
	run(t, dir, nil, 0, "git", "-c", "user.name=someone", "-c", "user.email=someone@example.com", "-c", "commit.gpgsign=false", "commit", "-q", "-m", "x")
}

func TestChecksums(t *testing.T) {
	dir := repository(t)
	want := func(got, want string) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("what was expected (-) is not what was printed (+):\n%s", diff)
		}
	}
	building := "building for linux/amd64 with " + runtime.Version() + "\nbuilding for linux/arm64 with " + runtime.Version() + "\n"
	const remedy = "For a release, run: make release-checksums. Sources that differ from the last release need another VERSION, with the suffix -dev.\n"

	// Between releases there are no sums.
	want(run(t, dir, nil, 0, "bash", "release/checksums.sh", "--check"), "VERSION is 0.1.0-dev, which is no release, so release/checksums.txt has no sums\n")
	noRelease := "VERSION is 0.1.0-dev, which is no release, so release/checksums.txt can have no sums: commit the version of the release first\n"
	want(run(t, dir, nil, 1, "bash", "release/checksums.sh"), noRelease)
	write(t, filepath.Join(dir, "VERSION"), "0.1.0\n")
	want(run(t, dir, nil, 1, "bash", "release/checksums.sh"), noRelease)

	// A release has those of the commit, whatever else lies about.
	commit(t, dir)
	var sums string
	for _, arch := range []string{"amd64", "arm64"} {
		sums += fmt.Sprintf("%x  specgate_0.1.0_linux_%s\n", sha256.Sum256(binary(t, dir, arch)), arch)
	}
	main := filepath.Join(dir, "cmd", "specgate", "main.go")
	write(t, main, "package main\n\nfunc main() { println(2) }\n")
	want(run(t, dir, nil, 1, "bash", "release/checksums.sh", "--check"),
		building+"release/checksums.txt of the commit has\nnothing\nbut its sources give\n"+sums+remedy)
	want(run(t, dir, nil, 0, "bash", "release/checksums.sh"), sums+building)
	recorded, err := os.ReadFile(filepath.Join(dir, "release", "checksums.txt"))
	if err != nil {
		t.Fatal(err)
	}
	want(string(recorded), "# what this is\n"+sums)

	// The commit with the sums gives the same binaries.
	run(t, dir, nil, 0, "git", "checkout", "-q", "cmd")
	commit(t, dir)
	want(run(t, dir, nil, 0, "bash", "release/checksums.sh", "--check"),
		"release/checksums.txt has the sums of the binaries that the sources of 0.1.0 give\n"+building)

	// Other sources are another version.
	write(t, main, "package main\n\nfunc main() { println(2) }\n")
	commit(t, dir)
	var others string
	for _, arch := range []string{"amd64", "arm64"} {
		others += fmt.Sprintf("%x  specgate_0.1.0_linux_%s\n", sha256.Sum256(binary(t, dir, arch)), arch)
	}
	want(run(t, dir, nil, 1, "bash", "release/checksums.sh", "--check"),
		building+"release/checksums.txt of the commit has\n"+sums+"but its sources give\n"+others+remedy)
	write(t, filepath.Join(dir, "VERSION"), "0.2.0-dev\n")
	commit(t, dir)
	want(run(t, dir, nil, 1, "bash", "release/checksums.sh", "--check"),
		"VERSION is 0.2.0-dev, which is no release, so release/checksums.txt can have no sums: commit the version of the release first\n")
	want(run(t, dir, nil, 2, "bash", "release/checksums.sh", "check"), "usage: release/checksums.sh [--check]\n")
}

// binary is what the sources of a repository give for Linux.
func binary(t *testing.T, dir, arch string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "specgate")
	run(t, dir, nil, 0, "bash", "release/build.sh", out, "linux", arch)
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestVerify(t *testing.T) {
	good := fmt.Sprintf("%x", sha256.Sum256([]byte("good")))
	bad := fmt.Sprintf("%x", sha256.Sum256([]byte("bad")))
	for _, c := range []struct {
		name, version, checksums, file string
		code                           int
		want                           string
	}{
		{"the released one", "0.1.0", good + "  specgate_0.1.0_linux_amd64\n", "good", 0, "FILE has the SHA-256 that release/checksums.txt says for specgate_0.1.0_linux_amd64\n"},
		{"another one", "0.1.0", good + "  specgate_0.1.0_linux_amd64\n", "bad", 1,
			"FILE has the SHA-256 " + bad + ", but release/checksums.txt says " + good + " for specgate_0.1.0_linux_amd64\n"},
		{"another platform's", "0.1.0", good + "  specgate_0.1.0_linux_arm64\n", "good", 1,
			"FILE has the SHA-256 " + good + ", but release/checksums.txt says nothing for specgate_0.1.0_linux_amd64\n"},
		{"no release", "0.1.0-dev", "", "good", 0, "FILE has the SHA-256 " + good + "; version 0.1.0-dev is no release, so there is nothing to compare it with\n"},
	} {
		dir := repository(t)
		write(t, filepath.Join(dir, "VERSION"), c.version+"\n")
		write(t, filepath.Join(dir, "release", "checksums.txt"), "# what this is\n"+c.checksums)
		file := filepath.Join(t.TempDir(), "binary")
		write(t, file, c.file)
		got := strings.ReplaceAll(run(t, dir, nil, c.code, "bash", "release/verify.sh", file, "linux", "amd64"), file, "FILE")
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: what was expected (-) is not what was printed (+):\n%s", c.name, diff)
		}
	}
}

// TestGoreleaser: goreleaser builds as build.sh does, for the same platforms. It would fail at the first release otherwise.
func TestGoreleaser(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", ".goreleaser.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Git struct {
			IgnoreTags []string `yaml:"ignore_tags"`
		}
		Builds []struct {
			Env, Flags, Ldflags, Goos, Goarch, Goamd64, Goarm64 []string
		}
	}
	if err := yaml.Unmarshal(text, &config); err != nil {
		t.Fatal(err)
	}
	major, _, _ := strings.Cut(specgate.Version(), ".")
	if diff := cmp.Diff([]string{"v" + major}, config.Git.IgnoreTags); diff != "" {
		t.Errorf("the tag that is moved to each release (-) is not the one that goreleaser leaves alone (+):\n%s", diff)
	}
	if len(config.Builds) != 1 {
		t.Fatalf(".goreleaser.yaml has %d builds, want 1", len(config.Builds))
	}
	b := config.Builds[0]
	var platforms []string
	for _, goos := range b.Goos {
		for _, goarch := range b.Goarch {
			platforms = append(platforms, goos+" "+goarch)
		}
	}
	slices.Sort(platforms)
	listed, err := os.ReadFile("platforms.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(strings.TrimSpace(string(listed)), "\n"), platforms); diff != "" {
		t.Errorf("platforms.txt (-) and .goreleaser.yaml (+) name other platforms:\n%s", diff)
	}
	script, err := os.ReadFile("build.sh")
	if err != nil {
		t.Fatal(err)
	}
	exports := regexp.MustCompile(`(?m)^export GOPROXY GOSUMDB (.*)$`).FindStringSubmatch(string(script))
	command := regexp.MustCompile(`(?m)^exec go build (.*) -ldflags='(.*)' -o "\$output" \./cmd/specgate$`).FindStringSubmatch(string(script))
	if exports == nil || command == nil {
		t.Fatal("build.sh has no line that exports, or none that builds")
	}
	set := append(slices.Clone(b.Env), "GOAMD64="+strings.Join(b.Goamd64, ","), "GOARM64="+strings.Join(b.Goarm64, ","))
	wanted := strings.Fields(exports[1])
	slices.Sort(set)
	slices.Sort(wanted)
	if diff := cmp.Diff(wanted, set); diff != "" {
		t.Errorf("build.sh (-) and .goreleaser.yaml (+) have another environment:\n%s", diff)
	}
	if diff := cmp.Diff([]string{command[1], command[2]}, []string{strings.Join(b.Flags, " "), strings.Join(b.Ldflags, " ")}); diff != "" {
		t.Errorf("build.sh (-) and .goreleaser.yaml (+) have other flags:\n%s", diff)
	}
}
