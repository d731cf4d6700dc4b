package fleet

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"testing"
	"time"

	engineproxy "github.com/svc-games/svc/engine-proxy"
)

func held(t *ticket) bool {
	select {
	case <-t.granted:
		return true
	default:
		return false
	}
}

// testRoster is a roster of engines that are as busy as a test says.
type testRoster struct {
	*roster
	t       *testing.T
	now     time.Time
	entered int
}

// testTenant is an engine that goes when it is asked, unless it stays.
type testTenant struct {
	since time.Time // idle since; zero: busy
	asked int
}

func (e *testTenant) idleSince() (time.Time, bool) { return e.since, !e.since.IsZero() }
func (e *testTenant) evict()                       { e.asked++ }

func newTestRoster(t *testing.T, l rosterLimits) *testRoster {
	r := &testRoster{t: t, now: time.Unix(1e9, 0)}
	l.now = func() time.Time { return r.now }
	l.turns = cmp.Or(l.turns, 100)
	l.engines, l.perOwner = cmp.Or(l.engines, 100), cmp.Or(l.perOwner, 100)
	l.idle, l.retry = 30*time.Second, 5*time.Second
	r.roster = newRoster(l)
	return r
}

// mustEnter queues an owner's next project.
func (r *testRoster) mustEnter(owner string) *ticket {
	r.t.Helper()
	r.entered++
	tk, err := r.enter(strconv.Itoa(r.entered), owner, &testTenant{})
	if err != nil {
		r.t.Fatal(err)
	}
	return tk
}

// idle has an owner's engine in room, which has had nothing to do for d.
func (r *testRoster) idle(project, owner string, d time.Duration) *testTenant {
	e := &testTenant{since: r.now.Add(-d)}
	r.occupy(project, owner, e)
	return e
}

func TestStartsLetOwnersTakeTurns(t *testing.T) {
	t.Parallel()
	g := newTestRoster(t, rosterLimits{turns: 1})
	type start struct {
		name string
		*ticket
	}
	var waiting []start
	for _, s := range []struct{ name, owner string }{
		{"a1", "a"}, {"a2", "a"}, {"a3", "a"}, {"b1", "b"}, {"c1", "c"}, {"b2", "b"},
	} {
		waiting = append(waiting, start{s.name, g.mustEnter(s.owner)})
	}
	var order []string
	for len(waiting) > 0 {
		i := slices.IndexFunc(waiting, func(s start) bool { return held(s.ticket) })
		if i < 0 {
			t.Fatal("a free place was given to no one")
		}
		order = append(order, waiting[i].name)
		waiting[i].close()
		waiting = slices.Delete(waiting, i, i+1)
	}
	if want := []string{"a1", "a2", "b1", "c1", "a3", "b2"}; !slices.Equal(order, want) {
		t.Fatalf("started in the order %v, want %v", order, want)
	}
}

func TestRosterNeverAdmitsMoreThanItsPlaces(t *testing.T) {
	t.Parallel()
	g := newTestRoster(t, rosterLimits{turns: 2})
	first, second, third, fourth := g.mustEnter("a"), g.mustEnter("b"), g.mustEnter("c"), g.mustEnter("d")
	if !held(first) || !held(second) || held(third) {
		t.Fatal("two places, but not the first two hold them")
	}
	third.close() // leaves the queue
	first.close()
	first.close() // a second time frees nothing
	if !held(fourth) || held(third) {
		t.Fatal("the place did not go to the one who still waits")
	}
	if fifth := g.mustEnter("e"); held(fifth) {
		t.Fatal("a place was freed twice")
	}
}

func TestOwnersNextEngineOverTheCapIsRefusedWhileTheOthersWork(t *testing.T) {
	t.Parallel()
	r := newTestRoster(t, rosterLimits{perOwner: 2})
	r.occupy("one", "a", &testTenant{})
	waits := r.mustEnter("a")
	var full *engineproxy.RoomError
	if _, err := r.enter("three", "a", &testTenant{}); !errors.As(err, &full) || !full.Owner || full.Most != 2 || full.RetryAfter != 5*time.Second {
		t.Fatalf("got %v, want the owner's RoomError", err)
	}
	if !held(r.mustEnter("b")) {
		t.Fatal("another owner is kept waiting")
	}
	waits.close()
	r.vacate(waits.project)
	if !held(r.mustEnter("a")) {
		t.Fatal("a room that was given back is not given again")
	}
}

func TestIdleEngineThatWasUsedLongestAgoGoesForTheNext(t *testing.T) {
	t.Parallel()
	for name, owner := range map[string]string{"machine is full": "b", "owner is full": "a"} {
		t.Run(name, func(t *testing.T) {
			r := newTestRoster(t, rosterLimits{engines: 4, perOwner: 3})
			young, old := r.idle("young", "a", time.Minute), r.idle("old", "a", time.Hour)
			r.occupy("busy", "a", &testTenant{})
			if owner == "b" {
				r.occupy("other", "c", &testTenant{})
			}
			next := r.mustEnter(owner)
			if held(next) || old.asked != 1 || young.asked != 0 {
				t.Fatalf("held %t, old one asked %d times, young one %d times", held(next), old.asked, young.asked)
			}
			r.vacate("old")
			if !held(next) {
				t.Fatal("the room that became free was not given")
			}
		})
	}
}

func TestEngineThatWorksAfterAllIsReplacedByTheNextOldest(t *testing.T) {
	t.Parallel()
	r := newTestRoster(t, rosterLimits{engines: 2})
	old, young := r.idle("old", "a", time.Hour), r.idle("young", "b", time.Minute)
	next := r.mustEnter("c")
	old.since = time.Time{}
	r.stayed("old")
	if young.asked != 1 {
		t.Fatalf("the next oldest was asked %d times", young.asked)
	}
	r.vacate("young")
	if !held(next) {
		t.Fatal("the room was not given")
	}
}

func TestEngineThatIsIdleForAMomentOnlyIsNotEvicted(t *testing.T) {
	t.Parallel()
	r := newTestRoster(t, rosterLimits{engines: 1})
	e := r.idle("one", "a", 27*time.Second)
	var full *engineproxy.RoomError
	if _, err := r.enter("two", "b", &testTenant{}); !errors.As(err, &full) || full.Owner || full.RetryAfter != 3*time.Second {
		t.Fatalf("got %+v, want the machine's RoomError for 3 s", err)
	}
	r.now = r.now.Add(3 * time.Second)
	next := r.mustEnter("b")
	if e.asked != 1 || held(next) {
		t.Fatalf("asked %d times", e.asked)
	}
}

func TestAdoptedEnginesCountButAreNeverRefused(t *testing.T) {
	t.Parallel()
	r := newTestRoster(t, rosterLimits{engines: 1, perOwner: 1})
	r.occupy("one", "a", &testTenant{})
	r.occupy("two", "a", &testTenant{})
	if _, err := r.enter("three", "b", &testTenant{}); err == nil {
		t.Fatal("a third engine found room")
	}
	r.vacate("one")
	if _, err := r.enter("three", "b", &testTenant{}); err == nil {
		t.Fatal("a second engine found room")
	}
}

func TestWaitsAreSpreadByAFifth(t *testing.T) {
	t.Parallel()
	seen := map[time.Duration]bool{}
	for range 100 {
		d := spread(10 * time.Second)
		if d < 8*time.Second || d > 12*time.Second {
			t.Fatalf("10 s became %s", d)
		}
		seen[d] = true
	}
	if len(seen) < 2 {
		t.Fatal("what failed together starts together")
	}
}
