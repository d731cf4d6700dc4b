package kubetest

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// OutOfMemory ends a pod as the kernel and the kubelet do one that takes more
// memory than its limit.
func (n *Node) OutOfMemory(t testing.TB, namespace, name string) {
	t.Helper()
	n.endPod(t, namespace, name, outsideEnd{containerReason: "OOMKilled"})
}

// Evict ends a pod as a kubelet does that runs out of disk.
func (n *Node) Evict(t testing.TB, namespace, name string) {
	t.Helper()
	n.endPod(t, namespace, name, outsideEnd{podReason: "Evicted", message: "The node was low on resource: ephemeral-storage."})
}

func (n *Node) endPod(t testing.TB, namespace, name string, d outsideEnd) {
	t.Helper()
	p := n.find(namespace, name)
	if p == nil {
		t.Fatalf("the node has no pod %s/%s", namespace, name)
	}
	p.mu.Lock()
	p.outside = &d
	p.mu.Unlock()
	p.obey()
}

// obey ends the container of a pod that is to end, if there is one: the kernel does not wait
// until a kubelet has said that the container runs.
func (p *pod) obey() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.outside != nil && p.running != nil {
		p.running.signal(syscall.SIGKILL)
	}
}

// runs takes note of the pod's container.
func (p *pod) runs(c *container) {
	p.mu.Lock()
	p.running = c
	p.mu.Unlock()
	p.obey()
}

func (p *pod) ending() *outsideEnd {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.outside
}

// find returns the pod of a name; nil when the node has none.
func (n *Node) find(namespace, name string) *pod {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, p := range n.pods {
		if object := p.now(); object.Namespace == namespace && object.Name == name {
			return p
		}
	}
	return nil
}

// logOf returns the path of a pod's log.
func (n *Node) logOf(namespace, name string) (string, bool) {
	p := n.find(namespace, name)
	if p == nil {
		return "", false
	}
	return p.log(), true
}

func (p *pod) log() string { return filepath.Join(p.dir, "log") }

// lastWords is what a kubelet takes from the log of a container that failed.
func (p *pod) lastWords() string {
	raw, err := os.ReadFile(p.log())
	if err != nil {
		return ""
	}
	const most = 2048
	return string(raw[max(0, len(raw)-most):])
}
