package chaos

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svc-games/svc/test/wait"
)

// page is one load of a game's page.
type page struct{ game, stream string }

// member is a worker of a crew: its role, and the life with which it begins.
type member struct {
	role  string
	first int
}

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
	sent     map[page]bool  // pages that a recorder kept or was to keep, and whether it said so
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
		s.note(o.Role, lines.Text())
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != -1 {
		return fmt.Errorf("a %s ended by itself: %v", o.Role, cmd.ProcessState)
	}
	s.kills.Add(1)
	return nil
}

// note takes what a worker says: the point at which it dies, or a page that it was sent
// or has kept.
func (s *supervisor) note(role, said string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch word := strings.Fields(said); {
	case role != roleRecorder || len(word) != 3:
		s.reached[role+": "+said]++
	default:
		p := page{word[1], word[2]}
		s.sent[p] = s.sent[p] || word[0] == "kept"
	}
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

// unreached lists the points of a crew at which no worker has died yet.
func (s *supervisor) unreached(crew []member) (list []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range crew {
		for _, point := range points[m.role] {
			if name := m.role + ": " + point; s.reached[name] == 0 && !slices.Contains(list, name) {
				list = append(list, name)
			}
		}
	}
	return list
}

// rage has a crew work, and kills until there were as many kills as asked for, each point
// was reached and enough is true; and then ends all workers.
func (s *supervisor) rage(kills int64, patience time.Duration, enough func() bool, crew ...member) {
	for _, m := range crew {
		s.run(m.role, m.first)
	}
	defer s.wg.Wait()
	defer close(s.stop)
	ctx, cancel := wait.Within(s.t.Context(), patience)
	defer cancel()
	for {
		select {
		case <-time.After(time.Duration(30+rand.IntN(120)) * time.Millisecond):
			s.killOne()
		case <-ctx.Done():
			s.t.Errorf("only %d kills of %d, no death at %q", s.kills.Load(), kills, s.unreached(crew))
			return
		}
		s.mu.Lock()
		failed := s.failed
		s.mu.Unlock()
		if failed != nil {
			s.t.Error(failed)
			return
		}
		if s.kills.Load() >= kills && len(s.unreached(crew)) == 0 && enough() {
			return
		}
	}
}
