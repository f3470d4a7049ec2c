package setup

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/verus"
)

// TestInstall installs a release from a file, and finds it the second time without reading anything but the installation.
func TestInstall(t *testing.T) {
	r := request(t)
	r.Runner = notCalled{t}
	var said []string
	r.Say = func(line string) { said = append(said, line) }
	got, err := Verus(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(r.Data, "verus-"+release+"-"+platform)
	want := &Installed{Path: filepath.Join(dir, "verus"), Fresh: true, Record: Record{Release: release, Platform: platform, SHA256: r.SHA256, Toolchain: rust}}
	for _, e := range good()[1:] {
		name := strings.TrimPrefix(e.name, top+"/")
		want.Files = append(want.Files, File{name, sumOf([]byte(e.text)), int64(len(e.text)), name == "verus" || name == "z3" || e.mode != 0})
	}
	slices.SortFunc(want.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("installed (-want +got):\n%s", diff)
	}
	files := []string{
		"drwxr-xr-x downloads",
		"drwxr-xr-x verus-" + release + "-" + platform,
		"-rw-r--r-- verus-" + release + "-" + platform + "/.specgate-installed.json",
		"-rwxr-xr-x verus-" + release + "-" + platform + "/macos_allow_gatekeeper.sh",
		"-rw-r--r-- verus-" + release + "-" + platform + "/version.json",
		"-rwxr-xr-x verus-" + release + "-" + platform + "/verus",
		"drwxr-xr-x verus-" + release + "-" + platform + "/vstd",
		"-rw-r--r-- verus-" + release + "-" + platform + "/vstd/vstd.rs",
		"-rwxr-xr-x verus-" + release + "-" + platform + "/z3",
	}
	if diff := cmp.Diff(files, tree(t, r.Data)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"checking verus.zip", "unpacking into " + dir}, said); diff != "" {
		t.Errorf("said (-want +got):\n%s", diff)
	}

	r.From = filepath.Join(r.Data, "gone.zip")
	said = nil
	again, err := Verus(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	want.Fresh = false
	if diff := cmp.Diff(want, again); diff != "" {
		t.Errorf("again (-want +got):\n%s", diff)
	}
	if said != nil {
		t.Errorf("said %q", said)
	}
	// It is where the verifier is looked for.
	v, err := verus.Find(t.Context(), verus.Search{Data: r.Data, Release: release, Runner: verus.Sandboxed{}, Getenv: func(string) string { return "" }})
	if host, _ := verus.Platform("linux", "amd64"); host == platform && err == nil && (v.Path != got.Path || v.FoundBy != "setup verus" || v.SolverVersion != "4.16.0") {
		t.Errorf("found %s by %s with z3 %s", v.Path, v.FoundBy, v.SolverVersion)
	} else if err != nil {
		t.Error(err)
	}
}

// TestRefused has all that is not installed from a file, and what is said. Nothing is left behind.
func TestRefused(t *testing.T) {
	const none = "; nothing was installed"
	with := func(e ...entry) []byte { return zipOf(t, append(good(), e...)) }
	without := func(name string, e ...entry) []byte {
		return zipOf(t, append(slices.DeleteFunc(good(), func(e entry) bool { return e.name == top+"/"+name }), e...))
	}
	long := zipOf(t, good())
	for _, c := range []struct {
		name    string
		archive []byte
		want    string
	}{
		{"empty file", nil, "unpack ZIP: it is not a zip"},
		{"not a zip", []byte("<html>not found</html>"), "unpack ZIP: it is not a zip"},
		{"half a zip", long[:len(long)/2], "unpack ZIP: it is not a zip"},
		{"empty zip", zipOf(t, nil), "unpack ZIP: there is no verus in it" + none},
		{"up", with(entry{name: top + "/../../evil", text: "x"}), `unpack ZIP: the name "verus-x86-linux/../../evil" is not one that a release has` + none},
		{"absolute", with(entry{name: "/etc/evil", text: "x"}), `unpack ZIP: the name "/etc/evil" is not one that a release has` + none},
		{"backslash", with(entry{name: top + `\..\..\evil`, text: "x"}), `unpack ZIP: the name "verus-x86-linux\\..\\..\\evil" is not one that a release has` + none},
		{"drive", with(entry{name: top + "/C:evil", text: "x"}), `unpack ZIP: the name "verus-x86-linux/C:evil" is not one that a release has` + none},
		{"control", with(entry{name: top + "/a\x1b[2Jb", text: "x"}), `unpack ZIP: the name "verus-x86-linux/a\x1b[2Jb" is not one that a release has` + none},
		{"nameless", with(entry{name: top + "//", text: ""}), `unpack ZIP: the name "verus-x86-linux//" is not one that a release has` + none},
		{"our record", with(entry{name: top + "/" + recordName, text: "{}"}), `unpack ZIP: the name "verus-x86-linux/.specgate-installed.json" is not one that a release has` + none},
		{"link", with(entry{name: top + "/lib", text: "/etc", mode: fs.ModeSymlink | 0o777}), `unpack ZIP: "verus-x86-linux/lib" is neither a file nor a folder (L---------)` + none},
		{"through a link", with(entry{name: top + "/lib", text: "/tmp", mode: fs.ModeSymlink | 0o777}, entry{name: top + "/lib/evil", text: "x"}),
			`unpack ZIP: "verus-x86-linux/lib" is neither a file nor a folder (L---------)` + none},
		{"device", with(entry{name: top + "/dev", mode: fs.ModeDevice | 0o666}), `unpack ZIP: "verus-x86-linux/dev" is neither a file nor a folder (D---------)` + none},
		{"twice", with(entry{name: top + "/verus", text: "#!/bin/sh\necho evil\n"}), `unpack ZIP: "verus-x86-linux/verus" is there twice` + none},
		{"twice for macOS", with(entry{name: top + "/VERUS", text: "x"}), `unpack ZIP: "verus-x86-linux/VERUS" is there twice` + none},
		{"a file and a folder", with(entry{name: top + "/z3/x", text: "x"}), "unpack ZIP: mkdir DATA/.unpack/new/z3: not a directory" + none},
		{"the folder is a file", zipOf(t, []entry{{name: top, text: "x"}}), `unpack ZIP: "verus-x86-linux" is no folder` + none},
		{"beside", with(entry{name: "README.md", text: "x"}), `unpack ZIP: "README.md" is not in the folder verus-x86-linux, in which a release has everything` + none},
		{"another platform", zipOf(t, []entry{{name: "verus-arm64-macos/verus", text: notAVerifier}}), "unpack ZIP: it is a release for arm64-macos, and x86-linux is wanted" + none},
		{"encrypted", with(entry{name: top + "/secret", text: "x", change: func(h *zip.FileHeader) { h.Flags |= 1 }}), `unpack ZIP: "verus-x86-linux/secret" is encrypted` + none},
		{"bomb", bomb(t, 9<<30), fmt.Sprintf("unpack ZIP: it has more than %d bytes when unpacked"+none, int64(8<<30))},
		{"many bombs", bomb(t, 3<<30, 3<<30, 3<<30), fmt.Sprintf("unpack ZIP: it has more than %d bytes when unpacked"+none, int64(8<<30))},
		{"size that wraps around", bomb(t, 1<<63+1, 1<<63), fmt.Sprintf("unpack ZIP: it has more than %d bytes when unpacked"+none, int64(8<<30))},
		{"longer than it says", bomb(t, 10), "unpack ZIP: zeros0: zip: not a valid zip file" + none},
		{"shorter than it says", bomb(t, 2<<20), "unpack ZIP: zeros0: unexpected EOF" + none},
		{"other bytes", flipped(t), "unpack ZIP: vstd/vstd.rs: zip: checksum error" + none},
		{"unknown method", method(t, with(entry{name: top + "/x", text: "odd"}), top+"/x", 99), "unpack ZIP: x: zip: unsupported compression algorithm" + none},
		{"no verus", without("verus"), "unpack ZIP: there is no verus in it" + none},
		{"no version", without("version.json"), "unpack ZIP: it has neither version.json nor version.txt, so it is not known to be 0.2026.08.15.7d4628a" + none},
		{"version that cannot be read", without("version.json", entry{name: top + "/version.json", text: "{"}),
			"unpack ZIP: read the verifier's version: DATA/.unpack/new/version.json names no release" + none},
		{"another release", without("version.json", entry{name: top + "/version.json", text: strings.ReplaceAll(versionJSON, release, "0.2026.01.01.0000000")}),
			`unpack ZIP: it is Verus "0.2026.01.01.0000000", and 0.2026.08.15.7d4628a is wanted` + none},
		{"a toolchain that is an option", without("version.json", entry{name: top + "/version.json", text: strings.ReplaceAll(versionJSON, rust, "--help")}),
			`unpack ZIP: it names the Rust toolchain "--help", which is no name of a toolchain` + none},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Request{Release: release, Platform: platform, SHA256: sumOf(c.archive), Data: filepath.Join(t.TempDir(), "data"),
				From: write(t, filepath.Join(t.TempDir(), "verus.zip"), c.archive, 0o644), NoToolchain: true, Runner: notCalled{t}}
			got, err := Verus(t.Context(), r)
			if err == nil {
				t.Fatalf("installed %v", got)
			}
			if diff := cmp.Diff(c.want, plain(err, r)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff([]string{"drwxr-xr-x downloads"}, tree(t, r.Data)); diff != "" {
				t.Errorf("left behind (-want +got):\n%s", diff)
			}
			if _, err := os.Stat(r.From); err != nil {
				t.Errorf("the file that was named is gone: %v", err)
			}
		})
	}
}

