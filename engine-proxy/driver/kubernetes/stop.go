package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/internal/driverkit"
)

// killTimeout is how long a node has to end a pod that has no grace left. Of the
// pods of one that does not, nothing is known.
const killTimeout = 20 * time.Second

// killGrace, in seconds, is the least that a kubelet has still to confirm.
// With none the API server would forget the pod while it runs.
const killGrace = 1

// askToEnd sets the deadline of a pod to one that has passed. Unlike deletion,
// which follows, that lets the pod stay with its exit code and log.
var askToEnd = []byte(`{"spec":{"activeDeadlineSeconds":1}}`)

// errUnproven is the end of a stop that nobody has confirmed.
var errUnproven = errors.New("no node has said that the pod has ended")

// Stop implements driver.Driver. A pod is gone when its node says that it has
// ended, or the object is no more: an operator may have deleted that by force,
// or the cluster, together with the node.
func (d *Driver) Stop(ctx context.Context, h driver.Handle, grace time.Duration) error {
	pod, err := d.find(ctx, h)
	if err != nil || !alive(pod) {
		return driverkit.IgnoreGone(err)
	}
	if grace > 0 && pod.Spec.NodeName != "" && pod.DeletionTimestamp == nil {
		if over, err := d.endWithin(ctx, pod, grace); over || err != nil {
			return err
		}
	}
	if err := d.delete(ctx, pod); err != nil {
		return fmt.Errorf("deleting pod: %w", err)
	}
	over, err := d.endsWithin(ctx, pod, d.killTimeout)
	if err == nil && !over {
		err = fmt.Errorf("stopping pod: %w: %w", driver.ErrUnavailable, errUnproven)
	}
	return err
}

// endWithin asks a pod to end, and reports whether it did in time.
func (d *Driver) endWithin(ctx context.Context, pod *corev1.Pod, grace time.Duration) (over bool, err error) {
	_, err = d.pods.Patch(ctx, pod.Name, types.StrategicMergePatchType, askToEnd, metav1.PatchOptions{})
	switch {
	case saysAbsent(err, pod.Name):
		return true, nil
	case err != nil:
		return false, fmt.Errorf("asking pod to end: %w", driverkit.Unavailable(err))
	}
	return d.endsWithin(ctx, pod, grace)
}

// endsWithin reports whether a pod ends in time.
func (d *Driver) endsWithin(ctx context.Context, pod *corev1.Pod, limit time.Duration) (over bool, err error) {
	inTime, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err = d.until(inTime, pod, func(now *corev1.Pod) (bool, error) { return now == nil || !alive(now), nil })
	if err != nil && ctx.Err() == nil && inTime.Err() != nil {
		return false, nil
	}
	return err == nil, err
}

// delete asks for the deletion of exactly this pod. One that may still have a
// process goes when its node has confirmed that it has not.
func (d *Driver) delete(ctx context.Context, pod *corev1.Pod) error {
	err := d.pods.Delete(ctx, pod.Name, metav1.DeleteOptions{
		GracePeriodSeconds: new(int64(killGrace)), Preconditions: &metav1.Preconditions{UID: &pod.UID},
	})
	if err == nil || saysAbsent(err, pod.Name) || apierrors.IsConflict(err) { // the name is another pod's now
		return nil
	}
	return driverkit.Unavailable(err)
}

// Remove implements driver.Driver.
func (d *Driver) Remove(ctx context.Context, h driver.Handle) error {
	data, err := parseHandle(h)
	if err != nil {
		return driverkit.IgnoreGone(err)
	}
	pod, err := d.find(ctx, h)
	switch {
	case driverkit.IgnoreGone(err) != nil:
		return err
	case err != nil: // the pod is gone, and its secret may be there
	case alive(pod):
		return errors.New("removing pod: it runs")
	default:
		if err := d.clear(ctx, pod); err != nil {
			return fmt.Errorf("removing pod: %w", err)
		}
	}
	if err := d.withdraw(ctx, data.InstanceID); err != nil {
		return fmt.Errorf("removing the engine's secret: %w", err)
	}
	return nil
}

// clear deletes a pod that has ended and waits until the object is no more.
func (d *Driver) clear(ctx context.Context, pod *corev1.Pod) error {
	if err := d.delete(ctx, pod); err != nil {
		return err
	}
	if err := d.until(ctx, pod, func(now *corev1.Pod) (bool, error) { return now == nil, nil }); err != nil {
		return err
	}
	return d.withdraw(ctx, pod.Labels[driverkit.LabelInstance])
}
