package analytics_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar/analytics"
)

func TestEventsThatAreNotKeptAreCountedByCauseAndAcknowledged(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		batch := batchOf(1, 1, "session_start", "jump", "jump", "other", "late")
		batch.Definitions = map[string]play.Texts{"jump": {"height": "number"}}
		batch.Events[1].Props = json.RawMessage(`{"height":3,"more":true}`)
		batch.Events[2].Props = json.RawMessage(`{"height":"3"}`)
		batch.Events[3].Refused = play.CauseProps
		if answer := b.record(batch); answer.Ack != 5 || answer.Mode != play.ModeFull {
			t.Errorf("answer is %+v", answer)
		}
		machine := batchOf(2, 1, "session_start", "start")
		machine.Machine = true
		b.record(machine)
		old := batchOf(3, 1, "session_start", "start")
		old.Age = play.MaxAge + 1
		b.record(old)
		o := b.overview(1)
		want := map[string]int64{"type": 1, "props": 1, "machine": 2, "late": 2}
		if fmt.Sprint(o.Dropped) != fmt.Sprint(want) || o.Total.Sessions != 1 || o.Total.Events != 3 || o.Total.Plays != 0 {
			t.Errorf("dropped %v, want %v; total %+v", o.Dropped, want, o.Total)
		}
	})
}

func TestWhatIsDiscardedChangesNoFigure(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		playing := func(stream int, first, active int64, change func(*play.Batch)) {
			batch := batchOf(stream, first, "session_start", "start")
			batch.Sent, batch.Active = 3_600_000, active
			change(&batch)
			b.record(batch)
		}
		playing(1, 1, 60_000, func(*play.Batch) {})
		before := b.overview(7)
		late := func(batch *play.Batch) { batch.Age = play.MaxAge + 1 }
		playing(2, 5, 3_600_000, func(batch *play.Batch) { batch.Machine = true })
		playing(3, 5, 3_600_000, late)
		playing(1, 9, 3_600_000, late)
		after := b.overview(7)
		if fmt.Sprint(after.Total, after.Days) != fmt.Sprint(before.Total, before.Days) || after.Dropped["machine"] != 2 || after.Dropped["late"] != 4 {
			t.Errorf("counted %+v, dropped %v, want %+v", after.Total, after.Dropped, before.Total)
		}
		playing(1, 11, 120_000, func(*play.Batch) {})
		if c := b.overview(7).Total; c.Lost != 0 || c.ActiveSeconds != 120 || c.Events != 4 {
			t.Errorf("counted %+v", c)
		}
	})
}

func TestAnEventThatIsDeclaredLaterIsJudgedFromThenOn(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		b.record(batchOf(1, 1, "jump"))
		declares := batchOf(1, 2, "jump")
		declares.Definitions = map[string]play.Texts{"jump": {"height": "number"}}
		b.record(declares)
		b.record(batchOf(1, 3, "jump"))
		if o := b.overview(1); o.Events["jump"] != 1 || o.Dropped["type"] != 2 {
			t.Errorf("kept %v, dropped %v", o.Events, o.Dropped)
		}
	})
}

func TestStreamsPlayersAndGamesHaveBoundsThatEssentialEventsDoNotCountFor(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		full := func(stream int, names func(i int) string) {
			for first := int64(1); first <= play.MaxStreamEvents+50; first += 50 {
				var events []string
				for i := range 50 {
					events = append(events, names(i))
				}
				batch := batchOf(stream, first, events...)
				batch.Player = id(7)
				b.record(batch)
			}
			b.record(batchOf(stream, 1000, "session_end"))
		}
		score := func(int) string { return "score" }
		full(1, score)
		full(2, score)
		o := b.overview(1)
		if o.Events["score"] != play.MaxPlayerEvents || o.Dropped["stream_full"] != 50 || o.Dropped["player_full"] != 150 || o.Events["session_end"] != 2 {
			t.Errorf("kept %v, dropped %v", o.Events, o.Dropped)
		}
		for stream := 3; stream < 8; stream++ {
			b.record(batchOf(stream, 1, many(stream)...))
		}
		if o := b.overview(1); o.Dropped["names_full"] != 51 || o.Events["a3_0"] != 1 {
			t.Errorf("dropped %v", o.Dropped)
		}
	})
}

