package kubernetes

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/internal/driverkit"
)

// handleData is what Handle.Data holds.
type handleData struct {
	UID        types.UID `json:"uid"` // the pod's, never given twice
	ProjectID  string    `json:"projectId"`
	InstanceID string    `json:"instanceId"`
}

func newHandle(pod *corev1.Pod) (driver.Handle, error) {
	raw, err := json.Marshal(handleData{
		UID: pod.UID, ProjectID: pod.Labels[labelProject], InstanceID: pod.Labels[labelInstance],
	})
	if err != nil {
		return driver.Handle{}, fmt.Errorf("encoding pod handle: %w", err)
	}
	return driver.Handle{Driver: Name, Data: raw}, nil
}

func parseHandle(h driver.Handle) (handleData, error) {
	var data handleData
	if h.Driver != Name {
		return data, fmt.Errorf("reading handle of driver %q: %w", h.Driver, driver.ErrNotFound)
	}
	if err := json.Unmarshal(h.Data, &data); err != nil || data.UID == "" || data.ProjectID == "" || data.InstanceID == "" {
		return data, fmt.Errorf("reading pod handle: %w", driver.ErrNotFound)
	}
	return data, nil
}

// find asks for the pod of a handle. When the name has gone to the project's
// next pod, that is ErrIdentity.
func (d *Driver) find(ctx context.Context, data handleData) (*corev1.Pod, error) {
	name := podName(data.ProjectID)
	pod, err := d.pods.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("looking at pod: %w", absence(err, name))
	}
	if pod.UID != data.UID {
		return nil, driver.ErrIdentity
	}
	return pod, nil
}

// Adopt implements driver.Driver. Watch reports every pod's end, so all there
// is to do is to look.
func (d *Driver) Adopt(ctx context.Context, h driver.Handle) (driver.Observed, error) {
	obs, err := d.Inspect(ctx, h)
	if err == nil && !obs.Running {
		return driver.Observed{}, driver.ErrNotFound
	}
	return obs, err
}

// Inspect implements driver.Driver.
func (d *Driver) Inspect(ctx context.Context, h driver.Handle) (driver.Observed, error) {
	data, err := parseHandle(h)
	if err != nil {
		return driver.Observed{}, err
	}
	pod, err := d.find(ctx, data)
	if err != nil {
		return driver.Observed{}, err
	}
	return observed(pod)
}

// List implements driver.Driver. A pod that has no node yet, or is being
// deleted, is among them.
func (d *Driver) List(ctx context.Context) ([]driver.Observed, error) {
	list, err := d.pods.List(ctx, d.ours())
	if err != nil {
		return nil, fmt.Errorf("listing pods: %w", driverkit.Unavailable(err))
	}
	out := make([]driver.Observed, 0, len(list.Items))
	for i := range list.Items {
		if !alive(&list.Items[i]) {
			continue
		}
		obs, err := observed(&list.Items[i])
		if err != nil {
			return nil, err
		}
		out = append(out, obs)
	}
	return out, nil
}

// observed reads what a pod tells.
func observed(pod *corev1.Pod) (driver.Observed, error) {
	h, err := newHandle(pod)
	if err != nil {
		return driver.Observed{}, err
	}
	obs := driver.Observed{
		ProjectID: pod.Labels[labelProject], InstanceID: pod.Labels[labelInstance],
		Handle: h, Volume: pod.Annotations[noteVolume], Running: alive(pod),
	}
	obs.Generation, _ = strconv.ParseUint(pod.Labels[labelGeneration], 10, 64) // 0 for what is none
	if ip := pod.Status.PodIP; ip != "" {
		obs.Endpoint = driver.TCPEndpoint(net.JoinHostPort(ip, strconv.Itoa(Port)))
	}
	if !obs.Running {
		obs.Exit = exitOf(pod)
	}
	return obs, nil
}

// alive reports whether a pod has, or may have, or may come to have, a
// process. Nobody knows of one whose node is not heard of; that it is being
// deleted says nothing.
func alive(pod *corev1.Pod) bool {
	switch pod.Status.Phase {
	case corev1.PodSucceeded, corev1.PodFailed:
		return stateOf(pod).Running != nil
	}
	return true
}

// Reasons of this driver beside those of all.
const (
	ReasonEvicted driver.Reason = "evicted" // its node needed the room
)

// exitOf reads how a pod ended. The exit code is that of the container's first
// process, or 128 and the signal that ended it.
func exitOf(pod *corev1.Pod) *driver.Exit {
	const signalled, signals = 128, 64
	e := &driver.Exit{Code: -1, Reason: driver.ReasonUnknown, Detail: pod.Status.Message}
	if t := stateOf(pod).Terminated; t != nil {
		e.Code, e.Signal, e.Reason, e.At = int(t.ExitCode), int(t.Signal), driver.ReasonExited, t.FinishedAt.Time
		if signal := e.Code - signalled; e.Signal == 0 && signal > 0 && signal <= signals {
			e.Signal = signal
		}
		switch {
		case t.Reason == "OOMKilled":
			e.Reason = driver.ReasonOOM
		case neverRan(t):
			e.Reason, e.Detail, e.Signal = driver.ReasonRefused, t.Message, 0
		case e.Signal != 0:
			e.Reason = driver.ReasonKilled
		}
		if e.Reason != driver.ReasonExited {
			e.Code = -1
		}
	}
	if pod.Status.Reason == "Evicted" {
		e.Reason = ReasonEvicted
	}
	return e
}
