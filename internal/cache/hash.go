package cache

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"io"
	"strconv"
)

// Hash makes a Key of lists of words: no two different sequences of lists have the same, as far as SHA-256 goes.
type Hash struct{ h hash.Hash }

// NewHash is a Hash of nothing so far.
func NewHash() Hash { return Hash{sha256.New()} }

// Add hashes a list of words, and what it is.
func (h Hash) Add(what string, words ...string) {
	var n [8]byte
	for _, w := range append([]string{what, strconv.Itoa(len(words))}, words...) {
		binary.BigEndian.PutUint64(n[:], uint64(len(w)))
		// Hashes take all that they are given.
		_, _ = h.h.Write(n[:])
		_, _ = io.WriteString(h.h, w)
	}
}

// Key of all that was added.
func (h Hash) Key() Key { return Key(h.h.Sum(nil)) }
