package chaos

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svc-games/svc/test/wait"
)

// supervisor keeps workers running while others end them.
type supervisor struct {
	t      *testing.T
	orders orders
	kills  atomic.Int64
	stop   chan struct{}
	wg     sync.WaitGroup

	mu       sync.Mutex // guards the following
	killable []*os.Process
	reached  map[string]int // points at which workers died
	failed   error
}

// run keeps one worker of a role running until the supervisor is stopped. Every
// other one dies at a point, each point in turn; the rest wait to be killed.
func (s *supervisor) run(role string, first int) {
	s.wg.Go(func() {
		for n := first; ; n++ {
			select {
			case <-s.stop:
				return
			default:
			}
			o := s.orders
			o.Role = role
			if n%2 == 0 {
				o.Point, o.Passage = points[role][n/2%len(points[role])], 1+rand.Int64N(3)
			}
			if err := s.life(o); err != nil {
				s.mu.Lock()
				s.failed = err
				s.mu.Unlock()
				return
			}
		}
	})
}

// life runs one worker until its end, which must be a kill.
func (s *supervisor) life(o orders) error {
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), workerEnv+"="+string(text))
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	defer stdin.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	if o.Point == "" {
		s.mu.Lock()
		s.killable = append(s.killable, cmd.Process)
		s.mu.Unlock()
	}
	ended := make(chan struct{})
	defer close(ended)
	go func() { // the run is over
		select {
		case <-s.stop:
			_ = cmd.Process.Kill()
		case <-ended:
		}
	}()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		s.mu.Lock()
		s.reached[o.Role+": "+lines.Text()]++
		s.mu.Unlock()
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != -1 {
		return fmt.Errorf("a %s ended by itself: %v", o.Role, cmd.ProcessState)
	}
	s.kills.Add(1)
	return nil
}

// killOne ends one of those that wait for it.
func (s *supervisor) killOne() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.killable) == 0 {
		return
	}
	i := rand.IntN(len(s.killable))
	_ = s.killable[i].Kill()
	s.killable = slices.Delete(s.killable, i, i+1)
}

// unreached lists the points of roles at which no worker has died yet.
func (s *supervisor) unreached(roles ...string) (list []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, role := range roles {
		for _, point := range points[role] {
			if s.reached[role+": "+point] == 0 {
				list = append(list, role+": "+point)
			}
		}
	}
	return list
}

// rage kills until there were as many kills as asked for and each point was
// reached, and then ends all workers.
func (s *supervisor) rage(kills int64, reaper string, patience time.Duration) {
	for i := range 3 {
		s.run(roleGateway, 4*i+i%2) // they begin at different points
	}
	s.run(reaper, 0)
	s.run(reaper, 5)
	defer s.wg.Wait()
	defer close(s.stop)
	ctx, cancel := wait.Within(s.t.Context(), patience)
	defer cancel()
	for {
		select {
		case <-time.After(time.Duration(30+rand.IntN(120)) * time.Millisecond):
			s.killOne()
		case <-ctx.Done():
			s.t.Errorf("only %d kills of %d, no death at %q", s.kills.Load(), kills, s.unreached(roleGateway, reaper))
			return
		}
		s.mu.Lock()
		failed := s.failed
		s.mu.Unlock()
		if failed != nil {
			s.t.Error(failed)
			return
		}
		if s.kills.Load() >= kills && len(s.unreached(roleGateway, reaper)) == 0 {
			return
		}
	}
}
