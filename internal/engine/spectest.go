package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/specgate/specgate/annotate"
	"github.com/specgate/specgate/internal/eval"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
)

// SpectestOptions say which contract is asked about which cases.
type SpectestOptions struct {
	// File is a Rust file of the crate that has the function.
	File string
	// Function is its symbol; empty: the one that the cases name.
	Function string
	// Cases is the file of cases.
	Cases string
	Log   *slog.Logger
}

// maxCases is the most bytes of a file of cases that is read: it is held in memory.
const maxCases = 256 << 20

// Spectest asks a contract about the cases of a file and hands over each line as the case is decided, in the order of the file. The
// error is an InputError when the function or the cases cannot be read; lines may have been handed over before. A case that cannot be
// read, and a contract that cannot be looked at, make lines with the verdict "undecided".
func Spectest(ctx context.Context, o SpectestOptions, each func(annotate.SpectestLine) error) (annotate.SpectestCounts, error) {
	var counts annotate.SpectestCounts
	text, err := readCases(o.Cases)
	if err != nil {
		return counts, &InputError{err}
	}
	suite, err := eval.ReadSuite(source.NewFile(o.Cases, text))
	if err != nil {
		return counts, &InputError{err}
	}
	if o.Function == "" {
		o.Function = suite.Function
	}
	if o.Function == "" {
		return counts, &InputError{fmt.Errorf("%s names no function; name it with --function SYMBOL, or in the cases: \"function\": \"SYMBOL\"", o.Cases)}
	}
	fn, err := contractOf(ctx, o)
	if err != nil {
		return counts, err
	}
	questions, refused := suite.For(fn)
	if refused != nil && !errors.Is(refused, eval.ErrUnsupported) {
		return counts, &InputError{refused}
	}
	for i := range suite.Len() {
		if ctx.Err() != nil {
			return counts, context.Cause(ctx)
		}
		l := annotate.SpectestLine{Case: i, Verdict: eval.Undecided.String(), By: "evaluator"}
		if refused != nil {
			l.Reason = refused.Error()
		} else if asked, err := questions.Ask(i); err != nil {
			l.Reason = err.Error()
			counts.Unreadable++
		} else {
			l.Call, l.Outcome = asked.Call, asked.Outcome
			answer(&l, asked.Answer, &counts)
		}
		if l.Verdict == eval.Undecided.String() {
			counts.Undecided++
		}
		if err := each(l); err != nil {
			return counts, err
		}
	}
	if suite.Broken != nil {
		return counts, &InputError{suite.Broken}
	}
	return counts, nil
}

func answer(l *annotate.SpectestLine, a eval.Answer, counts *annotate.SpectestCounts) {
	switch a.Verdict {
	case eval.Rejected:
		counts.Rejected++
		l.Verdict = "rejected"
		if a.Clause != nil {
			l.Clause = written(a.Clause)
		}
	case eval.Accepted:
		counts.Escaped++
		l.Verdict = "escaped"
		if a.Outside {
			counts.Outside++
			l.Reason = "the arguments do not meet requires, so the contract allows any result"
			if a.Clause != nil {
				c := written(a.Clause)
				l.Reason = fmt.Sprintf("the arguments do not meet the %s `%s` at %s:%v, so the contract allows any result",
					map[string]string{"requires": "precondition", "type_invariant": "type invariant"}[c.Kind], strings.Join(strings.Fields(c.Text), " "), c.File, c.Span.Start)
			}
		}
	default:
		l.Reason = a.Why
	}
}

// written is a clause as its file has it; of a type invariant, what the function that states it gives.
func written(c *eval.Clause) *annotate.SpectestClause {
	src, span := c.Node.File().Source, c.Node.Span()
	if body := c.Node.Get(syntax.FBody); c.Node.Kind() == syntax.Fn && body.Valid() {
		span = body.Span()
		inside := src.Text[span.Start:span.End]
		if len(inside) >= 2 && inside[0] == '{' {
			trimmed := bytes.TrimSpace(inside[1 : len(inside)-1])
			if at := bytes.Index(inside, trimmed); len(trimmed) > 0 {
				span = source.Span{Start: span.Start + at, End: span.Start + at + len(trimmed)}
			}
		}
	}
	return &annotate.SpectestClause{Kind: c.Kind, Text: string(src.Text[span.Start:span.End]), File: src.Path, Span: src.Range(span)}
}

func readCases(name string) (_ []byte, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read the cases: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	text, err := io.ReadAll(io.LimitReader(f, maxCases+1))
	if err != nil {
		return nil, fmt.Errorf("read the cases: %w", err)
	}
	if len(text) > maxCases {
		return nil, fmt.Errorf("read the cases: %s has more than %d MiB; split it", name, maxCases>>20)
	}
	return text, nil
}

