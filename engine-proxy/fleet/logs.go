package fleet

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"go.uber.org/zap"

	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/driver"
)

// lastLog keeps the end of what the last engine of a project wrote.
const lastLog = "last.log"

// Logs implements Engines.
func (p *Proxy) Logs(ctx context.Context, projectID string, limit int64) ([]byte, error) {
	a := p.find(projectID)
	if a == nil {
		return nil, engineproxy.ErrAbsent
	}
	limit = min(max(limit, 0), engineproxy.MaxLog)
	var handle driver.Handle
	if err := a.do(ctx, func() {
		if a.run != nil {
			handle = a.run.entry.Handle
		}
	}); err != nil {
		return nil, err
	}
	if !handle.IsZero() {
		text, err := p.opts.Driver.Logs(ctx, handle, limit)
		if !errors.Is(err, driver.ErrNotFound) {
			return text, err
		}
	}
	text, err := os.ReadFile(filepath.Join(p.layout.State(projectID), lastLog))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, engineproxy.ErrAbsent
	}
	if err != nil {
		return nil, fmt.Errorf("reading engine's log: %w", err)
	}
	return text[max(0, len(text)-int(limit)):], nil
}

// saveLog keeps the end of an engine's log before the driver forgets it. Why
// an engine failed stands there as a rule. It is no reason not to stop.
func (p *Proxy) saveLog(ctx context.Context, projectID string, h driver.Handle) {
	text, err := p.opts.Driver.Logs(ctx, h, engineproxy.MaxLog)
	if errors.Is(err, driver.ErrNotFound) {
		return
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(p.layout.State(projectID), lastLog), text, 0o600)
	}
	if err != nil {
		p.log.Warn("keeping engine's log failed", zap.String("project", projectID), zap.Error(err))
	}
}
