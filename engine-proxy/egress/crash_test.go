package egress_test

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/svc-games/svc/engine-proxy/egress"
	fakeprovider "github.com/svc-games/svc/test/fake/provider"
	"github.com/svc-games/svc/test/wait"
)

func (r *rig) journal() []byte {
	r.t.Helper()
	raw, err := os.ReadFile(filepath.Join(r.dir, "egress", project+".calls"))
	if err != nil {
		r.t.Fatal(err)
	}
	return raw
}

func TestCallIsInTheJournalBeforeItGoesOut(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	var seen []byte
	r.provider.Answer(func(p *fakeprovider.Provider, w http.ResponseWriter, q *http.Request, f fakeprovider.Request) {
		seen = r.journal()
		fakeprovider.Says("hello")(p, w, q, f)
	})
	if p := r.chat(""); p.status != 200 {
		t.Fatalf("got %d %s", p.status, p.body)
	}
	if !bytes.Contains(seen, []byte(job)) || bytes.Contains(seen, []byte("charged")) || bytes.Contains(seen, []byte(secret)) {
		t.Errorf("the journal held %s", seen)
	}
}

func TestCallWithoutAnAnswerIsChargedAtItsLimitAfterAKill(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.provider.Answer(fakeprovider.Stalls(false))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	killed := r.Egress
	t.Cleanup(func() { _ = killed.Close(context.Background()) })
	go func() {
		res, err := r.client().Do(r.request(ctx, "POST", "/v1/chat/completions", token, chatBody(`,"max_tokens":70`)))
		if err == nil {
			res.Body.Close()
		}
	}()
	wait.Until(t, "the call is under way", func() bool { return len(r.provider.Requests()) == 1 })
	r.open() // on what the killed one left
	r.want(chatUnits(inputLimit, 70)...)
	r.provider.Answer(fakeprovider.Says("hello"))
	if p := r.chat(""); p.status != 200 {
		t.Errorf("after it: %d %s", p.status, p.body)
	}
	if n := len(r.ledger.charged()); n != 2 {
		t.Errorf("%d calls are charged, want 2", n)
	}
}

func TestAnsweredCallIsChargedOnceHoweverOftenTheEgressIsKilled(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *egress.Options) { o.Retry = time.Hour })
	r.provider.Answer(func(p *fakeprovider.Provider, w http.ResponseWriter, q *http.Request, f fakeprovider.Request) {
		r.ledger.set(func() { r.ledger.down = true }) // goes away while the call is out
		fakeprovider.Says("hello")(p, w, q, f)
	})
	if p := r.chat(""); p.status != 200 {
		t.Fatalf("got %d %s", p.status, p.body)
	}
	for range 3 {
		killed := r.Egress
		t.Cleanup(func() { _ = killed.Close(context.Background()) })
		r.open()
		if p := r.chat(""); p.status != 503 || p.reason() != "unavailable" {
			t.Errorf("with a call that is not charged: %d %s", p.status, p.body)
		}
	}
	r.ledger.set(func() { r.ledger.down = false })
	if calls := r.ledger.charged(); len(calls) != 0 {
		t.Fatalf("charged %v", calls)
	}
	r.close()
	r.open()
	r.want(chatUnits(11, 7)...)
	r.close()
	r.open()
	r.want(chatUnits(11, 7)...)
}

func TestCallIsChargedOnceTheLedgerIsBack(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.provider.Answer(func(p *fakeprovider.Provider, w http.ResponseWriter, q *http.Request, f fakeprovider.Request) {
		r.ledger.set(func() { r.ledger.down = true })
		fakeprovider.Says("hello")(p, w, q, f)
	})
	r.chat("")
	if calls := r.ledger.charged(); len(calls) != 0 {
		t.Fatalf("charged %v", calls)
	}
	r.ledger.set(func() { r.ledger.down = false })
	r.want(chatUnits(11, 7)...) // by itself
}

func TestEndOfAnAnswerComesAfterItsCharge(t *testing.T) {
	t.Parallel()
	for _, more := range []string{"", `,"stream":true`} {
		r := newRig(t, nil)
		r.chat(more)
		if n := len(r.ledger.charged()); n != 1 {
			t.Errorf("with %q the engine was answered when %d calls were charged", more, n)
		}
	}
}

func TestCallIDsAreNeverUsedAgain(t *testing.T) {
	t.Parallel()
	stands := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	r := newRig(t, func(o *egress.Options) { o.Now = func() time.Time { return stands } })
	r.chat("")
	r.close()
	stands = stands.Add(-time.Hour) // a clock that was set back
	r.open()
	r.chat("")
	calls := r.ledger.charged()
	if len(calls) != 2 || calls[1].ID != calls[0].ID+1 {
		t.Errorf("charged %+v", calls)
	}
	r.close()
	if err := os.RemoveAll(r.options.Dir); err != nil { // the journal is lost
		t.Fatal(err)
	}
	stands = stands.Add(2 * time.Hour)
	r.open()
	r.chat("")
	if n := len(r.ledger.charged()); n != 3 {
		t.Errorf("%d calls are charged, want 3", n)
	}
}

