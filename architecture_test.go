// Package specgate_test enforces the layers of docs/architecture.md on the imports of every package.
package specgate_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const module = "github.com/specgate/specgate/"

// A package imports only packages of lower layers, and those of its own layer that `also` names.
type layer struct {
	height int
	// only, when set, lists all that the package may import, instead of every lower layer.
	only []string
	also []string
	// why says what goes wrong when the row is broken.
	why string
}

var layers = map[string]layer{
	".": {0, []string{}, nil, "a file is embedded from its own directory only, and VERSION is at the root, where all that build and release look for it"},

	"internal/source":  {0, nil, nil, "positions are the currency of every other package, so they must depend on nothing"},
	"internal/sandbox": {0, nil, nil, "it is the one door to other programs and must be auditable alone"},

	"internal/goldentest": {0, []string{}, nil, "comparing with a file is the same for every test, and for tests only"},

	"internal/sandbox/sandboxtest": {1, []string{"internal/sandbox"}, nil, "what a machine lacks is told by one package, for tests only"},

	"internal/tomltext": {1, []string{"internal/source"}, nil, "where keys of a TOML text stand, and how deep it nests, must not depend on what they say"},

	"internal/syntax": {1, []string{"internal/source"}, nil, "the front end must be usable on any text, without git, a policy or a verifier"},

	"internal/syntax/syntaxtest": {2, []string{"internal/sandbox", "internal/sandbox/sandboxtest"}, nil, "the official parser is built by one package, for tests only"},

	"internal/logic":           {2, []string{"internal/source", "internal/syntax"}, nil, "a proof must depend on the formulas alone, not on where they stand"},
	"internal/manifest":        {2, []string{"internal/source", "internal/tomltext"}, nil, "Cargo files are data; reading them must not need a tree of Rust"},
	"internal/policy":          {2, []string{"internal/source", "internal/tomltext"}, nil, "a decision must be a pure function of policy and finding, so that it can be simulated"},
	"internal/model":           {2, nil, []string{"internal/manifest"}, "what a crate says must not depend on what anyone thinks of it"},
	"internal/value":           {2, []string{}, nil, "values of Verus types must be usable without a tree"},
	"internal/eval":            {2, []string{"internal/source", "internal/syntax", "internal/value"}, []string{"internal/value"}, "evaluation needs trees and values, never the change or the rules"},
	"internal/model/modeltest": {2, []string{"internal/source", "internal/syntax"}, nil, "a tree for tests knows no more than what reading one needs"},
	"internal/pair":            {2, nil, []string{"internal/model", "internal/manifest"}, "pairing compares two models and judges nothing"},

	"internal/cache": {1, []string{}, nil, "a store of bytes knows nothing of what they say"},

	"internal/mutate":     {3, []string{"internal/source", "internal/syntax", "internal/model"}, nil, "a mutant is an edit of a function's text; compiling, running and judging it is for others"},
	"internal/spectest":   {3, []string{"internal/source", "internal/syntax", "internal/model", "internal/value", "internal/eval"}, nil, "inputs and wrong results come from types and contracts; running a function is for others"},
	"internal/obligation": {3, nil, nil, "a question to the verifier is text about contracts; asking it is for others"},
	"internal/score":      {3, []string{}, nil, "arithmetic over outcomes must be testable by tables, and knows nothing of where they come from"},

	"internal/harness": {4, []string{"internal/source", "internal/syntax", "internal/model", "internal/value", "internal/spectest", "internal/mutate", "internal/sandbox", "internal/manifest"}, nil, "running code gives observations; what they say about a contract is for others"},

	"checks":                       {4, nil, nil, "a rule sees the change through its Pass only: no git, no processes, no network"},
	"checks/trust":                 {5, nil, nil, "a family of rules knows no other family"},
	"checks/edit":                  {5, nil, nil, "a family of rules knows no other family"},
	"checks/contract":              {5, nil, nil, "a family of rules knows no other family"},
	"checks/proof":                 {5, nil, nil, "a family of rules knows no other family"},
	"checks/strength":              {5, nil, nil, "a family of rules knows no other family"},
	"checks/registry":              {6, nil, nil, "the list of all rules is the one place that knows every family"},
	"checks/registry/registrytest": {6, []string{"annotate", "checks", "internal/goldentest"}, nil, "what keeps the texts of rules for the documents is imported by tests only"},

	"annotate": {5, []string{"checks", "internal/source"}, nil, "rendering a report must not be able to decide anything"},

	"internal/verus":           {6, []string{"internal/sandbox", "internal/source", "internal/syntax", "internal/manifest", "internal/cache"}, nil, "what the verifier says must be readable without knowing what is done with it"},
	"internal/verus/verustest": {7, []string{"internal/sandbox", "internal/sandbox/sandboxtest", "internal/verus"}, nil, "what stands in for the verifier in tests is imported by tests only"},

	"internal/setup": {7, []string{"internal/sandbox", "internal/verus"}, nil, "installing what specgate uses must not need a repository"},

	"internal/gitrepo": {6, []string{"internal/sandbox", "internal/source"}, nil, "git gives trees and knows nothing of what is in them"},

	"internal/prove": {7, nil, nil, "the verifier's answers and the model meet in one place, which neither knows"},

	"internal/measure": {7, nil, []string{"internal/harness"}, "inputs, mutants, runs and answers meet in one place, which none of them knows"},

	"internal/github":            {7, []string{"annotate"}, nil, "what is posted is decided elsewhere; one package knows what GitHub takes"},
	"internal/github/githubtest": {7, []string{"internal/sandbox"}, nil, "what stands in for GitHub in tests is imported by tests only"},

	"internal/shard": {7, nil, nil, "who does which part of a check, and what is written down of it, must not depend on how it is done"},

	"internal/engine":  {7, nil, []string{"internal/prove", "internal/measure", "internal/shard"}, "the pipeline joins the parts; hosts and commands only start it"},
	"internal/host":    {8, nil, nil, "whatever runs a check finds its programs and writes its result in one way"},
	"internal/action":  {9, nil, nil, "what GitHub Actions gives and takes is known in one place; the command only starts it"},
	"internal/publish": {8, nil, nil, "what a report is worth on GitHub is decided once, for every host"},

	"internal/app/apptest": {8, []string{"internal/github/githubtest"}, nil, "a server and its database as processes, for tests only, which need nothing of how the server is made"},

	"internal/app": {9, nil, nil, "a server that answers webhooks must not need a command line"},

	"internal/cli": {10, nil, nil, "commands are the outermost layer, so everything can be used without them"},
	"cmd/specgate": {11, []string{"internal/cli"}, nil, "main only calls cli.Main"},
}

