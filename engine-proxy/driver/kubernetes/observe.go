package kubernetes

import (
	"context"
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

func newHandle(pod *corev1.Pod) driver.Handle {
	return driverkit.NewHandle(Name, handleData{
		UID: pod.UID, ProjectID: pod.Labels[driverkit.LabelProject], InstanceID: pod.Labels[driverkit.LabelInstance],
	})
}

func parseHandle(h driver.Handle) (handleData, error) {
	var data handleData
	err := driverkit.ReadHandle(h, Name, &data)
	if err == nil && (data.UID == "" || data.ProjectID == "" || data.InstanceID == "") {
		err = fmt.Errorf("reading %s handle: %w", Name, driver.ErrNotFound)
	}
	return data, err
}

// find asks for the pod of a handle. When the name has gone to the project's
// next pod, that is ErrIdentity.
func (d *Driver) find(ctx context.Context, h driver.Handle) (*corev1.Pod, error) {
	data, err := parseHandle(h)
	if err != nil {
		return nil, err
	}
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

// Adopt implements driver.Driver.
func (d *Driver) Adopt(ctx context.Context, h driver.Handle) (driver.Observed, error) {
	return driverkit.Adopted(d.Inspect(ctx, h))
}

// Inspect implements driver.Driver.
func (d *Driver) Inspect(ctx context.Context, h driver.Handle) (driver.Observed, error) {
	pod, err := d.find(ctx, h)
	if err != nil {
		return driver.Observed{}, err
	}
	return observed(pod), nil
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
		if pod := &list.Items[i]; alive(pod) {
			out = append(out, observed(pod))
		}
	}
	return out, nil
}

// observed reads what a pod tells.
func observed(pod *corev1.Pod) driver.Observed {
	obs := driverkit.Labelled(pod.Labels)
	obs.Handle, obs.Volume, obs.Running = newHandle(pod), pod.Annotations[noteVolume], alive(pod)
	if ip := pod.Status.PodIP; ip != "" {
		obs.Endpoint = driver.TCPEndpoint(net.JoinHostPort(ip, strconv.Itoa(Port)))
	}
	if !obs.Running {
		obs.Exit = exitOf(pod)
	}
	return obs
}

// alive reports whether a pod has, or may have, or may come to have, a
// process. Of one whose node is silent nothing is known; that it is being
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

// exitOf reads how a pod ended.
func exitOf(pod *corev1.Pod) *driver.Exit {
	e := &driver.Exit{Code: -1, Reason: driver.ReasonUnknown}
	detail := pod.Status.Message
	if t := stateOf(pod).Terminated; t != nil {
		e = driverkit.ExitOf(int(t.ExitCode))
		if t.Signal != 0 {
			e.Code, e.Signal, e.Reason = -1, int(t.Signal), driver.ReasonKilled
		}
		switch {
		case t.Reason == "OOMKilled":
			e.Code, e.Reason = -1, driver.ReasonOOM
		case neverRan(t):
			e.Code, e.Signal, e.Reason, detail = -1, 0, driver.ReasonRefused, t.Message
		}
		e.At = t.FinishedAt.Time
	}
	e.Detail = detail
	if pod.Status.Reason == "Evicted" {
		e.Reason = ReasonEvicted
	}
	return e
}
