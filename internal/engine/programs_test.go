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
		{"what the workspace has under another name", map[string]string{
			"Cargo.toml": name + "[workspace.dependencies]\nhelper = { path = \"h\", package = \"helper-impl\" }\nother = { path = \"o\" }\n[build-dependencies]\nhelper.workspace = true\n",
			"build.rs":   "", "h/Cargo.toml": "[package]\nname = \"helper-impl\"\n", "h/src/lib.rs": "", "o/Cargo.toml": "[package]\nname = \"other\"\n", "o/src/lib.rs": "",
		}, []string{"build.rs", "h/Cargo.toml", "h/src/lib.rs"}},
		{"what the workspace above has", map[string]string{
			"w/Cargo.toml": "[workspace]\nmembers = [\"k\"]\n[workspace.dependencies]\nhelper = { package = \"helper-impl\", path = \"../h\" }\n", "w/build.rs": "",
			"w/k/Cargo.toml": name + "[build-dependencies]\nhelper = { workspace = true }\n", "h/Cargo.toml": "[package]\nname = \"helper-impl\"\n", "h/src/lib.rs": "",
		}, []string{"h/Cargo.toml", "h/src/lib.rs"}},
		{"what a build script depends on by its name", map[string]string{
			"Cargo.toml":   name + "[build-dependencies]\nx = { package = \"b\", version = \"1\" }\nc = { git = \"https://example.org/c\" }\n[dev-dependencies]\nd = \"1\"\n",
			"b/Cargo.toml": "[package]\nname = \"b\"\n", "b/src/lib.rs": "", "c/Cargo.toml": "[package]\nname = \"c\"\n", "d/Cargo.toml": "[package]\nname = \"d\"\n",
		}, []string{"b/Cargo.toml", "b/src/lib.rs", "c/Cargo.toml"}},
		{"what stands in for a part of something from a registry", map[string]string{
			"Cargo.toml":                 name + "[dependencies]\nserde = \"1\"\n[patch.crates-io]\nsyn = { path = \"third_party/syn\" }\n[replace]\n\"quote:1.0.0\" = { path = \"third_party/quote\" }\n",
			"third_party/syn/Cargo.toml": "[package]\nname = \"syn\"\n[dependencies]\nident = { path = \"../ident\" }\n", "third_party/syn/src/lib.rs": "",
			"third_party/quote/Cargo.toml": "[package]\nname = \"quote\"\n", "third_party/quote/src/lib.rs": "",
			"third_party/ident/Cargo.toml": "[package]\nname = \"ident\"\n", "third_party/ident/src/lib.rs": "",
			"third_party/another/Cargo.toml": "[package]\nname = \"another\"\n", "third_party/another/src/lib.rs": "",
		}, []string{"third_party/ident/Cargo.toml", "third_party/ident/src/lib.rs", "third_party/quote/Cargo.toml", "third_party/quote/src/lib.rs",
			"third_party/syn/Cargo.toml", "third_party/syn/src/lib.rs"}},
		{"what stands in for a part of something from a registry that the workspace has", map[string]string{
			"Cargo.toml": "[workspace]\n[workspace.dependencies]\nserde = \"1\"\n[patch.crates-io]\nsyn.path = \"syn\"\n", "k/Cargo.toml": name + "[dependencies]\nserde.workspace = true\n",
			"syn/Cargo.toml": "[package]\nname = \"syn\"\n", "syn/src/lib.rs": "",
		}, []string{"syn/Cargo.toml", "syn/src/lib.rs"}},
		{"what stands in for nothing", map[string]string{
			"Cargo.toml":   name + "[dependencies]\nd = { path = \"d\" }\n[dev-dependencies]\nserde = \"1\"\n[patch.crates-io]\nsyn = { path = \"syn\" }\n",
			"d/Cargo.toml": "[package]\nname = \"d\"\n", "syn/Cargo.toml": "[package]\nname = \"syn\"\n", "syn/src/lib.rs": "",
		}, nil},
		{"what settings have stand in", map[string]string{
			"Cargo.toml": name + "[dependencies]\nserde = \"1\"\n", "a/.cargo/config": "paths = [\"../over\"]\n", ".cargo/config.toml": "[patch.crates-io]\nsyn = { path = \"syn\" }\n",
			"syn/Cargo.toml": "[package]\nname = \"syn\"\n", "syn/src/lib.rs": "", "over/deep/Cargo.toml": "[package]\nname = \"quote\"\n", "over/deep/src/lib.rs": "",
		}, []string{"over/deep/Cargo.toml", "over/deep/src/lib.rs", "syn/Cargo.toml", "syn/src/lib.rs"}},
		{"what is vendored, by what depends on it", map[string]string{
			"Cargo.toml": name + "[dependencies]\nserde = \"1\"\nrand = \"1\"\n", "src/lib.rs": "",
			".cargo/config.toml":      "[source.crates-io]\nreplace-with = \"here\"\n[source.here]\ndirectory = \"vendor\"\n",
			"vendor/serde/Cargo.toml": "[package]\nname = \"serde\"\n[dependencies]\nserde_derive = \"1\"\nnot-there = { version = \"1\", optional = true }\n", "vendor/serde/src/lib.rs": "",
			"vendor/serde_derive/Cargo.toml": "[package]\nname = \"serde_derive\"\n[lib]\nproc-macro = true\n[dependencies]\nsyn = \"2\"\n", "vendor/serde_derive/src/lib.rs": "",
			"vendor/syn/Cargo.toml": "[package]\nname = \"syn\"\n", "vendor/syn/src/lib.rs": "", "vendor/rand/Cargo.toml": "[package]\nname = \"rand\"\n", "vendor/rand/src/lib.rs": "",
		}, []string{"vendor/serde_derive/Cargo.toml", "vendor/serde_derive/src/lib.rs", "vendor/syn/Cargo.toml", "vendor/syn/src/lib.rs"}},
		{"what is vendored for something that is not", map[string]string{
			"Cargo.toml": name + "[dependencies]\nderive = { git = \"https://example.org/derive\" }\n", "derive/Cargo.toml": "[package]\nname = \"derive\"\n", "src/lib.rs": "",
			".cargo/config.toml": "[source.crates-io]\nreplace-with = \"here\"\n[source.here]\ndirectory = \"vendor\"\n", "vendor/syn/Cargo.toml": "[package]\nname = \"syn\"\n", "vendor/syn/src/lib.rs": "",
		}, []string{"vendor/syn/Cargo.toml", "vendor/syn/src/lib.rs"}},
		{"a registry of the tree", map[string]string{
			"Cargo.toml": name + "[dependencies]\nserde = \"1\"\n", ".cargo/config.toml": "[source.here]\nlocal-registry = \"registry\"\n", "registry/serde-1.0.0.crate": "", "registry/index/se/rd/serde": "",
		}, []string{"registry/index/se/rd/serde", "registry/serde-1.0.0.crate"}},
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