// Each module from outside has one importer, so that it can be replaced in one place. Paths are prefixes of import paths.
var outside = map[string]struct {
	importers []string
	why       string
}{
	"github.com/BurntSushi/toml":              {[]string{"internal/policy", "internal/manifest"}, "two formats that are both TOML: the policy file and Cargo's files; neither package may know the other"},
	"github.com/bmatcuk/doublestar/v4":        {[]string{"internal/policy"}, "globs mean what the policy says they mean"},
	"github.com/agnivade/levenshtein":         {[]string{"internal/policy"}, "'did you mean' is asked for through policy.Nearest"},
	"github.com/alecthomas/kong":              {[]string{"internal/cli"}, "the command line is parsed in one place"},
	"github.com/mattn/go-runewidth":           {[]string{"annotate"}, "only rendering needs the width of a character"},
	"github.com/owenrumney/go-sarif/v3":       {[]string{"annotate"}, "SARIF is one way to render a report"},
	"golang.org/x/term":                       {[]string{"internal/cli"}, "what a terminal can do is asked once and passed on"},
	"golang.org/x/sys":                        {[]string{"internal/sandbox"}, "limits on child processes need system calls"},
	"github.com/landlock-lsm/go-landlock":     {[]string{"internal/sandbox"}, "what a program may do is decided where it is started"},
	"github.com/gofrs/flock":                  {[]string{"internal/cache", "internal/app"}, "what several processes could use at once: the store of answers, and the App's file of SQLite"},
	"github.com/google/go-github":             {[]string{"internal/github"}, "one package knows GitHub's API, so that it can be replaced or raised in one place"},
	"github.com/bradleyfalzon/ghinstallation": {[]string{"internal/github"}, "the package that sends an App's token decides where to"},
	"github.com/riverqueue/river":             {[]string{"internal/app"}, "one package knows the queue, so that it can be replaced"},
	"github.com/jackc/pgx":                    {[]string{"internal/app", "internal/app/apptest"}, "one package knows that there is a database, and its tests start one"},
	"modernc.org/sqlite":                      {[]string{"internal/app"}, "one package knows that there is a database"},
	"github.com/prometheus/client_golang":     {[]string{"internal/app"}, "only a server is watched"},
	"golang.org/x/sync":                       {[]string{"internal/app"}, "bodies of requests share a bound of memory"},
	"github.com/google/go-cmp":                {[]string{"internal/goldentest"}, "tests only, and what they share"},
	"github.com/yuin/goldmark":                {nil, "tests only"},
	"golang.org/x/net/html":                   {nil, "tests only"},
	"github.com/rogpeppe/go-internal":         {nil, "tests only"},
	"github.com/chromedp":                     {nil, "tests only: a real browser looks at the HTML page"},
	"github.com/sethvargo/go-githubactions":   {[]string{"internal/action"}, "what a runner of GitHub Actions reads is written in one place"},
	"github.com/rhysd/actionlint":             {nil, "tests only: workflows are read and checked as GitHub does"},
	"go.yaml.in/yaml/v4":                      {nil, "tests only: workflows and configurations are read as actionlint reads them"},
	"os/exec":                                 {[]string{"internal/sandbox", "internal/app/apptest"}, "a process started anywhere else would escape the limits; tests kill and restart servers, which have none"},
	"golang.org/x/vuln/cmd/govulncheck":       {nil, "a tool, never imported"},
	"honnef.co/go/tools":                      {nil, "a tool, never imported"},
}

