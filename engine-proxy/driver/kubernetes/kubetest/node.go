package kubetest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"github.com/svc-games/svc/test/programs"
)

// nodeName is the name of the one node.
const nodeName = "kubetest"

// nodeMemory is what the node says it has. A pod that asks for more stays
// without a node.
const nodeMemory = "64Gi"

// repeat is how long the node waits before it looks again at what it can't
// watch, or tries again what failed.
const repeat = 25 * time.Millisecond

// Image is what a container is made from.
type Image struct {
	Files      map[string]string // by their path inside, that on this machine
	Entrypoint []string
	Env        []string
}

// Node stands in for a kubelet and the scheduler: it takes every pod and runs
// its one container as a process.
type Node struct {
	api       *kubernetes.Clientset
	host      string // of the API server
	authority string // file of whose certificate the API server has
	dir       string
	program   string // of a pod's first process
	logs      *logServer
	ctx       context.Context // ends with close
	end       context.CancelFunc
	running   sync.WaitGroup
	unwatch   func() // ends watch

	mu        sync.Mutex // guards the following fields
	images    map[string]Image
	pods      map[types.UID]*pod
	connected chan struct{}                 // closed while the node hears and is heard
	overload  *corev1.ContainerStateWaiting // instead of a container; nil: none
}

// join makes the node and begins to watch.
func join(p *ControlPlane) (*Node, error) {
	api, err := kubernetes.NewForConfig(p.Config)
	if err != nil {
		return nil, err
	}
	n := &Node{
		api: api, host: p.Config.Host, authority: p.Config.CAFile, dir: filepath.Join(p.dir, "node"),
		images: make(map[string]Image),
		pods:   make(map[types.UID]*pod),
	}
	n.connected = make(chan struct{})
	close(n.connected)
	n.ctx, n.end = context.WithCancel(context.Background())
	if err := os.MkdirAll(n.dir, 0o711); err != nil {
		return nil, err
	}
	if n.program, err = programs.Path("engine-proxy/driver/kubernetes/kubetest/cmd/pod"); err != nil {
		return nil, err
	}
	if n.logs, err = serveLogs(p.certs, n.logOf); err != nil {
		return nil, fmt.Errorf("serving logs: %w", err)
	}
	if err := n.register(); err != nil {
		return nil, errors.Join(fmt.Errorf("registering node: %w", err), n.logs.close())
	}
	return n, n.watch()
}

// register writes down where the API server finds the node.
func (n *Node) register() error {
	tcp := n.logs.listener.Addr().(*net.TCPAddr)
	room := corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("64"), corev1.ResourceMemory: resource.MustParse(nodeMemory), corev1.ResourcePods: resource.MustParse("1000"),
	}
	_, err := n.api.CoreV1().Nodes().Create(n.ctx, &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: nodeName},
		Status: corev1.NodeStatus{
			Addresses:       []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: tcp.IP.String()}},
			DaemonEndpoints: corev1.NodeDaemonEndpoints{KubeletEndpoint: corev1.DaemonEndpoint{Port: int32(tcp.Port)}},
			Capacity:        room, Allocatable: room,
		},
	}, metav1.CreateOptions{})
	return err
}

// watch follows pods and claims until the node is closed, or unwatch is called.
func (n *Node) watch() error {
	factory := informers.NewSharedInformerFactory(n.api, 0)
	pods, claims := factory.Core().V1().Pods().Informer(), factory.Core().V1().PersistentVolumeClaims().Informer()
	handle := func(object any) {
		if p, ok := object.(*corev1.Pod); ok {
			n.seen(p)
		}
	}
	_, err := pods.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: handle, UpdateFunc: func(_, object any) { handle(object) },
		DeleteFunc: func(object any) {
			if gone, ok := object.(cache.DeletedFinalStateUnknown); ok {
				object = gone.Obj
			}
			if p, ok := object.(*corev1.Pod); ok {
				n.gone(p)
			}
		},
	})
	if err != nil {
		return err
	}
	released := func(object any) {
		if claim, ok := object.(*corev1.PersistentVolumeClaim); ok && claim.DeletionTimestamp != nil {
			n.running.Go(func() { n.release(claim) })
		}
	}
	_, err = claims.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: released, UpdateFunc: func(_, object any) { released(object) },
	})
	if err != nil {
		return err
	}
	ctx, end := context.WithCancel(n.ctx)
	factory.Start(ctx.Done())
	n.unwatch = func() {
		end()
		factory.Shutdown()
	}
	return nil
}