func TestTornLineOfTheJournalIsDropped(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.chat("")
	r.close()
	path := filepath.Join(r.dir, "egress", project+".calls")
	whole := r.journal()
	if err := os.WriteFile(path, append(bytes.Clone(whole), `{"call":99,"jo`...), 0o600); err != nil {
		t.Fatal(err)
	}
	r.open()
	if p := r.chat(""); p.status != 200 {
		t.Errorf("got %d %s", p.status, p.body)
	}
	if !bytes.HasPrefix(r.journal(), whole) || bytes.Contains(r.journal(), []byte(`"call":99,`)) {
		t.Errorf("the journal is %s", r.journal())
	}
}

func TestDamagedJournalLeavesOtherProjectsTheirModels(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.close()
	if err := os.WriteFile(filepath.Join(r.dir, "egress", "fedcba9876543210fedcba98.calls"), []byte("not a journal\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.open()
	if p := r.chat(""); p.status != 200 {
		t.Errorf("got %d %s", p.status, p.body)
	}
}

func TestDamagedJournalCutsItsProjectOffFromModelsUntilItIsRepaired(t *testing.T) {
	t.Parallel()
	const call = `{"call":5,"job":"` + job + `","limit":[{"name":"chat.writer.output","quantity":9}]}` + "\n"
	for name, journal := range map[string]string{
		"a line that is none":               "not a journal\n",
		"a bad line in the middle":          call + "{\x00\x00\n" + `{"call":5,"charged":true}` + "\n",
		"a bad line and an end that is cut": call + "{}}\n" + `{"call":6,"jo`,
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, nil)
			r.close()
			path := filepath.Join(r.dir, "egress", project+".calls")
			if err := os.WriteFile(path, []byte(journal), 0o600); err != nil {
				t.Fatal(err)
			}
			r.open()
			p := r.chat("")
			if p.status != 503 || p.reason() != "unavailable" || !strings.Contains(p.body, "damaged") || p.header.Get("Retry-After") != "" {
				t.Errorf("got %d %s", p.status, p.body)
			}
			if n := len(r.provider.Requests()) + len(r.ledger.charged()); n != 0 {
				t.Errorf("%d calls went out or were charged", n)
			}
			if got := r.journal(); string(got) != journal {
				t.Errorf("the journal became %q", got)
			}
			logged := r.logs.FilterLevelExact(zapcore.ErrorLevel).FilterField(zap.String("project", project))
			if logged.Len() == 0 {
				t.Error("the log does not name the project")
			}
			if err := os.WriteFile(path, []byte(call), 0o600); err != nil { // repaired
				t.Fatal(err)
			}
			r.serve() // its next engine
			if p := r.chat(""); p.status != 200 {
				t.Errorf("with the journal repaired: %d %s", p.status, p.body)
			}
			if calls := r.ledger.charged(); len(calls) != 2 || calls[0].ID != 5 || calls[0].Units[0].Quantity != 9 {
				t.Errorf("charged %+v", calls)
			}
		})
	}
}

func TestJournalDoesNotGrowForEver(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	filler := bytes.Repeat([]byte(`{"call":5,"charged":true}`+"\n"), 4000)
	r.close()
	if err := os.WriteFile(filepath.Join(r.dir, "egress", project+".calls"), filler, 0o600); err != nil {
		t.Fatal(err)
	}
	r.open()
	r.chat("")
	if n := len(r.journal()); n > 1000 {
		t.Errorf("the journal has %d bytes", n)
	}
	r.close()
	r.open()
	r.chat("")
	if n := len(r.ledger.charged()); n != 2 {
		t.Errorf("%d calls are charged, want 2", n)
	}
}

func TestForgottenProjectLeavesNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.chat("")
	if err := r.Forget(project); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(r.dir, "egress", project+".calls")); !os.IsNotExist(err) {
		t.Errorf("the journal is there: %v", err)
	}
	if _, err := r.client().Get("http://egress/v1/models"); err == nil {
		t.Error("the socket answers")
	}
}

// TestForgottenProjectIsNotChargedForEver: its jobs are gone from the ledger,
// and with them who would pay.
func TestForgottenProjectIsNotChargedForEver(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	open, underway := r.Open(project), r.Underway(project)
	forget := func() {
		r.ledger.set(func() { r.ledger.unknown = true })
		if err := r.Forget(project); err != nil {
			t.Error(err)
		}
	}
	forgotten := make(chan struct{})
	r.provider.Answer(func(p *fakeprovider.Provider, w http.ResponseWriter, q *http.Request, f fakeprovider.Request) {
		forget() // while the call is out
		close(forgotten)
		fakeprovider.Says("hello")(p, w, q, f)
	})
	if res, err := r.client().Do(r.request(t.Context(), "POST", "/v1/chat/completions", token, chatBody(""))); err == nil {
		res.Body.Close()
	}
	<-forgotten
	wait.Until(t, "the call has ended", func() bool { return underway() == 0 })
	if n := open(); n != 0 {
		t.Errorf("%d calls under way are still to be charged", n)
	}
	r.ledger.set(func() { r.ledger.unknown = false })

	r.serve()
	open = r.Open(project)
	r.provider.Answer(func(p *fakeprovider.Provider, w http.ResponseWriter, q *http.Request, f fakeprovider.Request) {
		r.ledger.set(func() { r.ledger.down = true })
		fakeprovider.Says("hello")(p, w, q, f)
	})
	r.chat("")
	if n := open(); n != 1 {
		t.Fatalf("%d calls are to be charged, want 1", n)
	}
	forget()
	if n := open(); n != 0 {
		t.Errorf("%d answered calls are still to be charged", n)
	}
}
