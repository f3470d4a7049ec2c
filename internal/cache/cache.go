// Package cache keeps answers in a directory, each under a key that is a hash of everything that the answer depends on.
//
// Several processes may use one directory at a time. An entry is there as a whole or not at all, also after a crash or a full
// disk, and one that was damaged since is removed and not given out. What was used least recently goes first when the entries
// are more than the directory may hold.
//
// Whoever can write to the directory decides what the answers are: checksums find accidents, not forgeries.
package cache

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// Key names an entry.
type Key [sha256.Size]byte

// String is the key in hexadecimal.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// Store is a directory of entries. It may be used by several goroutines.
type Store struct {
	dir  string
	max  int64
	root *os.Root

	mu sync.Mutex
	// total is what the entries had together when they were last looked at, and all that was put since; puts is how often that was.
	total int64
	puts  int
}

// DefaultDir is where the answers of the verifier are kept when no other directory is named: specgate/verus in the user's
// directory for caches.
func DefaultDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the directory for caches: %w; name one with --cache", err)
	}
	return filepath.Join(dir, "specgate", "verus"), nil
}

// Open opens a directory, and makes it if it is not there. Its entries have at most max bytes together, at least 1. The caller
// must call Close.
//
// A directory that every user of the machine can write to is refused.
func Open(dir string, max int64) (_ *Store, err error) {
	fail := func(err error) (*Store, error) { return nil, fmt.Errorf("open the cache %s: %w", dir, err) }
	if max < 1 {
		return fail(fmt.Errorf("a size of %d bytes; want at least 1", max))
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return fail(err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fail(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fail(err)
	}
	info, err := root.Stat(".")
	if err == nil && info.Mode().Perm()&0o002 != 0 {
		err = errors.New("every user of this machine can write to it; take that away with: chmod o-w")
	}
	if err != nil {
		return fail(errors.Join(err, root.Close()))
	}
	return &Store{dir: dir, max: max, root: root}, nil
}

// Close ends the use of the directory.
func (s *Store) Close() error { return s.root.Close() }

// An entry is a file: magic, key, length of the data, their sum, data. The sum is over all that stands before it, and the data.
const (
	magic      = "specgate cache 1\n"
	headerSize = len(magic) + len(Key{}) + 8 + sha256.Size
	suffix     = ".entry"
	tempPrefix = "write-"
	lockName   = "lock"
)

func entryName(k Key) string { return k.String() + suffix }

func encode(k Key, data []byte) []byte {
	b := make([]byte, 0, headerSize+len(data))
	b = append(append(b, magic...), k[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(len(data)))
	sum := checksum(b, data)
	return append(append(b, sum[:]...), data...)
}

func checksum(head, data []byte) (sum [sha256.Size]byte) {
	h := sha256.New()
	// Hashes take all that they are given.
	_, _ = h.Write(head)
	_, _ = h.Write(data)
	return [sha256.Size]byte(h.Sum(nil))
}

// decode gives the data of an entry, or false if it is not the whole entry of this key.
func decode(k Key, b []byte) ([]byte, bool) {
	if len(b) < headerSize {
		return nil, false
	}
	head, sum, data := b[:headerSize-sha256.Size], b[headerSize-sha256.Size:headerSize], b[headerSize:]
	want := binary.BigEndian.AppendUint64(append([]byte(magic), k[:]...), uint64(len(data)))
	got := checksum(head, data)
	return data, bytes.Equal(head, want) && bytes.Equal(sum, got[:])
}

// Get gives the data of a key, and whether there are any. An entry that is damaged, or no plain file, counts as none and is
// removed. An error is about the directory.
func (s *Store) Get(k Key) ([]byte, bool, error) {
	name := entryName(k)
	fail := func(err error) ([]byte, bool, error) {
		return nil, false, fmt.Errorf("read an entry of the cache %s: %w", s.dir, err)
	}
	b, ok, err := s.read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return fail(err)
	}
	var data []byte
	if ok {
		data, ok = decode(k, b)
	}
	if !ok {
		// Another process may have put a good one in its place by now. Then that is lost, which costs a run and no more.
		if err := s.root.RemoveAll(name); err != nil {
			return fail(fmt.Errorf("remove what is damaged: %w", err))
		}
		return nil, false, nil
	}
	// The time of its last use. In a directory that cannot be written nothing is removed either, so nobody asks for it.
	now := time.Now()
	_ = s.root.Chtimes(name, now, now)
	return data, true, nil
}

// read gives the bytes of a plain file that has not more than an entry may have.
func (s *Store) read(name string) (_ []byte, ok bool, err error) {
	before, err := s.root.Lstat(name)
	if err != nil || !before.Mode().IsRegular() {
		return nil, false, err
	}
	f, err := s.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, false, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil || !os.SameFile(before, info) || info.Size() > s.max {
		return nil, false, err
	}
	b, err := io.ReadAll(io.LimitReader(f, s.max+1))
	return b, err == nil && int64(len(b)) <= s.max, err
}

// lockTime is how long Put waits for other processes, which hold the lock for as long as listing the directory takes.
const lockTime = 10 * time.Second

// Put keeps data under a key, in place of what is there. Data that do not fit are not kept, which is no error.
func (s *Store) Put(ctx context.Context, k Key, data []byte) (err error) {
	fail := func(err error) error { return fmt.Errorf("write an entry of the cache %s: %w", s.dir, err) }
	b := encode(k, data)
	if int64(len(b)) > s.max {
		return nil
	}
	temp := tempPrefix + rand.Text()
	if err := s.write(temp, b); err != nil {
		return fail(errors.Join(err, s.remove(temp)))
	}
	// The path below the directory, which the user named; its last part is followed nowhere else.
	lock := flock.New(filepath.Join(s.dir, lockName), flock.SetFlag(os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW), flock.SetPermissions(0o600))
	wait, cancel := context.WithTimeout(ctx, lockTime)
	defer cancel()
	if _, err := lock.TryLockContext(wait, 5*time.Millisecond); err != nil {
		return fail(errors.Join(fmt.Errorf("wait for other processes: %w", err), lock.Close(), s.remove(temp)))
	}
	defer func() {
		if e := lock.Close(); e != nil {
			err = errors.Join(err, fail(e))
		}
	}()
	if err := s.root.Rename(temp, entryName(k)); err != nil {
		return fail(errors.Join(err, s.remove(temp)))
	}
	if s.crowded(int64(len(b))) {
		if err := s.evict(entryName(k)); err != nil {
			return fail(err)
		}
	}
	if err := s.sync(); err != nil {
		return fail(err)
	}
	return nil
}

// often is how many entries may be put before the directory is looked at again: others may put some too, and looking at it takes longer the more
// there are.
const often = 100

// crowded counts what is put, and tells whether the entries may be more than the directory may hold.
func (s *Store) crowded(size int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total += size
	look := s.puts%often == 0 || s.total > s.max
	s.puts++
	return look
}

// write makes a file whose bytes are on the disk when it returns.
func (s *Store) write(name string, b []byte) (err error) {
	f, err := s.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// sync has the names of the directory written to the disk.
func (s *Store) sync() (err error) {
	d, err := s.root.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func (s *Store) remove(name string) error {
	if err := s.root.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// abandoned is the age from which a file that was being written belongs to a process that ended.
const abandoned = time.Hour

// evict removes what was used least recently until the entries fit, and what ended processes left behind. The entry that was just
// written stays. The lock must be held.
func (s *Store) evict(keep string) (err error) {
	d, err := s.root.Open(".")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	list, err := d.ReadDir(-1)
	if err != nil {
		return err
	}
	type entry struct {
		name string
		size int64
		used time.Time
	}
	var entries []entry
	total := int64(0)
	for _, e := range list {
		info, err := s.root.Lstat(e.Name())
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		switch {
		case strings.HasPrefix(e.Name(), tempPrefix) && info.Mode().IsRegular() && time.Since(info.ModTime()) > abandoned:
			if err := s.remove(e.Name()); err != nil {
				return err
			}
		case strings.HasSuffix(e.Name(), suffix) && info.Mode().IsRegular():
			entries = append(entries, entry{e.Name(), info.Size(), info.ModTime()})
			total += info.Size()
		}
	}
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(a.used.Compare(b.used), strings.Compare(a.name, b.name))
	})
	for _, e := range entries {
		if total <= s.max {
			break
		}
		if e.name == keep {
			continue
		}
		if err := s.remove(e.name); err != nil {
			return err
		}
		total -= e.size
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total = total
	return nil
}