// watchAnew takes up the watch of an API server that was away. The one that is
// there would wait for half a minute, the longer the more often it was away.
func (n *Node) watchAnew() error {
	n.unwatch()
	if err := n.watch(); err != nil {
		return err
	}
	list, err := n.api.CoreV1().Pods(metav1.NamespaceAll).List(n.ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	there := make(map[types.UID]bool)
	for _, object := range list.Items {
		there[object.UID] = true
	}
	n.mu.Lock()
	var left []*corev1.Pod
	for uid, p := range n.pods {
		if !there[uid] {
			left = append(left, p.now())
		}
	}
	n.mu.Unlock()
	for _, object := range left {
		n.gone(object)
	}
	return nil
}

// seen hands a pod to its worker, which is started for a new one.
func (n *Node) seen(object *corev1.Pod) {
	n.mu.Lock()
	defer n.mu.Unlock()
	p := n.pods[object.UID]
	if p == nil {
		if ended(object) {
			return
		}
		p = newPod(n, object)
		n.pods[object.UID] = p
		n.running.Go(p.run)
	}
	p.update(object)
}

// gone tells a worker that its pod's object is no more. One that still runs was
// deleted by force, and nobody waited for it.
func (n *Node) gone(object *corev1.Pod) {
	n.mu.Lock()
	p := n.pods[object.UID]
	delete(n.pods, object.UID)
	n.mu.Unlock()
	if p != nil {
		n.running.Go(func() {
			if n.online() {
				p.forget()
			}
		})
	}
}

// AddImage makes an image known by its name.
func (n *Node) AddImage(name string, image Image) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.images[name] = image
}

func (n *Node) image(name string) (Image, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	image, ok := n.images[name]
	return image, ok
}

// folder is the folder that a test has made a claim's volume, or one of the
// node's own.
func (n *Node) folder(claim *corev1.PersistentVolumeClaim) (string, error) {
	name := volumeName(claim.Namespace, claim.Name)
	volume, err := n.api.CoreV1().PersistentVolumes().Get(n.ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return filepath.Join(n.dir, "volumes", string(claim.UID)), nil
	}
	if err != nil {
		return "", err
	}
	return volume.Spec.HostPath.Path, nil
}

// release lets a deleted claim go once no pod uses it, and its folder with it.
func (n *Node) release(claim *corev1.PersistentVolumeClaim) {
	for n.pause() {
		pods, err := n.api.CoreV1().Pods(claim.Namespace).List(n.ctx, metav1.ListOptions{})
		if err != nil || used(claim, pods.Items) {
			continue
		}
		patch := []byte(`{"metadata":{"uid":"` + string(claim.UID) + `","finalizers":null}}`)
		_, err = n.api.CoreV1().PersistentVolumeClaims(claim.Namespace).Patch(n.ctx, claim.Name, types.MergePatchType, patch, metav1.PatchOptions{})
		if err == nil || apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
			if folder, err := n.folder(claim); err == nil {
				_ = os.RemoveAll(folder) // what is left of it, the test's folder takes along
			}
			return
		}
	}
}

func used(claim *corev1.PersistentVolumeClaim, pods []corev1.Pod) bool {
	for _, p := range pods {
		for _, v := range p.Spec.Volumes {
			if v.PersistentVolumeClaim != nil && v.PersistentVolumeClaim.ClaimName == claim.Name && !ended(&p) {
				return true
			}
		}
	}
	return false
}

// Overload has the node make no container until Relieve, and say why in the
// words of a kubelet whose runtime can't keep up.
func (n *Node) Overload(reason, message string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.overload = &corev1.ContainerStateWaiting{Reason: reason, Message: message}
}

// Relieve ends Overload.
func (n *Node) Relieve() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.overload = nil
}

func (n *Node) overloaded() *corev1.ContainerStateWaiting {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.overload
}

// Disconnect cuts the node off: its pods run on, and it neither hears of
// anything nor is heard of, as one whose network is gone.
func (n *Node) Disconnect() {
	n.mu.Lock()
	defer n.mu.Unlock()
	select {
	case <-n.connected:
		n.connected = make(chan struct{})
	default: // it is cut off
	}
}

// Reconnect ends Disconnect.
func (n *Node) Reconnect() {
	n.mu.Lock()
	defer n.mu.Unlock()
	select {
	case <-n.connected: // it is
	default:
		close(n.connected)
	}
}

// online waits until the node is connected. It reports whether the node goes
// on at all.
func (n *Node) online() bool {
	n.mu.Lock()
	connected := n.connected
	n.mu.Unlock()
	select {
	case <-connected:
		return true
	case <-n.ctx.Done():
		return false
	}
}

// pause waits a moment and reports whether the node goes on.
func (n *Node) pause() bool {
	select {
	case <-time.After(repeat):
		return n.online()
	case <-n.ctx.Done():
		return false
	}
}

// close ends the node with all its pods.
func (n *Node) close() error {
	n.end()
	n.unwatch()
	n.running.Wait()
	return n.logs.close()
}

// ended reports whether a pod's status says that it will not run any more.
func ended(p *corev1.Pod) bool {
	return p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed
}
