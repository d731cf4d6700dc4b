package kubernetes

import (
	"context"
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
	data, err := parseHandle(h)
	if err != nil {
		return nil, err
	}
	pod, err := d.find(ctx, data)
	if err != nil {
		return nil, gonePod(err)
	}
	state := stateOf(pod)
	if state.Running == nil && state.Terminated == nil {
		return nil, nil // there is no container yet, or never was
	}
	limit = min(limit, d.opts.LogBytes)
	log, err := d.read(ctx, pod, limit)
	if err != nil && ctx.Err() == nil && state.Terminated != nil && state.Terminated.Message != "" {
		return last([]byte(state.Terminated.Message), limit), nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading pod's log: %w", driverkit.Unavailable(err))
	}
	return log, nil
}

// gonePod is ErrNotFound also when another pod has the name.
func gonePod(err error) error {
	if driverkit.IgnoreGone(err) == nil {
		return fmt.Errorf("%w: %w", driver.ErrNotFound, err)
	}
	return err
}

func (d *Driver) read(ctx context.Context, pod *corev1.Pod, limit int64) ([]byte, error) {
	stream, err := d.pods.GetLogs(pod.Name, &corev1.PodLogOptions{Container: container, TailLines: new(int64(logLines))}).Stream(ctx)
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	tail := &driverkit.Tail{Limit: limit}
	if _, err := io.Copy(tail, stream); err != nil {
		return nil, err
	}
	return tail.Kept, nil
}

// last returns the end of text.
func last(text []byte, limit int64) []byte {
	return text[max(0, int64(len(text))-limit):]
}
