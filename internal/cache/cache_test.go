package cache_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/cache"
)

// The test binary is also the other processes that use a directory: what they do is in this variable.
const child = "CACHE_TEST_CHILD"

func TestMain(m *testing.M) {
	words := strings.Fields(os.Getenv(child))
	if len(words) == 0 {
		os.Exit(m.Run())
	}
	if err := runChild(words[0], words[1], words[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func runChild(what, dir string, args []string) error {
	max := int64(1 << 20)
	if what == "limited" {
		// A file may not grow beyond this: the write fails in the middle, as on a full disk.
		signal.Ignore(syscall.SIGXFSZ)
		limit := syscall.Rlimit{Cur: 40_000, Max: 40_000}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			return err
		}
	}
	s, err := cache.Open(dir, max)
	if err != nil {
		return err
	}
	defer s.Close()
	ctx := context.Background()
	switch what {
	case "put", "limited":
		return s.Put(ctx, key(args[0]), data(args[0]))
	case "use":
		// Puts and gets among the same few keys, more than fit.
		seed, err := strconv.ParseUint(args[0], 10, 64)
		if err != nil {
			return err
		}
		random := rand.New(rand.NewPCG(seed, 0))
		for range 100 {
			name := fmt.Sprint("entry", random.IntN(20))
			if random.IntN(3) == 0 {
				if err := s.Put(ctx, key(name), data(name)); err != nil {
					return err
				}
				continue
			}
			got, ok, err := s.Get(key(name))
			if err != nil || ok && !bytes.Equal(got, data(name)) {
				return fmt.Errorf("%s: %d bytes, %v", name, len(got), err)
			}
		}
		return nil
	case "forever":
		fmt.Println("ready")
		for i := 0; ; i++ {
			name := fmt.Sprint("entry", i%7)
			if err := s.Put(ctx, key(name), data(name)); err != nil {
				return err
			}
		}
	}
	return fmt.Errorf("no child %q", what)
}

func start(what, dir string, args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	c := exec.Command(self)
	c.Env = append(os.Environ(), child+"="+strings.Join(append([]string{what, dir}, args...), " "))
	return c
}

func key(name string) cache.Key { return sha256.Sum256([]byte(name)) }

// data are 64 KiB and a little that depend on a name.
func data(name string) []byte {
	sum := sha256.Sum256([]byte("data of " + name))
	return bytes.Repeat(sum[:], 2048+len(name))
}

func open(t testing.TB, dir string, max int64) *cache.Store {
	t.Helper()
	s, err := cache.Open(dir, max)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func put(t testing.TB, s *cache.Store, name string, data []byte) {
	t.Helper()
	if err := s.Put(context.Background(), key(name), data); err != nil {
		t.Fatal(err)
	}
}

// get tells what there is under a name: its data, or "miss".
func get(t testing.TB, s *cache.Store, name string) string {
	t.Helper()
	got, ok, err := s.Get(key(name))
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		return "miss"
	}
	return "hit " + string(got)
}

// names are the files of a directory, those that are being written as "temp".
func names(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, e := range list {
		if strings.HasPrefix(e.Name(), "write-") {
			out = append(out, "temp")
			continue
		}
		out = append(out, e.Name())
	}
	slices.Sort(out)
	return out
}

func file(dir, name string) string { return filepath.Join(dir, key(name).String()+".entry") }

func TestStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	s := open(t, dir, 1<<20)
	if got := get(t, s, "x"); got != "miss" {
		t.Error(got)
	}
	put(t, s, "x", []byte("first"))
	put(t, s, "empty", nil)
	put(t, s, "x", []byte("second"))
	again := open(t, dir, 1<<20)
	for _, s := range []*cache.Store{s, again} {
		if got := get(t, s, "x"); got != "hit second" {
			t.Error(got)
		}
		if got := get(t, s, "empty"); got != "hit " {
			t.Error(got)
		}
		if got := get(t, s, "y"); got != "miss" {
			t.Error(got)
		}
	}
	want := []string{key("empty").String() + ".entry", key("x").String() + ".entry", "lock"}
	slices.Sort(want)
	if diff := cmp.Diff(want, names(t, dir)); diff != "" {
		t.Error(diff)
	}
	for name, want := range map[string]os.FileMode{dir: 0o700, file(dir, "x"): 0o600, filepath.Join(dir, "lock"): 0o600} {
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: mode %v, %v", name, info.Mode(), err)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	plain, wide := filepath.Join(dir, "plain"), filepath.Join(dir, "wide")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Mkdir(wide, 0o700), os.Chmod(wide, 0o777)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		dir  string
		max  int64
		want string
	}{
		{plain, 1, "open the cache " + plain + ": mkdir " + plain + ": not a directory"},
		{wide, 1, "open the cache " + wide + ": every user of this machine can write to it; take that away with: chmod o-w"},
		{dir, 0, "open the cache " + dir + ": a size of 0 bytes; want at least 1"},
	} {
		s, err := cache.Open(c.dir, c.max)
		if s != nil || err == nil || err.Error() != c.want {
			t.Errorf("%v\nwant %s", err, c.want)
		}
	}
}

// TestDamaged: whatever happens to the bytes of an entry, it is given out as it was or not at all, and is not left there.
func TestDamaged(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, 1<<20)
	put(t, s, "x", []byte("the answer"))
	good, err := os.ReadFile(file(dir, "x"))
	if err != nil {
		t.Fatal(err)
	}
	var damaged [][]byte
	for i := range good {
		flipped := bytes.Clone(good)
		flipped[i] ^= 1
		damaged = append(damaged, flipped, good[:i])
	}
	damaged = append(damaged, append(bytes.Clone(good), 0), append(bytes.Clone(good), good...), bytes.Repeat([]byte("x"), 1<<20+1))
	for i, b := range damaged {
		if err := os.WriteFile(file(dir, "x"), b, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := get(t, s, "x"); got != "miss" {
			t.Errorf("damage %d: %q", i, got)
		}
		if _, err := os.Stat(file(dir, "x")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("damage %d: it is left: %v", i, err)
		}
	}
	put(t, s, "x", []byte("the answer"))
	if got := get(t, s, "x"); got != "hit the answer" {
		t.Error(got)
	}
}

// TestPoisoned: an entry under another's name is none.
func TestPoisoned(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, 1<<20)
	put(t, s, "mine", []byte("all is proved"))
	if err := os.Rename(file(dir, "mine"), file(dir, "other")); err != nil {
		t.Fatal(err)
	}
	if got := get(t, s, "other"); got != "miss" {
		t.Error(got)
	}
}

