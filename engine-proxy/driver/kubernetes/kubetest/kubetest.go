// Package kubetest gives tests a Kubernetes cluster: a real API server and
// etcd, built from the module in test/kubernetes, and one node, which is a
// fake for a kubelet that runs pods as processes of this machine.
//
// What the API server decides is real: admission, pod security, quota,
// permissions, preconditions, deletion. What the node does is not: it honours
// a pod's security context with the means of the kernel, as a container
// runtime does, but has neither a network nor limits of its own for a pod.
package kubetest

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/svc-games/svc/test/need"
)

// The file that configVariable names has the tests use another cluster, for
// those that need no more than one, when imageVariable is set as well: whoever
// works with clusters has the first set all day, perhaps to one in production.
// The cluster's nodes must see this machine's folders under their own paths, as
// the one node of a cluster on this machine does, and find the image that
// imageVariable names, with the fake engine as /engine.
const (
	configVariable = "KUBECONFIG"
	imageVariable  = "SVC_KUBE_IMAGE"
)

// Need skips a test that wants to run pods where that is not possible, and
// fails it under CI=true.
func Need(t testing.TB) {
	t.Helper()
	if os.Geteuid() != 0 {
		need.Missing(t, "only root can run pods")
	}
}

// shared is the cluster of a package's tests.
var shared struct {
	once    sync.Once
	cluster *Cluster
	err     error
}

// Shared returns the one cluster of a package's tests, started when it is
// asked for the first time. The package's TestMain must be Main.
func Shared(t testing.TB) *Cluster {
	t.Helper()
	Need(t)
	shared.once.Do(func() {
		if path := os.Getenv(configVariable); path != "" && os.Getenv(imageVariable) != "" {
			shared.cluster, shared.err = connectTo(path)
		} else {
			shared.cluster, shared.err = newCluster()
		}
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.cluster
}

// Killable returns the one cluster of a package's tests for a test that may end
// its API server and cut off its node. It must put both right again; when it
// has failed, that is done for those that come after it.
func Killable(t testing.TB) *Cluster {
	t.Helper()
	c := Shared(t)
	node := c.OfItsOwn(t)
	t.Cleanup(func() {
		if !t.Failed() {
			return
		}
		t.Logf("the API server's last words:\n%s", c.api.Tail())
		node.Reconnect()
		if err := errors.Join(c.KillAPI(), c.StartAPI()); err != nil {
			t.Error(err)
		}
	})
	return c
}

// Main runs a package's tests, ends the shared cluster and exits.
func Main(m interface{ Run() int }) {
	code := m.Run()
	if shared.cluster != nil {
		if err := shared.cluster.close(); err != nil {
			fmt.Fprintln(os.Stderr, "kubetest:", err)
			code = max(code, 1)
		}
	}
	os.Exit(code)
}

// Cluster is a control plane and its one node.
type Cluster struct {
	*ControlPlane
	Node *Node // nil when the cluster is another
}

func newCluster() (*Cluster, error) {
	plane, err := startControlPlane()
	if err != nil {
		return nil, err
	}
	node, err := join(plane)
	if err != nil {
		return nil, errors.Join(err, plane.close())
	}
	return &Cluster{ControlPlane: plane, Node: node}, nil
}

// StartAPI starts the API server again after StopAPI or KillAPI.
func (c *Cluster) StartAPI() error {
	if err := c.ControlPlane.StartAPI(); err != nil || c.Node == nil {
		return err
	}
	return c.Node.watchAnew()
}

// OfItsOwn returns the node, and skips the test when the cluster is another,
// whose nodes do as they do.
func (c *Cluster) OfItsOwn(t testing.TB) *Node {
	t.Helper()
	if c.Node == nil {
		t.Skip("the node must be the fake: " + imageVariable + " is set")
	}
	return c.Node
}

// connectTo returns a cluster that is there already.
func connectTo(path string) (*Cluster, error) {
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		return nil, err
	}
	api, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "kube")
	if err != nil {
		return nil, err
	}
	return &Cluster{ControlPlane: &ControlPlane{Admin: api, dir: dir, Config: config}}, nil
}

func (c *Cluster) close() error {
	if c.Node == nil {
		return os.RemoveAll(c.dir)
	}
	return errors.Join(c.Node.close(), c.ControlPlane.close())
}
