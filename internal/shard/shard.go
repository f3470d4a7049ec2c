// Package shard says how a check is divided over several machines, and what is written down of each part, for them to be put together.
//
// Who does what is a hash of names alone: it depends neither on the order in which things are looked at, nor on the machine, nor on which part is
// asked about. What is written down is what the verifier said and what was measured, and nothing that follows from it: findings, severities, scores
// and the outcome are made of it by the one that puts the parts together, in the way in which a check that is not divided makes them.
package shard

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

// MaxOf is the most parts that a check is divided into: a matrix of GitHub Actions has no more jobs.
const MaxOf = 256

// Number is one of several parts.
type Number struct {
	// K counts from 1 to Of.
	K  int `json:"number"`
	Of int `json:"of"`
}

// ParseNumber reads K/N.
func ParseNumber(s string) (Number, error) {
	k, of, ok := strings.Cut(s, "/")
	if !ok {
		return Number{}, fmt.Errorf("%q: want K/N, such as 1/3 for the first of three", s)
	}
	var n Number
	for _, x := range []struct {
		text string
		to   *int
	}{{k, &n.K}, {of, &n.Of}} {
		i, err := strconv.Atoi(x.text)
		if err != nil || strconv.Itoa(i) != x.text {
			return Number{}, fmt.Errorf("%q: %q is not a number; want K/N, such as 1/3 for the first of three", s, x.text)
		}
		*x.to = i
	}
	if err := n.check(); err != nil {
		return Number{}, fmt.Errorf("%q: %w", s, err)
	}
	return n, nil
}

func (n Number) check() error {
	switch {
	case n.Of < 1 || n.Of > MaxOf:
		return fmt.Errorf("there are 1 to %d shards, not %d", MaxOf, n.Of)
	case n.K < 1 || n.K > n.Of:
		return fmt.Errorf("shards are numbered from 1 to %d, so there is no %d", n.Of, n.K)
	}
	return nil
}

// String is K/N.
func (n Number) String() string { return fmt.Sprintf("%d/%d", n.K, n.Of) }

// Kind of work that is divided. Kinds are divided independently of each other.
type Kind string

const (
	ProofOf     Kind = "proof"     // the verifier's run on a root, or on a workspace, by path
	QuestionsOf Kind = "questions" // questions about the contracts of a module, by crate and path of the module
	StrengthOf  Kind = "strength"  // spectests of a function, by file and symbol
)

// Owns tells whether something is this part's work.
func (n Number) Owns(kind Kind, name ...string) bool {
	h := sha256.New()
	for _, s := range append([]string{string(kind)}, name...) {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(s)))
		// Hashes take all that they are given.
		_, _ = h.Write(size[:])
		_, _ = h.Write([]byte(s))
	}
	return binary.BigEndian.Uint64(h.Sum(nil))%uint64(n.Of) == uint64(n.K-1)
}