func TestNamesThatAreNotPaidOrNotUsedAnyMoreTakeNoPlace(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		all := func(first int) {
			t.Helper()
			for stream := range play.MaxNames / 50 {
				b.record(batchOf(first+stream, 1, many(stream)...))
			}
		}
		b.seller.can = 0
		if all(1); len(b.overview(1).Events) != 0 {
			t.Fatalf("kept are %v", b.overview(1).Events)
		}
		b.seller.topUp(10)
		b.now = b.now.Add(time.Minute)
		if b.record(batchOf(10, 1, "new")); b.overview(1).Events["new"] != 1 {
			t.Errorf("after a top-up a new event is dropped: %v", b.overview(1).Dropped)
		}
		all(11)
		b.now = b.now.AddDate(0, 0, 60)
		b.record(batchOf(20, 1, "new", "newer"))
		if o := b.overview(1); o.Events["new"] != 1 || o.Dropped["names_full"] != 1 {
			t.Errorf("kept %v, dropped %v", o.Events, o.Dropped)
		}
		b.now = b.now.AddDate(0, 0, 60)
		if _, err := b.Prune(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := b.number("SELECT count(*) FROM play_names"); n != 1 {
			t.Errorf("%d names are left, and one was used", n)
		}
		if b.record(batchOf(30, 1, "newer")); b.overview(1).Events["newer"] != 1 {
			t.Errorf("dropped %v", b.overview(1).Dropped)
		}
		b.wantMeters()
	})
}

func TestOldEventsAreDeletedAndCountsStay(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		b.record(batchOf(1, 1, "session_start", "start"))
		b.now = noon.AddDate(0, 0, 90)
		b.record(batchOf(2, 1, "start"))
		if n, err := b.Prune(t.Context()); n != 0 || err != nil {
			t.Errorf("deleted %d, %v on the last day", n, err)
		}
		b.now = noon.AddDate(0, 0, 91)
		if n, err := b.Prune(t.Context()); n != 2 || err != nil {
			t.Errorf("deleted %d events, %v", n, err)
		}
		if got := b.kept()[id(2)]; len(got) != 1 {
			t.Errorf("left are %+v", got)
		}
		b.record(batchOf(1, 1, "session_start", "start")) // its stream is there still
		if o, err := b.Overview(t.Context(), game, 90); err != nil || o.Total.Plays+o.Previous.Plays != 2 {
			t.Errorf("counted %+v and %+v, %v", o.Total, o.Previous, err)
		}
		b.now = noon.AddDate(0, 0, 900)
		if n, err := b.Prune(t.Context()); n != 11 || err != nil {
			t.Errorf("deleted %d, %v of streams, players and counts of these", n, err)
		}
		if left := b.leftIn("player", id(1001)); left["play_players"] != 0 {
			t.Errorf("the player is kept: %v", left)
		}
	})
}

func TestNothingIsLeftOfAPlayerAfterTwentyFiveMonths(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		b.fillAll(1)
		prune := func(day int) {
			t.Helper()
			b.now = noon.AddDate(0, 0, day)
			if _, err := b.Prune(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		prune(7)
		if left := b.leftIn("player", id(1)); left["play_boards"] != 3 || left["play_replays"] != 0 {
			t.Errorf("after a week %d boards have the player, and %d runs wait", left["play_boards"], left["play_replays"])
		}
		prune(15)
		if n := b.leftIn("player", id(1))["play_boards"]; n != 1 {
			t.Errorf("once the week is long over %d boards have the player", n)
		}
		prune(759)
		left := b.leftIn("player", id(1))
		delete(left, "play_replays") // how somebody played is kept for a day
		wantRows(t, left, true)
		prune(900)
		wantRows(t, b.leftIn("player", id(1)), false)
	})
}

