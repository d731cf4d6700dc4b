package kubernetes

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"

	"github.com/svc-games/svc/policy/decisionlog"
)

// replicas is how many pods of a deployment there are at least.
func replicas(t manifests, d *appsv1.Deployment) int {
	t.Helper()
	if d.Spec.Replicas != nil {
		return int(*d.Spec.Replicas)
	}
	return int(*named[*autoscalingv2.HorizontalPodAutoscaler](t, d.Namespace, d.Name).Spec.MinReplicas)
}

func TestKustomizationNamesEveryManifest(t *testing.T) {
	raw, err := os.ReadFile("base/kustomization.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var k struct{ Resources []string }
	if err := utilyaml.Unmarshal(raw, &k); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("base/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range files {
		files[i] = filepath.Base(f)
	}
	files = slices.DeleteFunc(files, func(f string) bool { return f == "kustomization.yaml" })
	slices.Sort(k.Resources)
	if !slices.Equal(k.Resources, files) {
		t.Errorf("it names %q of %q", k.Resources, files)
	}
}

// TestReadmeMakesTheNamespacesBeforeWhatLiesInThem: in an empty cluster its commands work
// in the order in which they stand.
func TestReadmeMakesTheNamespacesBeforeWhatLiesInThem(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	made, within := false, 0
	for line := range strings.Lines(string(readme)) {
		switch command := strings.TrimSpace(line); {
		case command == "kubectl apply -f deploy/kubernetes/base/namespaces.yaml":
			made = true
		case strings.HasPrefix(command, "kubectl -n "):
			within++
			if !made {
				t.Errorf("there is no namespace yet for %s", command)
			}
		}
	}
	if within == 0 {
		t.Error("no command is in a namespace")
	}
}

// TestOneMachineNeedsNoDatabase: the books are a file on a volume, which one process has.
func TestOneMachineNeedsNoDatabase(t *testing.T) {
	m := manifests{t, "one-machine", load(t, "one-machine")}
	d := named[*appsv1.Deployment](m, ours, "svc-sidecar")
	if *d.Spec.Replicas != 1 || d.Spec.Strategy.Type != appsv1.RecreateDeploymentStrategyType {
		t.Errorf("%d sidecars, by %s", *d.Spec.Replicas, d.Spec.Strategy.Type)
	}
	pod := d.Spec.Template.Spec
	for _, from := range pod.Containers[0].EnvFrom {
		if !*from.SecretRef.Optional {
			t.Errorf("it waits for the secret %s", from.SecretRef.Name)
		}
	}
	data := slices.IndexFunc(pod.Volumes, func(v corev1.Volume) bool { return v.Name == "data" })
	if data < 0 || pod.Volumes[data].PersistentVolumeClaim == nil || pod.Volumes[data].EmptyDir != nil {
		t.Errorf("its data are in %+v", pod.Volumes)
	}
	for _, b := range of[*policyv1.PodDisruptionBudget](m) {
		if b.Namespace != engines {
			t.Errorf("%s would keep the one machine from being drained", b.Name)
		}
	}
}

// TestNoneOfAClusterIsMissingWhileItIsReplaced: a pod goes when another one is ready.
func TestNoneOfAClusterIsMissingWhileItIsReplaced(t *testing.T) {
	m := manifests{t, "cluster", load(t, "cluster")}
	for _, name := range []string{"svc-gateway", "svc-sidecar"} {
		d := named[*appsv1.Deployment](m, ours, name)
		if replicas(m, d) < 2 || d.Spec.Strategy.RollingUpdate == nil || d.Spec.Strategy.RollingUpdate.MaxUnavailable.IntValue() != 0 ||
			len(d.Spec.Template.Spec.TopologySpreadConstraints) == 0 {
			t.Errorf("%s: %d of them, by %+v, at %+v", name, replicas(m, d), d.Spec.Strategy, d.Spec.Template.Spec.TopologySpreadConstraints)
		}
	}
}

// TestAGatewayStopsOnceEveryNodeKnowsAndItsStreamsHadTime: after its delay it still has its
// grace before it is killed.
func TestAGatewayStopsOnceEveryNodeKnowsAndItsStreamsHadTime(t *testing.T) {
	inEach(t, func(t manifests) {
		config := config(t, "svc-gateway")["Caddyfile"]
		grace := named[*appsv1.Deployment](t, ours, "svc-gateway").Spec.Template.Spec.TerminationGracePeriodSeconds
		if !strings.Contains(config, "\tshutdown_delay 10s\n") || !strings.Contains(config, "\tgrace_period 25s\n") || grace == nil || *grace < 40 {
			t.Errorf("it has %v seconds, with\n%s", grace, config)
		}
	})
}

func TestThereIsNeverASecondEngineProxy(t *testing.T) {
	inEach(t, func(t manifests) {
		d := named[*appsv1.Deployment](t, ours, "svc-engine-proxy")
		if *d.Spec.Replicas != 1 || d.Spec.Strategy.Type != appsv1.RecreateDeploymentStrategyType {
			t.Errorf("%d replicas, by %s", *d.Spec.Replicas, d.Spec.Strategy.Type)
		}
	})
}

// TestAChangedFileReplacesThePodsThatReadIt: a ConfigMap that kept its name would be read at
// the next start of a pod, whenever that is.
func TestAChangedFileReplacesThePodsThatReadIt(t *testing.T) {
	mounted := func(folder, part string) string {
		m := manifests{t, folder, load(t, folder)}
		for _, v := range named[*appsv1.Deployment](m, ours, part).Spec.Template.Spec.Volumes {
			if v.ConfigMap != nil {
				return v.ConfigMap.Name
			}
		}
		t.Fatalf("%s mounts no ConfigMap", part)
		return ""
	}
	changed := filepath.Join(t.TempDir(), "kubernetes")
	if err := os.CopyFS(changed, os.DirFS(".")); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"svc-gateway": "Caddyfile", "svc-engine-proxy": "driver.json"}
	for _, file := range files {
		path := filepath.Join(changed, "base", file)
		raw, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, append(raw, '\n'), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for part, file := range files {
		if was, is := mounted("cluster", part), mounted(filepath.Join(changed, "cluster"), part); was == is || !strings.HasPrefix(is, part+"-") {
			t.Errorf("%s mounts %s, and with another %s %s", part, was, file, is)
		}
	}
}

// TestProbesAskWhatTheirPartCanAnswer: the sidecar and the engine proxy have listeners that
// want certificates, and their images the program svc and nothing else to run.
func TestProbesAskWhatTheirPartCanAnswer(t *testing.T) {
	inEach(t, func(t manifests) {
		for _, d := range of[*appsv1.Deployment](t) {
			c := d.Spec.Template.Spec.Containers[0]
			for _, p := range []*corev1.Probe{c.StartupProbe, c.ReadinessProbe, c.LivenessProbe} {
				if p == nil || p.Exec != nil && (p.Exec.Command[0] != "/svc" || d.Name == "svc-gateway") || p.HTTPGet != nil && d.Name != "svc-gateway" {
					t.Errorf("%s is asked by %+v", d.Name, p)
				}
			}
			// One that waits for a database is not killed meanwhile, and none for a moment's load.
			if wait := c.StartupProbe.PeriodSeconds * c.StartupProbe.FailureThreshold; d.Name != "svc-gateway" && wait < 600 {
				t.Errorf("%s may start for %d seconds", d.Name, wait)
			}
			if wait := c.LivenessProbe.PeriodSeconds * c.LivenessProbe.FailureThreshold; wait < 60 {
				t.Errorf("%s is killed after %d seconds", d.Name, wait)
			}
		}
	})
}

// TestASidecarTakesCallsUntilEveryNodeKnowsThatItGoes, and then ends those under way.
func TestASidecarTakesCallsUntilEveryNodeKnowsThatItGoes(t *testing.T) {
	pod := named[*appsv1.Deployment](manifests{t, "cluster", load(t, "cluster")}, ours, "svc-sidecar").Spec.Template.Spec
	if hook := pod.Containers[0].Lifecycle; hook == nil || hook.PreStop == nil || hook.PreStop.Sleep == nil ||
		hook.PreStop.Sleep.Seconds < 5 || *pod.TerminationGracePeriodSeconds < hook.PreStop.Sleep.Seconds+30 {
		t.Errorf("before it stops %+v, within %d seconds", hook, *pod.TerminationGracePeriodSeconds)
	}
}

// example is the overlay with every component.
func example(t *testing.T) manifests { return manifests{t, "example", load(t, "example")} }

func TestIngressLeadsTheSiteAndTheGamesToTheGateways(t *testing.T) {
	m := example(t)
	rules := named[*networkingv1.Ingress](m, ours, "svc").Spec.Rules
	if len(rules) != 2 || rules[0].Host == rules[1].Host {
		t.Fatalf("the rules are %+v", rules)
	}
	for _, rule := range rules {
		to := rule.HTTP.Paths[0].Backend.Service
		service := named[*corev1.Service](m, ours, to.Name)
		if !slices.ContainsFunc(service.Spec.Ports, func(p corev1.ServicePort) bool { return p.Name == to.Port.Name && p.Name == "http" }) {
			t.Errorf("%s leads to the port %s of %s", rule.Host, to.Port.Name, to.Name)
		}
	}
}

// TestAnApplyKeepsTheNumberThatLoadAskedFor: a deployment that says how many has them set back.
func TestAnApplyKeepsTheNumberThatLoadAskedFor(t *testing.T) {
	m := example(t)
	for _, h := range of[*autoscalingv2.HorizontalPodAutoscaler](m) {
		d := named[*appsv1.Deployment](m, h.Namespace, h.Spec.ScaleTargetRef.Name)
		if d.Spec.Replicas != nil || *h.Spec.MinReplicas < 2 || d.Spec.Template.Spec.Containers[0].Resources.Requests.Cpu().IsZero() {
			t.Errorf("%s: %v of them, at least %d", d.Name, d.Spec.Replicas, *h.Spec.MinReplicas)
		}
	}
}

func TestEnginesGoBeforeThePartsOfTheService(t *testing.T) {
	m := example(t)
	class := func(name string) *schedulingv1.PriorityClass { return named[*schedulingv1.PriorityClass](m, "", name) }
	var options struct {
		Class string `json:"priority_class"`
	}
	if err := json.Unmarshal([]byte(config(m, "svc-engine-proxy")["driver.json"]), &options); err != nil {
		t.Fatal(err)
	}
	for _, d := range of[*appsv1.Deployment](m) {
		if class(d.Spec.Template.Spec.PriorityClassName).Value <= class(options.Class).Value {
			t.Errorf("%s is %s, and engines are %s", d.Name, d.Spec.Template.Spec.PriorityClassName, options.Class)
		}
	}
}

// TestPrometheusFindsEveryPart by the names of the ports, and by those in the certificates.
func TestPrometheusFindsEveryPart(t *testing.T) {
	m := example(t)
	found := 0
	for _, object := range m.all {
		monitor, is := object.(*unstructured.Unstructured)
		if !is {
			continue
		}
		found++
		d := named[*appsv1.Deployment](m, ours, monitor.GetName())
		labels, _, _ := unstructured.NestedStringMap(monitor.Object, "spec", "selector", "matchLabels")
		if labels["app.kubernetes.io/name"] != d.Spec.Template.Labels["app.kubernetes.io/name"] {
			t.Errorf("%s selects %v", monitor.GetName(), labels)
		}
		endpoints, _, _ := unstructured.NestedSlice(monitor.Object, "spec", "podMetricsEndpoints")
		endpoint, _ := endpoints[0].(map[string]any)
		if !slices.ContainsFunc(d.Spec.Template.Spec.Containers[0].Ports, func(p corev1.ContainerPort) bool { return p.Name == endpoint["port"] }) {
			t.Errorf("%s has no port %v", d.Name, endpoint["port"])
		}
		name, secure, _ := unstructured.NestedString(endpoint, "tlsConfig", "serverName")
		if secure != (d.Name != "svc-gateway") || secure && name != strings.TrimPrefix(d.Name, "svc-") {
			t.Errorf("%s is asked as %q", d.Name, name)
		}
	}
	if found != 3 {
		t.Errorf("%d parts are found", found)
	}
}

// TestWhatSidecarsDecidedOutlivesTheirPods: another container hands their log to the cluster's,
// with what is in the pod already, and ends after the sidecar.
func TestWhatSidecarsDecidedOutlivesTheirPods(t *testing.T) {
	pod := named[*appsv1.Deployment](example(t), ours, "svc-sidecar").Spec.Template.Spec
	sidecar := pod.Containers[0]
	i := slices.IndexFunc(pod.Containers, func(c corev1.Container) bool { return c.Name == "decisions" })
	if i < 1 || sidecar.Name != "sidecar" {
		t.Fatalf("the pod has %d containers, the first is %s", len(pod.Containers), sidecar.Name)
	}
	follower := pod.Containers[i]
	if follower.Image != sidecar.Image || !slices.Equal(follower.Command, []string{"/svc", "policy", "log", "--follow", "--log=/data/" + decisionlog.FileName}) {
		t.Errorf("it runs %q of %s", follower.Command, follower.Image)
	}
	data := func(c corev1.Container) corev1.VolumeMount {
		return c.VolumeMounts[slices.IndexFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool { return m.MountPath == "/data" })]
	}
	if data(follower).Name != data(sidecar).Name || !data(follower).ReadOnly {
		t.Errorf("it reads %+v of %+v", data(follower), data(sidecar))
	}
	if stays := follower.Lifecycle.PreStop.Sleep.Seconds; stays <= sidecar.Lifecycle.PreStop.Sleep.Seconds || stays >= *pod.TerminationGracePeriodSeconds {
		t.Errorf("it goes after %d s, of %d that the pod has", stays, *pod.TerminationGracePeriodSeconds)
	}
}
