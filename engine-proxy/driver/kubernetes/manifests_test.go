package kubernetes

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/svc-games/svc/engine-proxy/driver/drivertest"
	"github.com/svc-games/svc/engine-proxy/driver/kubernetes/kubetest"
	"github.com/svc-games/svc/test/wait"
)

// Namespaces of the manifests.
const (
	shippedParts   = "svc"
	shippedEngines = "svc-engines"
)

// TestTheManifests is about deploy/kubernetes for a cluster with every component, applied to a
// real API server.
func TestTheManifests(t *testing.T) {
	t.Parallel()
	cluster := kubetest.Shared(t)
	cluster.OfItsOwn(t)
	cluster.Apply(t, kubetest.Render(t, "../../../deploy/kubernetes/example"))
	cluster.Control(t, shippedEngines)
	b := &bed{cluster: cluster, namespace: shippedEngines, dir: drivertest.TempDir(t)}
	b.kubeconfig = cluster.As(t, shippedParts, "svc-engine-proxy")
	b.image = b.imageOf(t, testImage, map[string]string{"/engine": drivertest.BuildEngine(t)})
	b.Driver = b.another(t)

	t.Run("AreEnoughToRunEngines", b.runsEngines)
	t.Run("KeepEnginesFromBeingEvicted", b.evictsNone)
	t.Run("MakePodsThatAreAdmitted", func(t *testing.T) { admitsParts(t, cluster) })
}

// runsEngines has the account that the engine proxy gets run an engine under
// the policy, the quota and the level that are set.
func (b *bed) runsEngines(t *testing.T) {
	if err := b.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := b.spec(t)
	for range 2 {
		s = next(s)
		h, err := b.Start(t.Context(), s, nil)
		if err != nil {
			t.Fatal(err)
		}
		wait.Until(t, "it runs", func() bool { return runs(t, s) })
		if _, err := b.List(t.Context()); err != nil {
			t.Error(err)
		}
		if _, err := b.Logs(t.Context(), h, 100); err != nil {
			t.Error(err)
		}
		if err := b.Stop(t.Context(), h, time.Minute); err != nil {
			t.Fatal(err)
		}
		if err := b.Remove(t.Context(), h); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.DeleteVolume(t.Context(), s.ProjectID); err != nil {
		t.Error(err)
	}
}

// evictsNone does what a drain does. The engine proxy itself may stop engines.
func (b *bed) evictsNone(t *testing.T) {
	s := b.spec(t)
	h := b.start(t, s)
	wait.Until(t, "it runs", func() bool { return runs(t, s) })
	eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: podName(s.ProjectID), Namespace: b.namespace}}
	evict := func() error {
		return b.cluster.Admin.PolicyV1().Evictions(b.namespace).Evict(t.Context(), eviction)
	}
	if err := evict(); !apierrors.IsTooManyRequests(err) {
		t.Errorf("evicting it: %v", err)
	}
	if obs, err := b.Inspect(t.Context(), h); err != nil || !obs.Running || b.all(t)[0].DeletionTimestamp != nil {
		t.Errorf("afterwards: %+v, %v", obs, err)
	}
	// It is the budget that keeps it.
	if err := b.cluster.Admin.PolicyV1().PodDisruptionBudgets(b.namespace).Delete(t.Context(), App, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	wait.Until(t, "it can be evicted without the budget", func() bool { return evict() == nil })
}

// admitsParts is about the pods of the service's own parts: a deployment is
// taken whatever they are, they are not.
func admitsParts(t *testing.T, cluster *kubetest.Cluster) {
	deployments, err := cluster.Admin.AppsV1().Deployments(shippedParts).List(t.Context(), metav1.ListOptions{})
	if err != nil || len(deployments.Items) == 0 {
		t.Fatalf("%d deployments, %v", len(deployments.Items), err)
	}
	dry := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}, FieldValidation: metav1.FieldValidationStrict}
	for _, d := range deployments.Items {
		pod := &corev1.Pod{ObjectMeta: d.Spec.Template.ObjectMeta, Spec: d.Spec.Template.Spec}
		pod.GenerateName = d.Name + "-"
		if _, err := cluster.Admin.CoreV1().Pods(d.Namespace).Create(t.Context(), pod, dry); err != nil {
			t.Errorf("a pod of %s: %v", d.Name, err)
		}
	}
}