type importLine struct {
	pkg, file, path string
	test            bool
}

func imports(t *testing.T) []importLine {
	t.Helper()
	var out []importLine
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			base := d.Name()
			if name != "." && (base == "testdata" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return fmt.Errorf("read imports of %s: %w", name, err)
		}
		slash := filepath.ToSlash(name)
		pkg := path.Dir(slash)
		for _, spec := range file.Imports {
			p, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return fmt.Errorf("read imports of %s: %w", name, err)
			}
			out = append(out, importLine{pkg: pkg, file: slash, path: p, test: strings.HasSuffix(name, "_test.go")})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) == 0 {
		t.Fatal("no imports found: the test runs in the wrong directory")
	}
	return out
}

// Tests may import what they like of specgate itself: they join packages on purpose.
func TestLayers(t *testing.T) {
	for _, line := range imports(t) {
		if line.test {
			continue
		}
		from, known := layers[line.pkg]
		if !known {
			t.Errorf("%s: package %s has no row in the table of layers", line.file, line.pkg)
			continue
		}
		target, own := strings.CutPrefix(line.path, module)
		if line.path+"/" == module {
			target, own = ".", true
		}
		if !own {
			continue
		}
		to, known := layers[target]
		switch {
		case !known:
			t.Errorf("%s: imports %s, which has no row in the table of layers", line.file, target)
		case slices.Contains(from.also, target):
		case to.height >= from.height:
			t.Errorf("%s: %s (layer %d) imports %s (layer %d); %s", line.file, line.pkg, from.height, target, to.height, from.why)
		case from.only != nil && !slices.Contains(from.only, target):
			t.Errorf("%s: %s may import only %s, not %s; %s", line.file, line.pkg, strings.Join(from.only, ", "), target, from.why)
		}
	}
}

// TestLayersDocument: docs/architecture.md has the packages in the layers in which they are, but for those that only tests import.
func TestLayersDocument(t *testing.T) {
	text, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Layers\n")
	section, _, _ = strings.Cut(section, "\n## ")
	told, want := map[string]int{}, map[string]int{}
	for _, row := range regexp.MustCompile(`(?m)^\| (\d[\d, ]*) \| ([^|]+) \|`).FindAllStringSubmatch(section, -1) {
		heights := strings.Split(row[1], ", ")
		for i, name := range strings.FieldsFunc(row[2], func(c rune) bool { return c == ',' || c == ';' }) {
			height, err := strconv.Atoi(heights[min(i, len(heights)-1)])
			if err != nil {
				t.Fatal(err)
			}
			told[strings.TrimSpace(name)] = height
		}
	}
	for name, layer := range layers {
		switch name = strings.TrimPrefix(name, "internal/"); {
		case name == ".":
			want["specgate (the root)"] = layer.height
		case name == "spectest" || !strings.HasSuffix(name, "test"):
			want[name] = layer.height
		}
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("layers (-architecture_test.go +docs/architecture.md):\n%s", diff)
	}
}

func TestOutsideModules(t *testing.T) {
	for _, line := range imports(t) {
		if strings.HasPrefix(line.path+"/", module) {
			continue
		}
		first, _, _ := strings.Cut(line.path, "/")
		if !strings.Contains(first, ".") && line.path != "os/exec" {
			continue // the standard library
		}
		var found string
		for prefix := range outside {
			if line.path == prefix || strings.HasPrefix(line.path, prefix+"/") {
				found = prefix
			}
		}
		if found == "" {
			t.Errorf("%s: imports %s; name its one importer in the table of outside modules, with the reason", line.file, line.path)
			continue
		}
		if line.test {
			continue
		}
		if row := outside[found]; !slices.Contains(row.importers, line.pkg) {
			t.Errorf("%s: %s imports %s, which only %v may: %s", line.file, line.pkg, line.path, row.importers, row.why)
		}
	}
}

// TestTemporaryDirectories: packages that run code of a change have their directories from package sandbox, which knows names that hold wherever a program is
// started, and removes what such code leaves behind.
func TestTemporaryDirectories(t *testing.T) {
	call := regexp.MustCompile(`\bos\.(MkdirTemp|RemoveAll)\(`)
	for _, dir := range []string{"app", "engine", "harness", "measure", "prove", "verus"} {
		files, err := filepath.Glob(filepath.Join("internal", dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", dir, len(files), err)
		}
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if found := call.Find(text); found != nil && !strings.HasSuffix(name, "_test.go") {
				t.Errorf("%s calls %s)", name, found)
			}
		}
	}
}