// plain is a message without the names of directories of the test.
func plain(err error, r Request) string {
	text := err.Error()
	if r.From != "" {
		text = strings.ReplaceAll(text, r.From, "ZIP")
	}
	text = strings.ReplaceAll(text, r.Data, "DATA")
	for {
		before, rest, ok := strings.Cut(text, ".unpack-")
		if !ok {
			return text
		}
		_, after, _ := strings.Cut(rest, "/")
		text = before + ".unpack/" + after
	}
}

// bomb is a zip whose entries say that they have so many bytes, each made of a megabyte of zeros.
func bomb(t *testing.T, sizes ...uint64) []byte {
	t.Helper()
	var compressed bytes.Buffer
	{
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		f, err := w.CreateHeader(&zip.FileHeader{Name: "x", Method: zip.Deflate})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(make([]byte, 1<<20)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
		if err != nil {
			t.Fatal(err)
		}
		raw, err := z.File[0].OpenRaw()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := compressed.ReadFrom(raw); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i, size := range sizes {
		f, err := w.CreateRaw(&zip.FileHeader{Name: fmt.Sprintf("%s/zeros%d", top, i), Method: zip.Deflate, CompressedSize64: uint64(compressed.Len()), UncompressedSize64: size})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(compressed.Bytes()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// flipped is the good zip with a byte of a file changed.
func flipped(t *testing.T) []byte {
	t.Helper()
	b := zipOf(t, good())
	i := bytes.LastIndex(b, []byte("// vstd\n"))
	b[i] = '!'
	return b
}

// method changes how an entry says that it is compressed, in both of its headers.
func method(t *testing.T, b []byte, name string, method byte) []byte {
	t.Helper()
	found := 0
	for _, h := range []struct {
		signature    string
		method, name int
	}{{"PK\x03\x04", 8, 30}, {"PK\x01\x02", 10, 46}} {
		for i := range b {
			if bytes.HasPrefix(b[i:], []byte(h.signature)) && bytes.HasPrefix(b[i+h.name:], []byte(name)) {
				b[i+h.method] = method
				found++
			}
		}
	}
	if found != 2 {
		t.Fatalf("%d headers", found)
	}
	return b
}

// TestBadRequests has what is wrong before anything is read.
func TestBadRequests(t *testing.T) {
	dir := t.TempDir()
	file := write(t, filepath.Join(dir, "file"), nil, 0o644)
	for _, c := range []struct {
		name string
		edit func(*Request)
		want string
	}{
		{"release", func(r *Request) { r.Release = "latest" },
			`install Verus: "latest" is no release of Verus; releases look like 0.2026.09.27.3cf1832, and https://github.com/verus-lang/verus/releases lists them`},
		{"release that is a path", func(r *Request) { r.Release = "../0.2026.08.15.7d4628a" },
			`install Verus: "../0.2026.08.15.7d4628a" is no release of Verus; releases look like 0.2026.09.27.3cf1832, and https://github.com/verus-lang/verus/releases lists them`},
		{"hash", func(r *Request) { r.SHA256 = "abc" }, `install Verus: "abc" is no SHA-256 of 64 lower-case hexadecimal digits`},
		{"no file", func(r *Request) { r.From = filepath.Join(dir, "missing.zip") }, "install Verus from DIR/missing.zip: there is no such file"},
		{"a directory", func(r *Request) { r.From = dir }, "install Verus from DIR: it is not a file; name the zip of the release"},
		{"another scheme", func(r *Request) { r.From = "ftp://example.com/verus.zip" }, `install Verus from "ftp://example.com/verus.zip": it is neither a file nor an https or http URL`},
		{"a file for a directory", func(r *Request) { r.Data = file }, "install Verus into DIR/file: mkdir DIR/file: not a directory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := request(t)
			c.edit(&r)
			_, err := Verus(t.Context(), r)
			if err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(c.want, strings.ReplaceAll(err.Error(), dir, "DIR")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestHash has what becomes of files whose hash is not known, or not the one that is wanted.
func TestHash(t *testing.T) {
	r := request(t)
	archive, err := os.ReadFile(r.From)
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, content(archive, `"a"`))
	r.From = s.URL + "/verus.zip"
	sum := r.SHA256

	r.SHA256 = ""
	_, err = Verus(t.Context(), r)
	want := &UnknownHashError{Release: release, Platform: platform, From: r.From, SHA256: sum}
	var got *UnknownHashError
	if !errors.As(err, &got) {
		t.Fatalf("got %v", err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(`no hash is known that the zip of 0.2026.08.15.7d4628a for x86-linux must have, so it was not installed
ZIP has the SHA-256 `+sum+`
compare that with what the page of the release shows (https://github.com/verus-lang/verus/releases/tag/release/0.2026.08.15.7d4628a), and if it is right, write into the policy:

[verus]
release = "0.2026.08.15.7d4628a"

[verus.sha256]
x86-linux = "`+sum+`"
`, plain(err, r)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"drwxr-xr-x downloads", "-rw-r--r-- downloads/verus-" + release + "-x86-linux.zip"}, tree(t, r.Data)); diff != "" {
		t.Error(diff)
	}

	// Another hash: the download goes, so that the next run does not find it again.
	other := strings.Repeat("0123456789abcdef", 4)
	r.SHA256 = other
	_, err = Verus(t.Context(), r)
	if diff := cmp.Diff("install Verus: ZIP has the SHA-256 "+sum+", and "+other+" is wanted; it is not the file that was pinned, so nothing was installed", plain(err, r)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"drwxr-xr-x downloads"}, tree(t, r.Data)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{""}, s.asked()); diff != "" {
		t.Errorf("requests: %s", diff)
	}

	// The right one, known now.
	r.SHA256 = sum
	if _, err := Verus(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	// It is installed, and then no hash is known any more: that is not enough either.
	r.SHA256 = ""
	_, err = Verus(t.Context(), r)
	if !errors.As(err, &got) || got.SHA256 != sum || got.From != "the zip that is installed in "+filepath.Join(r.Data, "verus-"+release+"-x86-linux") {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff([]string{"", ""}, s.asked()); diff != "" {
		t.Errorf("requests: %s", diff)
	}
	// Another zip is pinned for the same release: it takes the place.
	entries := good()
	entries[2].text += "# patched\n"
	patched := zipOf(t, entries)
	s.use(content(patched, `"b"`))
	r.SHA256 = sumOf(patched)
	var said []string
	r.Say = func(line string) { said = append(said, line) }
	installed, err := Verus(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if !installed.Fresh || installed.SHA256 != r.SHA256 || said[0] != "what is installed is from a zip with the SHA-256 "+sum+", and another one is wanted; installing it anew" {
		t.Errorf("%v, said %q", installed, said)
	}
}

// TestDamage changes an installation in every way that is noticed, and has it put right.
func TestDamage(t *testing.T) {
	r := request(t)
	var said []string
	r.Say = func(line string) { said = append(said, line) }
	installed, err := Verus(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(installed.Path)
	good := tree(t, r.Data)
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, c := range []struct {
		name   string
		damage func() error
		want   string
	}{
		{"content", func() error { return os.WriteFile(at("z3"), []byte("#!/bin/sh\necho evil\n"), 0o755) }, "z3 has another content"},
		{"missing", func() error { return os.Remove(at("z3")) }, "z3 is missing"},
		{"first missing", func() error { return os.Remove(at("macos_allow_gatekeeper.sh")) }, "macos_allow_gatekeeper.sh is missing"},
		{"permissions", func() error { return os.Chmod(at("verus"), 0o644) }, "verus has other permissions"},
		{"one more", func() error { return os.WriteFile(at("vstd/evil.rs"), nil, 0o644) }, "vstd/evil.rs does not belong to it"},
		{"one more at the end", func() error { return os.WriteFile(at("zzz"), nil, 0o644) }, "zzz does not belong to it"},
		{"a link", func() error { return errors.Join(os.Remove(at("z3")), os.Symlink("/bin/sh", at("z3"))) }, "z3 is no regular file"},
		{"no record", func() error { return os.Remove(at(recordName)) }, "it has no record of its files"},
		{"empty record", func() error { return os.WriteFile(at(recordName), []byte("{}"), 0o644) }, "the record of its files is empty"},
		{"bad record", func() error { return os.WriteFile(at(recordName), []byte("{"), 0o644) }, "the record of its files cannot be read: unexpected end of JSON input"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := c.damage(); err != nil {
				t.Fatal(err)
			}
			var damaged *DamagedError
			if _, err := Intact(dir); !errors.As(err, &damaged) || damaged.Why != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
			said = nil
			got, err := Verus(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			if want := "the installation in " + dir + " is damaged: " + c.want + "; installing it anew"; said[0] != want || !got.Fresh {
				t.Errorf("said %q, want %q", said, want)
			}
			if diff := cmp.Diff(good, tree(t, r.Data)); diff != "" {
				t.Error(diff)
			}
			if _, err := Intact(dir); err != nil {
				t.Error(err)
			}
		})
	}
	if _, err := Intact(at("nowhere")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// TestTwoAtOnce has many ask for the same release, in goroutines and in processes: one installs it.
func TestTwoAtOnce(t *testing.T) {
	r := request(t)
	var mu sync.Mutex
	fresh := 0
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			got, err := Verus(t.Context(), r)
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			if got.Fresh {
				fresh++
			}
		})
	}
	for range 3 {
		cmd, out := start(t, r)
		wg.Go(func() {
			if err := cmd.Wait(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
			mu.Lock()
			defer mu.Unlock()
			if out.String() == "fresh\n" {
				fresh++
			}
		})
	}
	wg.Wait()
	if fresh != 1 {
		t.Errorf("installed %d times", fresh)
	}
	if _, err := Intact(verus.InstallDir(r.Data, release, platform)); err != nil {
		t.Error(err)
	}
}

// TestWaitIsGivenUp ends a process that waits for another.
func TestWaitIsGivenUp(t *testing.T) {
	r := request(t)
	if err := os.MkdirAll(r.Data, 0o755); err != nil {
		t.Fatal(err)
	}
	unlock, err := lock(t.Context(), verus.InstallDir(r.Data, release, platform)+".lock", func() { t.Error("nobody holds it") })
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	r.Say = func(line string) {
		if line != "waiting for another process that installs the same release" {
			t.Errorf("said %q", line)
		}
		cancel(errors.New("interrupted"))
	}
	_, err = Verus(ctx, r)
	if err == nil || plain(err, r) != "install Verus into DATA: wait for another installation of the same release: interrupted" {
		t.Errorf("got %v", err)
	}
	if err := unlock(); err != nil {
		t.Error(err)
	}
}

// TestKilled kills a process that installs at many moments. What is there then is nothing or the whole, and the next run installs.
func TestKilled(t *testing.T) {
	entries := good()
	for i := range 60 { // so that it takes some time
		entries = append(entries, entry{name: fmt.Sprintf("%s/vstd/part%d.rs", top, i), text: strings.Repeat("// part\n", 4000)})
	}
	archive := zipOf(t, entries)
	r := request(t)
	r.SHA256, r.From = sumOf(archive), write(t, r.From, archive, 0o644)
	dir := verus.InstallDir(r.Data, release, platform)
	killed := 0
	for i := range 12 {
		if i == 6 { // from here on it is an installation that is damaged
			if _, err := Verus(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
		if i >= 6 {
			if err := os.WriteFile(filepath.Join(dir, "z3"), []byte("damaged"), 0o755); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
		} else if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		cmd, _ := start(t, r)
		time.Sleep(time.Duration(i%6) * 15 * time.Millisecond)
		_ = cmd.Process.Kill()
		if cmd.Wait() != nil {
			killed++
		}
		var damaged *DamagedError
		_, err := Intact(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && (i < 6 || !errors.As(err, &damaged) || damaged.Why != "z3 has another content") {
			t.Errorf("after %d: %v", i, err)
		}
	}
	if killed == 0 {
		t.Error("no process was killed in time")
	}
	if _, err := Verus(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(r.Data, ".unpack-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestDiskFull has the system refuse to write more: there is a limit on the size of files, as a disk that is full cannot be had.
func TestDiskFull(t *testing.T) {
	archive := zipOf(t, good())
	s := serve(t, content(archive, `"a"`))
	r := request(t)
	file := r.From
	for _, c := range []struct{ name, from, want string }{
		{"while downloading", s.URL + "/verus.zip",
			"download ZIP: write DATA/downloads/verus-0.2026.08.15.7d4628a-x86-linux.zip.partial: file too large; free space there, or name another directory with --dir\n"},
		{"while unpacking", file, "unpack ZIP: vstd/vstd.rs: write DATA/.unpack/new/vstd/vstd.rs: file too large; nothing was installed\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r.From = c.from
			cmd, out := start(t, r, "SETUP_TEST_FILE_SIZE=65536")
			if err := cmd.Wait(); err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(c.want, plain(errors.New(out.String()), r)); diff != "" {
				t.Error(diff)
			}
			if _, err := os.Stat(verus.InstallDir(r.Data, release, platform)); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("something is installed: %v", err)
			}
			if left, _ := filepath.Glob(filepath.Join(r.Data, ".unpack-*")); left != nil {
				t.Errorf("left behind: %v", left)
			}
		})
	}
	// With room again it goes on where it stopped.
	r.From = s.URL + "/verus.zip"
	if _, err := Verus(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if got := s.asked(); len(got) != 2 || !strings.HasPrefix(got[1], "bytes=65536-") {
		t.Errorf("requests: %q", got)
	}
}

// TestTable checks that what the table of hashes has can be used.
func TestTable(t *testing.T) {
	rows := table(releases)
	if len(rows) == 0 {
		t.Fatal("the table is empty")
	}
	for i, r := range rows {
		if CheckRelease(r.release) != nil || !sha256Hex.MatchString(r.sha256) || !slices.Contains([]string{"x86-linux", "arm64-macos", "x86-macos", "x86-win"}, r.platform) {
			t.Errorf("bad row %v", r)
		}
		for _, other := range rows[:i] {
			if other.release == r.release && other.platform == r.platform || other.sha256 == r.sha256 {
				t.Errorf("twice: %v", r)
			}
		}
		if KnownSHA256(r.release, r.platform) != r.sha256 {
			t.Errorf("not found: %v", r)
		}
	}
	if got := KnownSHA256(release, "x86-linux"); got != "" {
		t.Errorf("got %s", got)
	}
	lines := 0
	for line := range strings.Lines(releases) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			lines++
		}
	}
	if lines != len(rows) {
		t.Errorf("%d lines, and %d of them are read", lines, len(rows))
	}
}

// TestKnownHash uses a release of the table: its hash is the one that is wanted.
func TestKnownHash(t *testing.T) {
	row := table(releases)[0]
	r := request(t)
	r.Release, r.Platform, r.SHA256 = row.release, row.platform, ""
	_, err := Verus(t.Context(), r)
	archive, readErr := os.ReadFile(r.From)
	if readErr != nil {
		t.Fatal(readErr)
	}
	if want := "install Verus: ZIP has the SHA-256 " + sumOf(archive) + ", and " + row.sha256 + " is wanted; it is not the file that was pinned, so nothing was installed"; err == nil || plain(err, r) != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// FuzzUnpack unpacks anything, and looks whether anything but files and folders below the directory came of it.
func FuzzUnpack(f *testing.F) {
	f.Add(zipOf(f, good()))
	f.Add(zipOf(f, []entry{{name: top + "/../x", text: "x"}, {name: top + "/l", text: "/etc", mode: fs.ModeSymlink | 0o777}}))
	f.Add(zipOf(f, []entry{{name: top + "/a/", mode: fs.ModeDir | 0o700}, {name: top + "/a/b", text: "x"}}))
	f.Fuzz(func(t *testing.T, archive []byte) {
		base := t.TempDir()
		dir := filepath.Join(base, "in", "new")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		files, err := unpack(t.Context(), write(t, filepath.Join(base, "verus.zip"), archive, 0o644), dir, platform)
		if err == nil {
			for _, want := range files {
				if got, err := fileOf(dir, want.Path); err != nil || got != want {
					t.Errorf("got %v, %v, want %v", got, err, want)
				}
			}
		}
		err = filepath.WalkDir(base, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if !d.IsDir() && !d.Type().IsRegular() {
				t.Errorf("made %s: %s", d.Type(), path)
			}
			if !d.IsDir() && path != filepath.Join(base, "verus.zip") && !strings.HasPrefix(path, dir+string(filepath.Separator)) {
				t.Errorf("made outside: %s", path)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// TestZip: a zip that is kept is used if it has the hash, and only then.
func TestZip(t *testing.T) {
	archive := zipOf(t, good())
	downloads := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		downloads++
		_, _ = w.Write(archive)
	}))
	defer server.Close()
	kept := filepath.Join(t.TempDir(), "kept", "verus.zip")
	other := write(t, filepath.Join(t.TempDir(), "other.zip"), archive, 0o644)
	install := func(downloadsNow int, said ...string) {
		t.Helper()
		var lines []string
		r := Request{Release: release, Platform: platform, SHA256: sumOf(archive), Data: filepath.Join(t.TempDir(), "data"), From: server.URL + "/verus.zip", Zip: kept,
			NoToolchain: true, Runner: notCalled{t}, Say: func(line string) { lines = append(lines, strings.ReplaceAll(line, kept, "KEPT")) }}
		got, err := Verus(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if !got.Fresh || downloads != downloadsNow {
			t.Errorf("fresh %v, %d downloads so far; want %d", got.Fresh, downloads, downloadsNow)
		}
		if diff := cmp.Diff(append([]string{}, said...), lines[:len(lines)-2]); diff != "" { // without checking and unpacking
			t.Error(diff)
		}
		text, err := os.ReadFile(kept)
		if err != nil || !bytes.Equal(text, archive) {
			t.Errorf("what is kept has %d bytes, %v", len(text), err)
		}
		if info, err := os.Lstat(kept); err != nil || !info.Mode().IsRegular() {
			t.Errorf("what is kept is %v, %v", info, err)
		}
		if left := tree(t, filepath.Dir(kept)); len(left) != 1 {
			t.Errorf("left behind: %v", left)
		}
	}
	install(1, "downloading "+server.URL+"/verus.zip")
	install(1)
	write(t, kept, append(archive[:len(archive)-1:len(archive)-1], 'x'), 0o644)
	install(2, "what is kept in KEPT is not the zip that is wanted; downloading it anew", "downloading "+server.URL+"/verus.zip")
	if err := errors.Join(os.Remove(kept), os.Symlink(other, kept)); err != nil {
		t.Fatal(err)
	}
	install(3, "what is kept in KEPT is not the zip that is wanted; downloading it anew", "downloading "+server.URL+"/verus.zip")
	install(3)
}
