package remote

import (
	"context"
	"net/http"
	"path/filepath"
	"time"

	"go.uber.org/zap"

	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/state"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/peer/rpc"
)

// Operator asks an engine proxy in another process what operators ask: the
// methods are those of engineproxy.Engines. It is safe for concurrent use.
type Operator struct {
	rpc     *rpc.Client
	timeout time.Duration // of questions that take no time; 0: only the context bounds them
}

// NewOperator returns an Operator of the engine proxy that works on dataDir. An
// error is peer.ErrNotListening when there is none.
func NewOperator(dataDir string) *Operator {
	client := peer.UnixClient(filepath.Join(dataDir, state.SocketName))
	return &Operator{rpc: rpc.NewClient(client, "the engine proxy", Path, codes{})}
}

// NewOperatorHandler serves operators alone.
func NewOperatorHandler(e engineproxy.Engines, logger *zap.Logger) http.Handler {
	s := rpc.NewServer(Path, codes{}, logger)
	serveOperators(s, e)
	return s
}

func serveOperators(s *rpc.Server, e engineproxy.Engines) {
	rpc.Handle(s, "problems", func(ctx context.Context, _ rpc.Nothing) ([]string, error) { return e.Problems(ctx) })
	rpc.Handle(s, "list", func(ctx context.Context, _ rpc.Nothing) ([]engineproxy.Info, error) { return e.List(ctx) })
	rpc.HandleProject(s, "show", e.Show)
	rpc.Handle(s, "logs", func(ctx context.Context, r logTail) ([]byte, error) { return e.Logs(ctx, r.ProjectID, r.Limit) })
	rpc.HandleDone(s, "stop", func(ctx context.Context, r stopping) error { return e.Stop(ctx, r.ProjectID, r.Force) })
	rpc.HandleDone(s, "reset", func(ctx context.Context, r rpc.ProjectRef) error { return e.Reset(ctx, r.ProjectID) })
}

// Problems are what keeps the engine proxy from starting engines.
func (o *Operator) Problems(ctx context.Context) ([]string, error) {
	return call[[]string](ctx, o.rpc, o.timeout, "problems", rpc.Nothing{})
}

// List lists the engines that are not absent.
func (o *Operator) List(ctx context.Context) ([]engineproxy.Info, error) {
	return call[[]engineproxy.Info](ctx, o.rpc, o.timeout, "list", rpc.Nothing{})
}

// Show describes one project's engine.
func (o *Operator) Show(ctx context.Context, projectID string) (engineproxy.Details, error) {
	return call[engineproxy.Details](ctx, o.rpc, o.timeout, "show", rpc.ProjectRef{ProjectID: projectID})
}

// Logs returns the last bytes, at most limit, of what a project's engine wrote.
func (o *Operator) Logs(ctx context.Context, projectID string, limit int64) ([]byte, error) {
	return call[[]byte](ctx, o.rpc, o.timeout, "logs", logTail{projectID, limit})
}

// Stop stops a project's engine. Without force it waits for its work.
func (o *Operator) Stop(ctx context.Context, projectID string, force bool) error {
	_, err := call[rpc.Nothing](ctx, o.rpc, 0, "stop", stopping{projectID, force})
	return err
}

// Reset forgets that a project's engine failed to start.
func (o *Operator) Reset(ctx context.Context, projectID string) error {
	_, err := call[rpc.Nothing](ctx, o.rpc, o.timeout, "reset", rpc.ProjectRef{ProjectID: projectID})
	return err
}
