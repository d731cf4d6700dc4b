package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/disk"
	"github.com/svc-games/svc/engine/eventlog"
	"github.com/svc-games/svc/engine/gen"
)

// Files in a job's folder.
const (
	recordFile  = "job.json"
	requestFile = "request.json" // only until the job ends: context is not kept
	lastingFile = "lasting.json" // what the request of an ended job is still to change for good
	eventsFile  = "events.jsonl"
	zipFile     = "files.zip"
)

// job is a job in memory. Its fields below dir are guarded by Manager.mu, but
// only one goroutine at a time changes stored: the one that runs or ends it.
type job struct {
	id  string
	dir string

	stored stored
	log    *eventlog.Log           // nil once published: opened when asked for
	cancel context.CancelCauseFunc // nil unless running
	done   chan struct{}           // closed when the job has ended

	lasting bool      // it has ended, and inherit is to change what it left
	author  string    // who makes its game: a model's name, or the generator's; "" before it works
	undo    *gen.Undo // how it takes the project back, nil if it does not; set when it begins
	ending  bool      // its owner wants it to end after the step at hand
	applied bool      // what it asks to change for good is changed; used only by the goroutine that runs or ends it
}

// stored is the content of job.json.
type stored struct {
	Record contract.JobRecord `json:"record"`
	// Order numbers the jobs of a volume in order of acceptance.
	Order uint64 `json:"order"`
	// Ending holds what the terminal event says beyond the record.
	Ending *ending `json:"ending,omitempty"`
	// Published: the end is in the ledger, so anyone may see it.
	Published bool `json:"published,omitempty"`
}

type ending struct {
	Summary string   `json:"summary,omitempty"`
	Changed bool     `json:"changed"`
	Unmet   []string `json:"unmet,omitempty"`
}

// verdict is how a job ends.
type verdict struct {
	status  api.JobStatus
	failure *api.Failure
	ending  ending
	unmet   []api.Unmet
	free    bool // nothing was done that is priced
}

// Bounds of what a generator says about its end, so that it fits one event.
const (
	maxSummary = 2000 // bytes, of a failure's message too
	maxUnmet   = 100  // phrases
	maxPhrase  = 200  // bytes
)

func completed(r gen.Result) verdict {
	v := verdict{status: api.JobCompleted, ending: ending{Summary: clip(r.Summary, maxSummary), Changed: r.Changed}, free: r.Free}
	v.lacks(r.Unmet)
	return v
}

// lacks says what of the request is not in the game.
func (v *verdict) lacks(wishes []string) {
	for _, wish := range wishes[:min(len(wishes), maxUnmet)] {
		wish = clip(wish, maxPhrase)
		v.ending.Unmet = append(v.ending.Unmet, wish)
		v.unmet = append(v.unmet, gen.Wish(wish))
	}
}

func failed(code api.FailureCode, message string) verdict {
	return verdict{status: api.JobFailed, failure: &api.Failure{Code: code, Message: clip(message, maxSummary)}}
}

// visible returns the record as the public may see it: a job whose end is not
// yet in the ledger has not ended.
func (s stored) visible() contract.JobRecord {
	r := s.Record
	if !r.Status.Terminal() || s.Published {
		return r
	}
	r.Status = api.JobRunning
	if r.StartedAt == nil {
		r.Status = api.JobQueued
	}
	if r.Progress.Stage == api.StageDone {
		r.Progress = packaging
	}
	r.FinishedAt, r.Failure, r.Files, r.Unmet = nil, nil, nil, nil
	r.LastEventID--
	return r
}

// terminalEvent returns the event that ends the job's log.
func (s stored) terminalEvent() api.Event {
	r := s.Record
	members := map[string]any{"status": r.Status, "changed": s.Ending.Changed, "unmet": append([]string{}, s.Ending.Unmet...)}
	if r.Status == api.JobCompleted {
		members["summary"] = s.Ending.Summary
	}
	if r.Failure != nil {
		members["failure"] = r.Failure
	}
	if r.Files != nil {
		members["files"] = r.Files
	}
	return api.Event{Type: api.TerminalEventOf(r.Status), JobID: r.JobID, ProjectID: r.ProjectID, TS: *r.FinishedAt, Members: members}
}

// save makes s the content of the job's job.json.
func (j *job) save(s stored) error {
	data, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("encoding job: %w", err)
	}
	if err := disk.WriteFile(j.path(recordFile), data); err != nil {
		return fmt.Errorf("storing job: %w", err)
	}
	return nil
}

// request returns what the job was submitted with.
func (j *job) request() (api.GenerateRequest, error) { return j.read(requestFile) }

func (j *job) read(name string) (api.GenerateRequest, error) {
	var req api.GenerateRequest
	data, err := os.ReadFile(j.path(name))
	if err != nil {
		return req, fmt.Errorf("reading request: %w", err)
	}
	if err := json.Unmarshal(data, &req); err != nil {
		return req, fmt.Errorf("decoding request: %w", err)
	}
	return req, nil
}

func (j *job) path(name string) string { return filepath.Join(j.dir, name) }
