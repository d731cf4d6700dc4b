package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/svc-games/svc/test/rig"
	"github.com/svc-games/svc/test/rig/point"
)

// killable is a process of the service that dies and is started again.
type killable struct {
	*rig.Process
	ready  func(context.Context) error // waits until it answers
	points []string                    // at which it may die by itself
	weight int                         // how likely it is killed, beside each engine's 1

	mu   sync.Mutex // guards ripe
	ripe time.Time  // when it may be killed; zero while it does not answer
}

// ripen lets the process be killed once shelter is over.
func (m *killable) ripen(shelter time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ripe = time.Now().Add(shelter)
}

// kill kills the process if it is ripe. keepAlive counts it.
func (m *killable) kill() {
	m.mu.Lock()
	ripe := !m.ripe.IsZero() && time.Now().After(m.ripe)
	if ripe {
		m.ripe = time.Time{}
	}
	m.mu.Unlock()
	if pid := m.PID(); ripe && pid != 0 {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// keepAlive starts a process again whenever it died. Every other life ends at a
// point, each point in turn.
func (g *siege) keepAlive(ctx context.Context, m *killable) {
	env := m.Env
	defer func() { m.Env = env }()
	for life := 1; ctx.Err() == nil; life++ {
		select {
		case <-m.Exited():
		case <-ctx.Done():
			return
		}
		g.kills.Add(1)
		m.Env = env
		shelter := time.Duration(0)
		if len(m.points) > 0 && life%2 == 1 {
			name := m.points[life/2%len(m.points)]
			m.Env = append(slices.Clone(env), point.DeathsEnv+"="+g.deaths,
				fmt.Sprintf("%s=%s=%d", point.DieEnv, name, 1+rand.IntN(3)))
			shelter = immunity
		}
		if err := m.Start(); err != nil {
			g.t.Error(err)
			return
		}
		// It may die before it answers, at its point for one.
		if m.ready(ctx) == nil {
			m.ripen(shelter)
		}
	}
}
