package engine

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPrograms(t *testing.T) {
	const name = "[package]\nname = \"k\"\n"
	for _, c := range []struct {
		name  string
		files map[string]string
		want  []string
	}{
		{"none", map[string]string{"Cargo.toml": name, "src/lib.rs": "", "helper.rs": ""}, nil},
		{"a build script and its module", map[string]string{"Cargo.toml": name, "src/lib.rs": "", "build.rs": "", "helper.rs": "", "README.md": ""}, []string{"build.rs", "helper.rs"}},
		{"a build script that is turned off", map[string]string{"Cargo.toml": name + "build = false\n", "src/lib.rs": "", "build.rs": ""}, nil},
		{"a build script of another name", map[string]string{"a/Cargo.toml": name + "build = \"src/b.rs\"\n", "a/src/lib.rs": "", "a/src/b.rs": ""}, []string{"a/src/b.rs"}},
		{"what a build script depends on, and what that does", map[string]string{
			"Cargo.toml":   name + "[build-dependencies]\nb = { path = \"b\" }\n[dependencies]\nd = { path = \"d\" }\n",
			"src/lib.rs":   "",
			"b/Cargo.toml": "[package]\nname = \"b\"\n[dependencies]\nc.workspace = true\n[dev-dependencies]\nd = { path = \"../d\" }\n",
			"b/src/lib.rs": "", "c/Cargo.toml": "[package]\nname = \"c\"\n", "c/src/lib.rs": "", "d/Cargo.toml": "[package]\nname = \"d\"\n", "d/src/lib.rs": "",
		}, []string{"b/Cargo.toml", "b/src/lib.rs", "c/Cargo.toml", "c/src/lib.rs"}},
		{"for one platform", map[string]string{
			"Cargo.toml": name + "[target.'cfg(unix)'.build-dependencies]\nb = { path = \"b\" }\n", "b/Cargo.toml": "[package]\nname = \"b\"\n", "b/src/lib.rs": "",
		}, []string{"b/Cargo.toml", "b/src/lib.rs"}},
		{"a procedural macro with a template", map[string]string{
			"Cargo.toml": name, "src/lib.rs": "", "m/Cargo.toml": name + "[lib]\nproc-macro = true\n", "m/src/lib.rs": "", "m/template.txt": "", "m/README.md": "",
		}, []string{"m/Cargo.toml", "m/src/lib.rs", "m/template.txt"}},
		{"a procedural macro by its type", map[string]string{"m/Cargo.toml": name + "[lib]\ncrate-type = [\"proc-macro\"]\n", "m/src/lib.rs": ""}, []string{"m/Cargo.toml", "m/src/lib.rs"}},
		{"a manifest that is none", map[string]string{"Cargo.toml": "[", "build.rs": ""}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var paths []string
			for p := range c.files {
				paths = append(paths, p)
			}
			slices.Sort(paths)
			got := programs(paths, func(p string) ([]byte, error) {
				text, ok := c.files[p]
				if !ok {
					return nil, errors.New("not there")
				}
				return []byte(text), nil
			})
			if diff := cmp.Diff(c.want, got); diff != "" && len(c.want)+len(got) > 0 {
				t.Error(diff)
			}
		})
	}
}
