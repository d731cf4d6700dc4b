package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"io"

	corev1 "k8s.io/api/core/v1"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/internal/driverkit"
)

// logLines is how many lines are read of a log to find its last bytes.
const logLines = 1000

// Logs implements driver.Driver. Of a log that the node has thrown away the
// last words are left, when the engine failed.
func (d *Driver) Logs(ctx context.Context, h driver.Handle, limit int64) ([]byte, error) {
	pod, err := d.find(ctx, h)
	if errors.Is(err, driver.ErrIdentity) {
		err = fmt.Errorf("%w: %w", driver.ErrNotFound, err)
	}
	if err != nil {
		return nil, err
	}
	state := stateOf(pod)
	if state.Running == nil && state.Terminated == nil {
		return nil, nil // there is no container yet, or never was
	}
	limit = min(limit, d.opts.LogBytes)
	tail := &driverkit.Tail{Limit: limit}
	err = d.read(ctx, pod, tail)
	if err != nil && ctx.Err() == nil && state.Terminated != nil && state.Terminated.Message != "" {
		tail = &driverkit.Tail{Limit: limit}
		_, err = io.WriteString(tail, state.Terminated.Message)
	}
	if err != nil {
		return nil, fmt.Errorf("reading pod's log: %w", driverkit.Unavailable(err))
	}
	return tail.Kept, nil
}

func (d *Driver) read(ctx context.Context, pod *corev1.Pod, into io.Writer) error {
	stream, err := d.pods.GetLogs(pod.Name, &corev1.PodLogOptions{Container: container, TailLines: new(int64(logLines))}).Stream(ctx)
	if err != nil {
		return err
	}
	defer stream.Close()
	_, err = io.Copy(into, stream)
	return err
}
