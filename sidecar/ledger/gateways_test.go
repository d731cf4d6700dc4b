package ledger_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/store/storetest"
	"github.com/svc-games/svc/test/long"
)

func TestFiveGatewaysAdmitExactlyTheLimit(t *testing.T) {
	const limit, clients = 5, 50
	rounds := 6
	if long.Asked() {
		rounds = 60
	}
	for _, d := range storetest.Databases {
		t.Run(d.Name, func(t *testing.T) {
			f := newFixture(t, d)
			all := []gateway{{f.ledger, f.keys}, f.second(), f.second(), f.second(), f.second()}
			for round := range rounds {
				day := int64(limit)
				key := f.newKeyOf(fmt.Sprintf("user%d", round), policy.Limits{JobsPerDay: &day})
				f.project = f.newProject()
				var admitted atomic.Int64
				var wg sync.WaitGroup
				for client := range clients {
					r := sidecar.Reservation{JobID: mint.NewJobID(f.clock.Now()), KeyID: key, ProjectID: f.project}
					wg.Go(func() {
						_, err := all[client%len(all)].ledger.Reserve(t.Context(), r)
						switch refusalOf(err) {
						case "":
							admitted.Add(1)
						case api.LimitJobsPerDay:
						default:
							t.Error(err)
						}
					})
				}
				wg.Wait()
				if admitted.Load() != limit {
					t.Errorf("round %d: %d admitted, want %d", round, admitted.Load(), limit)
				}
				f.wantUsage(key, limit, limit, limit)
			}
		})
	}
}
