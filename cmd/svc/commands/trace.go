package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy/decisionlog"
	"github.com/svc-games/svc/sidecar/store"
)

// maxTraced bounds how many requests are shown that came with one id: the newest.
const maxTraced = 20

// traced is what a data directory knows of one request.
type traced struct {
	RequestID string               `json:"requestId"`
	Access    []json.RawMessage    `json:"access"` // lines of the access log
	Decisions []decisionlog.Record `json:"decisions"`
	Ledger    []tracedJob          `json:"ledger"`           // the jobs that it became
	Unread    string               `json:"unread,omitempty"` // why the ledger was not read
	JobID     string               `json:"jobId,omitempty"`
	ProjectID string               `json:"projectId,omitempty"`
	Engine    []string             `json:"engine,omitempty"` // lines of the engine's logs that name the job
}

// tracedJob is what the ledger says of a job.
type tracedJob struct {
	JobID     string        `json:"jobId"`
	ProjectID string        `json:"projectId"`
	KeyID     string        `json:"keyId"`
	Status    api.JobStatus `json:"status"`
	State     string        `json:"state"` // of its reservation
	TIKSpent  api.TIK       `json:"tikSpent"`
}

// accessLine is what is read of a line of the access log.
type accessLine struct {
	RequestID string  `json:"request_id"`
	Time      float64 `json:"ts"` // seconds since 1970
	Status    int     `json:"status"`
	Duration  float64 `json:"duration"` // seconds
	UserID    string  `json:"user_id"`
	KeyID     string  `json:"svc_key"`
	ProjectID string  `json:"svc_project"`
	JobID     string  `json:"svc_job"`
	Rule      string  `json:"svc_rule"`
	Request   struct {
		Method  string `json:"method"`
		URI     string `json:"uri"`
		Headers struct {
			ID []string `json:"X-Request-Id"` // as the client sent it
		} `json:"headers"`
	} `json:"request"`
}

func traceCommand() *cobra.Command {
	var o localOptions
	c := &cobra.Command{
		Use:   "trace REQUEST_ID",
		Short: "Show what is known of a request",
		Long: `Show what is known of a request, named by the X-Request-Id of its answer: its line in
the access log, the decisions on it, the job that it made or named, what the ledger has
of that, and what the job's engine wrote about it. If no answer had that id, the newest
requests that were sent with it are shown. The logs are those of the data directory, the
ledger is its own or the one that SVC_STORE names. Where several sidecars share a store,
the running service asks the others for the decisions that their logs have.`,
		Example: "  svc trace 6f1c2f6e-8a2d-4c55-9d0b-1c7c2e0f6a11",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			found, err := o.trace(c, args[0])
			return o.print(c, found, err, func(w io.Writer) { printTrace(w, found) })
		},
	}
	o.register(c)
	return c
}

// trace looks through the logs of a data directory, and the decision logs of other sidecars.
// Where no answer had the id, requests are looked for that came with it.
func (o *localOptions) trace(c *cobra.Command, requestID string) (traced, error) {
	dir := o.dataDir
	t := traced{RequestID: requestID, Access: []json.RawMessage{}, Decisions: []decisionlog.Record{}, Ledger: []tracedJob{}}
	if requestID == "" {
		return t, misused("name a request by its X-Request-Id")
	}
	answered, sent, err := accessLines(dir, requestID)
	if err != nil {
		return t, err
	}
	ids := []string{requestID}
	if len(answered) == 0 && len(sent) > 0 {
		answered, ids = sent[max(0, len(sent)-maxTraced):], nil
	}
	for _, line := range answered {
		var a accessLine
		if err := json.Unmarshal(line, &a); err != nil {
			return t, fmt.Errorf("reading access log: %w", err)
		}
		t.Access = append(t.Access, line)
		t.JobID, t.ProjectID = a.JobID, a.ProjectID
		if a.RequestID != "" && !slices.Contains(ids, a.RequestID) {
			ids = append(ids, a.RequestID)
		}
	}
	ask := true
	for _, id := range ids {
		f := decisionlog.Filter{RequestID: id}
		var others []decisionlog.Part
		if ask { // who does not answer is waited for, and named, once
			others, ask = o.ofOthers(c, decisionlog.Query{Filter: f})
		}
		if err := t.decisions(dir, f, others); err != nil {
			return t, err
		}
		if err := t.ledger(c.Context(), dir, id); err != nil { // the logs are there all the same
			t.Unread = err.Error()
		}
	}
	if len(t.Access) == 0 && len(t.Decisions) == 0 && len(t.Ledger) == 0 {
		return t, fmt.Errorf("no log in %s has the request %s: check that this is the data directory of the gateway that answered, and how long its logs are kept", dir, requestID)
	}
	return t, t.engine(dir)
}

// accessLines returns the lines of the access logs on requests whose answers had an id, and
// those on requests that came with it.
func accessLines(dir, id string) (answered, sent []json.RawMessage, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("finding access logs: %w", err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "access") || !strings.HasSuffix(e.Name(), ".log") {
			continue
		}
		err := eachLine(filepath.Join(dir, e.Name()), id, func(line []byte) {
			var a accessLine
			switch {
			case json.Unmarshal(line, &a) != nil:
			case a.RequestID == id:
				answered = append(answered, bytes.Clone(line))
			case slices.Contains(a.Request.Headers.ID, id):
				sent = append(sent, bytes.Clone(line))
			}
		})
		if err != nil {
			return nil, nil, err
		}
	}
	return answered, sent, nil
}

// decisions finds those that the log of a directory and the parts of others have.
func (t *traced) decisions(dir string, f decisionlog.Filter, others []decisionlog.Part) error {
	var found decisionlog.Selection
	log, err := decisionlog.OpenAll(filepath.Join(dir, decisionlog.FileName))
	switch {
	case err == nil:
		defer log.Close()
		found, err = decisionlog.Select(log, f, 0)
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	}
	for _, part := range others {
		if err == nil {
			err = found.Add(part, f, 0)
		}
	}
	t.Decisions = append(t.Decisions, found.Records...)
	if err != nil {
		return fmt.Errorf("reading decision log: %w", err)
	}
	return nil
}

// ledger finds the jobs that a request became, in the database that SVC_STORE names or in
// the data directory's. Of one of another version it reads nothing.
func (t *traced) ledger(ctx context.Context, dir, requestID string) error {
	address := os.Getenv("SVC_STORE")
	if !store.IsPostgresURL(address) {
		address = filepath.Join(dir, store.SQLiteFile)
	}
	err := store.ReadOnly(ctx, address, func(r *store.Reader) error {
		return r.Each(func(scan store.Scan) error {
			var j tracedJob
			err := scan(&j.JobID, &j.ProjectID, &j.KeyID, &j.Status, &j.State, &j.TIKSpent)
			t.Ledger = append(t.Ledger, j)
			t.JobID, t.ProjectID = j.JobID, j.ProjectID
			return err
		}, "SELECT id, project_id, key_id, status, state, tik_spent FROM jobs WHERE request_id = ? ORDER BY id", requestID)
	})
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, store.ErrOtherVersion) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading ledger: %w", err)
	}
	return nil
}

// engine finds what the project's engine wrote of the job.
func (t *traced) engine(dir string) error {
	if t.JobID == "" || !api.ValidProjectID(t.ProjectID) {
		return nil
	}
	for _, name := range []string{"previous.log", "engine.log"} {
		err := eachLine(filepath.Join(dir, "engines", t.ProjectID, name), t.JobID, func(line []byte) { t.Engine = append(t.Engine, string(line)) })
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
