package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestGitConfig: the file may be read if it is there and holds nothing that may be a secret.
func TestGitConfig(t *testing.T) {
	dir := t.TempDir()
	if got := gitConfig(filepath.Join(dir, "missing")); got != nil {
		t.Errorf("a missing file: %q", got)
	}
	for _, c := range []struct {
		text string
		read bool
	}{
		{"", true},
		{"[credential \"https://example.com\"]\n\thelper = store\n[user]\n\temail = a@example.com\n", true},
		{"[url \"ssh://git@example.com/\"]\n\tinsteadOf = https://example.com/\n", true},
		{"[url \"https://me:word@example.com/\"]\n\tinsteadOf = https://example.com/\n", false},
		{"[url \"https://word@example.com/\"]\n\tinsteadOf = ssh://git@example.com/\n", false},
		{"[url \"https://git:word@example.com/\"]\n\tinsteadOf = https://example.com/\n", false},
		{"[http]\n\tproxy = http://me:word@proxy.example:3128\n", false},
		{"[http]\n\textraHeader = Authorization: Basic d29yZA==\n", false},
		{"[credential]\n\thelper = \"!f() { echo Password=word; }; f\"\n", false},
	} {
		name := filepath.Join(dir, "gitconfig")
		if err := os.WriteFile(name, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		var want []string
		if c.read {
			want = []string{name}
		}
		if got := gitConfig(name); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", c.text, got, want)
		}
	}
}
