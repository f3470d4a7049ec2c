package policy

import (
	"fmt"
	"strings"
)

// MatchSymbol says whether a pattern matches a symbol such as
// ffi::map_pages or <User as Ident>::ident.
//
// Both are taken apart at each `::` outside of angle brackets, parentheses and
// square brackets. A segment `**` matches any number of segments, also none; in
// another segment `*` matches any run of characters. Everything else is itself.
func MatchSymbol(pattern, symbol string) bool {
	pats, segs := segments(pattern), segments(symbol)
	// reach[j]: the patterns so far match the first j segments.
	reach := make([]bool, len(segs)+1)
	reach[0] = true
	for _, pat := range pats {
		next := make([]bool, len(segs)+1)
		for j := range next {
			switch {
			case pat == "**":
				next[j] = reach[j] || j > 0 && next[j-1]
			case j > 0:
				next[j] = reach[j-1] && matchStar(pat, segs[j-1])
			}
		}
		reach = next
	}
	return reach[len(segs)]
}

// segments splits a symbol at its outer `::`.
func segments(s string) []string {
	var out []string
	depth, start := 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '<', '(', '[':
			depth++
		case '>':
			// The arrow of a function type closes nothing.
			if i == 0 || s[i-1] != '-' {
				depth--
			}
		case ')', ']':
			depth--
		case ':':
			if depth == 0 && i+1 < len(s) && s[i+1] == ':' {
				out = append(out, s[start:i])
				i++
				start = i + 1
			}
		}
	}
	return append(out, s[start:])
}

// matchStar matches text against a pattern in which `*` is any run of characters.
func matchStar(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == text
	}
	first, last := parts[0], parts[len(parts)-1]
	if len(text) < len(first)+len(last) || !strings.HasPrefix(text, first) || !strings.HasSuffix(text, last) {
		return false
	}
	text = text[len(first) : len(text)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		i := strings.Index(text, part)
		if i < 0 {
			return false
		}
		text = text[i+len(part):]
	}
	return true
}

func symbolProblem(s string) string {
	why := ""
	switch {
	case s == "":
		return "must not be empty"
	case hasControl(s):
		why = "it has a control character"
	case strings.TrimSpace(s) != s:
		why = "it has space at an end"
	case strings.HasPrefix(s, "crate::"):
		why = "symbols start below the crate: leave out `crate::`"
	case strings.HasPrefix(s, "::"):
		why = "symbols start below the crate: leave out the first `::`"
	default:
		for _, seg := range segments(s) {
			if seg == "" {
				why = "a part between `::` is empty"
			} else if seg != "**" && strings.Contains(seg, "**") {
				why = "`**` stands for whole parts between `::`; within one write `*`"
			}
		}
	}
	if why == "" {
		return ""
	}
	return fmt.Sprintf("has the bad symbol %s: %s", quoteShort(s), why)
}
