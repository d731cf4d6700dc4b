package play

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/analytics"
	"github.com/svc-games/svc/test/long"
)

const (
	floodedBlocks = 1    // that the owner of the flooded game can pay
	floodSenders  = 8    // that send at once
	floodPace     = 2000 // requests a second of the long run, twice what a game may have
	// mostOfOthers is the p99 of what others wait for an answer, in the long run.
	mostOfOthers = 50 * time.Millisecond
)

// neighbours are the games of a flood: that whose key was copied, and another one.
type neighbours struct {
	Catalog
	keys map[string]string
}

func (n neighbours) KeyGrant(_ context.Context, id, key string) (sidecar.PlayGrant, error) {
	if key == "" || n.keys[id] != key {
		return sidecar.PlayGrant{}, nil
	}
	return sidecar.PlayGrant{JobID: job}, nil
}

// flood is what somebody sends with a copied key.
type flood struct {
	*rig
	games     http.Handler
	keys      map[string]string
	addresses int64
	left      atomic.Int64 // requests to be sent

	mu       sync.Mutex // guards statuses
	statuses map[int]int
}

// send sends five events of a session of its own, the nth of the game, and returns the status.
func (f *flood) send(address, id, key string, n int64) int {
	rows := make([]string, 5)
	for i := range rows {
		rows[i] = fmt.Sprintf(`[%d,%d,"jump",{"n":%d}]`, i+1, i+1, n)
	}
	req := f.request("POST", play.PathBatch, fmt.Sprintf(`{"v":1,"k":%q,"g":%q,"s":"%032x","p":"%032x","o":1000,"e":[%s]}`,
		key, id, n+1, n+1, strings.Join(rows, ",")))
	req.RemoteAddr = address + ":1"
	return f.do(f.games, req).Code
}

// run sends all requests from the flood's addresses, at a pace that is not nil, or as fast as
// they are answered.
func (f *flood) run(pace <-chan time.Time) {
	var senders sync.WaitGroup
	for range floodSenders {
		senders.Go(func() {
			for n := f.left.Add(-1); n >= 0; n = f.left.Add(-1) {
				if pace != nil {
					<-pace
				}
				status := f.send(fmt.Sprintf("198.51.100.%d", n%f.addresses), game, f.keys[game], n)
				f.mu.Lock()
				f.statuses[status]++
				f.mu.Unlock()
			}
		})
	}
	senders.Wait()
}

// beside has players of another game play until the flood is over, at a pace as run does,
// and returns how long each request took, in order.
func (f *flood) beside(over <-chan struct{}, pace <-chan time.Time) (took []time.Duration) {
	for n := int64(0); n < maxPerGame; n++ {
		select {
		case <-over:
			if len(took) > 0 {
				slices.Sort(took)
				return took
			}
		default:
		}
		if pace != nil {
			<-pace
		}
		began := time.Now()
		if status := f.send(fmt.Sprintf("203.0.113.%d", n%250), other, f.keys[other], n); status != http.StatusOK {
			f.t.Errorf("a player of another game is answered %d", status)
			return nil
		}
		took = append(took, time.Since(began))
	}
	f.t.Errorf("the flood takes longer than %d requests of another game", maxPerGame)
	return nil
}

// TestFloodWithACopiedKeyCostsItsCapAndHurtsNoOtherGame sends it from one address and from
// 200. In the long run it is at a pace, and what others wait for an answer has a bound.
func TestFloodWithACopiedKeyCostsItsCapAndHurtsNoOtherGame(t *testing.T) {
	for _, tc := range []struct{ addresses, requests, refused int64 }{{1, maxPerAddress + 100, 100}, {200, 800, 0}} {
		t.Run(fmt.Sprint(tc.addresses), func(t *testing.T) {
			r := newRig(t)
			r.owner.most.Store(floodedBlocks)
			f := &flood{rig: r, games: r.Games(), keys: map[string]string{game: r.key, other: mint.NewPlayKey()}, addresses: tc.addresses, statuses: make(map[int]int)}
			r.Catalog = neighbours{r.Catalog, f.keys}
			var pace, others <-chan time.Time
			if long.Asked() {
				pace, others, tc.requests = time.Tick(time.Second/floodPace), time.Tick(10*time.Millisecond), maxPerGame+10_000
				if tc.refused = 10_000; tc.addresses == 1 {
					tc.refused = tc.requests - maxPerAddress
				}
			}
			f.left.Store(tc.requests)
			over := make(chan struct{})
			go func() {
				defer close(over)
				f.run(pace)
			}()
			took := f.beside(over, others)
			<-over
			if len(took) == 0 {
				t.Fatal("nobody of another game was answered")
			}
			f.check(tc.requests, tc.refused)
			if p99 := took[len(took)*99/100]; pace != nil && p99 > mostOfOthers {
				t.Errorf("beside the flood one of 100 requests of another game takes %v or more, want %v", p99, mostOfOthers)
			}
			t.Logf("%d requests of another game took %v at most, the median %v; the flood was answered %v", len(took), took[len(took)-1], took[len(took)/2], f.statuses)
			f.end()
		})
	}
}

// check looks at what the flood cost and how it was answered.
func (f *flood) check(requests, refused int64) {
	f.t.Helper()
	if kept := f.overview().Total.Events; kept != floodedBlocks*analytics.BlockEvents {
		f.t.Errorf("the owner pays for %d events, and has %d blocks", kept, floodedBlocks)
	}
	if f.statuses[http.StatusTooManyRequests] != int(refused) || f.statuses[http.StatusPaymentRequired] == 0 ||
		f.statuses[http.StatusOK]+f.statuses[http.StatusPaymentRequired] != int(requests-refused) {
		f.t.Errorf("of %d requests %d are too many; they are answered %v", requests, refused, f.statuses)
	}
}

// end has the owner take another key: the copied one is refused, and the other game goes on.
func (f *flood) end() {
	f.t.Helper()
	copied := f.keys[game]
	f.keys[game] = mint.NewPlayKey()
	f.now = f.now.Add(time.Minute) // as long as keys are believed, and more
	for key, want := range map[string]int{copied: http.StatusUnauthorized, f.keys[game]: http.StatusPaymentRequired} {
		if status := f.send("192.0.2.9", game, key, 1<<30); status != want {
			f.t.Errorf("after it a key is answered %d, want %d", status, want)
		}
	}
	if status := f.send("192.0.2.10", other, f.keys[other], 1<<30); status != http.StatusOK {
		f.t.Errorf("after it another game is answered %d", status)
	}
}
