package kubernetes

import (
	"context"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	"go.uber.org/zap"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/internal/driverkit"
)

// lookAgain is how often a pod is asked for while no change of it is reported.
const lookAgain = time.Second

// follow keeps up with the installation's pods until ctx ends. The informer
// begins again whenever its watch breaks off, and finds out what has changed
// meanwhile.
func (d *Driver) follow(ctx context.Context) error {
	ctx = klog.NewContext(ctx, logr.Discard()) // our own log says it
	source := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			o.LabelSelector = d.ours().LabelSelector
			return d.pods.List(ctx, o)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			o.LabelSelector = d.ours().LabelSelector
			w, err := d.pods.Watch(ctx, o)
			if err == nil {
				// What happened before is found out, but perhaps not as it happened.
				d.missed()
			}
			return w, err
		},
	}
	informer := cache.NewSharedIndexInformer(source, &corev1.Pod{}, 0, nil)
	err := informer.SetWatchErrorHandlerWithContext(func(ctx context.Context, _ *cache.Reflector, err error) {
		if ctx.Err() == nil {
			d.opts.Logger.Warn("the watch of the engines' pods broke off", zap.Error(err))
		}
	})
	if err != nil {
		return err
	}
	_, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { d.podChanged(object, false) },
		UpdateFunc: func(_, object any) { d.podChanged(object, false) },
		DeleteFunc: func(object any) { d.podChanged(object, true) },
	})
	if err != nil {
		return err
	}
	d.watcher.Go(func() { informer.RunWithContext(ctx) })
	return nil
}

// missed says to all that changes may have been missed.
func (d *Driver) missed() {
	d.changed.Publish(driver.Event{})
	d.ended.Publish(driver.Event{})
}

// podChanged passes on that a pod has changed.
func (d *Driver) podChanged(object any, deleted bool) {
	if last, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = last.Obj
	}
	pod, ok := object.(*corev1.Pod)
	if !ok {
		d.missed()
		return
	}
	event := driverkit.EventOf(pod.Labels)
	d.changed.Publish(event)
	if deleted || !alive(pod) {
		d.ended.Publish(event)
	}
}

// Watch implements driver.Driver. The first event says that others may have been
// lost.
func (d *Driver) Watch(ctx context.Context) (<-chan driver.Event, error) {
	return d.ended.Watch(ctx, driver.Event{}), nil
}

// until asks for a pod again and again, whenever it has changed, until ok says
// so or fails. A pod that is no more, or whose name is another's, is nil.
func (d *Driver) until(ctx context.Context, pod *corev1.Pod, ok func(now *corev1.Pod) (bool, error)) error {
	watching, leave := context.WithCancel(ctx)
	defer leave()
	changed := d.changed.Watch(watching)
	for {
		now, err := d.pods.Get(ctx, pod.Name, metav1.GetOptions{})
		switch {
		case saysAbsent(err, pod.Name):
			now = nil
		case err != nil:
			return fmt.Errorf("looking at pod: %w", driverkit.Unavailable(err))
		case now.UID != pod.UID:
			now = nil
		}
		if done, err := ok(now); done || err != nil {
			return err
		}
		if err := awaitChange(ctx, changed, pod.Labels[driverkit.LabelProject]); err != nil {
			return err
		}
	}
}

// awaitChange returns when the pod of a project has changed, or may have, or it
// is time to look again.
func awaitChange(ctx context.Context, changed <-chan driver.Event, projectID string) error {
	look := time.NewTimer(lookAgain)
	defer look.Stop()
	for {
		select {
		case e := <-changed:
			if e.ProjectID == projectID || e == (driver.Event{}) {
				return ctx.Err()
			}
		case <-look.C:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
