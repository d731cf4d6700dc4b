package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar/analytics"
	"github.com/svc-games/svc/sidecar/ledger"
	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/test/long"
)

// TestWhatPlayersDidIsCountedOnceThoughTheServiceIsKilled kills all of the service while
// players send, who send again what they got no answer to. 100 times a form in a long run.
func TestWhatPlayersDidIsCountedOnceThoughTheServiceIsKilled(t *testing.T) {
	inEveryForm(t, func(t *testing.T, f form) {
		s := start(t, f)
		key := s.newKey("alice")
		project := s.newProject(key)
		sub := s.generate(key, project, brief)
		s.finish(key, sub)
		c := &crowd{t: t, made: s.publish(key, project, sub.JobID)}
		c.endpoint = s.endpoint(c.made)
		kills := 3
		if long.Asked() {
			kills = 100
		}
		for i := range 4 {
			c.players.Go(func() { c.play(i) })
		}
		for range kills {
			// Some are answered in this life, so that the next kill meets others.
			before := c.answers.Load()
			s.eventually("players are answered", func() bool { return c.answers.Load() > before+3 })
			_ = s.stop(os.Kill) // it was killed
			s.start()
		}
		c.over.Store(true)
		c.players.Wait()
		o := s.overview(key, project)
		if o.Events["jump"] != c.said.Load() || o.Total.Lost != 0 || len(o.Dropped) != 0 {
			t.Errorf("counted %d of %d events, %d lost, dropped %v", o.Events["jump"], c.said.Load(), o.Total.Lost, o.Dropped)
		}
		_ = s.stop(os.Interrupt)
		s.wantMeters(project, c.said.Load())
	})
}

// wantMeters holds the blocks of a game that was played against its events.
func (s *service) wantMeters(project string, events int64) {
	s.t.Helper()
	books, err := store.OpenSQLite(s.t.Context(), filepath.Join(s.dir, store.SQLiteFile))
	if err != nil {
		s.t.Fatal(err)
	}
	var blocks map[string]int64
	found, err := analytics.CheckMeters(s.t.Context(), filepath.Join(s.dir, analytics.File), func() (_ map[string]int64, err error) {
		blocks, err = store.Read(s.t.Context(), books, ledger.Blocks)
		return blocks, err
	})
	if err != nil || len(found) > 0 {
		s.t.Errorf("the meters break %q, %v", found, err)
	}
	if n := blocks[project]; n*analytics.BlockEvents < events || n > events/analytics.BlockEvents+2 {
		s.t.Errorf("%d blocks are paid for %d events", n, events)
	}
	if err := books.Close(); err != nil {
		s.t.Error(err)
	}
}

// crowd are players who send what they do until it is acknowledged.
type crowd struct {
	t        *testing.T
	made     api.Publication
	endpoint string
	players  sync.WaitGroup
	over     atomic.Bool
	answers  atomic.Int64
	said     atomic.Int64 // events
}

// Batches of a player's page, each with as many events as keeps a page within its bound,
// and how often a player sends: one address may send twenty in a second.
const (
	batchesOfPage = 2
	ofBatch       = 150
	sendEvery     = 250 * time.Millisecond
)

// play has one player after another play, until it is over.
func (c *crowd) play(place int) {
	tick := time.NewTicker(sendEvery)
	defer tick.Stop()
	for n := 0; !c.over.Load() && !c.t.Failed(); n++ {
		for batch := range batchesOfPage {
			for !c.send(place<<32+n, batch) && !c.t.Failed() {
				<-tick.C
			}
			c.said.Add(ofBatch)
			<-tick.C
		}
	}
}

// send sends a batch and reports whether all of it is acknowledged.
func (c *crowd) send(page, batch int) bool {
	var events []string
	for i := range ofBatch {
		seq := batch*ofBatch + i + 1
		events = append(events, fmt.Sprintf(`[%d,%d,"jump",{}]`, seq, seq))
	}
	body := fmt.Sprintf(`{"v":1,"k":%q,"g":%q,"b":%q,"s":"%032x","p":"%032x","o":1000,"act":1000,"e":[%s]}`,
		c.made.Key, c.made.GameID, c.made.JobID, page+1, page+1, strings.Join(events, ","))
	resp, err := http.Post(c.endpoint+"/b", "text/plain", strings.NewReader(body))
	if err != nil {
		return false // it is being killed
	}
	defer resp.Body.Close()
	var answer play.Answer
	switch err := json.NewDecoder(resp.Body).Decode(&answer); {
	case resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests || err != nil:
		return false
	case resp.StatusCode != http.StatusOK || answer.Ack != int64((batch+1)*ofBatch):
		c.t.Errorf("a batch is answered %d %+v", resp.StatusCode, answer)
	}
	c.answers.Add(1)
	return true
}
