package analytics_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/test/long"
)

// tab is a model of the library in one load of a page: it sends the oldest events that
// were not acknowledged, and drops some that it never sent.
type tab struct {
	stream  int
	next    int64
	buffer  []play.Event // not acknowledged
	sent    int64        // the highest number in any request
	made    []string     // all that it did not drop, by number and name
	dropped int64
}

func (c *tab) play(rng *rand.Rand) {
	c.next++
	name := []string{"session_start", "start", "score", "end", "jump", "heartbeat"}[rng.IntN(6)]
	if rng.IntN(8) == 0 {
		c.dropped++ // a buffer that is full
		return
	}
	c.buffer = append(c.buffer, play.Event{Seq: c.next, At: c.next * 10, Name: name, Props: json.RawMessage(fmt.Sprintf(`{"n":%d}`, c.next))})
	c.made = append(c.made, fmt.Sprintf("%d %s", c.next, name))
}

func (c *tab) request(rng *rand.Rand) play.Batch {
	events := slices.Clone(c.buffer[:1+rng.IntN(len(c.buffer))])
	c.sent = max(c.sent, events[len(events)-1].Seq)
	return play.Batch{Game: game, Build: build, Stream: id(c.stream), Player: id(c.stream), Events: events, Sent: c.next * 10, Active: c.next * 10}
}

func (c *tab) answered(ack int64) {
	c.buffer = slices.DeleteFunc(c.buffer, func(e play.Event) bool { return e.Seq <= ack })
}

// What becomes of a request.
const (
	arrives = iota
	lost
	answerLost
	twice
	delayed // arrives after later ones
	outcomes
)

// TestEachEventIsCountedOnceHoweverOftenItIsSent loses, repeats and delays requests and
// answers. In a long run it does so with 10,000 requests and more.
func TestEachEventIsCountedOnceHoweverOftenItIsSent(t *testing.T) {
	seeds, steps := 3, 120
	if long.Asked() {
		seeds, steps = 1, 30_000
	}
	onEach(t, func(t *testing.T, b *bench) {
		for seed := range seeds {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				b.t = t
				if err := b.Forget(t.Context(), game); err != nil {
					t.Fatal(err)
				}
				history(b, rand.New(rand.NewPCG(uint64(seed), 1)), steps)
			})
		}
	})
}

// ofTab is how many events a tab has before it is closed, within a player's bound.
const ofTab = 100

func history(b *bench, rng *rand.Rand, steps int) {
	var tabs []*tab
	open := make([]*tab, 4)
	for i := range open {
		open[i] = &tab{stream: i + 1}
		tabs = append(tabs, open[i])
	}
	var late []play.Batch
	send := func(c *tab, how int) {
		if len(c.buffer) == 0 {
			return
		}
		batch := c.request(rng)
		switch how {
		case lost:
		case delayed:
			late = append(late, batch)
		case twice:
			b.record(batch)
			c.answered(b.record(batch).Ack)
		case answerLost:
			b.record(batch)
		default:
			c.answered(b.record(batch).Ack)
		}
	}
	for range steps {
		i := rng.IntN(len(open))
		if open[i].next == ofTab {
			open[i] = &tab{stream: len(tabs) + 1}
			tabs = append(tabs, open[i])
		}
		c := open[i]
		c.play(rng)
		if rng.IntN(3) == 0 {
			send(c, rng.IntN(outcomes))
		}
		if len(late) > 0 && rng.IntN(4) == 0 {
			b.record(late[0])
			late = late[1:]
		}
		if rng.IntN(60) == 0 {
			b.close()
			b.open()
		}
	}
	for _, c := range tabs {
		for len(c.buffer) > 0 {
			send(c, arrives)
		}
	}
	for _, batch := range late {
		b.record(batch)
	}
	check(b, tabs)
}

// check compares what is kept with what the tabs made.
func check(b *bench, tabs []*tab) {
	b.t.Helper()
	kept := b.kept()
	var events, gone, streams int64
	counts := make(map[string]int64)
	for _, c := range tabs {
		var have []string
		for _, e := range kept[id(c.stream)] {
			have = append(have, fmt.Sprintf("%d %s", e.Seq, e.Name))
			counts[e.Name]++
			if want := fmt.Sprintf(`{"n":%d}`, e.Seq); e.Props != want {
				b.t.Errorf("event %d has props %s, want %s", e.Seq, e.Props, want)
			}
		}
		if !slices.Equal(have, c.made) {
			b.t.Errorf("stream %d has\n%q, want\n%q", c.stream, have, c.made)
		}
		events += int64(len(c.made))
		if len(c.made) > 0 {
			streams++
			gone += c.dropped - (c.next - c.sent) // the last ones, of which no later one tells
		}
	}
	total := b.overview(1)
	if total.Total.Events != events || total.Total.Sessions != streams || total.Total.Lost != gone || total.Total.Runs != counts["start"] {
		b.t.Errorf("counts are %+v, want %d events of %d sessions, %d lost, %d runs", total.Total, events, streams, gone, counts["start"])
	}
	for name, n := range counts {
		if total.Events[name] != n {
			b.t.Errorf("%s is counted %d times, want %d", name, total.Events[name], n)
		}
	}
}
