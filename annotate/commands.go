package annotate

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/specgate/specgate/checks"
)

// The most workflow commands of each kind that GitHub shows of one step, and the longest message of one, in bytes.
// Source: the runner's own limit of 4,096 characters; "actions/toolkit" and GitHub's forum give the others.
const (
	maxCommands       = 10
	maxCommandMessage = 4000
)

// CommandOptions are Options with what the log of a step needs.
type CommandOptions struct {
	Options
	// Token, at least 16 letters and digits, and unguessable, is what ends the part of the log in which the runner obeys nothing. The report
	// is written there as text. If it is empty there is no such part.
	Token string
	// Text says how that text is written.
	Text TextOptions
}

// Commands writes a report as workflow commands, which the runner turns into annotations, for who may not write check runs. There are at
// most ten errors, ten warnings and ten notices; the last notice says what was left out. Paths, names and messages cannot be commands
// of their own.
func Commands(w io.Writer, r *checks.Report, o CommandOptions) error {
	var b bytes.Buffer
	if o.Token != "" {
		if err := Quiet(&b, o.Token, func(w io.Writer) error { return Text(w, r, o.Text) }); err != nil {
			return err
		}
	}
	v := newView(r, o.Options)
	annotations, left := v.annotations(maxAnnotations, maxCommandMessage)
	byLevel := map[Level][]Annotation{}
	for _, a := range annotations {
		byLevel[a.Level] = append(byLevel[a.Level], a)
	}
	fits := left == 0
	for _, as := range byLevel {
		fits = fits && len(as) <= maxCommands
	}
	for _, kind := range []struct {
		level   Level
		command string
	}{{LevelFailure, "error"}, {LevelWarning, "warning"}, {LevelNotice, "notice"}} {
		most := maxCommands
		if kind.level == LevelNotice && !fits {
			most--
		}
		as := byLevel[kind.level]
		shown := as[:min(most, len(as))]
		for _, a := range as[len(shown):] {
			left += a.Findings
		}
		for _, a := range shown {
			fmt.Fprintf(&b, "::%s file=%s,line=%d,endLine=%d", kind.command, escapeProperty(a.Path, maxPath), a.StartLine, a.EndLine)
			if a.StartColumn > 0 {
				fmt.Fprintf(&b, ",col=%d,endColumn=%d", a.StartColumn, a.EndColumn)
			}
			fmt.Fprintf(&b, ",title=%s::%s\n", escapeProperty(a.Title, maxTitle), escapeCommand(a.Message, maxCommandMessage))
		}
	}
	if !fits {
		fmt.Fprintf(&b, "::notice title=specgate::%s not shown as annotations. The report has them all.\n", plural(left, "finding")+" "+isOrAre(left))
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("write workflow commands: %w", err)
	}
	return nil
}

// Quiet writes text to the log of a step such that the runner obeys no command in it. The token has at least 16 letters and digits; who
// wrote the text must not be able to guess it.
func Quiet(w io.Writer, token string, fill func(io.Writer) error) error {
	const least = 16
	if len(token) < least || strings.Trim(token, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return fmt.Errorf("write to the log: the token that ends a part without commands has %d bytes; want at least %d letters and digits", len(token), least)
	}
	var b bytes.Buffer
	if err := fill(&b); err != nil {
		return err
	}
	if b.Len() > 0 && b.Bytes()[b.Len()-1] != '\n' {
		b.WriteByte('\n')
	}
	if bytes.Contains(b.Bytes(), []byte("::"+token+"::")) {
		return fmt.Errorf("write to the log: the text has the token that should end it; take another")
	}
	if _, err := fmt.Fprintf(w, "::stop-commands::%s\n%s::%s::\n", token, b.Bytes(), token); err != nil {
		return fmt.Errorf("write to the log: %w", err)
	}
	return nil
}

// Message is text for a workflow command, of at most 4,000 bytes, before its line ends are escaped: what could hide or reorder it is written out.
func Message(text string) string { return unbracket(escapePlain(text, maxCommandMessage)) }