// TestLinks: nothing but plain files is read, and what links point to is neither read, written nor removed.
func TestLinks(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	s := open(t, dir, 1<<20)
	put(t, s, "x", []byte("the answer"))
	entry := filepath.Join(outside, "entry")
	if err := os.Rename(file(dir, "x"), entry); err != nil {
		t.Fatal(err)
	}
	for name, make := range map[string]func(string) error{
		"link outside":    func(at string) error { return os.Symlink(entry, at) },
		"link to nothing": func(at string) error { return os.Symlink(filepath.Join(outside, "nothing"), at) },
		"directory":       func(at string) error { return os.MkdirAll(filepath.Join(at, "below"), 0o700) },
		"pipe":            func(at string) error { return syscall.Mkfifo(at, 0o600) },
		"link inside": func(at string) error {
			put(t, s, "y", []byte("another"))
			return os.Symlink(filepath.Base(file(dir, "y")), at)
		},
	} {
		if err := make(file(dir, "x")); err != nil {
			t.Fatal(name, err)
		}
		if got := get(t, s, "x"); got != "miss" {
			t.Errorf("%s: %q", name, got)
		}
		if _, err := os.Lstat(file(dir, "x")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: it is left: %v", name, err)
		}
		if err := make(file(dir, "x")); err != nil {
			t.Fatal(name, err)
		}
		if name != "directory" {
			put(t, s, "x", []byte("new"))
			if got := get(t, s, "x"); got != "hit new" {
				t.Errorf("%s: %q", name, got)
			}
		}
		if err := os.RemoveAll(file(dir, "x")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(entry); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"entry"}, names(t, outside)); diff != "" {
		t.Error(diff)
	}

	// Neither is the lock.
	target := filepath.Join(outside, "lock")
	if err := errors.Join(os.Remove(filepath.Join(dir, "lock")), os.Symlink(target, filepath.Join(dir, "lock"))); err != nil {
		t.Fatal(err)
	}
	if err := s.Put(context.Background(), key("x"), nil); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("a link for the lock: %v", err)
	}
	if _, err := os.Lstat(target); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file was made outside: %v", err)
	}
}

