package egress_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svc-games/svc/engine-proxy/egress"
	"github.com/svc-games/svc/test/wait"
)

func TestJournalsAreOpenForEnginesAloneAndForWhatIsToBeCharged(t *testing.T) {
	t.Parallel()
	var later atomic.Int64
	r := newRig(t, func(o *egress.Options) {
		o.Now = func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
	})
	r.close()
	for n := range 30 {
		journal := `{"call":5,"charged":true}` + "\n"
		if n == 0 {
			journal = `{"call":6,"job":"` + job + `","limit":[{"name":"model.writer.input","quantity":1}]}` + "\n"
		}
		if err := os.WriteFile(filepath.Join(r.dir, "egress", fmt.Sprintf("fedcba98765432100000%04d.calls", n)), []byte(journal), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r.ledger.set(func() { r.ledger.down = true })
	r.open()
	if n := r.Journals(); n != 2 {
		t.Errorf("%d journals are open, of one engine and one project that owes", n)
	}
	r.ledger.set(func() { r.ledger.down = false })
	wait.Until(t, "what was open is charged", func() bool { return len(r.ledger.charged()) == 1 })
	if p := r.chat(""); p.status != 200 {
		t.Fatalf("got %d %s", p.status, p.body)
	}
	if err := r.EndJob(t.Context(), project, job); err != nil {
		t.Fatal(err)
	}
	r.Stop(project)
	if n := r.Journals(); n != 1 {
		t.Errorf("%d journals are open right after the job's end, which is remembered", n)
	}
	later.Store(int64(time.Hour))
	r.Stop(project)
	if n := r.Journals(); n != 0 {
		t.Errorf("%d journals are open without an engine", n)
	}
	r.serve()
	r.ledger.set(func() { r.ledger.grant.JobID = "job_01HYYYYYYYYYYYYYYYYYYYYYYY" })
	if p := r.chat(""); p.status != 200 {
		t.Errorf("with the journal opened again: %d %s", p.status, p.body)
	}
	if calls := r.ledger.charged(); len(calls) != 3 || calls[2].ID <= calls[1].ID {
		t.Errorf("charged %+v", calls)
	}
}

func TestJournalThatCantBeOpenedLeavesOtherProjectsTheirModels(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.close()
	if err := os.Mkdir(filepath.Join(r.dir, "egress", "fedcba9876543210fedcba98.calls"), 0o700); err != nil {
		t.Fatal(err)
	}
	r.open()
	if p := r.chat(""); p.status != 200 {
		t.Errorf("got %d %s", p.status, p.body)
	}
}