// contractOf finds a function, and reads all that its contract may lead to.
func contractOf(ctx context.Context, o SpectestOptions) (_ *eval.Func, err error) {
	t, file, done, err := openFile(ctx, o.File)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, done()) }()
	if t.parsed(file).err != nil {
		return nil, &InputError{t.parsed(file).err}
	}
	m, err := model.New(ctx, t, []string{file})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", o.File, err)
	}
	f, err := findFunction(t, m, file, o.Function)
	if err != nil {
		return nil, err
	}
	for _, g := range []*model.Function{f, f.TraitMethod} {
		if g == nil {
			continue
		}
		body, src := g.Node.Get(syntax.FBody), g.File.Syntax.Source
		for _, span := range g.Unknown {
			if !body.Valid() || span.Start < body.Span().Start {
				return nil, &InputError{fmt.Errorf("%s:%v: this part of %s is not understood, so its contract may not be whole; mend it, or report it if the compiler takes it",
					src.Path, src.Position(span.Start), g.Symbol)}
			}
		}
	}
	if !slices.ContainsFunc(f.Contract(), func(c model.Clause) bool { return c.Kind == syntax.Ensures || c.Kind == syntax.Returns }) {
		o.Log.Warn("the function promises nothing: it has no ensures", "function", f.Symbol, "file", f.File.Path)
	}
	// The types and functions that a contract names may stand in files that only those that it names lead to.
	m.SpecReach(f)
	for changed := true; changed; {
		var paths []string
		for _, g := range m.Files {
			paths = append(paths, g.Path)
		}
		if changed = m.Extend(paths); ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	if t.failed != nil {
		return nil, t.failed
	}
	// A package's binary and its library have one name, and so may packages of one tree; what a path means must not be mixed up.
	called := map[string][]*model.Crate{}
	for _, g := range m.Files {
		if !slices.Contains(called[g.Crate.Name], g.Crate) {
			called[g.Crate.Name] = append(called[g.Crate.Name], g.Crate)
		}
	}
	var sources []eval.Source
	for _, g := range m.Files {
		if g.Syntax == nil || g.Crate != f.Crate && library(g.Crate.Name) {
			continue
		}
		name := g.Crate.Name
		if len(called[name]) > 1 {
			name = g.Crate.Key
		}
		sources = append(sources, eval.Source{Crate: name, Module: g.Module, File: g.Syntax})
		if bad := g.Syntax.Errors; len(bad) > 0 {
			o.Log.Warn("not all of a file is understood, so more may be undecided", "first", fmt.Sprintf("%s:%v", g.Path, g.Syntax.Source.Position(bad[0].Span.Start)),
				"why", bad[0].Message, "places", len(bad))
		}
	}
	var fn *eval.Func
	if f.Node.Kind() == syntax.Fn {
		fn = eval.NewWorld(sources).Func(f.Node)
	}
	if fn == nil {
		return nil, &InputError{fmt.Errorf("%s at %s: only the contract of a function that stands in a module, an impl or a trait can be asked", f.Symbol, at(f))}
	}
	return fn, nil
}

// library tells crates that the evaluator knows by itself.
func library(crate string) bool {
	switch crate {
	case "vstd", "builtin", "verus_builtin", "core", "alloc", "std":
		return true
	}
	return false
}

func at(f *model.Function) string {
	return fmt.Sprintf("%s:%v", f.File.Path, f.File.Syntax.Source.Position(f.NameSpan.Start))
}

