// Package engineclient speaks the engine contract with one instance of an
// engine. Everything it reads is from a program nobody vouches for: answers
// are bounded, and an answer of another instance is an error.
package engineclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine-proxy/internal/bounded"
)

// Errors of a Client, besides those of the connection.
var (
	// ErrBusy is an engine's answer to a drain while it works.
	ErrBusy = errors.New("the engine works")
	// ErrNotReady is an engine's answer to a readiness probe while it starts.
	ErrNotReady = errors.New("the engine is not ready")
	// ErrContract: what the engine sent can't be what the contract demands.
	// Asking again is unlikely to help.
	ErrContract = errors.New("the engine breaks the contract")
	// ErrIdentity: another instance answered.
	ErrIdentity = errors.New("another engine instance answered")
)

// StatusError is an answer with a status that the contract does not foresee.
type StatusError struct {
	Path   string
	Status int
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("the engine answered %s with status %d", e.Path, e.Status)
}

// QuickCall bounds a call that takes an engine no time.
const QuickCall = 5 * time.Second

// Bounds of answers, in bytes.
const (
	maxBody    = 1 << 20
	maxJobList = 64 << 20
)

// Target is the instance to speak with.
type Target struct {
	ProjectID  string
	InstanceID string
	Network    string // unix or tcp
	Address    string
	Token      string
	// Dial connects; nil: a net.Dialer.
	Dial DialFunc
}

// DialFunc connects to an address.
type DialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// Client speaks with one instance. It is safe for concurrent use.
type Client struct {
	target    Target
	transport *http.Transport
	http      *http.Client
}

// New returns a client with a connection pool of its own, so that no
// connection outlives the instance.
func New(t Target) *Client {
	dial := t.Dial
	if dial == nil {
		dial = (&net.Dialer{Timeout: 2 * time.Second}).DialContext
	}
	transport := &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dial(ctx, t.Network, t.Address)
		},
		MaxIdleConnsPerHost: 4,
		IdleConnTimeout:     30 * time.Second,
		DisableCompression:  true,
	}
	return &Client{
		target: t, transport: transport,
		http: &http.Client{
			Transport:     transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// Close drops the idle connections.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Ready asks whether the engine is ready: nil error only if it is, and is the
// instance and project it should be.
func (c *Client) Ready(ctx context.Context) (contract.Ready, error) {
	var out contract.Ready
	err := c.call(ctx, http.MethodGet, contract.PathReady, nil, &out, maxBody)
	if status, ok := errors.AsType[*StatusError](err); ok && status.Status == http.StatusServiceUnavailable {
		return out, ErrNotReady
	}
	if err != nil {
		return out, err
	}
	if out.InstanceID != c.target.InstanceID || out.ProjectID != c.target.ProjectID {
		return out, ErrIdentity
	}
	if !contract.ValidName(out.FeedID) {
		return out, fmt.Errorf("%w: the id of its feed is malformed", ErrContract)
	}
	return out, nil
}

// Activity asks what the engine works at.
func (c *Client) Activity(ctx context.Context) (contract.Activity, error) {
	var out contract.Activity
	err := c.call(ctx, http.MethodGet, contract.PathActivity, nil, &out, maxBody)
	return out, err
}

// Knows returns those of the jobs that the engine's volume knows. The list of
// them is read record by record: a whole one takes a hundred times the memory
// that it has bytes, if an engine wants it to.
func (c *Client) Knows(ctx context.Context, jobIDs []string) (map[string]bool, error) {
	res, err := c.do(ctx, http.MethodGet, contract.PathJobs, nil)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body := bounded.Reader(res.Body, maxJobList, fmt.Errorf("over %d bytes", maxJobList))
	known := make(map[string]bool)
	err = eachJob(json.NewDecoder(body), func(id string) {
		if slices.Contains(jobIDs, id) {
			known[id] = true
		}
	})
	if err != nil {
		return nil, fmt.Errorf("decoding the engine's answer to %s: %w", contract.PathJobs, err)
	}
	return known, nil
}

// eachJob calls each with the id of every job of a contract.JobList. One that
// lists nothing at all is an error: jobs are lost that an engine does not know.
func eachJob(dec *json.Decoder, each func(id string)) error {
	if err := expect(dec, json.Delim('{')); err != nil {
		return err
	}
	listed := false
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return err
		}
		if name != "jobs" {
			var other json.RawMessage
			if err := dec.Decode(&other); err != nil {
				return err
			}
			continue
		}
		listed = true
		if err := eachOf(dec, each); err != nil {
			return err
		}
	}
	if !listed {
		return errors.New("there are no jobs in it")
	}
	return expect(dec, json.Delim('}'))
}

