package ledger_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/store/storetest"
	"github.com/svc-games/svc/test/long"
)

const (
	historySlots   = 10 // jobs of a history
	historyClients = 5
	historySteps   = 6 // of each client
	historyDay     = 4 // limits of the key
	historyAtOnce  = 2
)

// linearOp is one call of a history: what is done to which job, and the answer.
type linearOp struct {
	kind string
	slot int
}

// linearState is the ledger as one key and its jobs see it.
type linearState struct {
	revoked       bool
	jobs, running int64
	slots         [historySlots]string // "", reserved, active, settled or released
}

// linearModel says which answers a ledger may give that does one operation
// after the other.
var linearModel = porcupine.Model{
	Init: func() any { return linearState{} },
	Step: func(state, input, output any) (bool, any) {
		s, op := state.(linearState), input.(linearOp)
		want := s.apply(op)
		return want == output.(string), s
	},
}

// apply changes the state and returns the answer.
func (s *linearState) apply(op linearOp) string {
	job := &s.slots[op.slot]
	switch op.kind {
	case "revoke":
		s.revoked = true
		return "ok"
	case "usage":
		return fmt.Sprint(s.jobs, s.running)
	case "reserve":
		switch {
		case s.revoked:
			return policy.KeyRevoked
		case s.jobs+1 > historyDay:
			return api.LimitJobsPerDay
		case s.running+1 > historyAtOnce:
			return api.LimitMaxConcurrentJobs
		}
		s.jobs++
		s.running++
		*job = "reserved"
		return "ok"
	}
	if *job == "" {
		return "unknown"
	}
	switch op.kind {
	case "commit":
		switch *job {
		case "released":
			return "released"
		case "reserved":
			*job = "active"
		}
	case "release":
		if *job == "reserved" {
			*job = "released"
			s.jobs--
			s.running--
		}
	case "end":
		if *job == "reserved" || *job == "active" {
			*job = "settled"
			s.running--
		}
	}
	return "ok"
}

// TestHistoriesAreLinearizable records what concurrent clients of two gateways
// were told and has it explained by some order of the operations in which each
// takes place between its call and its return.
func TestHistoriesAreLinearizable(t *testing.T) {
	for _, d := range storetest.Databases {
		t.Run(d.Name, func(t *testing.T) {
			stores := map[string]int{"SQLite": 2, "PostgreSQL": 1}[d.Name]
			if long.Asked() {
				stores *= 10
			}
			for n := range stores {
				t.Run(fmt.Sprint(n), func(t *testing.T) {
					t.Parallel()
					checkHistories(newFixture(t, d))
				})
			}
		})
	}
}

// historiesPerStore is how many histories go to one database. Each has a key and a
// project of its own; the rows of earlier ones are only looked at again, by
// wantInvariants.
const historiesPerStore = 15

func checkHistories(f *fixture) {
	both := []gateway{{f.ledger, f.keys}, f.second()}
	for round := range historiesPerStore {
		day, atOnce := int64(historyDay), int64(historyAtOnce)
		key := f.newKeyOf(fmt.Sprintf("user%d", round), policy.Limits{JobsPerDay: &day, MaxConcurrentJobs: &atOnce})
		h := &history{t: f.t, key: key, project: f.newProject()}
		for i := range h.jobIDs {
			h.jobIDs[i] = mint.NewJobID(f.clock.Now())
		}
		result := porcupine.CheckOperationsTimeout(linearModel, h.record(both), 2*time.Minute)
		if result != porcupine.Ok {
			f.t.Fatalf("round %d: %s:\n%s", round, result, h)
		}
		wantInvariants(f.t, f.store)
	}
}

// history is what the clients of one key were told.
type history struct {
	t            *testing.T
	key, project string
	jobIDs       [historySlots]string

	used  atomic.Int64 // slots
	clock atomic.Int64 // orders calls and returns

	mu  sync.Mutex // guards ops
	ops []porcupine.Operation
}

// record has the clients do what chance says.
func (h *history) record(gateways []gateway) []porcupine.Operation {
	var wg sync.WaitGroup
	for client := range historyClients {
		wg.Go(func() {
			for range historySteps {
				op := h.choose()
				called := h.clock.Add(1)
				answer := h.do(gateways[rand.IntN(len(gateways))], op)
				returned := h.clock.Add(1)
				h.mu.Lock()
				h.ops = append(h.ops, porcupine.Operation{
					ClientId: client, Input: op, Output: answer, Call: called, Return: returned,
				})
				h.mu.Unlock()
			}
		})
	}
	wg.Wait()
	return h.ops
}

func (h *history) choose() linearOp {
	kinds := []string{"reserve", "reserve", "reserve", "commit", "commit", "release", "release", "end", "end", "usage"}
	if rand.IntN(40) == 0 {
		return linearOp{kind: "revoke"}
	}
	op := linearOp{kind: kinds[rand.IntN(len(kinds))]}
	if op.kind == "reserve" {
		if slot := h.used.Add(1) - 1; slot < historySlots {
			op.slot = int(slot)
			return op
		}
		op.kind = "usage"
	}
	if used := min(h.used.Load(), historySlots); op.kind != "usage" && used > 0 {
		op.slot = rand.IntN(int(used))
	}
	return op
}

// do makes the call and returns the answer in the model's words.
func (h *history) do(g gateway, op linearOp) string {
	ctx, jobID := h.t.Context(), h.jobIDs[op.slot]
	var err error
	switch op.kind {
	case "revoke":
		if _, err = g.registry.Revoke(ctx, "test", h.key); errors.Is(err, keys.ErrState) {
			err = nil // it is revoked already
		}
	case "usage":
		var u keys.Usage
		if u, err = g.registry.Usage(ctx, h.key); err == nil {
			return fmt.Sprint(u.JobsToday, u.RunningJobs)
		}
	case "reserve":
		_, err = g.ledger.Reserve(ctx, sidecar.Reservation{JobID: jobID, KeyID: h.key, ProjectID: h.project})
	case "commit":
		err = g.ledger.Commit(ctx, jobID)
	case "release":
		err = g.ledger.Release(ctx, jobID)
	case "end":
		err = g.ledger.EndJob(ctx, contract.JobRecord{JobID: jobID, ProjectID: h.project, Status: api.JobFailed})
	}
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, sidecar.ErrUnknownJob):
		return "unknown"
	case errors.Is(err, sidecar.ErrReleased):
		return "released"
	}
	if reason := refusalOf(err); reason != "error" {
		return reason
	}
	return err.Error()
}

func (h *history) String() (text string) {
	for _, op := range h.ops {
		text += fmt.Sprintf("%3d–%3d client %d: %+v: %v\n", op.Call, op.Return, op.ClientId, op.Input, op.Output)
	}
	return text
}

// TestCheckerFindsAHistoryThatIsNotLinearizable keeps the test above honest.
func TestCheckerFindsAHistoryThatIsNotLinearizable(t *testing.T) {
	reserve := func(slot int, answer string, call int64) porcupine.Operation {
		return porcupine.Operation{Input: linearOp{"reserve", slot}, Output: answer, Call: call, Return: call + 1}
	}
	lost := []porcupine.Operation{reserve(0, "ok", 1), reserve(1, "ok", 3), reserve(2, "ok", 5)} // only two at once
	if porcupine.CheckOperations(linearModel, lost) {
		t.Error("three at once were found fine")
	}
	if !porcupine.CheckOperations(linearModel, append(lost[:2:2], reserve(2, api.LimitMaxConcurrentJobs, 5))) {
		t.Error("the refusal of the third was not found fine")
	}
}
