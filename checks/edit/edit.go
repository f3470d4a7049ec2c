// Package edit has the rules about what changed in the code that runs.
package edit

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/pair"
	"github.com/specgate/specgate/internal/policy"
)

const pairNeeds = checks.NeedHead | checks.NeedBase | checks.NeedPair

var wrap = checks.InVerus

const (
	half      = "pub fn half(x: u64) -> (r: u64)\n    ensures\n        r <= x,\n{\n    x / 2\n}"
	halfProof = "pub fn half(x: u64) -> (r: u64)\n    ensures\n        r <= x,\n{\n    assert(x / 2 <= x);\n    x / 2\n}"
	halfZero  = "pub fn half(x: u64) -> (r: u64)\n    ensures\n        r <= x,\n{\n    0\n}"
)

// Rules of the family.
func Rules() []*checks.Rule {
	return []*checks.Rule{
		{
			ID: "edit/exec-changed", Family: checks.Edit, Severity: policy.Warning, Needs: pairNeeds,
			Purpose: "The executable code of a function, constant or macro changed.",
			Why:     "A change that is said to touch proofs and contracts only must leave what runs alone. An easier algorithm or a constant result can meet a weak contract.",
			Fires:   checks.Example{Base: wrap(half), Head: wrap(halfZero), Symbol: "half"},
			Quiet:   checks.Example{Base: wrap(half), Head: wrap(halfProof)},
			Remedy:  "Take the edit back, or have it reviewed as a change of the implementation.", NoMirror: "An edit has no opposite.",
			Run: execChanged,
		},
		{
			ID: "edit/exec-added", Family: checks.Edit, Severity: policy.Warning, Needs: pairNeeds,
			Purpose: "An executable function is new.",
			Why:     "New code runs that base did not have.",
			Fires:   checks.Example{Base: wrap(half), Head: wrap(half + "\n\npub fn zero() -> u64 {\n    0\n}"), Symbol: "zero"},
			Quiet:   checks.Example{Base: wrap(half), Head: wrap(half + "\n\nproof fn lemma(x: nat)\n    ensures\n        x / 2 <= x,\n{\n}")},
			Remedy:  "Have it reviewed as a change of the implementation, its contract too if it has one.", Mirror: "edit/exec-removed",
			Run: execAdded,
		},
		{
			ID: "edit/exec-removed", Family: checks.Edit, Severity: policy.Warning, Needs: pairNeeds,
			Purpose: "An executable function is gone.",
			Why:     "Its callers, and whoever relied on its contract, need another one.",
			Fires:   checks.Example{Base: wrap(half + "\n\npub fn zero() -> u64 {\n    0\n}"), Head: wrap(half), Symbol: "zero"},
			Quiet:   checks.Example{Base: wrap(half + "\n\nproof fn lemma(x: nat)\n    ensures\n        x / 2 <= x,\n{\n}"), Head: wrap(half)},
			Remedy:  "Check that nothing outside this repository needs it.", Mirror: "edit/exec-added",
			Run: execRemoved,
		},
		{
			ID: "edit/signature-changed", Family: checks.Edit, Severity: policy.Warning, Needs: pairNeeds,
			Purpose: "The signature of an executable function changed.",
			Why:     "Other argument or result types make another function of it: its contract cannot be compared with base's.",
			Fires:   checks.Example{Base: wrap(half), Head: wrap(strings.ReplaceAll(half, "u64", "u32")), Symbol: "half"},
			Quiet:   checks.Example{Base: wrap(half), Head: wrap("pub fn half(\n    x: u64,\n) -> (r: u64)\n    ensures\n        r <= x,\n{\n    x / 2\n}")},
			Remedy:  "Check the callers. Compare the contracts by hand.", NoMirror: "An edit has no opposite.",
			Run: signatureChanged,
		},
		{
			ID: "edit/type-changed", Family: checks.Edit, Severity: policy.Warning, Needs: pairNeeds,
			Purpose: "A type definition, or what is derived for it, changed.",
			Why:     "Contracts and code that use the type may mean something else, although their text is the same.",
			Fires:   checks.Example{Base: wrap("pub struct Item {\n    pub n: u64,\n}"), Head: wrap("pub struct Item {\n    pub n: u32,\n}"), Symbol: "Item"},
			Quiet:   checks.Example{Base: wrap("pub struct Item {\n    pub n: u64,\n}"), Head: wrap("/// An item.\npub struct Item { pub n: u64 }")},
			Remedy:  "Check every contract that speaks of the type.", NoMirror: "An edit has no opposite.",
			Run: typeChanged,
		},
		{
			ID: "edit/drop-or-atomics-changed", Family: checks.Edit, Severity: policy.Warning, Needs: pairNeeds,
			Purpose: "What happens when a value is dropped, or how atomics are used, changed.",
			Why:     "The verifier does not see when values are dropped, nor memory orderings. A change here passes every proof.",
			Fires: checks.Example{Base: "pub struct File(u8);\n\nimpl Drop for File {\n    fn drop(&mut self) {\n        close(self.0);\n    }\n}\n\nfn close(_fd: u8) {}\n",
				Head: "pub struct File(u8);\n\nimpl Drop for File {\n    fn drop(&mut self) {}\n}\n\nfn close(_fd: u8) {}\n", Symbol: "<File as Drop>::drop"},
			Quiet: checks.Example{Base: "pub struct File(u8);\n\nimpl Drop for File {\n    fn drop(&mut self) {\n        close(self.0);\n    }\n}\n\nfn close(_fd: u8) {}\n",
				Head: "fn close(_fd: u8) {}\n\npub struct File(u8);\n\nimpl Drop for File {\n    fn drop(&mut self) { close(self.0); }\n}\n"},
			Remedy: "Have it reviewed by someone who knows the type's resources or its memory model.", NoMirror: "An edit has no opposite.",
			Run: dropOrAtomics,
		},
		{
			ID: "edit/unsafe-added", Family: checks.Edit, Severity: policy.Warning, Needs: pairNeeds,
			Purpose: "There is more unsafe code than before.",
			Why:     "Inside unsafe, Rust's guarantees, on which every proof builds, are the author's word.",
			Fires: checks.Example{Base: "pub fn first(v: &[u8]) -> u8 {\n    v[0]\n}\n",
				Head: "pub fn first(v: &[u8]) -> u8 {\n    unsafe { *v.as_ptr() }\n}\n", Symbol: "first"},
			Quiet: checks.Example{Base: "pub fn first(v: &[u8]) -> u8 {\n    unsafe { *v.as_ptr() }\n}\n",
				Head: "pub fn first(v: &[u8]) -> u8 {\n    // SAFETY: v is not empty\n    unsafe {\n        *v.as_ptr()\n    }\n}\n"},
			Remedy: "Do without, or say in a safety comment why it is sound.", NoMirror: "Less unsafe code needs no attention.",
			Run: unsafeAdded,
		},
		{
			ID: "edit/policy-changed", Family: checks.Edit, Severity: policy.Warning, Needs: checks.NeedHead | checks.NeedBase,
			Otherwise: []checks.Weight{{Severity: policy.Error, When: "where the new policy is not valid"}},
			Purpose:   "The change edits the policy that judges changes.",
			Why:       "No change is judged by the policy that it brings; every later one is.",
			Fires:     checks.Example{File: ".specgate.toml", Base: "version = 1\n\n[gate]\nfail-on = \"error\"\n", Head: "version = 1\n\n[gate]\nfail-on = \"never\"\n", Symbol: ".specgate.toml"},
			Quiet:     checks.Example{File: ".specgate.toml", Base: "version = 1\n\n[gate]\nfail-on = \"error\"\n", Head: "# How changes are judged.\nversion = 1\n\n[gate]\nfail-on = \"error\"   # as always\n"},
			Remedy:    "Merge policy changes on their own, reviewed by their owners.", NoMirror: "An edit has no opposite.",
			Run: policyChanged,
		},
		{
			ID: "edit/toolchain-changed", Family: checks.Edit, Severity: policy.Warning, Needs: checks.NeedHead | checks.NeedBase,
			Purpose: "The Rust toolchain changed.",
			Why:     "Another compiler builds the code, and the verifier belongs to one toolchain.",
			Fires:   checks.Example{File: "rust-toolchain.toml", Base: "[toolchain]\nchannel = \"1.95.0\"\n", Head: "[toolchain]\nchannel = \"1.96.0\"\n", Symbol: "rust-toolchain.toml"},
			Quiet:   checks.Example{File: "rust-toolchain.toml", Base: "[toolchain]\nchannel = \"1.95.0\"\n", Head: "# what the verifier wants\n[toolchain]\nchannel = \"1.95.0\"\n"},
			Remedy:  "Check that the verifier in use supports it.", NoMirror: "An edit has no opposite.",
			Run: toolchainChanged,
		},
		{
			ID: "edit/build-changed", Family: checks.Edit, Severity: policy.Warning, Needs: checks.NeedHead | checks.NeedBase,
			Purpose: "A manifest or Cargo's configuration builds other code than before, or builds it otherwise: the features that are on by default, the edition, a profile, the flags of the compiler, or a variable that sources and build scripts read changed.",
			Why:     "No source has to change for that. A feature or a cfg can bring in a body that nobody verified, and a profile can turn overflow checks off.",
			Fires: checks.Example{File: "Cargo.toml", Base: "[package]\nname = \"ring\"\n\n[features]\nfast = []\n",
				Head: "[package]\nname = \"ring\"\n\n[features]\ndefault = [\"fast\"]\nfast = []\n", Symbol: "Cargo.toml"},
			Quiet: checks.Example{File: "Cargo.toml", Base: "[package]\nname = \"ring\"\n\n[features]\nfast = []\n",
				Head: "[features]\nfast = []\nslow = [\"fast\"]\n\n[package]\nname = \"ring\"\n"},
			Remedy: "Check that what is built now is what was verified.", NoMirror: "An edit has no opposite.",
			Run: buildChanged,
		},
	}
}