func eachOf(dec *json.Decoder, each func(id string)) error {
	begin, err := dec.Token()
	if err != nil || begin == nil { // null is an empty list
		return err
	}
	if begin != json.Delim('[') {
		return fmt.Errorf("%v where a list should be", begin)
	}
	for dec.More() {
		var job struct {
			JobID string `json:"jobId"`
		}
		if err := dec.Decode(&job); err != nil {
			return err
		}
		each(job.JobID)
	}
	return expect(dec, json.Delim(']'))
}

func expect(dec *json.Decoder, want json.Delim) error {
	got, err := dec.Token()
	if err == nil && got != want {
		err = fmt.Errorf("%v where %v should be", got, want)
	}
	return err
}

// Ack acknowledges feed records.
func (c *Client) Ack(ctx context.Context, ack contract.Ack) error {
	return c.call(ctx, http.MethodPost, contract.PathAck, ack, nil, maxBody)
}

// Fence asks for a verdict on a job.
func (c *Client) Fence(ctx context.Context, jobID string) (contract.FenceVerdict, error) {
	var out contract.FenceResponse
	if err := c.call(ctx, http.MethodPost, contract.PathFence, contract.FenceRequest{JobID: jobID}, &out, maxBody); err != nil {
		return "", err
	}
	if out.Verdict != contract.Accepted && out.Verdict != contract.Fenced {
		return "", fmt.Errorf("fencing job: the engine answered with the unknown verdict %q", out.Verdict)
	}
	return out.Verdict, nil
}

// Drain asks the engine to take no more jobs; ErrBusy when it works.
func (c *Client) Drain(ctx context.Context) error {
	err := c.call(ctx, http.MethodPost, contract.PathDrain, nil, nil, maxBody)
	if status, ok := errors.AsType[*StatusError](err); ok && status.Status == http.StatusConflict {
		return ErrBusy
	}
	return err
}

// Undrain takes a drain back.
func (c *Client) Undrain(ctx context.Context) error {
	return c.call(ctx, http.MethodPost, contract.PathUndrain, nil, nil, maxBody)
}

// Cancel hands a cancellation to the engine.
func (c *Client) Cancel(ctx context.Context, jobID string) error {
	if !api.ValidJobID(jobID) {
		return fmt.Errorf("cancelling: malformed job id")
	}
	path := "/v1/generate/" + jobID + "?projectId=" + url.QueryEscape(c.target.ProjectID)
	return c.call(ctx, http.MethodDelete, path, nil, nil, maxBody)
}

// call makes one exchange of JSON. A nil out discards the answer's body.
func (c *Client) call(ctx context.Context, method, path string, in, out any, limit int64) error {
	res, err := c.do(ctx, method, path, in)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if out == nil {
		_, err := io.Copy(io.Discard, io.LimitReader(res.Body, limit))
		if err != nil {
			return fmt.Errorf("reading the engine's answer to %s: %w", path, err)
		}
		return nil
	}
	return decode(res, path, out, limit)
}

// decode reads an answer's JSON.
func decode(res *http.Response, path string, out any, limit int64) error {
	body, err := io.ReadAll(bounded.Reader(res.Body, limit, fmt.Errorf("over %d bytes", limit)))
	if err != nil {
		return fmt.Errorf("reading the engine's answer to %s: %w", path, err)
	}
	if err := json.Unmarshal(body, out); err != nil {
		return fmt.Errorf("decoding the engine's answer to %s: %w", path, err)
	}
	return nil
}

// do sends a request and returns the answer if it is a 2xx of our instance.
func (c *Client) do(ctx context.Context, method, path string, in any) (*http.Response, error) {
	if in == nil {
		return c.send(ctx, method, path, "", nil)
	}
	raw, err := json.Marshal(in)
	if err != nil {
		return nil, fmt.Errorf("encoding request to the engine: %w", err)
	}
	return c.send(ctx, method, path, "application/json", bytes.NewReader(raw))
}

// send is do with a body of any type.
func (c *Client) send(ctx context.Context, method, path, contentType string, body io.Reader) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://engine"+path, body)
	if err != nil {
		return nil, fmt.Errorf("making request to the engine: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+c.target.Token)
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("asking the engine: %w", err)
	}
	if got := res.Header.Get(contract.HeaderInstance); got != c.target.InstanceID {
		res.Body.Close()
		return nil, ErrIdentity
	}
	if res.StatusCode < 200 || res.StatusCode > 299 {
		res.Body.Close()
		return nil, &StatusError{Path: path, Status: res.StatusCode}
	}
	return res, nil
}
