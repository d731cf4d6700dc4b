// Package remote is the way between a gateway and an engine proxy in another
// process: Handler serves engineproxy.Engines over a peer connection, Client
// implements it. A question that gets no answer is engineproxy.ErrUnreachable.
//
// On one machine a gateway reaches engines at their own sockets, so that open
// streams outlive the engine proxy. From another host it reaches them through
// the engine proxy: see Proxy.
package remote

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/engineclient"
	"github.com/svc-games/svc/peer/rpc"
)

// Path is that of the calls' version.
const Path = "/engine-proxy/v1"

// sentinels are the errors that both ends know.
var sentinels = rpc.Sentinels{
	"absent":            engineproxy.ErrAbsent,
	"unreachable":       engineproxy.ErrUnreachable,
	"not_archived":      engineproxy.ErrNotArchived,
	"busy":              engineproxy.ErrBusy,
	"canceled":          context.Canceled,
	"deadline_exceeded": context.DeadlineExceeded,
}

// codes are sentinels, and the errors with a detail.
type codes struct{}

// detail holds the one error of these that was returned.
type detail struct {
	Starting *engineproxy.StartingError `json:"starting,omitempty"`
	Failed   *engineproxy.FailedError   `json:"failed,omitempty"`
	Room     *engineproxy.RoomError     `json:"room,omitempty"`
	Answer   *engineclient.StatusError  `json:"answer,omitempty"`
}

// Encode implements rpc.Codes.
func (codes) Encode(err error) ([]string, any) {
	known, _ := sentinels.Encode(err)
	var d detail
	switch {
	case errors.As(err, &d.Starting):
		return append(known, "starting"), d
	case errors.As(err, &d.Failed):
		return append(known, "failed"), d
	case errors.As(err, &d.Room):
		return append(known, "room"), d
	case errors.As(err, &d.Answer):
		return append(known, "answer"), d
	}
	return known, nil
}

// Decode implements rpc.Codes.
func (codes) Decode(f rpc.Failure) []error {
	errs := sentinels.Decode(f)
	if f.Detail == nil {
		return errs
	}
	var d detail
	if err := json.Unmarshal(f.Detail, &d); err != nil {
		return errs // without its detail it is an error like others
	}
	switch {
	case d.Starting != nil:
		errs = append(errs, d.Starting)
	case d.Failed != nil:
		errs = append(errs, d.Failed)
	case d.Room != nil:
		errs = append(errs, d.Room)
	case d.Answer != nil:
		errs = append(errs, d.Answer)
	}
	return errs
}

// What is asked and answered, where it is more than one value.
type (
	// leaseRef names a lease before it is given: the client numbers its own.
	leaseRef struct {
		Session string `json:"session"`
		ID      uint64 `json:"id"`
	}
	submission struct {
		Project engineproxy.Project `json:"project"`
		Hold    time.Duration       `json:"hold"` // nanoseconds
		Lease   leaseRef            `json:"lease"`
	}
	attachment struct {
		ProjectID string   `json:"projectId"`
		Lease     leaseRef `json:"lease"`
	}
	// touch tells which leases are still used.
	touch struct {
		Session string `json:"session"`
		// Released are leases that ended.
		Released []uint64 `json:"released,omitempty"`
		// Live, when All is set, are all leases up to the number UpTo.
		All  bool     `json:"all,omitempty"`
		UpTo uint64   `json:"upTo,omitempty"`
		Live []uint64 `json:"live,omitempty"`
	}
	jobOf struct {
		Project engineproxy.Project `json:"project"`
		JobID   string              `json:"jobId"`
	}
	stopping struct {
		ProjectID string `json:"projectId"`
		Force     bool   `json:"force"`
	}
	logTail struct {
		ProjectID string `json:"projectId"`
		Limit     int64  `json:"limit"`
	}
	jobRef struct {
		JobID string `json:"jobId"`
	}
	eventsAfter struct {
		JobID string `json:"jobId"`
		After uint64 `json:"after"`
	}
	event struct {
		ID   uint64 `json:"id"`
		Type string `json:"type"`
		Data []byte `json:"data"`
	}
	eventPage struct {
		Events []event `json:"events"`
		Last   uint64  `json:"last"`
		Ended  bool    `json:"ended"`
	}
	fileInfo struct {
		Size    int64     `json:"size"`
		SHA256  string    `json:"sha256"`
		ModTime time.Time `json:"modTime"`
	}
	ready struct {
		Ready bool `json:"ready"`
	}
)
