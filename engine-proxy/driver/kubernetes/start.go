package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/internal/driverkit"
)

// discardTimeout bounds the clearing away of a failed start.
const discardTimeout = 20 * time.Second

// Start implements driver.Driver. It returns when the engine's container runs,
// or has ended already. What the API server does although its answer was lost
// is found by the name: the same instance is never made twice.
func (d *Driver) Start(ctx context.Context, s driver.Spec, progress func(driver.Phase)) (driver.Handle, error) {
	if progress == nil {
		progress = func(driver.Phase) {}
	}
	if s.Remote == nil {
		return driver.Handle{}, driverkit.Refused(reasonInvalid, errors.New("the spec is not one for an engine that runs elsewhere"))
	}
	progress(driver.PhaseCreating)
	if err := d.checkPolicy(ctx); err != nil {
		return driver.Handle{}, err
	}
	hosts, err := hostAliases(ctx, s.Remote.Egress)
	if err != nil {
		return driver.Handle{}, err
	}
	var room int64
	if s.Volume != "" {
		claim, err := d.fence(ctx, s)
		if err != nil {
			return driver.Handle{}, err
		}
		room = d.room(claim)
	}
	pod, err := d.create(ctx, d.pod(s, room, hosts))
	if err != nil {
		return driver.Handle{}, err
	}
	if s.Volume != "" {
		err = d.confirm(ctx, s)
	}
	if err == nil {
		err = d.deliver(ctx, s, pod)
	}
	if err == nil {
		err = d.await(ctx, pod, progress)
	}
	if err != nil {
		d.discard(ctx, pod)
		return driver.Handle{}, err
	}
	return newHandle(pod), nil
}

// create makes the pod and returns it, or the one that an earlier call has
// made of the same incarnation.
func (d *Driver) create(ctx context.Context, pod *corev1.Pod) (*corev1.Pod, error) {
	for {
		made, err := d.pods.Create(ctx, pod, metav1.CreateOptions{})
		if err == nil {
			return made, nil
		}
		if !apierrors.IsAlreadyExists(err) {
			return nil, failed("making the engine's pod", err)
		}
		found, err := d.pods.Get(ctx, pod.Name, metav1.GetOptions{})
		if saysAbsent(err, pod.Name) {
			continue // it went just now
		}
		if err != nil {
			return nil, failed("looking at the pod of an earlier start", err)
		}
		if found.Labels[driverkit.LabelInstance] == pod.Labels[driverkit.LabelInstance] {
			return found, nil
		}
		if alive(found) {
			return nil, driverkit.Blocked(reasonEarlier, fmt.Errorf("the pod %s is of the instance %s", found.Name, found.Labels[driverkit.LabelInstance]))
		}
		if err := d.clear(ctx, found); err != nil {
			return nil, fmt.Errorf("clearing away an earlier engine: %w", err)
		}
	}
}

// discard removes what a failed start has made, also when the caller does not
// wait any more. What it can't remove, List finds.
func (d *Driver) discard(ctx context.Context, pod *corev1.Pod) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), discardTimeout)
	defer cancel()
	err := errors.Join(d.delete(ctx, pod), d.withdraw(ctx, pod.Labels[driverkit.LabelInstance]))
	if err != nil {
		d.opts.Logger.Warn("removing pod failed", zap.String("pod", pod.Name), zap.Error(err))
	}
}

// await waits until the container runs or has ended, or it is plain that it
// never will run.
func (d *Driver) await(ctx context.Context, pod *corev1.Pod, progress func(driver.Phase)) error {
	began, pulling := time.Now(), false
	last := "no node has been chosen"
	err := d.until(ctx, pod, func(now *corev1.Pod) (bool, error) {
		if now == nil {
			return false, driverkit.Blocked(reasonEarlier, errors.New("the engine's pod was deleted while it started"))
		}
		step := progressOf(now)
		last = step.said
		switch {
		case step.err != nil:
			return false, step.err
		case step.done:
			return true, nil
		case step.unplaced && time.Since(began) >= d.opts.PlaceTimeout:
			return false, driverkit.Full(fmt.Errorf("no node takes the engine's pod: %s", step.said))
		case !step.unplaced && !pulling:
			pulling = true
			progress(driver.PhasePulling)
		}
		return false, nil
	})
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("waiting for the engine's pod: %s: %w", last, err)
	}
	return err
}
