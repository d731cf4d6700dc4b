package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/contract"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/peer/rpc"
)

// readySlice is how long one question waits for a ready engine; the caller
// asks again.
const readySlice = 10 * time.Second

// HandlerOptions of NewHandler.
type HandlerOptions struct {
	Engines engineproxy.Engines
	// Direct tells callers on which sockets engines listen, and their tokens: for
	// those on the same machine. Others, and all callers for engines that run
	// elsewhere, reach them through Proxy alone.
	Direct bool
	Logger *zap.Logger // default: none
}

// Handler serves gateways and operators, and passes requests on to engines.
type Handler struct {
	engines engineproxy.Engines
	direct  bool
	leases  *leases
	mux     *http.ServeMux
}

// NewHandler returns a handler. Close ends what its callers hold.
func NewHandler(o HandlerOptions) *Handler {
	o.Logger = cmp.Or(o.Logger, zap.NewNop())
	h := &Handler{engines: o.Engines, direct: o.Direct, leases: newLeases(), mux: http.NewServeMux()}
	h.mux.Handle(Path+"/", h.calls(o.Logger))
	h.mux.HandleFunc("GET "+Path+"/files/{job}", h.serveFile)
	h.mux.Handle("/engines/{project}/v1/", NewProxy(o.Engines, o.Logger))
	return h
}

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.mux.ServeHTTP(w, r) }

// Close ends all leases.
func (h *Handler) Close() { h.leases.close() }

func (h *Handler) calls(logger *zap.Logger) http.Handler {
	e := h.engines
	s := rpc.NewServer(Path, codes{}, logger)
	rpc.Handle(s, "submit", func(ctx context.Context, r submission) (engineproxy.Endpoint, error) {
		lease, err := e.Submit(ctx, r.Project, r.Hold)
		return h.give(r.Lease, lease, err)
	})
	rpc.Handle(s, "attach", func(ctx context.Context, r attachment) (engineproxy.Endpoint, error) {
		lease, err := e.Attach(ctx, r.ProjectID)
		return h.give(r.Lease, lease, err)
	})
	rpc.HandleDone(s, "touch", func(_ context.Context, r touch) error {
		h.leases.touch(r)
		return nil
	})
	rpc.Handle(s, "await-ready", func(ctx context.Context, r rpc.ProjectRef) (ready, error) { return awaitReady(ctx, e, r.ProjectID) })
	rpc.Handle(s, "fence", func(ctx context.Context, r jobOf) (contract.FenceVerdict, error) {
		return e.Fence(ctx, r.Project, r.JobID)
	})
	rpc.HandleDone(s, "cancel", func(ctx context.Context, r jobOf) error { return e.Cancel(ctx, r.Project, r.JobID) })
	rpc.HandleDone(s, "forget", func(ctx context.Context, r rpc.ProjectRef) error { return e.Forget(ctx, r.ProjectID) })
	rpc.Handle(s, "models", func(ctx context.Context, _ rpc.Nothing) ([]api.Model, error) { return e.Models(ctx) })
	serveOperators(s, e)
	rpc.Handle(s, "events", func(ctx context.Context, r eventsAfter) (eventPage, error) { return events(ctx, e, r) })
	rpc.Handle(s, "file", func(ctx context.Context, r jobRef) (fileInfo, error) {
		f, err := e.Files(ctx, r.JobID)
		if err != nil {
			return fileInfo{}, err
		}
		return fileInfo{f.Size, f.SHA256, f.ModTime}, f.Close()
	})
	return s
}

// give keeps a lease for the caller. A caller that reaches the engine through Proxy
// is told its instance alone.
func (h *Handler) give(ref leaseRef, lease *engineproxy.Lease, err error) (engineproxy.Endpoint, error) {
	if err != nil {
		return engineproxy.Endpoint{}, err
	}
	h.leases.hold(ref, lease.Release)
	if !h.direct || lease.Network != driver.Unix {
		return engineproxy.Endpoint{InstanceID: lease.InstanceID}, nil
	}
	return lease.Endpoint, nil
}

// awaitReady waits for a while, and no longer than the server listens.
func awaitReady(ctx context.Context, e engineproxy.Engines, projectID string) (ready, error) {
	slice, cancel := context.WithTimeout(ctx, readySlice)
	defer cancel()
	go func() {
		select {
		case <-peer.Stopping(ctx):
			cancel()
		case <-slice.Done():
		}
	}()
	err := e.AwaitReady(slice, projectID)
	if err != nil && slice.Err() != nil && ctx.Err() == nil {
		return ready{}, nil
	}
	return ready{err == nil}, err
}

// events returns what follows in a job's log, as far as one read goes.
func events(ctx context.Context, e engineproxy.Engines, r eventsAfter) (eventPage, error) {
	log, err := e.Events(ctx, r.JobID)
	if err != nil {
		return eventPage{}, err
	}
	records, state, err := log.Read(r.After)
	page := eventPage{Events: make([]event, len(records)), Last: state.Last, Ended: state.Ended}
	for i, rec := range records {
		page.Events[i] = event{rec.ID, rec.Type, rec.Data}
	}
	return page, err
}

// serveFile sends an archived ZIP, or the part of it that is asked for.
func (h *Handler) serveFile(w http.ResponseWriter, r *http.Request) {
	f, err := h.engines.Files(r.Context(), r.PathValue("job"))
	switch {
	case errors.Is(err, engineproxy.ErrNotArchived):
		(&answers.Error{Status: http.StatusNotFound, Message: "The job left no files."}).WriteTo(w)
		return
	case err != nil:
		answers.Unavailable("The job's files can't be read right now.", time.Second, fmt.Errorf("opening files: %w", err)).WriteTo(w)
		return
	}
	defer f.Close()
	w.Header().Set("Content-Type", "application/zip")
	w.Header().Set("ETag", `"`+f.SHA256+`"`)
	http.ServeContent(w, r, "", f.ModTime, f)
}

// Interface guards
var _ http.Handler = (*Handler)(nil)
