package chaos

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/test/rig"
	"github.com/svc-games/svc/test/rig/script"
	"github.com/svc-games/svc/test/wait"
)

// intruder is a user whose project's engine was taken over: it lies in its feed,
// answers with evil archives and floods its log, while it is killed like the
// others. It must cost nobody but this user.
type intruder struct {
	key     rig.Key
	project string
	jobs    int64 // settled, as the audit found
	broken  int64 // of them ended as internal
}

const intruderCredit = 1000 // TIK

// intrude lets an intruder in, among engines that do as s says.
func (g *siege) intrude(s script.Engine) {
	m := g.gateways[0]
	m.NewUser("mallory", fmt.Sprint(intruderCredit))
	in := &intruder{key: m.NewKey("mallory", "--max-concurrent-jobs", "3")}
	in.project = m.NewProject(in.key)
	s.Hostile = in.project
	g.script(s)
	g.intruder = in
}

// submitHostile has the intruder's engine work, until ctx ends.
func (g *siege) submitHostile(ctx context.Context) {
	for ctx.Err() == nil {
		m := g.gateways[rand.IntN(len(g.gateways))]
		_, _ = m.Submit(ctx, g.intruder.key, g.intruder.project) // whatever is answered
		select {
		case <-ctx.Done():
		case <-time.After(4 * respite):
		}
	}
}

// reform has the intruder's engine, which is honest by now, make a game.
func (g *siege) reform() {
	m, in := g.gateways[0], g.intruder
	free := func() bool { return m.Usage(in.key).RunningJobs == 0 }
	wait.Until(g.t, "the hostile jobs have ended", free)
	if job := m.Finish(in.key, m.Generate(in.key, in.project)); job.Status != api.JobCompleted {
		g.t.Errorf("a job of the project whose engine is honest again is %s %+v", job.Status, job.Failure)
	}
	wait.Until(g.t, "every slot of the hostile project is free", free)
}

// auditIntruder checks that the intruder's books are whole, and that no job cost
// more than an engine is believed to have done: one step.
func (g *siege) auditIntruder(want func(ok bool, format string, args ...any)) {
	in := g.intruder
	if in == nil {
		return
	}
	s, err := g.open()
	if err != nil {
		g.t.Fatal(err)
	}
	var open, others int64
	var balance api.TIK
	err = s.View(g.t.Context(), func(r *store.Reader) error {
		return errors.Join(
			r.Row("SELECT count(*) FROM jobs WHERE key_id = ? AND state = 'settled'", in.key.ID).Scan(&in.jobs),
			r.Row("SELECT count(*) FROM jobs WHERE key_id = ? AND state = 'settled' AND record LIKE ?", in.key.ID,
				`%"code":"`+string(api.FailureInternal)+`"%`).Scan(&in.broken),
			r.Row("SELECT count(*) FROM jobs WHERE key_id = ? AND state <> 'settled' AND state <> 'released'", in.key.ID).Scan(&open),
			r.Row("SELECT count(*) FROM tik_entries WHERE project_id = ? AND user_id <> 'mallory'", in.project).Scan(&others),
			r.Row("SELECT tik FROM balances WHERE user_id = 'mallory'").Scan(&balance),
		)
	})
	if err := errors.Join(err, s.Close()); err != nil {
		g.t.Fatal(err)
	}
	want(open == 0, "%d jobs of the hostile engine neither settled nor released", open)
	want(others == 0, "%d entries of the hostile engine's project are not its user's", others)
	spent := intruderCredit*api.MicroPerTIK - balance
	want(spent >= 0 && spent <= api.TIK(in.jobs)*api.MicroPerTIK, "%d jobs of the hostile engine cost %s", in.jobs, spent)
	g.t.Logf("%d jobs of the hostile engine, %d of them ended as internal", in.jobs, in.broken)
	want(in.jobs > 0, "the hostile engine had no job: nothing was tested")
}