// TestEviction: what was used least recently goes, and the bound holds.
func TestEviction(t *testing.T) {
	dir := t.TempDir()
	const size = 1000
	body := make([]byte, size)
	s := open(t, dir, 4*(size+200))
	old := time.Now().Add(-time.Hour)
	for i, name := range []string{"a", "b", "c", "d"} {
		put(t, s, name, body)
		at := old.Add(time.Duration(i) * time.Minute)
		if err := os.Chtimes(file(dir, name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	get(t, s, "a") // used just now
	put(t, s, "e", body)
	put(t, s, "f", body)
	put(t, s, "too large", make([]byte, 5*size))
	var got []string
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "too large"} {
		if get(t, s, name) != "miss" {
			got = append(got, name)
		}
	}
	if diff := cmp.Diff([]string{"a", "d", "e", "f"}, got); diff != "" {
		t.Error(diff)
	}
	// A smaller bound holds from the next write on; other files are left alone.
	other := filepath.Join(dir, "README")
	if err := os.WriteFile(other, make([]byte, 9*size), 0o600); err != nil {
		t.Fatal(err)
	}
	small := open(t, dir, size+200)
	put(t, small, "g", body)
	if diff := cmp.Diff([]string{"README", filepath.Base(file(dir, "g")), "lock"}, sorted(names(t, dir))); diff != "" {
		t.Error(diff)
	}
}

// TestOthers: what another process puts is counted with the hundredth entry of one's own.
func TestOthers(t *testing.T) {
	dir := t.TempDir()
	const size = 1000
	mine, other := open(t, dir, 200*(size+200)), open(t, dir, 1<<30)
	put(t, mine, "0", nil)
	for i := range 300 {
		put(t, other, fmt.Sprintf("other %d", i), make([]byte, size))
	}
	for i := 1; i <= 100; i++ {
		if n := len(names(t, dir)); n < 300 {
			t.Fatalf("%d files are left after %d entries", n, i)
		}
		put(t, mine, fmt.Sprint(i), nil)
	}
	if n := len(names(t, dir)); n > 350 {
		t.Errorf("%d files", n)
	}
}

func sorted(s []string) []string {
	slices.SortFunc(s, func(a, b string) int {
		rank := func(s string) int { return slices.Index([]string{"README", s, "lock"}, s) }
		return rank(a) - rank(b)
	})
	return s
}

// TestAbandoned: what processes left that ended while they wrote is removed an hour later, not before.
func TestAbandoned(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, 1<<20)
	old, fresh := filepath.Join(dir, "write-old"), filepath.Join(dir, "write-fresh")
	if err := errors.Join(os.WriteFile(old, nil, 0o600), os.WriteFile(fresh, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	at := time.Now().Add(-61 * time.Minute)
	if err := os.Chtimes(old, at, at); err != nil {
		t.Fatal(err)
	}
	put(t, s, "x", nil)
	if _, err := os.Stat(old); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("old: %v", err)
	}
	if _, err := os.Stat(fresh); err != nil {
		t.Errorf("fresh: %v", err)
	}
}

// TestProcesses: several processes put and get the same entries in a directory that is too small for them.
func TestProcesses(t *testing.T) {
	dir := t.TempDir()
	var all []*exec.Cmd
	for i := range 6 {
		c := start("use", dir, strconv.Itoa(i))
		c.Stderr = os.Stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	for _, c := range all {
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	}
	total := int64(0)
	for _, name := range names(t, dir) {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		total += info.Size()
	}
	if total > 1<<20 || total < 1<<19 {
		t.Errorf("%d bytes are left", total)
	}
}

// TestKill: a process that is killed while it writes leaves whole entries, and a directory that others can use at once.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, 1<<20)
	hits := 0
	for range 30 {
		c := start("forever", dir)
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := out.Read(make([]byte, 6)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rand.IntN(20_000)) * time.Microsecond)
		if err := c.Process.Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		if err := c.Wait(); err == nil {
			t.Fatal("it was not killed")
		}
		for i := range 7 {
			name := fmt.Sprint("entry", i)
			path := file(dir, name)
			_, statErr := os.Stat(path)
			switch got := get(t, s, name); {
			case got == "hit "+string(data(name)):
				hits++
			case got != "miss" || statErr == nil:
				t.Fatalf("%s: %d bytes that it never had, or a damaged file", name, len(got))
			}
		}
		put(t, s, "mine", []byte("x"))
	}
	if hits == 0 {
		t.Error("no entry was written in all these runs")
	}
}

// TestNoRoom: a write that fails in the middle leaves nothing behind, and what was there before.
func TestNoRoom(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, 1<<20)
	put(t, s, "x", []byte("before"))
	var stderr bytes.Buffer
	c := start("limited", dir, "x")
	c.Stderr = &stderr
	if err := c.Run(); err == nil || !strings.Contains(stderr.String(), "write an entry of the cache "+dir) || !strings.Contains(stderr.String(), "file too large") {
		t.Errorf("%v: %s", err, &stderr)
	}
	if diff := cmp.Diff([]string{filepath.Base(file(dir, "x")), "lock"}, names(t, dir)); diff != "" {
		t.Error(diff)
	}
	if got := get(t, s, "x"); got != "hit before" {
		t.Error(got)
	}
}

