package gitrepo

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	idA = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	idB = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
)

func TestParseVersion(t *testing.T) {
	for out, want := range map[string][2]int{
		"git version 2.39.5":                   {2, 39},
		"git version 2.39.5 (Apple Git-154)":   {2, 39},
		"git version 2.45.1.windows.1":         {2, 45},
		"git version 3.0":                      {3, 0},
		"git version 2.30-rc1":                 {2, 30},
		"git version 2.53.0.123.g0123456789ab": {2, 53},
	} {
		major, minor, err := parseVersion(out)
		if err != nil || [2]int{major, minor} != want {
			t.Errorf("%q: got %d.%d, %v", out, major, minor, err)
		}
	}
	for _, out := range []string{"", "git version ", "git version two.1", "hub 2.39", "git version 2", "git version 2.", "git version -2.30"} {
		_, _, err := parseVersion(out)
		if err == nil || err.Error() != fmt.Sprintf("unexpected output of git version: %q", out) {
			t.Errorf("%q: got %v", out, err)
		}
	}
}

func TestCheckVersion(t *testing.T) {
	for v, want := range map[[2]int]string{
		{2, 30}: "", {2, 100}: "", {3, 0}: "",
		{2, 29}: "git is version 2.29; install git 2.30 or newer",
		{1, 99}: "git is version 1.99; install git 2.30 or newer",
	} {
		if got := errorText(checkVersion(v[0], v[1])); got != want {
			t.Errorf("%v: got %q", v, got)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestParseErrors(t *testing.T) {
	lsTree := func(out string) error { _, err := parseLsTree([]byte(out)); return err }
	lsFiles := func(out string) error { _, err := parseLsFiles([]byte(out)); return err }
	batch := func(out string) error { _, err := parseBatchCheck([]byte(out), 1); return err }
	blob := func(out string) error {
		_, err := readBatchBlob(bufio.NewReaderSize(strings.NewReader(out), 64), object{id: idA, typ: "blob", size: 3})
		return err
	}
	refs := func(out string) error { _, err := parseRefs([]byte(out)); return err }
	for _, tt := range []struct {
		parse     func(string) error
		out, want string
	}{
		{lsTree, "100644 blob " + idA + "\ta", "output of git is cut off: it does not end in NUL"},
		{lsTree, "\x00", `unexpected output of git ls-tree: ""`},
		{lsTree, "100644 blob xyz\ta\x00", `unexpected output of git ls-tree: "100644 blob xyz\ta"`},
		{lsTree, "100600 blob " + idA + "\ta\x00", `unknown mode "100600" of "a"`},
		{lsTree, "100644 commit " + idA + "\ta\x00", `"a" has mode 100644, but is a commit`},
		{lsTree, "160000 blob " + idA + "\ta\x00", `"a" has mode 160000, but is a blob`},
		{lsTree, "100644 tree " + idA + "\ta\x00", `"a" has mode 100644, but is a tree`},
		{lsTree, "100644 blob " + idA + "\t\x00", `it has the path "", which git itself would not check out`},
		{lsTree, "100644 blob " + idA + "\ta//b\x00", `it has the path "a//b", which git itself would not check out`},
		{lsFiles, "H\x00", `unexpected output of git ls-files: "H"`},
		{lsFiles, "H 100644 " + idA + "\ta\x00", `unexpected output of git ls-files: "H 100644 ` + idA + `\ta"`},
		{lsFiles, "H 040000 " + idA + " 0\ta\x00", `unknown mode "040000" of "a"`},
		{lsFiles, "H 100644 " + idA + " 0\t../a\x00", `it has the path "../a", which git itself would not check out`},
		{lsFiles, "? ../a\x00", `it has the path "../a", which git itself would not check out`},
		{batch, "", "git cat-file answered 0 times to 1 names"},
		{batch, idA + " blob 1\n" + idB + " blob 1\n", "git cat-file answered 2 times to 1 names"},
		{batch, idA + " blob 1", `output of git cat-file is cut off: "` + idA + ` blob 1"`},
		{batch, idA + " blob -1\n", `unexpected output of git cat-file: "` + idA + ` blob -1"`},
		{batch, "missing\n", `unexpected output of git cat-file: "missing"`},
		{blob, "", "read the output of git cat-file: unexpected EOF"},
		{blob, idA + " blob 3\nab", "read the output of git cat-file: unexpected EOF"},
		{blob, idA + " blob 3\nabcd", "output of git cat-file: object " + idA + " is not followed by a newline"},
		{blob, idB + " blob 3\nabc\n", "git cat-file gave {id:" + idB + " typ:blob size:3 problem:} instead of {id:" + idA + " typ:blob size:3 problem:}"},
		{blob, idA + " missing\n", "git cat-file gave {id: typ: size:0 problem:missing} instead of {id:" + idA + " typ:blob size:3 problem:}"},
		{blob, strings.Repeat("x", 100) + "\n", "read the output of git cat-file: bufio: buffer full"},
		{refs, "refs/heads/main\n", `unexpected output of git for-each-ref: "refs/heads/main\n"`},
		{refs, "refs/heads/main\x00", `unexpected output of git for-each-ref: "refs/heads/main\x00"`},
		{refs, "main\x00\n", `unexpected output of git for-each-ref: "main\x00\n"`},
	} {
		if got := errorText(tt.parse(tt.out)); got != tt.want {
			t.Errorf("%q:\n got %s\nwant %s", tt.out, got, tt.want)
		}
	}
}

func TestParseLsFiles(t *testing.T) {
	out := "? a b\x00? nested/\x00H 100644 " + idA + " 0\tc\x00S 100755 " + idB + " 0\td\te\x00M 120000 " + idA + " 2\tf\x00H 160000 " + idB + " 0\tg\x00"
	got, err := parseLsFiles([]byte(out))
	if err != nil {
		t.Fatal(err)
	}
	want := []listed{
		{entry: Entry{Path: "a b"}, untracked: true},
		{entry: Entry{Path: "c", Kind: File, ID: idA}},
		{entry: Entry{Path: "d\te", Kind: Executable, ID: idB}, skip: true},
		{entry: Entry{Path: "f", Kind: Symlink, ID: idA}, unmerged: true},
		{entry: Entry{Path: "g", Kind: Submodule, ID: idB}},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(listed{})); diff != "" {
		t.Error(diff)
	}
}

func TestOpenErrorOfOldGit(t *testing.T) {
	for stderr, want := range map[string]string{
		// git 2.35.2
		"fatal: unsafe repository ('/src/it' is owned by someone else)\nTo add an exception for this directory, call:\n\n\tgit config --global --add safe.directory /src/it":    "/src/it",
		"fatal: detected dubious ownership in repository at '/src/a b'\nTo add an exception for this directory, call:\n\n\tgit config --global --add safe.directory '/src/a b'": "'/src/a b'",
		"fatal: detected dubious ownership in repository at '/src/it'": "/src/it/sub",
	} {
		err := openError("/src/it/sub", &gitError{command: "rev-parse", err: os.ErrInvalid, stderr: stderr})
		wantText := "open the repository at /src/it/sub: it is owned by another user, so git does not read it; if you trust its configuration, run: git config --global --add safe.directory " + want
		if diff := cmp.Diff(wantText, errorText(err)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestShellQuote(t *testing.T) {
	for in, want := range map[string]string{
		"/a/b-c_1.x": "/a/b-c_1.x", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "$(x)": "'$(x)'", "a\nb": "'a\nb'", "~x": "'~x'", "\xff": "'\xff'",
	} {
		if got := shellQuote(in); got != want {
			t.Errorf("%q: got %s", in, got)
		}
	}
}

// What was looked at is what is opened, whatever takes its place in between.
func TestSwappedBeforeOpen(t *testing.T) {
	for name, swap := range map[string]func(dir string) error{
		"symlink to a file inside": func(dir string) error {
			return os.Symlink("other.rs", filepath.Join(dir, "d/a.rs"))
		},
		"symlink to a file outside": func(dir string) error {
			return os.Symlink("/etc/passwd", filepath.Join(dir, "d/a.rs"))
		},
		"fifo":       func(dir string) error { return syscall.Mkfifo(filepath.Join(dir, "d/a.rs"), 0o644) },
		"other file": func(dir string) error { return os.WriteFile(filepath.Join(dir, "d/a.rs"), []byte("9876"), 0o644) },
		"symlinked directory": func(dir string) error {
			if err := os.Rename(filepath.Join(dir, "d"), filepath.Join(dir, "moved")); err != nil {
				return err
			}
			return os.Symlink("e", filepath.Join(dir, "d"))
		},
		"directory outside": func(dir string) error {
			if err := os.Rename(filepath.Join(dir, "d"), filepath.Join(dir, "moved")); err != nil {
				return err
			}
			return os.Symlink("/etc", filepath.Join(dir, "d"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for _, file := range []string{"d/a.rs", "d/other.rs", "e/a.rs"} {
				if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(file)), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, file), []byte("1234"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			w, err := openWork(&Repo{root: dir, format: "sha1"})
			if err != nil {
				t.Fatal(err)
			}
			defer w.close()
			info, err := w.lstat("d/a.rs")
			if err != nil {
				t.Fatal(err)
			}
			// The old file stays somewhere, so that the new one cannot get its inode number.
			if err := os.Rename(filepath.Join(dir, "d/a.rs"), filepath.Join(dir, "old")); err != nil {
				t.Fatal(err)
			}
			if err := swap(dir); err != nil {
				t.Fatal(err)
			}
			for _, limit := range []int64{-1, 100} {
				if id, data, err := w.read("d/a.rs", info, limit); err == nil || id != "" || data != nil {
					t.Errorf("limit %d: read %q, %q, %v", limit, id, data, err)
				}
			}
		})
	}
}

func TestLstatThroughSymlink(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "real"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "real/a"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	w, err := openWork(&Repo{root: dir, format: "sha1"})
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	if _, err := w.lstat("real/a"); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"link/a", "real/a/b", "none/a", "real/none"} {
		if _, err := w.lstat(name); !os.IsNotExist(err) && err != fs.ErrNotExist {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestSimilarity(t *testing.T) {
	long := strings.Repeat("0123456789", 20)
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"a\n", "", 0},
		{"a\nb\n", "b\na\n", 100},
		{"a\na\n", "a\nb\n", 50},
		{"a\na\na\n", "a\nb\nc\n", 33},
		{"a\n", "a\nb\nc\n", 0}, // less than half as long
		{long, long, 100},
		{long, long[:100], 32}, // chunks of 64 bytes
		{"no newline", "no newline", 100},
	} {
		numbers := make(map[string]int)
		a, b := newFingerprint([]byte(tt.a), numbers), newFingerprint([]byte(tt.b), numbers)
		if got := similarity(a, b); got != tt.want {
			t.Errorf("%q, %q: got %d, want %d", tt.a, tt.b, got, tt.want)
		}
		if similarity(a, b) != similarity(b, a) {
			t.Errorf("%q, %q: not symmetric", tt.a, tt.b)
		}
	}
}

func FuzzVersion(f *testing.F) {
	f.Add("git version 2.39.5")
	f.Fuzz(func(t *testing.T, out string) {
		major, minor, err := parseVersion(out)
		if err == nil && (major < 0 || minor < 0) {
			t.Errorf("got %d.%d", major, minor)
		}
	})
}

func FuzzLsTree(f *testing.F) {
	f.Add([]byte("100644 blob " + idA + "\ta b\x00100755 blob " + idB + "\tc\n\x00160000 commit " + idB + "\td\xff\x00"))
	f.Fuzz(func(t *testing.T, out []byte) {
		entries, err := parseLsTree(out)
		if err != nil {
			return
		}
		// What is accepted can be written back.
		var b bytes.Buffer
		for _, e := range entries {
			mode := map[Kind]string{File: "100644 blob", Executable: "100755 blob", Symlink: "120000 blob", Submodule: "160000 commit"}[e.Kind]
			fmt.Fprintf(&b, "%s %s\t%s\x00", mode, e.ID, e.Path)
			checkFuzzedPath(t, e.Path)
		}
		if want := bytes.ReplaceAll(out, []byte("100664 blob"), []byte("100644 blob")); !bytes.Equal(bytes.ReplaceAll(b.Bytes(), []byte("100664 blob"), []byte("100644 blob")), want) {
			t.Errorf("read %q, wrote %q", out, b.Bytes())
		}
	})
}

func FuzzLsFiles(f *testing.F) {
	f.Add([]byte("? a\x00H 100644 " + idA + " 0\tb\x00S 100755 " + idB + " 0\tc\x00M 100644 " + idA + " 1\td\x00? e/\x00"))
	f.Fuzz(func(t *testing.T, out []byte) {
		files, err := parseLsFiles(out)
		if err != nil {
			return
		}
		for _, file := range files {
			checkFuzzedPath(t, file.entry.Path)
			if file.untracked != (file.entry.Kind == 0) || file.untracked != (file.entry.ID == "") {
				t.Errorf("got %+v", file)
			}
		}
	})
}

func checkFuzzedPath(t *testing.T, path string) {
	t.Helper()
	if !filepath.IsLocal(path) || filepath.Clean(path) != path || path == "." || strings.Contains(path, "\x00") {
		t.Errorf("accepted the path %q", path)
	}
}

func FuzzBatchCheck(f *testing.F) {
	f.Add([]byte(idA+" blob 12\nno such name missing\nab ambiguous\n"), 3)
	f.Fuzz(func(t *testing.T, out []byte, n int) {
		objects, err := parseBatchCheck(out, n)
		if err != nil {
			return
		}
		if len(objects) != n {
			t.Errorf("%d objects for %d names", len(objects), n)
		}
		for _, o := range objects {
			if o.size < 0 || (o.problem == "") != isID(o.id) {
				t.Errorf("got %+v", o)
			}
		}
	})
}

func FuzzBatchBlob(f *testing.F) {
	f.Add([]byte(idA+" blob 5\nab\nde\n"), int64(5))
	f.Fuzz(func(t *testing.T, out []byte, size int64) {
		if size < 0 || size > 1<<20 {
			return
		}
		data, err := readBatchBlob(bufio.NewReaderSize(bytes.NewReader(out), 256), object{id: idA, typ: "blob", size: size})
		if err != nil {
			return
		}
		if int64(len(data)) != size || !bytes.HasSuffix(out[:bytes.IndexByte(out, '\n')+1+len(data)], data) {
			t.Errorf("size %d: got %q of %q", size, data, out)
		}
	})
}

func FuzzRefs(f *testing.F) {
	f.Add([]byte("refs/remotes/origin/HEAD\x00refs/remotes/origin/main\nrefs/heads/main\x00\n"))
	f.Fuzz(func(t *testing.T, out []byte) {
		refs, err := parseRefs(out)
		if err != nil {
			return
		}
		for name := range refs {
			if !strings.HasPrefix(name, "refs/") {
				t.Errorf("accepted the ref %q", name)
			}
		}
	})
}
