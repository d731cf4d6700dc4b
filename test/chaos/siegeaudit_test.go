package chaos

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/sidecar/store"
)

// engineTruth is what an engine's volume says of a job that it accepted.
type engineTruth struct {
	contract.JobRecord
	steps int64 // priced steps that were done
}

// truth reads the volumes of all projects.
func (g *siege) truth() map[string]engineTruth {
	all := make(map[string]engineTruth)
	for _, project := range g.projects {
		records, err := filepath.Glob(filepath.Join(g.volume(project), "jobs", "job_*", "job.json"))
		if err != nil {
			g.t.Fatal(err)
		}
		for _, path := range records {
			var stored struct {
				Record contract.JobRecord `json:"record"`
			}
			raw, err := os.ReadFile(path)
			if err == nil {
				err = json.Unmarshal(raw, &stored)
			}
			if err != nil {
				g.t.Fatal(err)
			}
			events, err := os.ReadFile(filepath.Join(filepath.Dir(path), "events.jsonl"))
			if err != nil {
				g.t.Fatal(err)
			}
			steps := bytes.Count(events, []byte(`"type":"`+api.EventUsage+`"`))
			all[stored.Record.JobID] = engineTruth{stored.Record, int64(steps)}
		}
	}
	return all
}

// row is what the ledger says of a job.
type row struct{ keyID, state string }

// books are what the ledger says.
type books struct {
	jobs         map[string]row
	running      map[string]int64 // by key
	today, month map[string]int64
	tik          map[string]api.TIK
	balance      api.TIK
}

func (g *siege) books(want func(ok bool, format string, args ...any)) books {
	b := books{
		jobs: make(map[string]row), running: make(map[string]int64),
		today: make(map[string]int64), month: make(map[string]int64), tik: make(map[string]api.TIK),
	}
	s, err := g.open()
	if err != nil {
		g.t.Fatal(err)
	}
	err = s.View(g.t.Context(), func(r *store.Reader) error {
		return errors.Join(
			r.Each(func(scan store.Scan) error {
				var id string
				var job row
				err := scan(&id, &job.keyID, &job.state)
				b.jobs[id] = job
				return err
			}, "SELECT j.id, j.key_id, j.state FROM jobs j JOIN keys k ON k.id = j.key_id WHERE k.user_id = 'alice'"),
			r.Each(func(scan store.Scan) error {
				var id string
				var running int64
				err := scan(&id, &running)
				b.running[id] = running
				return err
			}, "SELECT id, running FROM keys"),
			r.Each(func(scan store.Scan) error {
				var id, bucket string
				var jobs int64
				var tik api.TIK
				err := scan(&id, &bucket, &jobs, &tik)
				if bucket[0] == 'd' {
					b.today[id] += jobs
				} else {
					b.month[id] += jobs
					b.tik[id] += tik
				}
				return err
			}, "SELECT key_id, bucket, jobs, tik FROM usage"),
			r.Row("SELECT tik FROM balances WHERE user_id = 'alice'").Scan(&b.balance),
			auditInvariants(r, want),
		)
	})
	if err := errors.Join(err, s.Close()); err != nil {
		g.t.Fatal(err)
	}
	return b
}

// audit compares the ledger with the engines' volumes, with what clients were
// told, and with itself.
func (g *siege) audit() (wrong []string) {
	want := func(ok bool, format string, args ...any) {
		if !ok {
			wrong = append(wrong, fmt.Sprintf(format, args...))
		}
	}
	b, truth := g.books(want), g.truth()
	jobs, steps := make(map[string]int64), make(map[string]int64)
	var done int64
	for id, job := range truth {
		row, known := b.jobs[id]
		want(known && row.state == "settled", "job %s was accepted, its row is %q", id, row.state)
		jobs[row.keyID]++
		steps[row.keyID] += job.steps
		done += job.steps
	}
	for id, row := range b.jobs {
		_, accepted := truth[id]
		want(accepted || row.state == "released", "job %s was not accepted, its row is %q", id, row.state)
	}
	for id := range g.accepted {
		_, accepted := truth[id]
		want(accepted, "job %s was promised to a client, and no engine has it", id)
	}
	for i, key := range g.keys {
		n := jobs[key.ID]
		want(b.running[key.ID] == 0, "key %d: %d jobs in flight", i, b.running[key.ID])
		want(b.today[key.ID] == n && b.month[key.ID] == n, "key %d: %d jobs accepted, %d and %d counted", i, n, b.today[key.ID], b.month[key.ID])
		want(b.tik[key.ID] == api.TIK(steps[key.ID])*api.MicroPerTIK, "key %d: %s TIK counted for %d steps", i, b.tik[key.ID], steps[key.ID])
	}
	capped, paced := g.keys[0].ID, g.keys[1].ID
	want(jobs[capped] <= monthly, "%d jobs accepted on a limit of %d a month", jobs[capped], monthly)
	most := g.mostAtOnce(truth, b, paced)
	want(most <= siegeAtOnce, "%d jobs at once on a limit of %d", most, siegeAtOnce)
	want(b.balance == siegeCredit*api.MicroPerTIK-api.TIK(done)*api.MicroPerTIK, "balance %s after %d steps", b.balance, done)
	want(len(truth) > len(g.projects), "no job was accepted: nothing was tested")
	g.auditIntruder(want)
	g.jobs, g.undone = int64(len(truth)), int64(len(b.jobs)-len(truth))
	g.t.Logf("%d jobs accepted, %d released, %d priced steps; of the paced key %d at once",
		len(truth), len(b.jobs)-len(truth), done, most)
	return wrong
}

// mostAtOnce returns how many jobs of a key were accepted and not ended at the
// same moment, by the engines' own records.
func (g *siege) mostAtOnce(truth map[string]engineTruth, b books, keyID string) int {
	type edge struct {
		at    time.Time
		delta int
	}
	var edges []edge
	for id, job := range truth {
		if b.jobs[id].keyID == keyID && job.FinishedAt != nil {
			edges = append(edges, edge{job.CreatedAt, 1}, edge{*job.FinishedAt, -1})
		}
	}
	slices.SortFunc(edges, func(x, y edge) int {
		if c := x.at.Compare(y.at); c != 0 {
			return c
		}
		return x.delta - y.delta
	})
	most, now := 0, 0
	for _, e := range edges {
		now += e.delta
		most = max(most, now)
	}
	return most
}

// releaseBlindly releases every reservation that is older than patience, and
// asks no engine: what it is the test that the audit finds.
func (g *siege) releaseBlindly(patience time.Duration) (stop func()) {
	s, err := g.open()
	if err != nil {
		g.t.Fatal(err)
	}
	l, err := newLedger(s, nil)
	if err != nil {
		g.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(g.t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(patience / 5)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			var overdue []string
			err := s.View(ctx, func(r *store.Reader) error {
				return r.Each(func(scan store.Scan) error {
					var id string
					err := scan(&id)
					overdue = append(overdue, id)
					return err
				}, "SELECT id FROM jobs WHERE state = 'reserved' AND created_at < ?", time.Now().Add(-patience).UnixMilli())
			})
			for _, id := range overdue {
				err = errors.Join(err, l.Release(ctx, id))
			}
			if err != nil && ctx.Err() == nil && !busy(err) {
				g.t.Error(err)
				return
			}
		}
	})
	return func() {
		cancel()
		wg.Wait()
		if err := s.Close(); err != nil {
			g.t.Error(err)
		}
	}
}
