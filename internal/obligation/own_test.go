package obligation_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/obligation"
)

// TestOldAndFinalOfTheirOwn checks that a function that is called old or final is called as it stands, and that only Verus's mean a value before or after.
func TestOldAndFinalOfTheirOwn(t *testing.T) {
	for _, word := range []string{"old", "final"} {
		verus := "        *new_n == " + map[string]string{"old": "old_n", "final": "new_n"}[word] + ",\n"
		verus += strings.Replace(strings.Replace(verus, "*new_n == ", "wrapped!(", 1), ",", "),", 1)
		own := "        *new_n == " + word + "(new_n),\n        wrapped!(" + word + "(new_n)),\n"
		for _, tc := range []struct{ before, within, want string }{
			{"use vstd::prelude::*;\n", "", verus},
			{"use vstd::prelude::" + word + ";\n", "", verus},
			{"use vstd::prelude::*;\n", "spec fn " + word + "(n: u8) -> int { 0 }\n", own},
			{"mod m { verus! { pub open spec fn " + word + "(n: u8) -> int { 0 } } }\nuse m::*;\n", "", own},
			{"mod m { verus! { pub open spec fn zero(n: u8) -> int { 0 } } }\nuse m::zero as " + word + ";\n", "", own},
			{"use elsewhere::" + word + ";\n", "", own},
		} {
			text := tc.before + "verus! {\n" + tc.within + "fn f(n: &mut u8) ensures *n == " + word + "(n), wrapped!(" + word + "(n)) {}\n}\n"
			m := build(t, one(text))
			w := obligation.NewWriter(m, nil)
			w.Contract(function(t, m, "f"))
			shadow := w.Plan().Shadows[0]
			part := shadow.Parts[1].Span
			_, got, _ := strings.Cut(string(shadow.Text[part.Start:part.End]), "    requires\n")
			got, _, _ = strings.Cut(strings.ReplaceAll(got, shadow.Prefix(), ""), "    ensures\n")
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Errorf("%s(-want +got):\n%s", text, d)
			}
		}
	}
}
