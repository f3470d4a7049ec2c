package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// TestGrammar: each command has help with an example, docs/cli.md names it, and its flags stand in docs/cli.md or the page that this links to.
func TestGrammar(t *testing.T) {
	pages := map[string]string{"policy simulate": "policy.md", "publish": "publish.md", "score": "score.md", "serve": "github-app.md"}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	commands := read("cli.md")
	parser, err := kong.New(&grammar{}, kong.Name("specgate"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range parser.Model.Leaves(true) {
		var words []string
		for n := c; n.Parent != nil; n = n.Parent {
			words = append([]string{n.Name}, words...)
		}
		name := strings.Join(words, " ")
		if !strings.Contains(c.Detail, "Examples:") {
			t.Errorf("%s: its help has no example", name)
		}
		if !regexp.MustCompile("`" + name + "[` ]").MatchString(commands) {
			t.Errorf("%s: docs/cli.md does not name it", name)
		}
		text := commands
		if page := pages[name]; page != "" {
			text += read(page)
		}
		for _, f := range c.Flags {
			if f.Name != "help" && !regexp.MustCompile("`--"+f.Name+"[` =]").MatchString(text) {
				t.Errorf("%s: no page says what --%s does", name, f.Name)
			}
		}
	}
}
