package kubetest

import (
	"fmt"
	"path/filepath"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// pod is what the node knows and does of one pod.
type pod struct {
	node    *Node
	dir     string // its volumes and its log
	changed chan struct{}
	gone    chan struct{} // closed when the object was deleted by force

	mu      sync.Mutex // guards the following fields
	object  *corev1.Pod
	once    sync.Once
	outside *outsideEnd // how a test wants it to end
	running *container  // nil before it is made
}

// outsideEnd is an end that comes from outside.
type outsideEnd struct {
	podReason, containerReason, message string
}

func newPod(n *Node, object *corev1.Pod) *pod {
	return &pod{
		node: n, dir: filepath.Join(n.dir, string(object.UID)), object: object,
		changed: make(chan struct{}, 1), gone: make(chan struct{}),
	}
}

// update takes over what the API server says of the pod.
func (p *pod) update(object *corev1.Pod) {
	p.mu.Lock()
	p.object = object
	p.mu.Unlock()
	p.wake()
}

func (p *pod) wake() {
	select {
	case p.changed <- struct{}{}:
	default:
	}
}

func (p *pod) forget() { p.once.Do(func() { close(p.gone) }) }

func (p *pod) now() *corev1.Pod {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.object
}

// wait returns after the pod was changed, or after a moment. It reports
// whether there is still something to do.
func (p *pod) wait() bool {
	select {
	case <-p.changed:
	case <-time.After(repeat):
	case <-p.gone:
		return false
	case <-p.node.ctx.Done():
		return false
	}
	return p.node.online()
}

// run leads a pod through its life.
func (p *pod) run() {
	if !p.node.online() || !p.place() {
		return
	}
	c := p.prepare()
	if c == nil {
		p.finish()
		return
	}
	defer c.kill()
	if !p.attend(c) {
		return
	}
	p.finish()
}

// place gives the pod to the node, as the scheduler does.
func (p *pod) place() bool {
	for p.now().Spec.NodeName == "" {
		object := p.now()
		if memory := object.Spec.Containers[0].Resources.Requests.Memory(); memory.Cmp(resource.MustParse(nodeMemory)) > 0 {
			p.report(func(s *corev1.PodStatus) {
				s.Conditions = []corev1.PodCondition{{
					Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable,
					Message: "0/1 nodes are available: 1 Insufficient memory.",
				}}
			})
		} else {
			_ = p.node.api.CoreV1().Pods(object.Namespace).Bind(p.node.ctx, &corev1.Binding{ // if it failed, again
				ObjectMeta: metav1.ObjectMeta{Name: object.Name, UID: object.UID},
				Target:     corev1.ObjectReference{Kind: "Node", Name: nodeName},
			}, metav1.CreateOptions{})
		}
		if !p.wait() {
			return false
		}
	}
	return true
}

// prepare starts the container, as soon as all that it needs is there. It
// returns nil when the pod is to end before.
func (p *pod) prepare() *container {
	address := nextAddress()
	// As if it had fetched the image meanwhile: a deadline of a second is over.
	started := metav1.NewTime(time.Now().Add(-2 * time.Second))
	var said string
	for p.now().DeletionTimestamp == nil {
		waiting := p.missing()
		if waiting == nil {
			c, err := p.start(address)
			if err == nil {
				p.runs(c)
				p.report(func(s *corev1.PodStatus) {
					s.Phase, s.StartTime, s.PodIP, s.PodIPs = corev1.PodRunning, &started, address, []corev1.PodIP{{IP: address}}
					p.container(s, corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.Now()}})
				})
				return c
			}
			p.report(func(s *corev1.PodStatus) {
				s.Phase = corev1.PodFailed
				p.container(s, corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
					ExitCode: 128, Reason: "StartError", Message: err.Error(), FinishedAt: metav1.Now(),
				}})
			})
			return nil
		}
		if waiting.Reason+waiting.Message != said {
			said = waiting.Reason + waiting.Message
			p.report(func(s *corev1.PodStatus) {
				s.Phase, s.StartTime = corev1.PodPending, &started
				p.container(s, corev1.ContainerState{Waiting: waiting})
			})
		}
		if !p.wait() {
			return nil
		}
	}
	return nil
}

