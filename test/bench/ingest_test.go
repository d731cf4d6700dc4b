package bench

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api/mint"
	wire "github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/analytics"
	"github.com/svc-games/svc/sidecar/play"
	"github.com/svc-games/svc/sidecar/site"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
)

const (
	// eventsACore is the least number of events that a core takes in a second.
	eventsACore = 20_000
	// mostWait is what a batch waits at half the load.
	mostWait = 50 * time.Millisecond
	// ofBatch is how many events a batch has.
	ofBatch = 5
	// ofStream is how many batches a stream sends, within its bound of a minute.
	ofStream = 20
	// ofGame is how many streams a game has, within its own.
	ofGame = 200
	// players is how many batches are on their way at a time.
	players = 64
	// besideEvents is how many events a second come beside submissions, and leastBeside
	// the share of these that are to be made all the same.
	besideEvents = 2000
	leastBeside  = 0.95
)

func TestPlayKeepsItsBudgets(t *testing.T) {
	r := &report{t: t, full: *results != ""}
	for _, of := range []struct {
		name    string
		measure func()
	}{{"ingestion", r.ingestion}, {"beside", r.beside}, {"views", r.views}} {
		t.Run(of.name, func(t *testing.T) {
			r.t = t
			of.measure()
		})
	}
	r.t = t
	if r.full && !t.Failed() {
		r.write(*results, "make bench-play")
	}
	for _, s := range r.sections {
		t.Logf("%s\n%v\n%v", s.title, s.head, s.rows)
	}
}

// ingestion measures how many events of players are kept.
func (r *report) ingestion() {
	s := r.section("Events of players", fmt.Sprintf("Batches of %d events, of %d players at a time, each a request to the handler of games: read, checked, metered, "+
		"kept and counted, and answered once they outlive a crash. Processor time is that of the whole process, the players' included. "+
		"The goal is %d events a second of one core's time, and p99 under %v at half the load, with SQLite.", ofBatch, players, eventsACore, mostWait),
		"store", "events a second", "of a core", "p50 at half of it", "p99 at half of it", "")
	for _, kind := range []struct {
		name    string
		address func(t *testing.T) string
	}{
		{"SQLite", func(t *testing.T) string { return filepath.Join(t.TempDir(), analytics.File) }},
		{"PostgreSQL", func(t *testing.T) string { return postgrestest.URL(t) }},
	} {
		rates, cores, p50, p99 := []float64{}, []float64{}, []time.Duration{}, []time.Duration{}
		for range r.n(3) {
			in := r.openIngestion(kind.address(r.t))
			full := in.play(r.last(4*time.Second), 0)
			half := in.play(r.last(4*time.Second), full.rate()/ofBatch/2)
			in.close()
			if r.t.Failed() {
				return
			}
			rates, cores = append(rates, full.rate()), append(cores, full.perCore())
			p50, p99 = append(p50, quantile(half.times, 0.5)), append(p99, quantile(half.times, 0.99))
		}
		goal := ""
		if kind.name == "SQLite" {
			goal = verdict(median(cores) >= eventsACore && median(p99) < mostWait)
		}
		s.row(kind.name, fmt.Sprintf("%.0f", median(rates)), fmt.Sprintf("%.0f", median(cores)), millis(median(p50)), millis(median(p99)), goal)
	}
}

// beside measures what submissions lose by players, who have a database and a writer of
// their own.
func (r *report) beside() {
	s := r.section("Submissions beside players", fmt.Sprintf("Durable pairs of reserve and commit, SQLite, while %d events a second are kept in the same process, and by turns without. "+
		"The goal is %v of the pairs.", besideEvents, leastBeside), "clients", "pairs a second", "beside players", "ratio", "")
	for _, clients := range []int{1, 16} {
		alone, beside := []float64{}, []float64{}
		for range r.n(rounds) {
			times, took := r.load(openSQLite, false, clients)
			alone = append(alone, float64(len(times))/took.Seconds())
			stop := r.playAlong()
			times, took = r.load(openSQLite, false, clients)
			stop()
			beside = append(beside, float64(len(times))/took.Seconds())
		}
		ratio := median(beside) / median(alone)
		s.row(clients, fmt.Sprintf("%.0f", median(alone)), fmt.Sprintf("%.0f", median(beside)), fmt.Sprintf("%.2f", ratio), verdict(ratio >= leastBeside))
	}
}

