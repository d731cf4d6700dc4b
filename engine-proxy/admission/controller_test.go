package admission

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"testing"
	"time"

	engineproxy "github.com/svc-games/svc/engine-proxy"
)

func held(t *Ticket) bool {
	select {
	case <-t.granted:
		return true
	default:
		return false
	}
}

// testController is a controller of engines that are as busy as a test says.
type testController struct {
	*Controller
	t       *testing.T
	now     time.Time
	entered int
}

// testEngine is an engine that goes when it is asked, unless it stays.
type testEngine struct {
	since time.Time // idle since; zero: busy
	asked int
}

func (e *testEngine) IdleSince() (time.Time, bool) { return e.since, !e.since.IsZero() }
func (e *testEngine) Evict()                       { e.asked++ }

func newTestController(t *testing.T, l Limits) *testController {
	r := &testController{t: t, now: time.Unix(1e9, 0)}
	l.Now = func() time.Time { return r.now }
	l.Starts = cmp.Or(l.Starts, 100)
	l.Engines, l.PerOwner = cmp.Or(l.Engines, 100), cmp.Or(l.PerOwner, 100)
	l.Idle, l.Retry = 30*time.Second, 5*time.Second
	r.Controller = New(l)
	return r
}

// mustEnter queues an owner's next project.
func (r *testController) mustEnter(owner string) *Ticket {
	r.t.Helper()
	r.entered++
	tk, err := r.Enter(strconv.Itoa(r.entered), owner, &testEngine{})
	if err != nil {
		r.t.Fatal(err)
	}
	return tk
}

// adoptIdle has an owner's engine in a slot, which has had nothing to do for d.
func (r *testController) adoptIdle(project, owner string, d time.Duration) *testEngine {
	e := &testEngine{since: r.now.Add(-d)}
	r.Adopt(project, owner, e)
	return e
}

func TestStartsLetOwnersTakeTurns(t *testing.T) {
	t.Parallel()
	g := newTestController(t, Limits{Starts: 1})
	type start struct {
		name string
		*Ticket
	}
	var waiting []start
	for _, s := range []struct{ name, owner string }{
		{"a1", "a"}, {"a2", "a"}, {"a3", "a"}, {"b1", "b"}, {"c1", "c"}, {"b2", "b"},
	} {
		waiting = append(waiting, start{s.name, g.mustEnter(s.owner)})
	}
	var order []string
	for len(waiting) > 0 {
		i := slices.IndexFunc(waiting, func(s start) bool { return held(s.Ticket) })
		if i < 0 {
			t.Fatal("a free place was given to no one")
		}
		order = append(order, waiting[i].name)
		waiting[i].Close()
		waiting = slices.Delete(waiting, i, i+1)
	}
	if want := []string{"a1", "a2", "b1", "c1", "a3", "b2"}; !slices.Equal(order, want) {
		t.Fatalf("started in the order %v, want %v", order, want)
	}
}

func TestControllerNeverAdmitsMoreThanItsPlaces(t *testing.T) {
	t.Parallel()
	g := newTestController(t, Limits{Starts: 2})
	first, second, third, fourth := g.mustEnter("a"), g.mustEnter("b"), g.mustEnter("c"), g.mustEnter("d")
	if !held(first) || !held(second) || held(third) {
		t.Fatal("two places, but not the first two hold them")
	}
	third.Close() // leaves the queue
	first.Close()
	first.Close() // a second time frees nothing
	if !held(fourth) || held(third) {
		t.Fatal("the place did not go to the one who still waits")
	}
	if fifth := g.mustEnter("e"); held(fifth) {
		t.Fatal("a place was freed twice")
	}
}