func TestAPlayerWhoPlaysStillIsNeverNewAgain(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		playing := func(stream int, day int) {
			batch := batchOf(stream, 1, "start")
			batch.Player = id(7)
			b.now = noon.AddDate(0, 0, day)
			b.record(batch)
			if _, err := b.Prune(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		playing(1, 0)
		playing(2, 700)
		playing(3, 1400)
		if c := b.overview(1).Total; c.Players != 1 || c.NewPlayers != 0 {
			t.Errorf("counted %+v", c)
		}
	})
}

func TestWhatIsOldIsDeletedAtTheStart(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		b.record(batchOf(1, 1, "start"))
		b.now = noon.AddDate(0, 0, 91)
		ctx, cancel := context.WithCancel(t.Context())
		var pruning sync.WaitGroup
		pruning.Go(func() { b.PruneEvery(ctx, time.Hour, func(err error) { t.Error(err) }) })
		for begin := time.Now(); b.leftIn("game", game)["play_events"] > 0; {
			if time.Since(begin) > 10*time.Second {
				t.Error("nothing is deleted")
				break
			}
		}
		cancel()
		pruning.Wait()
	})
}

// many returns fifty names that no other stream has.
func many(stream int) (names []string) {
	for i := range 50 {
		names = append(names, fmt.Sprintf("a%d_%d", stream, i))
	}
	return names
}

func TestTimesOfADeviceDoNotMatter(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		slow := batchOf(1, 1, "session_start", "start") // two seconds old when it is sent
		b.now = noon.Add(40 * time.Second)              // and then long on its way
		b.record(slow)
		b.now = noon.Add(41 * time.Second)
		next := batchOf(1, 3, "end")
		next.Sent = 43_000 // it began two seconds before noon
		b.record(next)
		stored := batchOf(2, 1, "start")
		stored.Age = 26 * 3600 * 1000
		b.record(stored)
		ahead := batchOf(3, 1, "start")
		ahead.Events[0].At = 3 * 365 * 24 * 3600 * 1000
		b.record(ahead)
		kept := b.kept()
		if one := kept[id(1)]; len(one) != 3 || one[0].Seq != 1 || one[2].At != noon.UnixMilli()-2000+3000 {
			t.Errorf("got %+v", one)
		}
		o := b.overview(2)
		if o.Days[0].Plays != 1 || o.Days[1].Plays != 1 || o.Dropped["stream_over"] != 1 {
			t.Errorf("days are %+v, dropped %v", o.Days, o.Dropped)
		}
	})
}

func TestOverviewCountsPlayersOnce(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		playing := func(stream, player int, active int64) {
			batch := batchOf(stream, 1, "session_start", "start", "end", "start")
			batch.Player, batch.Sent, batch.Active = id(player), 600_000, active
			b.record(batch)
		}
		b.now = noon.AddDate(0, 0, -1)
		playing(1, 1, 60_000)
		b.now = noon
		playing(2, 1, 60_000)
		playing(3, 1, 30_000)
		playing(4, 2, 120_000)
		b.record(batchOf(5, 1, "session_start"))
		b.recordAs(analytics.ClassOwner, batchOf(6, 1, "session_start", "start"))
		o := b.overview(1)
		if c := o.Total; c.Sessions != 4 || c.Plays != 3 || c.Runs != 6 || c.Players != 2 || c.NewPlayers != 1 || c.ActiveSeconds != 210 {
			t.Errorf("today is %+v", c)
		}
		if m := o.Total.MedianSessionSeconds; m < 50 || m > 72 {
			t.Errorf("the median is %d s, want a minute", m)
		}
		if o.Previous.Plays != 1 || o.Previous.NewPlayers != 1 || len(o.Builds) != 1 || o.Builds[0].JobID != build || o.Builds[0].Plays != 3 {
			t.Errorf("got %+v", o)
		}
		if w := b.overview(7); w.Total.Players != 2 || w.Total.NewPlayers != 2 || w.From != "2026-11-18" || w.To != "2026-11-24" || len(w.Days) != 7 {
			t.Errorf("the week is %+v", w)
		}
	})
}

