package engine

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/gitrepo"
)

// The index of words and the search through the texts are two ways to one answer.
func TestMentionsIndexAgreesWithSearch(t *testing.T) {
	texts := []string{"", "fn map() {}", "mapp _map map2 größe_map", "x.map(|y| y)\u00e9map", "map", "// map\r\n\x00\xffmap \xff map", "é é2 include!(\"a.rs\")"}
	tr := &tree{ctx: t.Context(), store: newStore(), entries: map[string]gitrepo.Entry{}, all: true}
	for i, text := range texts {
		p := fmt.Sprintf("src/f%d.rs", i)
		tr.rust = append(tr.rust, p)
		tr.entries[p] = gitrepo.Entry{Path: p, Kind: gitrepo.File, ID: p}
		tr.store.blobs[p] = gitrepo.Content{Data: []byte(text)}
	}
	queries := [][]string{{"map"}, {"fn"}, {"x", "y"}, {"é"}, {"größe_map"}, {"none"}, {""}, {"map", "mapp"}, {"a.rs"}, {"_map", ""}}
	search := func() (out [][]string) {
		for _, q := range queries {
			out = append(out, tr.Mentions(q...))
		}
		return out
	}
	searched := search()
	for range 10 {
		tr.Mentions("map")
	}
	if tr.words == nil {
		t.Fatal("no index after many searches")
	}
	if d := cmp.Diff(searched, search()); d != "" {
		t.Errorf("search, then index:\n%s", d)
	}
	if d := cmp.Diff([]string{"src/f1.rs", "src/f3.rs", "src/f4.rs", "src/f5.rs"}, tr.Mentions("map")); d != "" {
		t.Errorf("files with map (-want +got):\n%s", d)
	}
}