// runs tells a function that is executable code. Functions of unknown macros are found by token only and are part of the macro.
func runs(f *model.Function) bool {
	return f != nil && f.Mode == model.Exec && f.Kind != model.AssumeSpecFunction && f.Kind != model.MacroFunction
}

func refDetail(refs []pair.RefChange) string {
	var out []string
	for _, r := range refs {
		if to, same := strings.CutSuffix(r.Base, " as it was"); same && r.Head == to+" as it is now" {
			out = append(out, fmt.Sprintf("`%s`, which is %s, has another definition now", r.Written, to))
			continue
		}
		out = append(out, fmt.Sprintf("`%s` means %s now, not %s", r.Written, r.Head, r.Base))
	}
	return strings.Join(out, "; ")
}

// linking picks the attributes that decide under which name, where and how code is built: what runs may be another thing although no
// code differs.
func linking(attrs []string) string {
	var out []string
	for _, a := range attrs {
		switch word, _, _ := strings.Cut(strings.NewReplacer("(", " ", "=", " ").Replace(a), " "); word {
		case "no_mangle", "export_name", "link_section", "link_name", "link", "target_feature", "naked", "track_caller", "global_allocator",
			"panic_handler", "alloc_error_handler", "proc_macro", "proc_macro_derive", "proc_macro_attribute", "no_std", "no_core", "no_main",
			"no_implicit_prelude", "no_builtins", "used", "ctor", "macro_use", "macro_export":
			out = append(out, a)
		}
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// linkingChanged reports what is built otherwise.
func linkingChanged(p *checks.Pass, out checks.Finding, base, head []string) {
	b, h := linking(base), linking(head)
	if b == h {
		return
	}
	none := func(s string) string { return cmp.Or(s, "none") }
	out.Change = "attributes\x00" + h
	out.Message = "Attributes that decide how this is built or linked changed: what runs may be another thing, although the code is the same."
	out.Detail = "Base: " + none(b) + "\nHead: " + none(h)
	p.Report(out)
}

func execChanged(p *checks.Pass) {
	for _, f := range p.Pairs.Functions {
		if runs(f.Base) && runs(f.Head) {
			linkingChanged(p, checks.AtFunction(f), f.Base.Attrs, f.Head.Attrs)
		}
	}
	for _, i := range p.Pairs.Items {
		switch {
		case i.Head == nil || i.Head.Ghost || i.Head.Kind == model.ModuleItem:
		case i.Base != nil:
			linkingChanged(p, checks.AtItem(i), i.Base.Attrs, i.Head.Attrs)
		case i.Head.Kind == model.StaticItem || i.Head.Kind == model.ConstItem:
			linkingChanged(p, checks.AtItem(i), nil, i.Head.Attrs)
		}
	}
	for _, f := range p.Pairs.Functions {
		if !runs(f.Base) || !runs(f.Head) || !f.What.Has(pair.Executable) {
			continue
		}
		if f.Base.Exec == f.Head.Exec && len(f.ExecDetail) == 0 {
			continue
		}
		out := checks.AtFunction(f)
		out.Change = f.Head.Exec + "\n" + refDetail(f.ExecDetail)
		switch {
		case len(f.ExecDetail) > 0 && f.Base.Exec == f.Head.Exec:
			out.Message = "The text is the same, but it runs other code: a name in it means something else now."
		case onlySignature(f):
			continue // edit/signature-changed says so
		default:
			out.Message = "The code that runs changed, not only contracts and proofs: where its contract leaves it a choice, it may do something else now."
		}
		out.Detail = refDetail(f.ExecDetail)
		if f.Base.Exec != f.Head.Exec {
			b, h := middle(f.Base.Exec, f.Head.Exec)
			out.Detail = strings.TrimPrefix(out.Detail+"\n", "\n") + "Base: " + b + "\nHead: " + h
		}
		p.Report(out)
	}
	for _, i := range p.Pairs.Items {
		if it := cmp.Or(i.Head, i.Base); p.Pairs.Override(i) && !it.Ghost {
			out := checks.AtItem(i)
			out.Change = it.Exec
			out.Message = "A constant has another value for this type: its impl gives it one now, in the place of the trait's."
			if i.Base != nil {
				out.Message = "The constant " + i.Base.Symbol + " has another value: the impl gives it none any more, and the trait's holds."
			}
			p.Report(out)
			continue
		}
		if i.Base == nil || i.Head == nil || !i.What.Has(pair.Executable) || i.Head.Ghost {
			continue
		}
		switch i.Head.Kind {
		case model.ConstItem, model.StaticItem:
		case model.MacroCallItem:
			if toldAtDefinition(p.Pairs, i) {
				continue
			}
		case model.MacroItem:
			if onlyGhostUses(p.Pairs, i) {
				continue
			}
		default:
			continue
		}
		out := checks.AtItem(i)
		out.Change = i.Head.Exec
		out.Message = "A value that executable code uses changed: every use of it runs with the new one."
		if i.Head.Kind == model.MacroItem || i.Head.Kind == model.MacroCallItem {
			out.Message = "A macro changed: every use of it runs other code now."
		}
		out.Detail = refDetail(i.ExecDetail)
		p.Report(out)
	}
}

// middle cuts two texts down to where they differ, at blanks, with a little around it.
func middle(a, b string) (string, string) {
	as, bs := strings.Fields(a), strings.Fields(b)
	n := 0
	for n < len(as) && n < len(bs) && as[n] == bs[n] {
		n++
	}
	m := 0
	for m < len(as)-n && m < len(bs)-n && as[len(as)-1-m] == bs[len(bs)-1-m] {
		m++
	}
	const around = 4
	cut := func(w []string) string {
		from, to := max(0, n-around), min(len(w), len(w)-m+around)
		s := strings.Join(w[from:to], " ")
		if r := []rune(s); len(r) > 200 {
			s = string(r[:197]) + "..."
		}
		if from > 0 {
			s = ".. " + s
		}
		if to < len(w) {
			s += " .."
		}
		return s
	}
	return cut(as), cut(bs)
}

// toldAtDefinition tells a call of a macro that reads as before, where what changed is macros whose definitions stand in the same file: they are reported there, once for
// all calls. A definition in another file may be out of the policy's scope.
func toldAtDefinition(pairs *pair.Pairs, call *pair.Item) bool {
	if call.Base.Exec != call.Head.Exec || len(call.ExecDetail) == 0 {
		return false
	}
	return !slices.ContainsFunc(call.ExecDetail, func(r pair.RefChange) bool {
		symbol, now := strings.CutSuffix(r.Head, " as it is now")
		return !now || r.Base != symbol+" as it was" || !slices.ContainsFunc(pairs.Items, func(i *pair.Item) bool {
			return i.Base != nil && i.Head != nil && i.Head.Kind == model.MacroItem && i.Head.Crate.Key+"::"+i.Head.Symbol == symbol &&
				i.Head.File == call.Head.File && i.Base.File == call.Base.File && i.What.Has(pair.Executable) && !i.Head.Ghost && !onlyGhostUses(pairs, i)
		})
	})
}

// onlyGhostUses tells a macro that is used in proofs, and nowhere in code that runs.
func onlyGhostUses(pairs *pair.Pairs, i *pair.Item) bool {
	used := false
	for _, side := range []struct {
		m    *model.Model
		item *model.Item
	}{{pairs.Base, i.Base}, {pairs.Head, i.Head}} {
		for _, f := range side.m.Functions {
			for _, r := range f.ExecRefs {
				if r.Macro && r.Target == side.item {
					return false
				}
			}
			for _, r := range f.GhostRefs {
				used = used || r.Macro && (r.Target == side.item || r.Written == side.item.Name)
			}
		}
	}
	return used
}

// onlySignature tells a function whose body is the same text and whose signature is not.
func onlySignature(f *pair.Function) bool {
	if !f.What.Has(pair.Signature) || len(f.ExecDetail) > 0 {
		return false
	}
	return body(f.Base.Exec) == body(f.Head.Exec)
}

// body is what stands from the first brace on in an executable projection.
func body(exec string) string {
	if i := strings.IndexByte(exec, '{'); i >= 0 {
		return exec[i:]
	}
	return ""
}

func execAdded(p *checks.Pass) {
	for _, i := range p.Pairs.Items {
		if i.Base == nil && i.Head.Kind == model.MacroCallItem && (i.Head.Name == "global_asm" || i.Head.Name == "include") {
			out := checks.AtItem(i)
			out.Change = i.Head.Text
			out.Message = "New code that no function holds: it is built and may run, and nobody verifies it."
			p.Report(out)
		}
	}
	// Of a macro that is called already, what it is given is compared as a whole.
	fromNewCall := func(f *model.Function) bool {
		return f.Kind == model.MacroFunction && f.Mode == model.Exec && slices.ContainsFunc(p.Pairs.Items, func(i *pair.Item) bool {
			return i.Base == nil && i.Head.Kind == model.MacroCallItem && i.Head.File == f.File && i.Head.Span.Start <= f.Span.Start && f.Span.End <= i.Head.Span.End
		})
	}
	for _, f := range p.Pairs.Functions {
		if f.Head == nil || !f.Head.HasBody || !runs(f.Head) && (f.Base != nil || !fromNewCall(f.Head)) || f.Base != nil && runs(f.Base) {
			continue
		}
		out := checks.AtFunction(f)
		out.Change = f.Head.Exec
		out.Message = "New executable code: whether it is what is wanted is for people to judge."
		if f.Base != nil {
			out.Message = "This was " + f.Base.Mode.String() + " code and is executable now."
		}
		if withoutContract(f.Head) {
			out.Message += " It has no contract, so its callers know nothing of what it gives: give it one."
		}
		var callers []string
		for _, u := range p.Pairs.MayCall(f.Head) {
			if !u.What.Has(pair.Executable) {
				callers = append(callers, u.Head.Symbol)
			}
		}
		if len(callers) > 0 {
			out.Message += " Code that reads as before may call it now, in the place of another: " + strings.Join(callers, ", ") + "."
		}
		p.Report(out)
	}
}

// withoutContract tells a function of verified code that promises and demands nothing, by itself or by a trait. What a trait from outside
// of the repository says is not known.
func withoutContract(f *model.Function) bool {
	return f.Verified && len(f.Contract()) == 0 && (f.Kind != model.TraitImplMethod || f.TraitMethod != nil)
}

func execRemoved(p *checks.Pass) {
	for _, f := range p.Pairs.Functions {
		if !runs(f.Base) || f.Head != nil && runs(f.Head) || !f.Base.HasBody {
			continue
		}
		out := checks.AtFunction(f)
		out.Change = f.Base.Exec
		out.Message = "Executable code is gone: a caller outside of this repository, if there is one, does not build any more."
		if f.Head != nil {
			out.Message = "This was executable code and is " + f.Head.Mode.String() + " code now: it does not run any more."
		}
		p.Report(out)
	}
}

func signatureChanged(p *checks.Pass) {
	for _, f := range p.Pairs.Functions {
		if !runs(f.Base) || !runs(f.Head) || !f.What.Has(pair.Signature) || pair.WithoutVisibility(f.Base.Signature) == pair.WithoutVisibility(f.Head.Signature) {
			continue
		}
		out := checks.AtFunction(f)
		out.Change = f.Head.Signature
		was, is := middle(f.Base.Signature, f.Head.Signature)
		out.Message = fmt.Sprintf("The signature changed from `%s` to `%s`, so base's contract and this one are about different functions.", was, is)
		out.Detail = "Base: " + f.Base.Signature + "\nHead: " + f.Head.Signature
		p.Report(out)
	}
}

func typeChanged(p *checks.Pass) {
	for _, i := range p.Pairs.Items {
		if i.Base == nil || i.Head == nil || i.Head.Ghost {
			continue
		}
		switch i.Head.Kind {
		case model.StructItem, model.EnumItem, model.UnionItem, model.TypeAliasItem:
		default:
			continue
		}
		derives := !slices.Equal(sorted(i.Base.Derives), sorted(i.Head.Derives))
		if !i.What.Has(pair.Executable) && !derives {
			continue
		}
		out := checks.AtItem(i)
		out.Change = i.Head.Exec + "\n" + strings.Join(sorted(i.Head.Derives), ",")
		was, is := middle(i.Base.Exec, i.Head.Exec)
		out.Message = fmt.Sprintf("The definition of this type changed from `%s` to `%s`: code and contracts that use it mean something else.", was, is)
		out.Detail = "Base: " + i.Base.Exec + "\nHead: " + i.Head.Exec
		if derives && len(i.ExecDetail) == 0 && i.Base.Name == i.Head.Name && deriveAttr.ReplaceAllLiteralString(i.Base.Exec, "") == deriveAttr.ReplaceAllLiteralString(i.Head.Exec, "") {
			out.Message = "The type itself is as it was. What is derived for it changed, and derived code runs."
			out.Detail = "Base derives: " + list(sorted(i.Base.Derives)) + "\nHead derives: " + list(sorted(i.Head.Derives))
		}
		p.Report(out)
	}
}

// deriveAttr is a derive attribute in the canonical text of an item.
var deriveAttr = regexp.MustCompile(`# ?\[ ?derive ?\([^()]*\) ?\] ?`)

func sorted(s []string) []string {
	s = slices.Clone(s)
	slices.Sort(s)
	return s
}

func dropOrAtomics(p *checks.Pass) {
	for _, f := range p.Pairs.Functions {
		out := checks.AtFunction(f)
		switch {
		case isDrop(f.Base) || isDrop(f.Head):
			switch {
			case f.Head == nil:
				out.Message = "The Drop implementation is gone: nothing is released any more when a value goes away."
				out.Change = "drop removed"
			case f.Base == nil:
				out.Message = "A new Drop implementation runs when a value goes away. The verifier does not see when that is, so no proof covers it."
				out.Change = "drop added " + f.Head.Exec
			case f.What.Has(pair.Executable):
				out.Message = "What the Drop implementation does when a value goes away changed. The verifier does not see when that is, so no proof covers it."
				out.Change = f.Head.Exec
			default:
				continue
			}
			p.Report(out)
			continue
		case !runs(f.Base) || !runs(f.Head):
			continue
		}
		if b, h := sorted(f.Base.Atomics), sorted(f.Head.Atomics); !slices.Equal(b, h) {
			out.Message = "The operations on atomics changed. Memory orderings are not part of any proof: one that is too weak is found by a reviewer or by nobody."
			out.Change = strings.Join(h, "\n")
			out.Detail = "Base: " + list(b) + "\nHead: " + list(h)
			p.Report(out)
			continue
		}
		if b, h := releases(f.Base), releases(f.Head); !slices.Equal(b, h) {
			out.Message = "Which values are dropped or forgotten by hand changed. The verifier does not see drops, so no proof covers them."
			out.Change = strings.Join(h, "\n")
			out.Detail = "Base: " + list(b) + "\nHead: " + list(h)
			p.Report(out)
		}
	}
	for _, i := range p.Pairs.Items {
		if i.Base == nil || i.Head == nil || i.Head.Kind == model.ImplItem || slices.Equal(sorted(i.Base.Atomics), sorted(i.Head.Atomics)) {
			continue
		}
		out := checks.AtItem(i)
		out.Message = "The atomics in this type changed. Memory orderings are not part of any proof: one that is too weak is found by a reviewer or by nobody."
		out.Change = strings.Join(sorted(i.Head.Atomics), "\n")
		p.Report(out)
	}
}

func list(s []string) string {
	if len(s) == 0 {
		return "none"
	}
	return strings.Join(s, ", ")
}

func isDrop(f *model.Function) bool {
	return f != nil && f.Kind == model.TraitImplMethod && f.Name == "drop" && (f.Trait == "Drop" || strings.HasSuffix(f.Trait, "::Drop"))
}

// releases are the calls that drop a value early or keep it from being dropped, sorted.
func releases(f *model.Function) []string {
	var out []string
	for _, c := range f.Calls {
		if c.Ghost || c.Method {
			continue
		}
		to := strings.TrimPrefix(c.To, "?")
		for _, s := range []string{"mem::forget", "mem::drop", "ManuallyDrop::new", "ManuallyDrop::drop", "ptr::drop_in_place"} {
			if to == s || strings.HasSuffix(to, "::"+s) {
				out = append(out, s)
			}
		}
		if to == "drop" || to == "forget" {
			out = append(out, "mem::"+to)
		}
	}
	slices.Sort(out)
	return out
}

func unsafeAdded(p *checks.Pass) {
	for _, f := range p.Pairs.Functions {
		if f.Head == nil {
			continue
		}
		blocks, fn := 0, false
		if f.Base != nil {
			blocks, fn = f.Base.UnsafeBlocks, f.Base.Unsafe
		}
		out := checks.AtFunction(f)
		switch {
		case f.Head.UnsafeBlocks > blocks:
			out.Change = fmt.Sprintf("%d unsafe blocks\x00%s", f.Head.UnsafeBlocks, f.Head.Exec)
			out.Message = fmt.Sprintf("Unsafe blocks here: %d, in base %d. In them memory safety is the author's word, and every proof builds on it.", f.Head.UnsafeBlocks, blocks)
		case f.Head.Unsafe && !fn && f.Head.Kind != model.AssumeSpecFunction:
			out.Change = "unsafe fn\x00" + f.Head.Exec
			out.Message = "The function is unsafe now: its callers must keep a promise that neither Rust nor the verifier checks."
		default:
			continue
		}
		p.Report(out)
	}
	for _, i := range p.Pairs.Items {
		if i.Head == nil {
			continue
		}
		was := i.Base != nil && i.Base.Unsafe
		extern := i.Head.Kind == model.ExternItem && i.Base == nil && strings.Contains(i.Head.Text, "{")
		out := checks.AtItem(i)
		switch {
		case i.Head.Unsafe && !was:
			out.Change = "unsafe " + i.Head.Text
			out.Message = "A new unsafe trait or implementation: what it claims is checked neither by Rust nor by the verifier."
		case extern:
			out.Change = i.Head.Text
			out.Message = "New foreign functions: calling them is unsafe, and nothing is known of what they do."
		default:
			continue
		}
		p.Report(out)
	}
}