// missing says what the container waits for; nil when there is nothing.
func (p *pod) missing() *corev1.ContainerStateWaiting {
	object := p.now()
	name := object.Spec.Containers[0].Image
	if _, ok := p.node.image(name); !ok {
		return &corev1.ContainerStateWaiting{
			Reason:  "ImagePullBackOff",
			Message: fmt.Sprintf("Back-off pulling image %q: ErrImagePull: failed to resolve reference: %s: not found", name, name),
		}
	}
	for _, v := range object.Spec.Volumes {
		var err error
		switch {
		case v.Secret != nil:
			_, err = p.node.api.CoreV1().Secrets(object.Namespace).Get(p.node.ctx, v.Secret.SecretName, metav1.GetOptions{})
		case v.PersistentVolumeClaim != nil:
			_, err = p.node.api.CoreV1().PersistentVolumeClaims(object.Namespace).Get(p.node.ctx, v.PersistentVolumeClaim.ClaimName, metav1.GetOptions{})
		}
		if err != nil {
			return &corev1.ContainerStateWaiting{Reason: "ContainerCreating"}
		}
	}
	return p.node.overloaded()
}

// attend watches over a running container until it has ended and that is
// known. It reports false when nobody wants to know.
func (p *pod) attend(c *container) bool {
	var kill <-chan time.Time
	var asked time.Time // when it will be killed
	for {
		select {
		case <-kill:
			c.kill()
			kill = nil
		case <-p.changed:
		case <-p.gone:
			return false
		case <-p.node.ctx.Done():
			return false
		case <-c.done:
			if p.node.online() {
				p.report(func(s *corev1.PodStatus) { p.ended(s, c.exit) })
			}
			return true
		}
		if !p.node.online() {
			return false
		}
		if grace, wanted := p.mustEnd(); wanted {
			at := time.Now().Add(grace)
			if asked.IsZero() {
				c.ask()
			}
			if asked.IsZero() || at.Before(asked) {
				asked, kill = at, time.After(grace)
			}
		}
	}
}

// mustEnd reports whether the pod is to end, and how long it has.
func (p *pod) mustEnd() (grace time.Duration, wanted bool) {
	object := p.now()
	if object.DeletionTimestamp != nil {
		return time.Duration(*object.DeletionGracePeriodSeconds) * time.Second, true
	}
	if limit := object.Spec.ActiveDeadlineSeconds; limit != nil && object.Status.StartTime != nil {
		if left := time.Until(object.Status.StartTime.Add(time.Duration(*limit) * time.Second)); left > 0 {
			time.AfterFunc(left, p.wake)
			return 0, false
		}
		return time.Duration(*object.Spec.TerminationGracePeriodSeconds) * time.Second, true
	}
	return 0, false
}

// ended writes down how a container ended.
func (p *pod) ended(s *corev1.PodStatus, code int) {
	state := &corev1.ContainerStateTerminated{ExitCode: int32(code), Reason: "Completed", FinishedAt: metav1.Now()}
	s.Phase = corev1.PodSucceeded
	if code != 0 {
		s.Phase, state.Reason = corev1.PodFailed, "Error"
		state.Message = p.lastWords()
	}
	if d := p.ending(); d != nil {
		s.Phase, s.Reason, s.Message = corev1.PodFailed, d.podReason, d.message
		if d.containerReason != "" {
			state.Reason = d.containerReason
		}
	} else if p.now().DeletionTimestamp == nil && p.now().Spec.ActiveDeadlineSeconds != nil {
		s.Phase, s.Reason = corev1.PodFailed, "DeadlineExceeded"
	}
	p.container(s, corev1.ContainerState{Terminated: state})
}

// container writes the state of the pod's one container.
func (p *pod) container(s *corev1.PodStatus, state corev1.ContainerState) {
	c := p.now().Spec.Containers[0]
	s.ContainerStatuses = []corev1.ContainerStatus{{
		Name: c.Name, Image: c.Image, State: state, Ready: state.Running != nil, ContainerID: "kubetest://" + string(p.now().UID),
	}}
	s.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue}}
}

// report changes the pod's status, as soon as the API server takes it.
func (p *pod) report(change func(*corev1.PodStatus)) {
	object := p.now()
	pods := p.node.api.CoreV1().Pods(object.Namespace)
	for {
		now, err := pods.Get(p.node.ctx, object.Name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) || (err == nil && now.UID != object.UID) {
			return
		}
		if err == nil {
			change(&now.Status)
			if _, err = pods.UpdateStatus(p.node.ctx, now, metav1.UpdateOptions{}); err == nil {
				return
			}
		}
		if !p.node.pause() {
			return
		}
	}
}

// finish waits until the pod is to be deleted and says that nothing of it runs.
func (p *pod) finish() {
	for p.now().DeletionTimestamp == nil {
		if !p.wait() {
			return
		}
	}
	object := p.now()
	zero := int64(0)
	for {
		err := p.node.api.CoreV1().Pods(object.Namespace).Delete(p.node.ctx, object.Name, metav1.DeleteOptions{
			GracePeriodSeconds: &zero, Preconditions: &metav1.Preconditions{UID: &object.UID},
		})
		if err == nil || apierrors.IsNotFound(err) || apierrors.IsConflict(err) || !p.node.pause() {
			return
		}
	}
}