// TestReadOnly: a directory that cannot be written gives its entries, and writing says why not.
func TestReadOnly(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, 1<<20)
	put(t, s, "x", []byte("the answer"))
	// The one that may write everywhere is held up by this: a directory that is removed takes no more files.
	moved := filepath.Join(t.TempDir(), "gone")
	if err := os.Mkdir(moved, 0o700); err != nil {
		t.Fatal(err)
	}
	gone := open(t, moved, 1<<20)
	if err := os.Remove(moved); err != nil {
		t.Fatal(err)
	}
	if err := gone.Put(context.Background(), key("x"), nil); err == nil || !strings.HasPrefix(err.Error(), "write an entry of the cache "+moved+": ") {
		t.Errorf("%v", err)
	}
	if got := get(t, gone, "x"); got != "miss" {
		t.Error(got)
	}
	if !readOnly(t, dir) {
		return
	}
	s = open(t, dir, 1<<20)
	if got := get(t, s, "x"); got != "hit the answer" {
		t.Error(got)
	}
	err := s.Put(context.Background(), key("y"), nil)
	if !errors.Is(err, syscall.EROFS) && !errors.Is(err, syscall.EACCES) {
		t.Errorf("%v", err)
	}
}

func forbid(t *testing.T, dir string) {
	t.Helper()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.Chmod(dir, 0o700); err != nil {
			t.Error(err)
		}
	})
}

// TestLockHeld: a writer that cannot have the lock gives up with its context, and leaves nothing.
func TestLockHeld(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, 1<<20)
	put(t, s, "x", nil)
	lock, err := os.Open(filepath.Join(dir, "lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if err := s.Put(ctx, key("y"), nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	if diff := cmp.Diff([]string{filepath.Base(file(dir, "x")), "lock"}, names(t, dir)); diff != "" {
		t.Error(diff)
	}
}

func BenchmarkGet(b *testing.B) {
	for _, size := range []int{64 << 10, 4 << 20} {
		b.Run(fmt.Sprint(size>>10, "KiB"), func(b *testing.B) {
			s := open(b, b.TempDir(), 1<<30)
			put(b, s, "x", make([]byte, size))
			b.SetBytes(int64(size))
			for b.Loop() {
				if _, ok, err := s.Get(key("x")); !ok || err != nil {
					b.Fatal(ok, err)
				}
			}
		})
	}
}

func BenchmarkPut(b *testing.B) {
	s := open(b, b.TempDir(), 1<<30)
	body := make([]byte, 64<<10)
	for b.Loop() {
		put(b, s, "x", body)
	}
}
