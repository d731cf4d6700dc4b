package docker

import (
	"context"
	"fmt"

	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/client"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/internal/driverkit"
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
	tail := &driverkit.Tail{Limit: limit}
	if _, err := stdcopy.StdCopy(tail, tail, stream); err != nil {
		return nil, fmt.Errorf("reading container's log: %w", driverkit.Unavailable(err))
	}
	return tail.Kept, nil
}