func TestOwnersNextEngineOverTheCapIsRefusedWhileTheOthersWork(t *testing.T) {
	t.Parallel()
	r := newTestController(t, Limits{PerOwner: 2})
	r.Adopt("one", "a", &testEngine{})
	waits := r.mustEnter("a")
	var full *engineproxy.RoomError
	if _, err := r.Enter("three", "a", &testEngine{}); !errors.As(err, &full) || !full.Owner || full.Most != 2 || full.RetryAfter != 5*time.Second {
		t.Fatalf("got %v, want the owner's RoomError", err)
	}
	if !held(r.mustEnter("b")) {
		t.Fatal("another owner is kept waiting")
	}
	waits.Close()
	r.Release(waits.project)
	if !held(r.mustEnter("a")) {
		t.Fatal("a room that was given back is not given again")
	}
}

func TestIdleEngineThatWasUsedLongestAgoGoesForTheNext(t *testing.T) {
	t.Parallel()
	for name, owner := range map[string]string{"machine is full": "b", "owner is full": "a"} {
		t.Run(name, func(t *testing.T) {
			r := newTestController(t, Limits{Engines: 4, PerOwner: 3})
			young, old := r.adoptIdle("young", "a", time.Minute), r.adoptIdle("old", "a", time.Hour)
			r.Adopt("busy", "a", &testEngine{})
			if owner == "b" {
				r.Adopt("other", "c", &testEngine{})
			}
			next := r.mustEnter(owner)
			if held(next) || old.asked != 1 || young.asked != 0 {
				t.Fatalf("held %t, old one asked %d times, young one %d times", held(next), old.asked, young.asked)
			}
			r.Release("old")
			if !held(next) {
				t.Fatal("the room that became free was not given")
			}
		})
	}
}

func TestEngineThatWorksAfterAllIsReplacedByTheNextOldest(t *testing.T) {
	t.Parallel()
	r := newTestController(t, Limits{Engines: 2})
	old, young := r.adoptIdle("old", "a", time.Hour), r.adoptIdle("young", "b", time.Minute)
	next := r.mustEnter("c")
	old.since = time.Time{}
	r.NotEvicted("old")
	if young.asked != 1 {
		t.Fatalf("the next oldest was asked %d times", young.asked)
	}
	r.Release("young")
	if !held(next) {
		t.Fatal("the room was not given")
	}
}

func TestEngineThatIsIdleForAMomentOnlyIsNotEvicted(t *testing.T) {
	t.Parallel()
	r := newTestController(t, Limits{Engines: 1})
	e := r.adoptIdle("one", "a", 27*time.Second)
	var full *engineproxy.RoomError
	if _, err := r.Enter("two", "b", &testEngine{}); !errors.As(err, &full) || full.Owner || full.RetryAfter != 3*time.Second {
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
	r := newTestController(t, Limits{Engines: 1, PerOwner: 1})
	r.Adopt("one", "a", &testEngine{})
	r.Adopt("two", "a", &testEngine{})
	if _, err := r.Enter("three", "b", &testEngine{}); err == nil {
		t.Fatal("a third engine found room")
	}
	r.Release("one")
	if _, err := r.Enter("three", "b", &testEngine{}); err == nil {
		t.Fatal("a second engine found room")
	}
}

// TestSpareEngineTakesAPlaceThatNobodyNeeds, and goes before all others.
func TestSpareEngineTakesAPlaceThatNobodyNeeds(t *testing.T) {
	t.Parallel()
	r := newTestController(t, Limits{Engines: 2, Starts: 2})
	idle := r.adoptIdle("idle", "a", time.Hour)
	spare := &testEngine{since: time.Unix(1, 0)}
	if !r.EnterSpare("spare", "spare", spare) {
		t.Fatal("it has no place on an empty machine")
	}
	next := r.mustEnter("b")
	if spare.asked != 1 || idle.asked != 0 {
		t.Fatalf("it was asked to go %d times, another %d times", spare.asked, idle.asked)
	}
	r.Release("spare")
	if !held(next) {
		t.Fatal("its place is given to nobody")
	}
	if r.EnterSpare("spare", "spare", spare) || idle.asked != 0 {
		t.Errorf("on a full machine it has a place; an idle engine was asked to go %d times", idle.asked)
	}
}
