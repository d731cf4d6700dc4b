package kubernetes

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/drivertest"
	"github.com/svc-games/svc/engine-proxy/driver/kubernetes/kubetest"
	"github.com/svc-games/svc/engine-proxy/internal/sidebyside"
	"github.com/svc-games/svc/test/wait"
)

// testImage has the fake engine in it.
const (
	testImage = "svc-engine-test:1"
)

func TestMain(m *testing.M) {
	sidebyside.Allow(3)
	kubetest.Main(m)
}

// bed is a namespace and a driver on the cluster of these tests.
type bed struct {
	*Driver
	cluster    *kubetest.Cluster
	namespace  string
	kubeconfig string
	dir        string // of the projects' volumes
	image      string // with the fake engine in it
}

func newBed(t testing.TB, change ...func(*Options)) *bed {
	t.Helper()
	cluster := kubetest.Shared(t)
	b := &bed{cluster: cluster, namespace: cluster.Namespace(t), dir: drivertest.TempDir(t)}
	b.kubeconfig = cluster.Kubeconfig(t, b.namespace, kubetest.Permissions())
	_, err := cluster.Admin.NetworkingV1().NetworkPolicies(b.namespace).Create(t.Context(), kubetest.Policy(b.namespace, proxyPeer, 8444), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b.image = b.imageOf(t, testImage, map[string]string{"/engine": drivertest.BuildEngine(t)})
	b.Driver = b.another(t, change...)
	return b
}

// spec makes a project whose volume is a folder of this machine.
func (b *bed) spec(t testing.TB) driver.Spec {
	t.Helper()
	s := drivertest.NewRemoteSpec(t, b.dir)
	b.cluster.Folder(t, b.namespace, claimName(s.ProjectID), s.Volume)
	return s
}

// next makes s the next incarnation of the same project.
func next(s driver.Spec) driver.Spec {
	s.Generation++
	s.InstanceID = mint.NewInstanceID(time.Now())
	return s
}

// all returns all pods of the namespace, whatever the driver thinks of them.
func (b *bed) all(t testing.TB) []corev1.Pod {
	t.Helper()
	list, err := b.cluster.Admin.CoreV1().Pods(b.namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return list.Items
}

// empty checks that no pod and no secret is left, or waits until that is so.
func (b *bed) empty(t testing.TB) {
	t.Helper()
	wait.Until(t, "nothing is left of the engine", func() bool {
		secrets, err := b.cluster.Admin.CoreV1().Secrets(b.namespace).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return len(b.all(t)) == 0 && len(secrets.Items) == 0
	})
}

// ended waits until the engine does not run any more.
func (b *bed) ended(t testing.TB, h driver.Handle) driver.Observed {
	t.Helper()
	var obs driver.Observed
	wait.Until(t, "the engine has ended", func() bool {
		var err error
		if obs, err = b.Inspect(t.Context(), h); err != nil {
			t.Fatal(err)
		}
		return !obs.Running
	})
	return obs
}

// proxyPeer is where the engine proxy would be.
var proxyPeer = networkingv1.NetworkPolicyPeer{
	NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": "svc"}},
	PodSelector:       &metav1.LabelSelector{MatchLabels: map[string]string{labelApp: "svc-engine-proxy"}},
}

// another returns a second driver of the same installation, as after a restart
// of the engine proxy.
func (b *bed) another(t testing.TB, change ...func(*Options)) *Driver {
	t.Helper()
	opts := Options{
		Kubeconfig: b.kubeconfig, Namespace: b.namespace, Image: b.image, StorageClass: kubetest.StorageClass,
	}
	for _, f := range change {
		f(&opts)
	}
	d, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// imageOf makes an image known whose entry point is /engine.
func (b *bed) imageOf(t testing.TB, name string, files map[string]string) string {
	t.Helper()
	return b.cluster.Image(name, kubetest.Image{Files: files, Entrypoint: []string{"/engine"}})
}

// start starts an engine, and ends it with the test.
func (b *bed) start(t testing.TB, s driver.Spec) driver.Handle {
	t.Helper()
	h, err := b.Start(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := wait.Within(context.Background(), wait.Patience)
		defer cancel()
		if err := b.Stop(ctx, h, 0); err != nil {
			t.Error(err)
		}
		if err := b.Remove(ctx, h); err != nil {
			t.Error(err)
		}
	})
	return h
}
