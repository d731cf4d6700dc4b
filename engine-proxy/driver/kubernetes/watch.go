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

// lookAgain is how often a pod is asked for while nothing is heard of it.
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
				d.changes.lost()
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

// podChanged passes on that a pod has changed.
func (d *Driver) podChanged(object any, deleted bool) {
	if last, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = last.Obj
	}
	pod, ok := object.(*corev1.Pod)
	if !ok {
		d.changes.lost()
		return
	}
	d.changes.of(pod.Name)
	if deleted || !alive(pod) {
		d.changes.Publish(driver.Event{ProjectID: pod.Labels[labelProject], InstanceID: pod.Labels[labelInstance]})
	}
}

// Watch implements driver.Driver. The first event says that others may have been
// lost.
func (d *Driver) Watch(ctx context.Context) (<-chan driver.Event, error) {
	return d.changes.Watch(ctx, driver.Event{}), nil
}

// until asks for a pod again and again, whenever it has changed, until ok says
// so or fails. A pod that is no more, or whose name is another's, is nil.
func (d *Driver) until(ctx context.Context, pod *corev1.Pod, ok func(now *corev1.Pod) (bool, error)) error {
	changed, leave := d.changes.await(pod.Name)
	defer leave()
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
		timer := time.NewTimer(lookAgain)
		select {
		case <-changed:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}
