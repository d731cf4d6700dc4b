package cluster

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
	"github.com/svc-games/svc/test/rig"
	"github.com/svc-games/svc/test/rig/script"
	"github.com/svc-games/svc/test/wait"
)

// wantNoKey wants no key in the balancer's log, which says of each stream that breaks off
// who asked for it.
func (r *rollout) wantNoKey() {
	r.t.Helper()
	log := r.to.Log()
	if !strings.Contains(log, "aborting with incomplete response") {
		r.t.Error("no stream broke off")
	}
	for _, key := range r.keys {
		if strings.Contains(log, key.Secret) {
			r.t.Error("the balancer's log has a client's key")
		}
	}
}

// balancer starts the load balancer of deploy/compose.yaml before two gateways.
func balancer(t *testing.T, gateways []*rig.Gateway) *rig.Gateway {
	t.Helper()
	shipped, err := os.ReadFile(filepath.Join(rig.Root(t), "deploy/compose/balancer.caddyfile"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer(
		"gateway-1:8080", gateways[0].Addr, "gateway-2:8080", gateways[1].Addr,
		"health_port 9180", "", // the rig's gateways have it where the API is
		"{$SVC_SITE:http://}", "{$SVC_ADDRESS}",
	).Replace(string(shipped))
	return rig.Launch(t, rig.Options{Caddyfile: text, Env: []string{"SVC_FRAMEWORKS=/nowhere"}})
}

// rollout is a cluster whose processes are replaced under clients.
type rollout struct {
	*rig.Cluster
	*prober
	store string    // URL of PostgreSQL, "" for SQLite
	pair  *rig.Pair // nil: there is one sidecar, or one in each gateway
}

// step is the replacement of one process.
type step struct {
	name    string
	process *rig.Process
	ready   func() error
}

func (r *rollout) steps() []step {
	steps := []step{{"the sidecar", r.Sidecar, func() error { return r.SidecarReady(r.t.Context()) }}}
	if r.pair != nil {
		steps = []step{
			{"the first sidecar", r.Sidecar, func() error { return r.pair.Ready(r.t.Context(), r.Sidecar) }},
			{"the second sidecar", r.pair.Second, func() error { return r.pair.Ready(r.t.Context(), r.pair.Second) }},
		}
	}
	steps = append(steps, step{"the engine proxy", r.Proxy, func() error { return r.ProxyReady(r.t.Context()) }})
	for i, g := range r.Gateways {
		steps = append(steps, step{[]string{"the first gateway", "the second gateway"}[i], &g.Process, func() error { return g.Ready(r.t.Context()) }})
	}
	return steps
}

// replace has a process leave of itself, for another one of the same program. Nobody takes a
// port over.
func (r *rollout) replace(s step) error {
	if s.process == r.Sidecar && r.pair == nil || s.process == r.Proxy {
		return s.process.TakeOver("--take-over")
	}
	return errors.Join(s.process.Stop(), s.process.Start())
}

// during does something to a process and waits until all of its clients are served again.
func (r *rollout) during(what string, s step, do func(step) error) {
	r.t.Helper()
	before := r.refused.Load()
	if err := errors.Join(do(s), s.ready()); err != nil {
		r.t.Fatalf("%s %s: %v", s.name, what, err)
	}
	r.served(s.name + " " + what)
	r.t.Logf("%s %s: %d answers put clients off", s.name, what, r.refused.Load()-before)
}

// served waits until each client has one more job done, and another one accepted.
func (r *rollout) served(after string) {
	r.t.Helper()
	jobs := func() map[rig.Key]int {
		r.mu.Lock()
		defer r.mu.Unlock()
		counts := make(map[rig.Key]int, len(r.keys))
		for _, key := range r.keys {
			counts[key] = len(r.accepted[key])
		}
		return counts
	}
	began := jobs()
	wait.Until(r.t, "after "+after+" each client has two more jobs accepted", func() bool {
		now := jobs()
		for key := range began {
			if now[key] < began[key]+2 {
				return false
			}
		}
		return true
	})
}

// exact wants every job that a client was told of done and charged once, and nothing else.
func (r *rollout) exact() {
	r.t.Helper()
	g := r.Gateways[0]
	for _, key := range r.keys {
		for _, sub := range r.accepted[key] {
			if job := g.Finish(key, sub); job.Status != api.JobCompleted || job.TIKSpent != api.MicroPerTIK {
				r.t.Errorf("the record is %+v", job)
			}
		}
		wait.Until(r.t, "every slot is free", func() bool { return g.Usage(key).RunningJobs == 0 })
		n := int64(len(r.accepted[key]))
		if u := g.Usage(key); u.JobsThisMonth != n || u.TIKSpent != api.TIK(n)*api.MicroPerTIK {
			r.t.Errorf("%d jobs were accepted, the usage is %+v", n, u)
		}
	}
	doctor := exec.Command(rig.Bin(r.t, "svc"), "doctor", "--data-dir", r.Dir)
	doctor.Env = append(os.Environ(), "SVC_STORE="+r.store)
	said, _ := doctor.Output() // the code of its end tells of the machine as well
	if !strings.Contains(string(said), "ok    ledger, ") || strings.Contains(string(said), "FAIL  ledger") {
		r.t.Errorf("svc doctor says of the ledger:\n%s", said)
	}
}

// TestEveryProcessIsReplacedUnderClientsThatLoseNothing: one after the other leaves of
// itself, and then by SIGKILL. Clients know by the refusals that docs/errors.md has, if at
// all; no stream loses an event, and the books are exact.
func TestEveryProcessIsReplacedUnderClientsThatLoseNothing(t *testing.T) {
	const delay, grace = "SVC_SHUTDOWN_DELAY=5s", "SVC_GRACE=30s"
	for name, launch := range map[string]func(t *testing.T, r *rollout, s script.Engine){
		"SQLite": func(t *testing.T, r *rollout, s script.Engine) {
			r.Cluster = rig.LaunchCluster(t, 2, "", s, delay, grace)
		},
		"PostgreSQL": func(t *testing.T, r *rollout, s script.Engine) {
			r.store = postgrestest.URL(t)
			r.Cluster = rig.LaunchCluster(t, 2, r.store, s, delay, grace)
		},
		"TwoSidecars": func(t *testing.T, r *rollout, s script.Engine) { // as deploy/compose.yaml and deploy/kubernetes have them
			r.store = postgrestest.URL(t)
			r.pair = rig.LaunchPair(t, 2, r.store, s, delay, grace)
			r.Cluster = r.pair.Cluster
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := new(rollout)
			launch(t, r, script.Engine{Work: 200 * time.Millisecond})
			r.Gateways[0].NewUser("alice", "100000")
			keys := []rig.Key{r.Gateways[0].NewKey("alice"), r.Gateways[0].NewKey("alice"), r.Gateways[0].NewKey("alice")}
			r.prober = probe(t, balancer(t, r.Gateways), keys)
			r.served("the start")
			for _, s := range r.steps() {
				r.during("leaves", s, r.replace)
			}
			for _, s := range r.steps() {
				r.during("is killed", s, func(s step) error { return errors.Join(s.process.Kill(), s.process.Start()) })
			}
			r.finish()
			t.Logf("%d answers, of which %d put clients off: %v", r.answered.Load(), r.refused.Load(), r.refusedWith())
			r.exact()
			r.wantNoKey()
		})
	}
}
