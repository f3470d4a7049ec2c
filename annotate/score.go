package annotate

import (
	"fmt"
	"io"

	"github.com/specgate/specgate/checks"
)

// ScoreLine is what the contract of one function is worth.
type ScoreLine struct {
	// Symbol of the function; empty when the file as a whole is meant, as it could not be read.
	Symbol string `json:"symbol"`
	// File as it was named, and the line of the function's name, from 1; 0 if there is none.
	File string `json:"file"`
	Line int    `json:"line"`
	// Reward is in [0, 1]; nil when there is nothing to measure, as NotApplicable says.
	Reward        *float64 `json:"reward"`
	NotApplicable string   `json:"notApplicable"`
	// Stages tell how each one went.
	Stages ScoreStages `json:"stages"`
	// Class is "weak", "unverifiable", "trivial", or empty.
	Class string `json:"class"`
	// Lost are the parts of the reward that were not earned; they and the reward add up to 1.
	Lost []ScoreLoss `json:"lost"`
	// Bypass lists what was done to be green without a proof; then the reward is 0.
	Bypass []string `json:"bypass"`
	// Strength is nil when it was not measured.
	Strength *checks.SuiteResult `json:"strength"`
	// Escapes are wrong results that the contract allows, Survivors edits of the body that it allows. At most a few.
	Escapes   []ScoreEscape   `json:"escapes"`
	Survivors []ScoreSurvivor `json:"survivors"`
	Seed      uint64          `json:"seed"`
}

// ScoreStages are "passed", "failed" or "not-run"; By names what accepted or refused the code: "verus" or "rustc".
type ScoreStages struct {
	Extract string `json:"extract"`
	Compile string `json:"compile"`
	By      string `json:"by"`
	Verify  string `json:"verify"`
}

// ScoreLoss is a part of the reward that was not earned.
type ScoreLoss struct {
	Stage  string  `json:"stage"`
	Code   string  `json:"code"`
	Amount float64 `json:"amount"`
	Text   string  `json:"text"`
}

// ScoreEscape is a wrong result that a contract allows.
type ScoreEscape struct {
	Call   string `json:"call"`
	Result string `json:"result"`
	Wrong  string `json:"wrong"`
}

// ScoreSurvivor is an edit of the body that the contract allows.
type ScoreSurvivor struct {
	Line    int         `json:"line"`
	Diff    string      `json:"diff"`
	Witness ScoreEscape `json:"witness"`
}

// ScoreJSON writes a line as JSON. A key is never left out.
func ScoreJSON(w io.Writer, l ScoreLine) error {
	l.Lost, l.Bypass, l.Escapes, l.Survivors = orEmpty(l.Lost), orEmpty(l.Bypass), orEmpty(l.Escapes), orEmpty(l.Survivors)
	if l.Strength != nil {
		s := *l.Strength
		s.Clauses = orEmpty(s.Clauses)
		l.Strength = &s
	}
	text, err := encodeJSON(l)
	if err != nil {
		return fmt.Errorf("write score: %w", err)
	}
	if _, err := w.Write(text); err != nil {
		return fmt.Errorf("write score: %w", err)
	}
	return nil
}

func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
