package engineclient

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
)

// Job is what an engine stores of one ended job, to be pulled into the
// archive.
type Job struct {
	client *Client
	id     string
}

// Job returns the stored parts of a job.
func (c *Client) Job(jobID string) Job { return Job{client: c, id: jobID} }

// Record returns the job's record as stored, published or not.
func (j Job) Record(ctx context.Context) (contract.JobRecord, error) {
	var rec contract.JobRecord
	path, err := j.path("record")
	if err != nil {
		return rec, err
	}
	if err := j.client.call(ctx, http.MethodGet, path, nil, &rec, maxFeedLine); err != nil { // it goes on in place of the feed's
		return rec, err
	}
	if rec.JobID != j.id || rec.ProjectID != j.client.target.ProjectID {
		return rec, fmt.Errorf("pulling record: the engine sent that of another job or project")
	}
	return rec, nil
}

// Events opens the job's event log, one event of JSON a line. The caller
// bounds what it reads, and closes it.
func (j Job) Events(ctx context.Context) (io.ReadCloser, error) { return j.open(ctx, "events") }

// Files opens the job's ZIP. The caller bounds what it reads, and closes it.
func (j Job) Files(ctx context.Context) (io.ReadCloser, error) { return j.open(ctx, "files") }

// Snapshot opens the ZIP of the game as it is now. The caller bounds what it
// reads, and closes it. A *StatusError with 404: the engine has no snapshots.
func (c *Client) Snapshot(ctx context.Context) (io.ReadCloser, error) {
	return c.open(ctx, contract.PathSnapshot)
}

func (c *Client) open(ctx context.Context, path string) (io.ReadCloser, error) {
	res, err := c.do(ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, err
	}
	return res.Body, nil
}

func (j Job) open(ctx context.Context, part string) (io.ReadCloser, error) {
	path, err := j.path(part)
	if err != nil {
		return nil, err
	}
	return j.client.open(ctx, path)
}

func (j Job) path(part string) (string, error) {
	if !api.ValidJobID(j.id) {
		return "", fmt.Errorf("pulling job: malformed job id")
	}
	return contract.PathJobs + "/" + j.id + "/" + part, nil
}
