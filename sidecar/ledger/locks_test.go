package ledger_test

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/store/storetest"
)

// TestOperationsOnTheSameKeysWaitForEachOtherInOneOrder has the feeds of several
// projects move jobs of the same two keys, in any order, between submissions,
// releases and top-ups. Nothing may be lost, and nobody may wait in a circle.
func TestOperationsOnTheSameKeysWaitForEachOtherInOneOrder(t *testing.T) {
	const feeds, rounds, topUps = 4, 12, 12
	for _, d := range storetest.Databases {
		t.Run(d.Name, func(t *testing.T) {
			f := newFixture(t, d)
			keyIDs := []string{f.newKey(policy.Limits{}), f.newKey(policy.Limits{})}
			var wg sync.WaitGroup
			for range feeds {
				run := feedRun{f: f, project: f.newProject(), keyIDs: keyIDs}
				wg.Go(func() {
					for range rounds {
						if err := run.round(); err != nil {
							t.Error(err)
							return
						}
					}
				})
			}
			wg.Go(func() {
				for range topUps {
					if _, err := f.keys.TopUp(t.Context(), "test", "alice", keys.Credit{TIK: api.MicroPerTIK}); err != nil {
						t.Error(err)
					}
				}
			})
			wg.Wait()
			for _, id := range keyIDs {
				f.wantUsage(id, feeds*rounds, feeds*rounds, 0)
			}
			const steps = 2 * feeds * rounds // of 10 TIK
			if want := (100 + topUps - 10*steps) * api.TIK(api.MicroPerTIK); f.balance() != want {
				t.Errorf("balance %s, want %s", f.balance(), want)
			}
		})
	}
}

// feedRun is one project's submissions and its feed.
type feedRun struct {
	f       *fixture
	project string
	keyIDs  []string
	seq     uint64
}

// round has one job of each key accepted, another one released, and both
// charged and ended by one batch.
func (r *feedRun) round() error {
	ctx := r.f.t.Context()
	var charges, ends []contract.FeedRecord
	for _, i := range rand.Perm(len(r.keyIDs)) {
		for _, refused := range []bool{true, false} {
			jobID := mint.NewJobID(r.f.clock.Now())
			_, err := r.f.ledger.Reserve(ctx, sidecar.Reservation{JobID: jobID, KeyID: r.keyIDs[i], ProjectID: r.project})
			if err == nil && refused {
				err = r.f.ledger.Release(ctx, jobID)
			}
			if err != nil {
				return err
			}
			if !refused {
				charges = append(charges, r.f.used(jobID, "step", 1, ""))
				ends = append(ends, r.f.ended(jobID, api.JobCompleted))
			}
		}
	}
	records := append(charges, ends...)
	for i := range records {
		r.seq++
		records[i].FeedID, records[i].Seq, records[i].At = "feed", r.seq, r.f.clock.Now()
	}
	_, err := r.f.ledger.ApplyFeed(ctx, contract.FeedBatch{ProjectID: r.project, FeedID: "feed", Records: records})
	return err
}
