package model

import (
	"maps"
	"slices"
	"strings"
)

// RestsOn are the functions that a proof of f takes for granted, besides f itself: those that its code, its ghost code and its contract call or name, and what these
// rest on in turn. It errs on the side of more: where a name, an operator or a broadcast may mean several functions, all of them are in it. It
// reads the files that they are in.
func (m *Model) RestsOn(f *Function) []*Function {
	x := m.x
	x.mu.Lock()
	defer x.mu.Unlock()
	for {
		if x.rests == nil || x.rests.functions != len(x.functions) {
			x.rests = newRests(x)
		}
		r := x.rests
		out := []*Function{f}
		seen := map[*Function]bool{f: true}
		add := func(fs []*Function) {
			for _, g := range fs {
				if !seen[g] {
					seen[g] = true
					out = append(out, g)
				}
			}
		}
		add(r.always)
		for i := 0; i < len(out); i++ {
			add(r.of(out[i]))
		}
		x.settle()
		if r.functions == len(x.functions) {
			return out[1:]
		}
	}
}

// rests has what functions rest on directly, while no more functions are read.
type rests struct {
	x         *index
	functions int
	direct    map[*Function][]*Function
	// always are those that no call names and that may be used by any: broadcasts, and what operators and the ends of scopes call.
	always []*Function
	byName map[string][]*Function
}

func newRests(x *index) *rests {
	r := &rests{x: x, functions: len(x.functions), direct: map[*Function][]*Function{}, byName: map[string][]*Function{}}
	for _, f := range x.functions {
		if hasModifier(f.Node, "broadcast") || f.Mode == Exec && f.Kind == TraitImplMethod && f.TraitMethod == nil && slices.Contains(implicit, f.info.impl.traitName()) {
			r.always = append(r.always, f)
		}
		name := f.Name
		if f.Kind == AssumeSpecFunction {
			name = nameIn(f.Target)
		}
		r.byName[name] = append(r.byName[name], f)
	}
	return r
}

// of are the functions that f rests on directly.
func (r *rests) of(f *Function) []*Function {
	if out, ok := r.direct[f]; ok {
		return out
	}
	x := r.x
	x.analyse(f)
	out := slices.Concat(x.contractNames(f), x.definition(f))
	// called are last names of what is called or named, named the last two names of what is named.
	called, named := map[string]bool{}, map[string]bool{}
	for _, c := range f.Calls {
		called[nameIn(c.To)] = true
		for _, g := range c.Callees {
			if mayRun(f, c, g) {
				out = append(out, g)
			}
		}
	}
	if f.Kind == TraitMethod {
		out = append(out, x.implementations(f)...)
	}
	if f.TraitMethod != nil {
		out = append(out, f.TraitMethod)
	}
	for _, refs := range [][]Ref{f.ExecRefs, f.GhostRefs} {
		for _, ref := range refs {
			called[nameIn(ref.To)] = true
			named[twoNames(ref.To)] = true
		}
	}
	for _, c := range f.Own {
		if c.Via != "" {
			called[nameIn(c.Via)] = true
		}
	}
	// What calls do not lead to: methods that an impl has from its trait, contracts of foreign functions, constants, proofs that definitions end, and functions that
	// are values.
	for _, name := range slices.Sorted(maps.Keys(called)) {
		for _, g := range r.byName[name] {
			switch {
			case g.Kind == TraitMethod && g.HasBody, g.Kind == AssumeSpecFunction, g.Kind == ConstFunction, g.Mode == Proof && len(g.Attrs) > 0,
				g.Mode != Spec && isNamed(named, g):
				out = append(out, g)
			}
		}
	}
	out = unique(out)
	r.direct[f] = out
	return out
}

// implicit are the traits of the standard library whose methods are called without being named.
var implicit = []string{"Add", "AddAssign", "BitAnd", "BitAndAssign", "BitOr", "BitOrAssign", "BitXor", "BitXorAssign", "Deref", "DerefMut", "Div", "DivAssign", "Drop", "From", "Index",
	"IndexMut", "Into", "IntoIterator", "Iterator", "Mul", "MulAssign", "Neg", "Not", "Ord", "PartialEq", "PartialOrd", "Rem", "RemAssign", "Shl", "ShlAssign", "Shr", "ShrAssign",
	"Sub", "SubAssign"}

// mayRun tells whether a call in f can be one of g: specifications run no code, and code no specifications.
func mayRun(f *Function, c Call, g *Function) bool {
	switch {
	case f.Kind == MacroFunction:
		return true
	case c.Spec || c.Ghost:
		return g.Mode != Exec || hasSite(g.Sites, SpecSubstitute)
	}
	return !c.Method || g.Mode == Exec
}

// isNamed tells whether one of some paths, of which there are the last two names, may mean a function.
func isNamed(paths map[string]bool, f *Function) bool {
	for _, around := range []string{f.Module, f.Self, f.Trait} {
		around, _, _ = strings.Cut(around, "<")
		if around = nameIn(strings.TrimSpace(around)); around != "" && paths[around+"::"+f.Name] {
			return true
		}
	}
	return f.Self == "" && (paths[f.Crate.Name+"::"+f.Name] || paths[f.Name])
}

// twoNames are the last two names of a path.
func twoNames(path string) string {
	path, _, _ = strings.Cut(path, "::<")
	i := strings.LastIndex(path, "::")
	if i < 0 {
		return path
	}
	return path[strings.LastIndexAny(path[:i], ":. ")+1:]
}

// nameIn is the last name of a path, without the arguments of types.
func nameIn(path string) string {
	path, _, _ = strings.Cut(path, "::<")
	return path[strings.LastIndexAny(path, ":. ")+1:]
}
