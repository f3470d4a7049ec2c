package cli

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/setup"
)

func TestDiagnosisText(t *testing.T) {
	items := []setup.Item{
		{Name: "git", State: setup.OK, Found: "2.39.5 at /usr/bin/git", Stops: setup.StopsNothing},
		{Name: "verus", State: setup.Missing, Found: "there is none", Stops: setup.StopsProof, TurnsOff: "nothing is proved", Remedy: "specgate setup verus"},
		{Name: "cargo-verus", State: setup.Unknown, Found: "not looked at", Stops: setup.StopsNothing},
	}
	const table = `ok       git          2.39.5 at /usr/bin/git
missing  verus        there is none
                      off: nothing is proved
                      to do: specgate setup verus
unknown  cargo-verus  not looked at

`
	for _, c := range []struct {
		check, proof bool
		pinned       string
		want         string
	}{
		{true, true, "", "specgate check works here, and so do proofs\n"},
		{true, false, "", "specgate check works here, without proofs\n"},
		{true, false, "0.2026.08.15.7d4628a", "specgate check works here, but proofs do not, and the policy pins Verus 0.2026.08.15.7d4628a\n"},
		{false, true, "", "specgate check does not work here\n"},
	} {
		var b bytes.Buffer
		d := diagnosis{Check: c.check, Proof: c.proof, Pinned: c.pinned, Items: items}
		if err := d.write(&b); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(table+c.want, b.String()); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", c, diff)
		}
	}
}
