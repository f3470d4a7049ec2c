package specgate_test

import (
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// page is a Markdown document: where its links lead, and the anchors of its headings.
type page struct {
	links   []string
	anchors []string
}

// notInAnchors is what GitHub leaves out of a heading to make its anchor.
var notInAnchors = regexp.MustCompile(`[^\p{L}\p{M}\p{N}_ -]`)

func readPage(source []byte) page {
	var p page
	seen := map[string]int{}
	root := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(source))
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function gives no error
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			p.links = append(p.links, string(n.Destination))
		case *ast.Image:
			p.links = append(p.links, string(n.Destination))
		case *ast.Heading:
			var words strings.Builder
			_ = ast.Walk(n, func(part ast.Node, entering bool) (ast.WalkStatus, error) {
				if part, ok := part.(*ast.Text); ok && entering {
					words.Write(part.Value(source))
				}
				return ast.WalkContinue, nil
			})
			anchor := strings.ReplaceAll(notInAnchors.ReplaceAllString(strings.ToLower(words.String()), ""), " ", "-")
			seen[anchor]++
			if n := seen[anchor]; n > 1 {
				anchor = fmt.Sprintf("%s-%d", anchor, n-1)
			}
			p.anchors = append(p.anchors, anchor)
		}
		return ast.WalkContinue, nil
	})
	return p
}

// broken are the links of the Markdown documents in a tree that lead to no file or heading there. Addresses elsewhere are not asked for.
func broken(t *testing.T, tree fs.FS) (wrong []string, links int) {
	t.Helper()
	pages := map[string]page{}
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != "." && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		// Of test data only what explains it is a document.
		if d.IsDir() || path.Ext(name) != ".md" || strings.Contains(name, "testdata/") && d.Name() != "README.md" {
			return nil
		}
		source, err := fs.ReadFile(tree, name)
		pages[name] = readPage(source)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range pages {
		for _, link := range p.links {
			u, err := url.Parse(link)
			if err == nil && (u.Scheme != "" || u.Host != "") {
				continue
			}
			links++
			if err != nil {
				wrong = append(wrong, fmt.Sprintf("%s: %v", name, err))
				continue
			}
			target := name
			if root, ok := strings.CutPrefix(u.Path, "/"); ok {
				target = root
			} else if u.Path != "" {
				target = path.Join(path.Dir(name), u.Path)
			}
			_, err = fs.Stat(tree, target)
			if err != nil || u.Fragment != "" && !slices.Contains(pages[target].anchors, u.Fragment) {
				wrong = append(wrong, fmt.Sprintf("%s: %s", name, link))
			}
		}
	}
	slices.Sort(wrong)
	return wrong, links
}

// TestLinks: what the documents link to in this repository is there.
func TestLinks(t *testing.T) {
	wrong, links := broken(t, os.DirFS("."))
	if links == 0 {
		t.Error("no links were found")
	}
	for _, link := range wrong {
		t.Error(link)
	}
}

// TestBrokenLinks: a link that leads nowhere is seen.
func TestBrokenLinks(t *testing.T) {
	tree := fstest.MapFS{
		"README.md": {Data: []byte("# Of `x/y`: all, and more!\n# Twice\n# Twice\n" +
			"[a](docs/b.md) [a](docs/b.md#the-end) [a](#of-xy-all-and-more) [a](#twice-1) [a](docs) [a](https://example.com/nowhere) `[a](in-code.md)`\n" +
			"[a](docs/c.md) [a](docs/b.md#the-start) [a](#twice-2) [a](../README.md) ![a](docs/d.png) [a][r]\n\n[r]: docs/e.md\n")},
		"docs/b.md": {Data: []byte("## The end\n\n[a](../README.md#twice) | [a](/docs/b.md#the-end) | [a](../docs/b.md#of) | [a](/b.md)\n")},
	}
	wrong, links := broken(t, tree)
	want := []string{"README.md: #twice-2", "README.md: ../README.md", "README.md: docs/b.md#the-start", "README.md: docs/c.md", "README.md: docs/d.png", "README.md: docs/e.md",
		"docs/b.md: ../docs/b.md#of", "docs/b.md: /b.md"}
	if diff := cmp.Diff(want, wrong); diff != "" || links != 15 {
		t.Errorf("%d links (-want +got):\n%s", links, diff)
	}
}