// playAlong has players play until it is stopped.
func (r *report) playAlong() (stop func()) {
	in := r.openIngestion(filepath.Join(r.t.TempDir(), analytics.File))
	var over atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for !over.Load() && !r.t.Failed() {
			in.play(r.last(4*time.Second), besideEvents/ofBatch)
		}
	})
	return func() {
		over.Store(true)
		wg.Wait()
		in.close()
	}
}

// ingestion is a service for players under load.
type ingestion struct {
	t       *testing.T
	log     *analytics.Log
	handler http.Handler
	key     string
	streams atomic.Int64
}

// published is a catalog of which every game is published, and paid.
type published struct{ play.Catalog }

func (published) KeyGrant(context.Context, string, string) (sidecar.PlayGrant, error) {
	return sidecar.PlayGrant{JobID: "job_01J0000000000000000000000A"}, nil
}

func (published) BuyBlock(context.Context, string, int64) (bool, error) { return true, nil }

func (r *report) openIngestion(address string) *ingestion {
	log, err := analytics.Open(r.t.Context(), address, published{}, time.Now)
	if err != nil {
		r.t.Fatal(err)
	}
	served := play.New(play.Parts{
		Catalog: published{}, Known: play.NewKnownKeys(time.Now), Rates: play.NewRates(time.Now), Uses: new(play.Uses), Now: time.Now, Logger: zap.NewNop(),
		Recorder: func(context.Context) (play.Recorder, error) { return log, nil },
	}, site.PlayOptions{})
	return &ingestion{t: r.t, log: log, handler: served.Games(), key: mint.NewPlayKey()}
}

func (in *ingestion) close() {
	if err := in.log.Close(); err != nil {
		in.t.Error(err)
	}
}

// ingested is what became of a load.
type ingested struct {
	times     []time.Duration // of batches
	took, cpu time.Duration
}

func (i ingested) rate() float64    { return float64(len(i.times)*ofBatch) / i.took.Seconds() }
func (i ingested) perCore() float64 { return float64(len(i.times)*ofBatch) / i.cpu.Seconds() }

// play has players send batches for a time: so many a second, or 0 for as many as are
// taken. What is due counts from when it was due.
func (in *ingestion) play(last time.Duration, batches float64) ingested {
	times := make([][]time.Duration, players)
	begin, before := time.Now(), used(in.t)
	end := begin.Add(last)
	var wg sync.WaitGroup
	for i := range times {
		wg.Go(func() {
			stream := in.streams.Add(1)
			for n := 0; ; n++ {
				due := time.Now()
				if batches > 0 {
					due = begin.Add(time.Duration((float64(n*players+i) / batches) * float64(time.Second)))
					time.Sleep(time.Until(due))
				}
				if !due.Before(end) {
					return
				}
				if n%ofStream == 0 {
					stream = in.streams.Add(1)
				}
				if !in.send(stream, n%ofStream) {
					return
				}
				times[i] = append(times[i], time.Since(due))
			}
		})
	}
	wg.Wait()
	out := ingested{took: time.Since(begin), cpu: used(in.t) - before}
	for _, of := range times {
		out.times = append(out.times, of...)
	}
	if len(out.times) == 0 {
		in.t.Error("no batch was kept")
	}
	return out
}

// send sends a stream's batch, and reports whether it was kept.
func (in *ingestion) send(stream int64, n int) bool {
	events := make([]string, ofBatch)
	for i := range events {
		seq := n*ofBatch + i + 1
		events[i] = fmt.Sprintf(`[%d,%d,"score",{"score":%d,"n":%d}]`, seq, seq*100, seq*40, seq)
	}
	body := fmt.Sprintf(`{"v":1,"k":%q,"g":"%024x","b":"job_01J0000000000000000000000A","s":"%032x","p":"%032x","o":%d,"act":%d,"e":[%s]}`,
		in.key, stream/ofGame, stream, stream, (n+1)*ofBatch*100, n*ofBatch*100, strings.Join(events, ","))
	req := httptest.NewRequest(http.MethodPost, wire.PathBatch, strings.NewReader(body))
	req.RemoteAddr = fmt.Sprintf("10.%d.%d.%d:1", stream>>16&0xff, stream>>8&0xff, stream&0xff)
	w := httptest.NewRecorder()
	in.handler.ServeHTTP(w, req)
	if w.Code != http.StatusOK {
		in.t.Errorf("a batch is answered %d %s", w.Code, w.Body)
	}
	return w.Code == http.StatusOK
}

// used returns the processor time of this process.
func used(t *testing.T) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
