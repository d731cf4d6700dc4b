package bench

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/svc-games/svc/test/rig"
)

const (
	// restPolls are how many polls a gateway has answered before it rests, of so many keys.
	restPolls, restKeys = 1_000_000, 20
	// restsFor is how long nobody has asked for anything when the memory is looked at: a
	// gateway gives back what it needed once it has seen that it has little to do.
	restsFor = 30 * time.Second
	// restBudget is what it may have then, and restFails from where a short run fails, in MiB.
	restBudget, restFails = 90, 120
)

// rest measures the memory of a gateway that has answered many polls and has nothing to do.
func (r *report) rest() {
	t := r.t
	ours := rig.Launch(t, rig.Options{Caddyfile: wide, Prefix: pinned(t, 0)})
	ours.NewUser("bench", "1000000")
	key := ours.NewKey("bench")
	sub := ours.Generate(key, ours.NewProject(key))
	ours.Finish(key, sub)
	path := rig.StatusPath(sub)
	record := ours.Call(key, http.MethodGet, path, nil).Body
	var polls []*peer
	for len(polls) < restKeys {
		polls = append(polls, &peer{Process: &ours.Process, addr: ours.Addr, request: get(ours.Addr, key, path)})
		if len(polls) < restKeys {
			key = ours.NewKey("bench")
		}
	}
	bare := r.caddy("bare Caddy", fmt.Sprintf(bare, serve(t, record)), key, path)

	most := max(20_000, r.n(restPolls))
	answered, ofBare := pollAll(t, polls, most), pollAll(t, []*peer{bare}, most/10)
	<-time.After(restsFor)
	const mib = 1 << 20
	held, heldByBare := float64(resident(t, ours.PID()))/mib, float64(resident(t, bare.PID()))/mib

	s := r.section("Memory at rest", fmt.Sprintf("Resident memory of the process %v after the last of its requests; the engines have their own.", restsFor),
		"", "requests", "memory", "budget", "")
	s.row("bare Caddy, reverse_proxy", ofBare, fmt.Sprintf("%.0f MB", heldByBare), "", "")
	kept := s.kept("resident memory", share(held, restBudget))
	s.row(fmt.Sprintf("svc: status polls of %d keys", restKeys), answered, fmt.Sprintf("%.0f MB", held), fmt.Sprintf("%d MB", restBudget), verdict(kept))
	r.missed(s, kept, "what lives in the heap at rest", func() []byte {
		heap, err := ours.Profile(0)
		if err != nil {
			t.Fatal(err)
		}
		return heap
	})
	r.hold(held <= restFails, "a gateway at rest has %.0f MB, want at most %d", held, restFails)
}

// pollAll has peers asked in turn until so many answers have come.
func pollAll(t *testing.T, peers []*peer, most int) (answered int64) {
	for answered < int64(most) {
		for _, p := range peers {
			answered += p.flood(t, 100*time.Millisecond)
		}
	}
	return answered
}
