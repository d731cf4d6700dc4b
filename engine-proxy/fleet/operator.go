package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path/filepath"
	"strconv"

	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/state"
	"github.com/svc-games/svc/peer"
)

// ErrNotRunning is returned, wrapped, by an Operator when no engine proxy
// listens.
var ErrNotRunning = errors.New("no engine proxy works")

// Operator asks a running engine proxy over its socket, for `svc engines`.
type Operator struct {
	dataDir string
	peer    http.RoundTripper
	err     error // of NewOperator
}

// NewOperator returns a client of the engine proxy that works on dataDir.
func NewOperator(dataDir string) *Operator {
	client, err := peer.NewClient(peer.ClientOptions{
		Address: peer.Address{Network: "unix", Name: filepath.Join(dataDir, state.SocketName)},
	})
	return &Operator{dataDir: dataDir, peer: client, err: err}
}

// List lists the engines.
func (o *Operator) List(ctx context.Context) ([]engineproxy.Info, error) {
	var out enginesList
	err := o.call(ctx, http.MethodGet, "/engines", &out)
	return out.Engines, err
}

// Stop stops a project's engine. Without force it waits for its work.
func (o *Operator) Stop(ctx context.Context, projectID string, force bool) error {
	return o.call(ctx, http.MethodPost, "/engines/"+projectID+"/stop?force="+strconv.FormatBool(force), nil)
}

// Show describes one project's engine.
func (o *Operator) Show(ctx context.Context, projectID string) (engineproxy.Details, error) {
	var out engineproxy.Details
	err := o.call(ctx, http.MethodGet, "/engines/"+projectID, &out)
	return out, err
}

// Logs returns the last bytes of what a project's engine wrote.
func (o *Operator) Logs(ctx context.Context, projectID string, limit int64) (string, error) {
	var out engineLog
	err := o.call(ctx, http.MethodGet, "/engines/"+projectID+"/logs?bytes="+strconv.FormatInt(limit, 10), &out)
	return out.Log, err
}

// Reset forgets that a project's engine failed.
func (o *Operator) Reset(ctx context.Context, projectID string) error {
	return o.call(ctx, http.MethodPost, "/engines/"+projectID+"/reset", nil)
}

func (o *Operator) call(ctx context.Context, method, path string, out any) error {
	if o.err != nil {
		return o.err
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://engines"+path, nil)
	if err != nil {
		return fmt.Errorf("making request: %w", err)
	}
	res, err := o.peer.RoundTrip(req)
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, peer.ErrNotListening):
		return fmt.Errorf("%w on %s: %w", ErrNotRunning, o.dataDir, err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("asking the engine proxy: %w: run the command as the user that runs the service", err)
	case err != nil:
		return fmt.Errorf("asking the engine proxy: %w", err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, 64<<20))
	if err != nil {
		return fmt.Errorf("reading the engine proxy's answer: %w", err)
	}
	if res.StatusCode >= 300 {
		var refused struct {
			Error string `json:"error"`
		}
		if json.Unmarshal(body, &refused) == nil && refused.Error != "" {
			return errors.New(refused.Error)
		}
		return fmt.Errorf("the engine proxy answered with status %d", res.StatusCode)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(body, out); err != nil {
		return fmt.Errorf("decoding the engine proxy's answer: %w", err)
	}
	return nil
}
