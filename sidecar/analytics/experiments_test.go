package analytics_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar/analytics"
	"github.com/svc-games/svc/sidecar/experiment"
)

func (b *bench) draft(id string, variants []experiment.Variant) {
	b.t.Helper()
	if err := b.DraftExperiment(b.t.Context(), game, id, variants); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) move(id, state, winner string) {
	b.t.Helper()
	if err := b.MoveExperiment(b.t.Context(), game, id, state, winner); err != nil {
		b.t.Fatal(err)
	}
}

// variant is what a player gets of the experiment "speed".
func (b *bench) variant(player int) string {
	b.t.Helper()
	given, err := b.Variants(b.t.Context(), game, id(player))
	if err != nil {
		b.t.Fatal(err)
	}
	return given["speed"]
}

// reads has a player's game read a value, and play so many sessions.
func (b *bench) reads(player int, value string, plays int) {
	b.t.Helper()
	for n := range plays {
		batch := batchOf(100*player+n, 1, play.SessionStart, play.Exposure, play.Start)
		batch.Stream = fmt.Sprintf("%030x%s", 100*player+n, fmt.Sprintf("%02x", len(value)+int(value[0])))
		batch.Player = id(player)
		batch.Events[1].Props = fmt.Appendf(nil, `{"k":"speed","v":%q}`, value)
		b.record(batch)
	}
}

func TestPlayerKeepsTheFirstVariantAndToLookAtAPageWritesNothing(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		b.draft("speed", experiment.Even([]string{"1", "2"}))
		if got := b.variant(1); got != "" {
			t.Errorf("of a draft a player gets %q", got)
		}
		b.move("speed", analytics.ExperimentRunning, "")
		first := map[int]string{}
		counts := map[string]int{}
		for player := range 60 {
			first[player] = b.variant(player)
			counts[first[player]]++
		}
		if counts["1"] < 12 || counts["2"] < 12 || len(counts) != 2 {
			t.Errorf("60 players get %v", counts)
		}
		for player, value := range first {
			if again := b.variant(player); again != value {
				t.Errorf("player %d got %q, and then %q", player, value, again)
			}
		}
		if given, err := b.Variants(t.Context(), game, ""); err != nil || len(given) != 0 {
			t.Errorf("who has no name gets %v, %v", given, err)
		}
		for player := range first {
			wantRows(t, b.leftIn("player", id(player)), false)
		}
		var refused *answers.Error
		if err := b.DraftExperiment(t.Context(), game, "speed", nil); !errors.As(err, &refused) || refused.Status != http.StatusConflict {
			t.Errorf("changing one that runs: %v", err)
		}
		if err := b.MoveExperiment(t.Context(), game, "speed", analytics.ExperimentRunning, ""); err != nil {
			t.Errorf("again, as after a lost answer: %v", err)
		}
		for _, to := range []struct{ state, winner string }{{analytics.ExperimentDraft, ""}, {analytics.ExperimentWinner, "3"}} {
			if err := b.MoveExperiment(t.Context(), game, "speed", to.state, to.winner); !errors.As(err, &refused) {
				t.Errorf("to %v: %v", to, err)
			}
		}
		b.move("speed", analytics.ExperimentWinner, "2")
		if given, err := b.Variants(t.Context(), game, ""); err != nil || given["speed"] != "2" || b.variant(3) != "2" {
			t.Errorf("after it was decided all get %v, %v", given, err)
		}
		if err := b.RemoveExperiment(t.Context(), game, "speed"); err != nil || b.variant(3) != "" {
			t.Errorf("after it was removed: %v", err)
		}
	})
}

func TestExperimentComparesThePlayersWhoseGameReadAValue(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		b.draft("speed", experiment.Even([]string{"1", "2"}))
		b.move("speed", analytics.ExperimentRunning, "")
		of := map[string][]int{}
		for player := 1; player < 50; player++ {
			of[b.variant(player)] = append(of[b.variant(player)], player)
		}
		if len(of["1"]) < 3 || len(of["2"]) < 3 {
			t.Fatalf("50 players are %v", of)
		}
		for i := range 3 {
			b.reads(of["1"][i], "1", 1)
			b.reads(of["2"][i], "2", 2)
		}
		q := api.ViewQuery{Name: api.ViewExperiments, Days: 7}
		b.wantTable(q, "experiments", "speed running 1, 2 2026-11-24 0 none: fewer than 100 players of a variant")
		if rows := b.table(q, "results"); len(rows) != 8 || rows[0] != "speed 1 3 plays a player 1 - - - -" || !strings.HasPrefix(rows[4], "speed 2 3 plays a player 2 1 1 1 ") {
			t.Errorf("the results are %q", rows)
		}
		for forged := range 50 { // by a copied key
			batch := batchOf(500+forged, 1, play.Exposure)
			batch.Events[0].Props = []byte(`{"k":"speed","v":"2"}`)
			if _, err := b.Record(t.Context(), analytics.Arrival{Batch: batch, Class: analytics.ClassPublic}); err != nil {
				t.Fatal(err)
			}
		}
		if rows := b.table(q, "results"); rows[0] != "speed 1 3 plays a player 1 - - - -" || !strings.HasPrefix(rows[4], "speed 2 3 plays a player 2 1 1 1 ") {
			t.Errorf("with players that nobody proved the results are %q", rows)
		}
		b.reads(of["1"][0], "2", 1) // another device, or a forgery
		b.reads(99, "3", 1)         // no value of it
		if rows := b.table(q, "results"); rows[0] != "speed 1 2 plays a player 1 - - - -" {
			t.Errorf("with one that read two the results are %q", rows)
		}
		b.wantTable(q, "experiments", "speed running 1, 2 2026-11-24 0 none: too many players saw two variants")
		owners := batchOf(9000, 1, play.Exposure)
		owners.Player, owners.Events[0].Props = id(of["2"][0]), []byte(`{"k":"speed","v":"1"}`)
		b.recordAs(analytics.ClassOwner, owners)
		if rows := b.table(q, "results"); !strings.HasPrefix(rows[4], "speed 2 3 ") {
			t.Errorf("the owner's own play counts: %q", rows)
		}
	})
}

func TestPlayersOfAnExperimentsLastDayAreNotSaidToStayAway(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		b.draft("speed", experiment.Even([]string{"1", "2"}))
		b.move("speed", analytics.ExperimentRunning, "")
		of := map[string][]int{}
		for player := 1; player < 50; player++ {
			of[b.variant(player)] = append(of[b.variant(player)], player)
		}
		again := func(day int, value string) {
			b.now = noon.AddDate(0, 0, day)
			for _, player := range of[value][:3] {
				b.plays(10*player+day, player, build)
			}
		}
		for _, value := range []string{"1", "2"} {
			for _, player := range of[value][:3] {
				b.reads(player, value, 1)
			}
		}
		b.move("speed", analytics.ExperimentStopped, "")
		again(1, "2")
		b.now = noon.AddDate(0, 0, 2)
		rows := b.table(api.ViewQuery{Name: api.ViewExperiments, Days: 7}, "results")
		if rows[3] != "speed 1 3 came back on day 1 0 - - - -" || rows[7] != "speed 2 3 came back on day 1 0 0 - - 0.5" {
			t.Errorf("the results are %q", rows)
		}
	})
}
