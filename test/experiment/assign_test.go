// Package experiment holds the assignment of players against a foreign implementation.
package experiment

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/svc-games/svc/sidecar/experiment"
)

const players = 100_000

// TestPlayersGetWhatGrowthBookGivesThem has 100,000 players in experiments of several values
// and weights.
func TestPlayersGetWhatGrowthBookGivesThem(t *testing.T) {
	for salt, variants := range map[string][]experiment.Variant{
		"even":   experiment.Even([]string{"own", "1.25"}),
		"thirds": experiment.Even([]string{"own", "0.75", "1.25"}),
		"five":   experiment.Even([]string{"1", "2", "3", "4", "5"}),
		"uneven": {{Value: "a", Weight: 1000}, {Value: "b", Weight: 2000}, {Value: "c", Weight: 7000}},
		"few":    {{Value: "a", Weight: 9990}, {Value: "b", Weight: 10}},
	} {
		t.Run(salt, func(t *testing.T) {
			for n, want := range assigned(t, salt, variants) {
				player := fmt.Sprintf("%032x", n)
				if got, _ := experiment.Assign(salt, player, variants); got != want {
					t.Fatalf("player %s in bucket %d gets %q, of GrowthBook %q", player, experiment.Bucket(salt, player), got, want)
				}
			}
		})
	}
}

// assigned is what GrowthBook gives each player.
func assigned(t *testing.T, salt string, variants []experiment.Variant) []string {
	t.Helper()
	asked := struct {
		Salt    string       `json:"salt"`
		Values  []string     `json:"values"`
		Ranges  [][2]float64 `json:"ranges"`
		Players int          `json:"players"`
	}{Salt: salt, Players: players}
	from := 0
	for _, v := range variants {
		to := from + v.Weight
		asked.Values = append(asked.Values, v.Value)
		asked.Ranges = append(asked.Ranges, [2]float64{float64(from) / experiment.Buckets, float64(to) / experiment.Buckets})
		from = to
	}
	in, err := json.Marshal(asked)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "assign.js")
	var said bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, &said)
	}
	given := strings.Split(string(out), "\n")
	if len(given) != players {
		t.Fatalf("GrowthBook gives %d players a value", len(given))
	}
	return given
}
