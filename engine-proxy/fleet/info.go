package fleet

import (
	"fmt"
	"strings"

	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/lifecycle"
)

// info describes the engine for operators.
func (a *actor) info() engineproxy.Info {
	s := a.machine.Status()
	i := engineproxy.Info{
		ProjectID: a.id, OwnerID: a.owner, State: s.State, Phase: string(s.Phase), Since: s.Since,
		InstanceID: a.run.instance(), Failure: s.Failure.Reason, FailureCode: s.Failure.Code, Fatal: s.Failure.Fatal,
	}
	if s.State == engineproxy.StateFailed && !s.Failure.Fatal {
		next := s.Failure.NextAt.UTC()
		i.NextStart = &next
	}
	r := a.run
	if r == nil {
		return i
	}
	i.Generation, i.PID, i.Activity = r.entry.Generation, r.pid, s.Activity
	if s.State != engineproxy.StateReady && s.State != engineproxy.StateDraining {
		return i
	}
	i.AliveBecause = aliveBecause(s)
	if !s.StopAt.IsZero() {
		at := s.StopAt.UTC()
		i.WouldStopAt = &at
	}
	return i
}

// aliveBecause says why an engine is not stopped.
func aliveBecause(s lifecycle.Status) string {
	var why []string
	add := func(n int, what string) {
		if n > 0 {
			why = append(why, fmt.Sprintf("%d %s", n, what))
		}
	}
	add(s.Activity.RunningJobs, "running jobs")
	add(s.Activity.QueuedJobs, "queued jobs")
	add(s.Activity.UnackedFeed, "unacknowledged feed records")
	add(max(s.Leases, s.Activity.OpenStreams), "open requests or streams")
	switch {
	case len(why) > 0:
		return strings.Join(why, ", ")
	case s.Unseen:
		return "used a moment ago"
	}
	return "idle"
}
