package e2e

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/test/long"
	"github.com/svc-games/svc/test/wait"
)

// TestEachEventIsKeptOnceHoweverOftenTheServiceIsKilled has players send 1,500 events a
// second, and again until they are answered. A long run kills it fifty times.
func TestEachEventIsKeptOnceHoweverOftenTheServiceIsKilled(t *testing.T) {
	kills := 3
	if long.Asked() {
		kills = 50
	}
	f := inOneForm(t)
	s := start(t, f)
	key := s.newKey("alice")
	project := s.newProject(key)
	sub := s.generate(key, project, brief)
	if job := s.finish(key, sub); job.Status != api.JobCompleted {
		t.Fatalf("the job is %+v", job)
	}
	made := s.publish(key, project, sub.JobID)
	p := players{made: made, endpoint: s.endpoint(made)}
	stop := p.play(t, 6, 400*time.Millisecond)
	for n := range kills {
		before := p.acknowledged.Load()
		s.eventually(fmt.Sprint("events are kept before kill ", n+1), func() bool { return p.acknowledged.Load() > before+5*ofBatch })
		if err := s.stop(os.Kill); err == nil {
			t.Fatal("the service was not killed")
		}
		s.start()
	}
	stop()
	o := s.overview(key, project)
	if kept := o.Events["jump"]; kept != p.acknowledged.Load() || o.Total.Lost != 0 || len(o.Dropped) != 0 || o.Total.Sessions != p.streams.Load() {
		t.Errorf("of %d events and %d sessions are kept %d, %+v, dropped %v", p.acknowledged.Load(), p.streams.Load(), kept, o.Total, o.Dropped)
	}
	// The code of its end tells of the machine as well.
	said, _ := exec.Command(bin(t, "svc"), "doctor", "--data-dir", s.dir).Output()
	if !strings.Contains(string(said), "ok    meters") {
		t.Errorf("svc doctor says of what is paid:\n%s", said)
	}
}

// Of what players send: a batch, and the batches of a stream, within the bounds of one.
const (
	ofBatch  = 100
	ofStream = 3
)

// players play a published game without a browser.
type players struct {
	made         api.Publication
	endpoint     string
	streams      atomic.Int64
	acknowledged atomic.Int64 // events
}

// play has so many players send batches, one each so often, until it is stopped: then each
// sends its last one until it is answered.
func (p *players) play(t *testing.T, senders int, every time.Duration) (stop func()) {
	ctx, cancel := wait.Within(context.WithoutCancel(t.Context()), 10*slow)
	t.Cleanup(cancel)
	over := make(chan struct{})
	var wg sync.WaitGroup
	for range senders {
		wg.Go(func() {
			due := time.NewTicker(every)
			defer due.Stop()
			for {
				stream := p.streams.Add(1)
				for n := range ofStream {
					body := p.batch(stream, n)
					for {
						select {
						case <-due.C:
						case <-ctx.Done():
							t.Errorf("stream %d was not answered", stream)
							return
						}
						if status, said := p.post(ctx, body); status == http.StatusOK {
							break
						} else if status != 0 && status != http.StatusTooManyRequests && status < 500 {
							t.Errorf("a batch is answered %d %s", status, said)
							return
						}
					}
					p.acknowledged.Add(ofBatch)
					select {
					case <-over:
						return
					default:
					}
				}
			}
		})
	}
	return func() {
		close(over)
		wg.Wait()
	}
}

func (p *players) batch(stream int64, n int) string {
	events := make([]string, ofBatch)
	for i := range events {
		seq := n*ofBatch + i + 1
		events[i] = fmt.Sprintf(`[%d,%d,"jump",{"n":%d}]`, seq, seq, seq)
	}
	return fmt.Sprintf(`{"v":1,"k":%q,"g":%q,"b":%q,"s":"%032x","p":"%032x","o":%d,"e":[%s]}`,
		p.made.Key, p.made.GameID, p.made.JobID, stream, stream, (n+1)*ofBatch, strings.Join(events, ","))
}

// post returns the status of an answer, 0 for none.
func (p *players) post(ctx context.Context, body string) (status int, said []byte) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.endpoint+"/b", strings.NewReader(body))
	if err != nil {
		return http.StatusBadRequest, []byte(err.Error())
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil
	}
	defer resp.Body.Close()
	if said, err = io.ReadAll(resp.Body); err != nil {
		return 0, nil
	}
	return resp.StatusCode, said
}
