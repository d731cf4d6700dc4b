package kubetest

import (
	"os"
	"path/filepath"
	"testing"
)

// OutOfMemory ends a pod as the kernel and the kubelet do one that takes more
// memory than its limit.
func (n *Node) OutOfMemory(t testing.TB, namespace, name string) {
	t.Helper()
	n.doom(t, namespace, name, doom{containerReason: "OOMKilled"})
}

// Evict ends a pod as a kubelet does that runs out of disk.
func (n *Node) Evict(t testing.TB, namespace, name string) {
	t.Helper()
	n.doom(t, namespace, name, doom{podReason: "Evicted", message: "The node was low on resource: ephemeral-storage."})
}

func (n *Node) doom(t testing.TB, namespace, name string, d doom) {
	t.Helper()
	p := n.find(namespace, name)
	if p == nil {
		t.Fatalf("the node has no pod %s/%s", namespace, name)
	}
	p.mu.Lock()
	p.doom = &d
	p.mu.Unlock()
	p.wake()
}

func (p *pod) doomed() *doom {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.doom
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