// findFunction finds the function that a symbol means: in the file, or else in its crate. The module, and the trait of an impl, may be
// left out where that leaves one function.
func findFunction(t *tree, m *model.Model, file, symbol string) (*model.Function, error) {
	inFile := func(f *model.Function) bool { return f.File.Path == file }
	found := named(m, inFile, symbol)
	crate := ""
	for _, f := range m.Files {
		if f.Path == file {
			crate = f.Crate.Key
		}
	}
	inCrate := func(f *model.Function) bool { return f.Crate.Key == crate }
	if len(found) == 0 {
		word, _, _ := strings.Cut(symbol, "#")
		m.Extend(t.mayDefine(word))
		if t.failed != nil {
			return nil, t.failed
		}
		found = named(m, inCrate, symbol)
	}
	const most = 8
	switch len(found) {
	case 0:
		var all, own []string
		for _, f := range m.Functions {
			if inCrate(f) && hasContract(f) {
				all = append(all, f.Symbol)
				if inFile(f) {
					own = append(own, f.Symbol)
				}
			}
		}
		hint := ""
		if near := nearest(symbol, all); near != "" {
			hint = fmt.Sprintf("; did you mean %q?", near)
		}
		if p := t.parsed(file); p.file != nil && len(p.file.Errors) > 0 {
			e := p.file.Errors[0]
			hint += fmt.Sprintf("; not all of %s is understood (%s:%v: %s)", file, file, p.source.Position(e.Span.Start), e.Message)
		}
		if len(own) == 0 {
			return nil, &InputError{fmt.Errorf("no function of the crate of %s has the symbol %q%s; %s has no function with a contract", file, symbol, hint, file)}
		}
		rest := ""
		if n := len(own) - most; n > 0 {
			own, rest = own[:most], fmt.Sprintf(", and %d more", n)
		}
		return nil, &InputError{fmt.Errorf("no function of the crate of %s has the symbol %q%s; the functions of %s are %s%s", file, symbol, hint, file, strings.Join(own, ", "), rest)}
	case 1:
		if !hasContract(found[0]) {
			return nil, &InputError{fmt.Errorf("%s at %s is a spec function, which has no contract to ask; name one that runs", found[0].Symbol, at(found[0]))}
		}
		return found[0], nil
	}
	var places []string
	for i, f := range found {
		name := f.Symbol
		if f.Symbol == f.Path && slices.ContainsFunc(found, func(g *model.Function) bool { return g != f && g.Path == f.Path }) {
			name += "#1"
		}
		if i < most {
			places = append(places, fmt.Sprintf("%s at %s", name, at(f)))
		}
	}
	return nil, &InputError{fmt.Errorf("%q may mean %d functions; name one of them: %s", symbol, len(found), strings.Join(places, ", "))}
}

func hasContract(f *model.Function) bool { return f.Mode != model.Spec }

// named are the functions that a symbol means best. A first variant is also called "f#1".
func named(m *model.Model, where func(*model.Function) bool, symbol string) []*model.Function {
	first, isFirst := strings.CutSuffix(symbol, "#1")
	short := withoutModules(symbol)
	for _, means := range []func(f *model.Function) bool{
		func(f *model.Function) bool {
			return isFirst && f.Symbol == f.Path && (f.Path == first || strings.HasSuffix(f.Path, "::"+first))
		},
		func(f *model.Function) bool { return f.Symbol == symbol || f.Path == symbol },
		func(f *model.Function) bool {
			return withoutTrait(f.Symbol) == symbol || withoutTrait(f.Path) == symbol
		},
		func(f *model.Function) bool {
			return short != "" && (withoutModules(f.Symbol) == short || withoutModules(f.Path) == short)
		},
		func(f *model.Function) bool {
			return strings.HasSuffix(f.Symbol, "::"+symbol) || strings.HasSuffix(withoutTrait(f.Symbol), "::"+symbol) ||
				strings.HasSuffix(f.Path, "::"+symbol) || strings.HasSuffix(withoutTrait(f.Path), "::"+symbol)
		},
	} {
		var found, asked []*model.Function
		for _, f := range m.Functions {
			if where(f) && means(f) {
				found = append(found, f)
				if hasContract(f) {
					asked = append(asked, f)
				}
			}
		}
		if len(asked) > 0 {
			return asked
		}
		if len(found) > 0 {
			return found[:1]
		}
	}
	return nil
}

// implParts cuts "m::<User as Ident>::ident" into "m::", "User", "Ident" and "::ident".
func implParts(symbol string) (module, self, trait, rest string, ok bool) {
	open := strings.IndexByte(symbol, '<')
	end := strings.LastIndex(symbol, ">::")
	if open < 0 || end < open {
		return "", "", "", "", false
	}
	self, trait, ok = strings.Cut(symbol[open+1:end], " as ")
	return symbol[:open], self, trait, symbol[end+1:], ok
}

// withoutTrait turns "<User as Ident>::ident" into "User::ident".
func withoutTrait(symbol string) string {
	module, self, _, rest, ok := implParts(symbol)
	if !ok {
		return symbol
	}
	return module + self + rest
}

// withoutModules turns "<db::User as Ident>::ident", or "db::<User as Ident>::ident", into "<User as Ident>::ident"; other symbols have
// no such form, which is empty.
func withoutModules(symbol string) string {
	_, self, trait, rest, ok := implParts(symbol)
	if !ok {
		return ""
	}
	last := func(path string) string {
		name, args, generic := strings.Cut(path, "<")
		name = name[strings.LastIndex(name, ":")+1:]
		if generic {
			name += "<" + args
		}
		return name
	}
	return "<" + last(self) + " as " + last(trait) + ">" + rest
}

