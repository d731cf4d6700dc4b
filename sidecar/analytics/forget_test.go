package analytics_test

import "testing"

func TestNothingIsLeftOfAPlayerWhoIsForgottenButCounts(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		for stream := range 3 {
			batch := batchOf(stream, 1, "session_start", "start", "jump")
			batch.Player = id(stream % 2)
			b.record(batch)
		}
		if err := b.ForgetPlayer(t.Context(), game, id(0)); err != nil {
			t.Fatal(err)
		}
		kept := b.kept()
		if o := b.overview(1); len(kept) != 1 || len(kept[id(1)]) != 3 || o.Total.Players != 1 || o.Total.Plays != 3 || o.Events["jump"] != 3 {
			t.Errorf("kept %v, counted %+v", kept, o.Total)
		}
		if err := b.ForgetPlayer(t.Context(), game, ""); err != nil || len(b.kept()) != 1 {
			t.Errorf("nobody in particular: %v", err)
		}
		b.wantMeters()
	})
}
