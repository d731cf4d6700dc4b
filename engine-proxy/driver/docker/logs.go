package docker

import (
	"context"
	"fmt"
	"io"

	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/client"

	"github.com/svc-games/svc/engine-proxy/driver"
)

// logLines is how many lines are read of a log to find its last bytes.
const logLines = "1000"

// Logs implements driver.Driver.
func (d *Driver) Logs(ctx context.Context, h driver.Handle, limit int64) ([]byte, error) {
	data, err := parseHandle(h)
	if err != nil {
		return nil, err
	}
	stream, err := d.api.ContainerLogs(ctx, data.Container, client.ContainerLogsOptions{
		ShowStdout: true, ShowStderr: true, Tail: logLines,
	})
	if err != nil {
		return nil, fmt.Errorf("reading container's log: %w", absence(err))
	}
	defer stream.Close()
	tail := &tail{limit: limit}
	if _, err := stdcopy.StdCopy(tail, tail, stream); err != nil {
		return nil, fmt.Errorf("reading container's log: %w", unavailable(err))
	}
	return tail.kept, nil
}

// tail keeps the last bytes that were written to it.
type tail struct {
	limit int64
	kept  []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if over := int64(len(t.kept)) - t.limit; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	return len(p), nil
}

var _ io.Writer = (*tail)(nil)
