package kubetest

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os/exec"
	"testing"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"
)

// MonitoringGroup is that of the kinds which Prometheus' operator brings into a cluster.
const MonitoringGroup = "monitoring.coreos.com"

// Render returns what "kubectl apply -k" would apply of a folder.
func Render(t testing.TB, folder string) []byte {
	t.Helper()
	program, err := tool(toolKustomize, t.TempDir())
	must(t, err)
	out, err := exec.Command(program, "build", folder).Output()
	if err != nil {
		t.Fatalf("rendering %s: %v%s", folder, err, words(err))
	}
	return out
}

// Apply makes the objects of manifests, in their order, as "kubectl create
// --validate=strict" does, but for those of Prometheus' operator.
func (c *Cluster) Apply(t testing.TB, manifests []byte) {
	t.Helper()
	groups, err := restmapper.GetAPIGroupResources(c.Admin.Discovery())
	must(t, err)
	mapper := restmapper.NewDiscoveryRESTMapper(groups)
	client, err := dynamic.NewForConfig(c.Config)
	must(t, err)
	for documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(manifests))); ; {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return
		}
		must(t, err)
		object := new(unstructured.Unstructured)
		must(t, yaml.Unmarshal(document, object))
		kind := object.GroupVersionKind()
		if kind.Group == MonitoringGroup {
			continue
		}
		mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
		must(t, err)
		_, err = client.Resource(mapping.Resource).Namespace(object.GetNamespace()).Create(t.Context(), object, metav1.CreateOptions{
			FieldValidation: metav1.FieldValidationStrict,
		})
		if err != nil && !apierrors.IsAlreadyExists(err) { // by an earlier run, with -count
			t.Fatalf("%s %s: %v", kind.Kind, object.GetName(), err)
		}
	}
}

// Control does of a namespace's quotas and budgets what a cluster's controllers do: a quota
// holds once it is counted, and a budget once it is known to how many pods it applies.
func (c *Cluster) Control(t testing.TB, namespace string) {
	t.Helper()
	quotas, err := c.Admin.CoreV1().ResourceQuotas(namespace).List(t.Context(), metav1.ListOptions{})
	must(t, err)
	for _, quota := range quotas.Items {
		quota.Status.Hard, quota.Status.Used = quota.Spec.Hard, make(corev1.ResourceList)
		for name, most := range quota.Spec.Hard {
			most.Sub(most)
			quota.Status.Used[name] = most
		}
		_, err = c.Admin.CoreV1().ResourceQuotas(namespace).UpdateStatus(t.Context(), &quota, metav1.UpdateOptions{})
		must(t, err)
	}
	budgets, err := c.Admin.PolicyV1().PodDisruptionBudgets(namespace).List(t.Context(), metav1.ListOptions{})
	must(t, err)
	for _, budget := range budgets.Items {
		const pods = 1
		needed := budget.Spec.MinAvailable.IntVal
		budget.Status = policyv1.PodDisruptionBudgetStatus{
			ObservedGeneration: budget.Generation, ExpectedPods: pods, CurrentHealthy: pods,
			DesiredHealthy: needed, DisruptionsAllowed: max(0, pods-needed),
		}
		_, err = c.Admin.PolicyV1().PodDisruptionBudgets(namespace).UpdateStatus(t.Context(), &budget, metav1.UpdateOptions{})
		must(t, err)
	}
}