func TestActiveTimeOfAStreamGrowsAndIsCountedOnce(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		for i, active := range []int64{5_000, 5_000, 65_000, 40_000} {
			batch := batchOf(1, int64(i+1), "heartbeat")
			batch.Sent, batch.Active = 70_000, active
			b.record(batch)
		}
		if c := b.overview(1).Total; c.ActiveSeconds != 65 || c.MedianSessionSeconds < 55 || c.MedianSessionSeconds > 77 {
			t.Errorf("got %+v", c)
		}
	})
}

func TestFormerBatchesFollowWhatTheStreamHas(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		batch := batchOf(1, 1, "session_start", "start")
		batch.Former = true
		b.record(batch)
		b.record(batch)
		if got := b.kept()[id(1)]; len(got) != 4 || got[3].Seq != 4 {
			t.Errorf("got %+v", got)
		}
	})
}

func TestFormerEventsAreOfTheTimeOfTheirRequest(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		for range 2 {
			batch := batchOf(1, 1, "start", "end")
			batch.Former = true
			b.record(batch)
			b.now = b.now.Add(10 * time.Minute)
		}
		for i, e := range b.kept()[id(1)] {
			want := noon.Add(time.Duration(i/2)*10*time.Minute - time.Duration(1-i%2)*time.Second)
			if e.At != want.UnixMilli() {
				t.Errorf("event %d is of %s, want %s", e.Seq, time.UnixMilli(e.At).UTC(), want)
			}
		}
		b.now = noon.Add(play.MaxStream*time.Millisecond + time.Second)
		batch := batchOf(1, 1, "start")
		batch.Former = true
		b.record(batch)
		if o := b.overview(2); o.Dropped["stream_over"] != 1 {
			t.Errorf("dropped %v", o.Dropped)
		}
	})
}

func TestBatchesOfOneStreamAtOnceAreCountedOnce(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		var all sync.WaitGroup
		for n := range 16 {
			all.Go(func() {
				b.record(batchOf(1, 1, append([]string{"session_start", "start"}, many(1)[:n]...)...))
				b.record(batchOf(2+n%4, 1, "start", "score"))
			})
		}
		all.Wait()
		if o := b.overview(1); o.Total.Events != 2+15+8 || o.Total.Sessions != 5 || o.Total.Plays != 5 {
			t.Errorf("got %+v", o.Total)
		}
	})
}

func TestNothingIsLeftOfAGameThatIsForgotten(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		b.record(batchOf(1, 1, "session_start", "start", "jump"))
		other := batchOf(1, 1, "start")
		other.Game = another
		b.record(other)
		if err := b.Forget(t.Context(), game); err != nil {
			t.Fatal(err)
		}
		if o := b.overview(7); o.Total.Sessions != 0 || len(o.Events) != 0 || len(b.kept()) != 0 {
			t.Errorf("left: %+v", o)
		}
		if o, err := b.Overview(t.Context(), another, 1); err != nil || o.Total.Plays != 1 {
			t.Errorf("the other game has %+v, %v", o, err)
		}
		b.record(batchOf(1, 1, "jump")) // a new stream of the same name
		if o := b.overview(1); strings.Join(names(o.Events), " ") != "jump" {
			t.Errorf("got %+v", o.Events)
		}
	})
}

func names(counts map[string]int64) (list []string) {
	for name := range counts {
		list = append(list, name)
	}
	return list
}