// nearest is the symbol that was probably meant: alike as a whole, or in its last part.
func nearest(symbol string, all []string) string {
	if near := policy.Nearest(symbol, all); near != "" {
		return near
	}
	last := func(s string) string { return s[strings.LastIndex(s, ":")+1:] }
	var lasts []string
	for _, s := range all {
		lasts = append(lasts, last(s))
	}
	if near := policy.Nearest(last(symbol), lasts); near != "" {
		return all[slices.Index(lasts, near)]
	}
	return ""
}

// modFile is a module that stands in a file of its own.
var modFile = regexp.MustCompile(`\bmod\s+(?:r#)?([\pL_][\pL\pN_]*)\s*;`)

// modules says which entries of the directory of a file can hold modules that the file declares. Nil means all of them: the directory
// is that of a crate. Elsewhere what lies beside the file may be anything, and a great deal.
func modules(file string) func(name string) bool {
	dir, base := filepath.Split(file)
	for _, root := range []string{"lib.rs", "main.rs", "mod.rs"} {
		if _, err := os.Lstat(filepath.Join(dir, root)); err == nil {
			return nil
		}
	}
	names := map[string]bool{base: true, strings.TrimSuffix(base, ".rs"): true}
	if text, err := readPlain(file); err == nil {
		syntax.Parse(source.NewFile(file, text)).Root().Walk(func(n syntax.Node) bool {
			if n.Kind() == syntax.Mod {
				name := strings.TrimPrefix(n.Get(syntax.FName).Text(), "r#")
				names[name], names[name+".rs"] = true, true
			}
			return true
		})
	}
	return func(name string) bool { return names[name] }
}

// openFile opens the tree that a Rust file belongs to: the working tree of its repository, or the package that holds it, or, when
// there is none or they leave the file out, its directory with the modules that it declares. file is its path there.
func openFile(ctx context.Context, name string) (t *tree, file string, done func() error, err error) {
	if !isRust(name) {
		return nil, "", nil, &InputError{fmt.Errorf("%s is no Rust file; name the .rs file that has the function", name)}
	}
	from, file, done, err := openTree(ctx, name)
	if err != nil {
		return nil, "", nil, err
	}
	if file == "" {
		return nil, "", nil, errors.Join(&InputError{fmt.Errorf("%s is a directory; name the .rs file that has the function", name)}, done())
	}
	if _, plain := from.(*directory); !plain {
		t, err := newTree(ctx, from, newStore())
		if err != nil {
			return nil, "", nil, errors.Join(err, done())
		}
		if _, ok := t.entries[file]; ok {
			return t, file, done, nil
		}
	}
	if err := done(); err != nil {
		return nil, "", nil, err
	}
	abs, err := filepath.Abs(name)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return nil, "", nil, &InputError{err}
	}
	own := filepath.Dir(abs)
	roots := []string{packageRoot(own), own}
	if roots[0] == "" {
		roots = roots[1:]
	}
	for i, root := range roots {
		opened, err := os.OpenRoot(root)
		if err != nil {
			return nil, "", nil, &InputError{err}
		}
		in := &directory{root: opened}
		if i == len(roots)-1 {
			in.only = modules(abs)
		}
		t, err := newTree(ctx, in, newStore())
		if err != nil {
			return nil, "", nil, errors.Join(err, opened.Close())
		}
		rel, err := filepath.Rel(root, abs)
		if err != nil {
			return nil, "", nil, errors.Join(err, opened.Close())
		}
		if _, ok := t.entries[filepath.ToSlash(rel)]; ok {
			return t, filepath.ToSlash(rel), opened.Close, nil
		}
		if err := opened.Close(); err != nil {
			return nil, "", nil, err
		}
	}
	return nil, "", nil, &InputError{fmt.Errorf("%s is no plain file that can be read", name)}
}

// readPlain reads a file that is one, and no pipe or device, which may never end.
func readPlain(name string) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no plain file", name)
	case info.Size() > maxFile:
		return nil, fmt.Errorf("%s has %d bytes, and files of more than %d MiB are not read", name, info.Size(), maxFile>>20)
	}
	return os.ReadFile(name)
}

// packageRoot is the directory of the nearest Cargo.toml at a directory or above, or of the workspace around it; empty if there is none.
func packageRoot(dir string) string {
	nearest := ""
	for {
		if text, err := readPlain(filepath.Join(dir, "Cargo.toml")); err == nil {
			if nearest == "" {
				nearest = dir
			}
			if bytes.Contains(text, []byte("[workspace")) {
				return dir
			}
		}
		up := filepath.Dir(dir)
		if up == dir {
			return nearest
		}
		dir = up
	}
}
