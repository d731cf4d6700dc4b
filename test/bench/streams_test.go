package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	fakeengine "github.com/svc-games/svc/test/fake/engine"
	"github.com/svc-games/svc/test/programs"
	"github.com/svc-games/svc/test/rig"
	"github.com/svc-games/svc/test/wait"
)

const (
	// openStreams is how many event streams are open, of so many running jobs.
	openStreams, streamedJobs = 9900, 100
	// chatter is how often a job logs an event: 2,000 a second are delivered. A short run does
	// not wait as long for them.
	chatter, chatterInShort = 5 * time.Second, time.Second
	// opensAtOnce is how many clients wait for their answers at most.
	opensAtOnce = 200
	// revokedStreams are those of the key that is revoked.
	revokedStreams = 500
)

// streams measures many readers of a few running jobs.
func (r *report) streams() {
	t := r.t
	every := r.chatter()
	n, jobs, revoked := max(800, r.n(openStreams)), max(4, r.n(streamedJobs)), max(20, r.n(revokedStreams))
	w := r.warm(warming{program: programs.Build(t, fakeengine.Folder), projects: jobs, switches: &fakeengine.Switches{Chatter: every}, prefix: pinned(t, 0)})
	other := w.NewKey("bench")
	for _, sub := range w.jobs {
		wait.Until(t, "the job runs", func() bool { return w.Job(w.key, sub).Status == api.JobRunning })
	}
	idle, living := resident(t, w.PID()), r.lives(w.Gateway)
	frozen := w.freeze()

	readers, sound := readers{addr: w.Addr}, int64(0)
	begin := time.Now()
	for i := range n {
		key := w.key
		if i < revoked {
			key = other
		}
		stuck := i%len(w.jobs) == frozen.job
		readers.open(t, get(w.Addr, key, eventsPath(w.jobs[i%len(w.jobs)])), stuck)
		if !stuck {
			sound++
		}
		if sound-readers.sound.Load() >= opensAtOnce {
			wait.Until(t, "some streams are open", func() bool { return sound-readers.sound.Load() < opensAtOnce })
		}
	}
	wait.Until(t, "all streams but those of the frozen engine are open", func() bool { return readers.sound.Load() == sound })
	opened := time.Since(begin)
	frozen.thaw()
	wait.Until(t, "those of the frozen engine are open as well", func() bool { return readers.opened.Load() == int64(n) })

	before, seen := cpuOf(t, &w.Process), readers.events.Load()
	readers.measure.Store(true)
	wait.Until(t, "every stream has had events", func() bool { return readers.events.Load()-seen >= int64(n*max(2, r.n(6))) })
	readers.measure.Store(false)
	used, events := cpuOf(t, &w.Process)-before, readers.events.Load()-seen
	took := readers.took()
	held := resident(t, w.PID())
	living = r.lives(w.Gateway) - living
	busy, heap := r.whileOpen(w)

	cut := readers.revoke(t, w, other, int64(revoked))
	readers.close()

	s := r.section("Event streams", fmt.Sprintf("%d streams of %d running jobs at one gateway on one core, HTTP/1.1; each job logs an event every %v, so that %.0f "+
		"are delivered a second. One of the engines is frozen (SIGSTOP) while the streams are opened.", n, jobs, every, float64(n)/every.Seconds()),
		"", "measured", "budget", "")
	each := float64(held-idle) / 1024 / float64(n)
	kept := s.kept("resident memory a stream", share(each, 12))
	s.row("resident memory a stream", fmt.Sprintf("%.1f KB", each), "12 KB", verdict(kept))
	r.missed(s, kept, "the heap with all streams open", func() []byte { return heap })
	r.heapOfAStream(s, float64(living)/float64(n))
	p99 := quantile(took, 0.99)
	kept = s.kept("an event's way, p99", share(p99, 5*time.Millisecond))
	s.row("an event, from the engine's log to the client, p50", millis(quantile(took, 0.5)), "", "")
	s.row("the same, p99", millis(p99), "5 ms", verdict(kept))
	r.missed(s, kept, "delivering events", func() []byte { return busy })
	s.row("processor time of the gateway a delivered event", micros(used/time.Duration(events)), "", "")
	s.row("all streams of sound engines open", fmt.Sprintf("%.1f s", opened.Seconds()), "10 s", verdict(s.kept("streams open", share(opened, 10*time.Second))))
	s.row(fmt.Sprintf("from the revocation of a key to the end of its %d streams", revoked), millis(cut), "500 ms",
		verdict(s.kept("revocation of a key with many", share(cut, 500*time.Millisecond))))
	r.stop(w)
	r.eventsBeside()
}

func (r *report) chatter() time.Duration {
	if r.full {
		return chatter
	}
	return chatterInShort
}

// revoke returns how long after the revocation of a key its streams have ended, of which
// there are so many.
func (r *readers) revoke(t *testing.T, w warm, key rig.Key, streams int64) time.Duration {
	begin := time.Now()
	w.MustAdmin("key", "revoke", key.ID)
	wait.Until(t, "the revoked key's streams have ended", func() bool { return r.ended.Load() == streams })
	cut := time.Since(begin)
	if lost := r.ended.Load() - streams; lost > 0 {
		t.Errorf("%d streams of another key ended", lost)
	}
	return cut
}

// heapOfAStream says what of the heap and of stacks a stream has, after a collection.
func (r *report) heapOfAStream(s *section, each float64) {
	s.row("of it heap and stacks in use", fmt.Sprintf("%.1f KB", each/1024), fmt.Sprintf("%d bytes in a short run", mostHeap), "")
	r.hold(each <= mostHeap, "a stream has %.0f bytes of heap and stacks, want at most %d", each, mostHeap)
}

// whileOpen returns the profiles of the processor and of the heap of a gateway with many
// streams; none in a short run.
func (r *report) whileOpen(w warm) (busy, heap []byte) {
	if !r.full {
		return nil, nil
	}
	busy = r.ofGateway(w.Gateway, func() {})
	heap, err := w.Profile(0)
	if err != nil {
		r.t.Fatal(err)
	}
	return busy, heap
}

// resident returns how much memory of a process is in use, in bytes.
func resident(t *testing.T, pid int) int64 {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		t.Fatal(err)
	}
	var size, pages int64
	if _, err := fmt.Sscan(string(raw), &size, &pages); err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

// frozen is an engine that is stopped, and the number of its job.
type frozen struct {
	job  int
	thaw func()
}

// freeze stops the engine of the last project.
func (w warm) freeze() frozen {
	job := len(w.jobs) - 1
	pids := rig.EnginesOf(filepath.Join(w.Dir, "run", w.projects[job]))
	signal := func(s syscall.Signal) {
		for _, pid := range pids {
			_ = syscall.Kill(pid, s) // it may be gone: then its streams don't open
		}
	}
	signal(syscall.SIGSTOP)
	return frozen{job, func() { signal(syscall.SIGCONT) }}
}
