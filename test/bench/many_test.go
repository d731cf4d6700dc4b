package bench

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/sidecar/store"
	fakeengine "github.com/svc-games/svc/test/fake/engine"
	"github.com/svc-games/svc/test/programs"
	"github.com/svc-games/svc/test/rig"
)

const (
	// manyProjects, manyJobs and manyEngines are what a data directory has after a while.
	manyProjects, manyJobs, manyEngines = 10_000, 1_000_000, 200
	// polledJobs are jobs of as many projects that are asked for, each once.
	polledJobs = 1000
	// storeFiles is how many files the store opens at most to read, whatever it is asked for.
	storeFiles = 24
	// atRest is how long nobody asks for anything.
	atRest = 20 * time.Second
)

// folder is how a gateway does with a data directory.
type folder struct {
	ready      time.Duration // from its start
	list, poll time.Duration // medians
	rest       float64       // share of a core
	resident   int64         // bytes, after the polls
	files      int           // that the polls left open
}

// many measures a gateway with a data directory that grew for long against one with a new one.
func (r *report) many() {
	few := r.folder(10, 10, 100)
	big := r.folder(max(2, r.n(manyEngines)), max(100, r.n(manyProjects)), max(1000, r.n(manyJobs)))
	s := r.section("Many projects", fmt.Sprintf("A gateway that starts with %d projects, %d ended jobs and %d engines that run and wait, beside one with ten of each. "+
		"A made data directory; the polls ask for an ended job of each of %d projects.", max(100, r.n(manyProjects)), max(1000, r.n(manyJobs)), max(2, r.n(manyEngines)),
		min(polledJobs, max(100, r.n(manyProjects)))), "", "many", "ten", "budget", "")
	s.row("start, until requests are answered", millis(big.ready), millis(few.ready), "2 s", verdict(s.kept("start", share(big.ready, 2*time.Second))))
	s.row("list of projects, p50", millis(big.list), millis(few.list), "1.25 times ten", verdict(s.kept("list", share(big.list, few.list*5/4))))
	s.row("status poll, first of its job, p50", millis(big.poll), millis(few.poll), "1.25 times ten", verdict(s.kept("poll", share(big.poll, few.poll*5/4))))
	s.row("processor at rest", fmt.Sprintf("%.2f %%", big.rest*100), fmt.Sprintf("%.2f %%", few.rest*100), "2 %", verdict(s.kept("processor at rest", share(big.rest, 0.02))))
	const mib = 1 << 20
	s.row("resident memory, after the polls", fmt.Sprintf("%.0f MB", float64(big.resident)/mib), fmt.Sprintf("%.0f MB", float64(few.resident)/mib), "150 MB",
		verdict(s.kept("memory", share(float64(big.resident), 150*mib))))
	s.row("files that the polls left open", big.files, few.files, fmt.Sprintf("%d, the store's", storeFiles), verdict(big.files <= storeFiles))
	r.hold(big.files <= storeFiles, "%d files are left open by polls of %d projects", big.files, polledJobs)
}

// folder starts a gateway on a folder with so many ready engines, projects and jobs.
func (r *report) folder(engines, projects, jobs int) (f folder) {
	t := r.t
	w := r.warm(warming{program: programs.Build(t, fakeengine.Folder), projects: engines, switches: &fakeengine.Switches{AcceptOnly: true}})
	if err := w.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := fillFolder(t.Context(), w, projects, jobs); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	if err := errors.Join(w.Start(), w.Ready(t.Context())); err != nil {
		t.Fatal(err)
	}
	f.ready = time.Since(begin)

	conn, err := net.Dial("tcp", w.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	buf := make([]byte, 64<<10)
	ask := func(path string) time.Duration {
		begun := time.Now()
		if err := exchange(conn, get(w.Addr, w.key, path), buf); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		return time.Since(begun)
	}
	var lists, polls []time.Duration
	for range max(10, r.n(100)) {
		lists = append(lists, ask("/v1/projects?limit=8"))
	}
	before := openFiles(w)
	for i := range min(polledJobs, projects) {
		polls = append(polls, ask(rig.StatusPath(api.Submission{JobID: madeJob(i), ProjectID: madeProject(i)})))
	}
	f.list, f.poll, f.files = median(lists), median(polls), openFiles(w)-before
	f.resident = resident(t, w.PID())
	used, last := cpuOf(t, &w.Process), max(time.Second, r.last(atRest))
	<-time.After(last)
	f.rest = float64(cpuOf(t, &w.Process)-used) / float64(last)
	r.stop(w)
	return f
}

// openFiles returns how many files and connections the gateway has open.
func openFiles(w warm) int {
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", w.PID()))
	if err != nil {
		return 0
	}
	return len(entries)
}

func madeProject(i int) string { return fmt.Sprintf("%024x", i) }

func madeJob(i int) string { return fmt.Sprintf("job_01%024d", i) }

// fillFolder puts projects and ended jobs of the key's user into the store of a gateway that
// does not run, as the ledger does: job i is one of project i % projects.
func fillFolder(ctx context.Context, w warm, projects, jobs int) error {
	db, err := sql.Open("sqlite", filepath.Join(w.Dir, store.SQLiteFile))
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	now := time.Now().UTC().Truncate(time.Second)
	record, err := json.Marshal(contract.JobRecord{
		JobID: "$job", ProjectID: "$project", SessionID: "$session", Status: api.JobCompleted, CreatedAt: now, StartedAt: &now, FinishedAt: &now, LastEventID: 20,
	})
	if err != nil {
		return err
	}
	for _, s := range []struct {
		sql  string
		args []any
	}{
		{`INSERT INTO projects (id, owner_id, session_id, name, template, description, created_at)
			WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?)
			SELECT printf('%024x', i), 'bench', 'made' || i, 'game ' || i, ?, '', ? - i FROM n`, []any{projects, api.TemplateBlank, now.UnixMilli()}},
		{`INSERT INTO jobs (id, key_id, project_id, state, status, record, day, month, created_at, deadline_at, resolved_at)
			WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?),
			made AS (SELECT 'job_01' || printf('%024d', i) AS job, printf('%024x', i % ?) AS project FROM n)
			SELECT job, ?, project, 'settled', 'completed', replace(replace(?, '$job', job), '$project', project), ?, ?, ?, ?, ? FROM made`,
			[]any{jobs, projects, w.key.ID, string(record), now.Format("d:2006-01-02"), now.Format("m:2006-01"), now.UnixMilli(), now.UnixMilli(), now.UnixMilli()}},
	} {
		if _, err = db.ExecContext(ctx, s.sql, s.args...); err != nil {
			break
		}
	}
	return errors.Join(err, db.Close())
}
