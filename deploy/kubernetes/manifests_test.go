// Package kubernetes holds the tests of the manifests beside it.
package kubernetes

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/svc-games/svc/engine-proxy/daemon"
	driver "github.com/svc-games/svc/engine-proxy/driver/kubernetes"
	"github.com/svc-games/svc/engine-proxy/driver/kubernetes/kubetest"
	"github.com/svc-games/svc/sidecar/play"
)

const (
	ours    = "svc"
	engines = "svc-engines"
)

// overlays are what is applied; base alone is what all share.
var overlays = []string{"one-machine", "cluster", "example"}

// rendered keeps what was rendered, by its folder.
var rendered = make(map[string][]byte)

// manifests are the objects of one overlay, in a test of it.
type manifests struct {
	*testing.T
	overlay string
	all     []runtime.Object
}

// inEach runs a test of each overlay.
func inEach(t *testing.T, test func(t manifests)) {
	t.Helper()
	for _, overlay := range overlays {
		t.Run(overlay, func(t *testing.T) { test(manifests{t, overlay, load(t, overlay)}) })
	}
}

// load renders an overlay, as kubectl apply -k does, and decodes every object strictly: a
// member that the API does not know is an error, as is one that is given twice.
func load(t *testing.T, folder string) []runtime.Object {
	t.Helper()
	decoder := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	if rendered[folder] == nil {
		rendered[folder] = kubetest.Render(t, folder)
	}
	var all []runtime.Object
	for documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(rendered[folder]))); ; {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		object, _, err := decoder.Decode(document, nil, nil)
		if runtime.IsNotRegisteredError(err) {
			other := new(unstructured.Unstructured)
			if again := utilyaml.Unmarshal(document, other); again != nil || other.GroupVersionKind().Group == kubetest.MonitoringGroup {
				object, err = other, again
			}
		}
		if err != nil {
			t.Fatalf("%s: %v\n%s", folder, err, document)
		}
		all = append(all, object)
	}
}

// config is the content of the ConfigMap that a part mounts.
func config(t manifests, part string) map[string]string {
	t.Helper()
	for _, v := range named[*appsv1.Deployment](t, ours, part).Spec.Template.Spec.Volumes {
		if v.ConfigMap != nil {
			return named[*corev1.ConfigMap](t, ours, v.ConfigMap.Name).Data
		}
	}
	t.Fatalf("%s mounts no ConfigMap", part)
	return nil
}

// of returns the objects of one type.
func of[T runtime.Object](t manifests) []T {
	t.Helper()
	var out []T
	for _, object := range t.all {
		if one, ok := object.(T); ok {
			out = append(out, one)
		}
	}
	if len(out) == 0 {
		t.Fatalf("there is no %T", *new(T))
	}
	return out
}

func named[T interface {
	runtime.Object
	metav1.Object
}](t manifests, namespace, name string) T {
	t.Helper()
	for _, one := range of[T](t) {
		if one.GetNamespace() == namespace && one.GetName() == name {
			return one
		}
	}
	t.Fatalf("there is no %T %s/%s", *new(T), namespace, name)
	panic("unreachable")
}

func TestNamespacesTakeRestrictedPodsAlone(t *testing.T) {
	inEach(t, func(t manifests) {
		for _, n := range of[*corev1.Namespace](t) {
			if n.Labels["pod-security.kubernetes.io/enforce"] != "restricted" {
				t.Errorf("%s: %v", n.Name, n.Labels)
			}
		}
	})
}

func TestEngineProxyMayDoWhatItsDriverNeedsAndNothingElse(t *testing.T) {
	inEach(t, func(t manifests) {
		role := named[*rbacv1.Role](t, engines, "svc-engine-proxy")
		if !reflect.DeepEqual(role.Rules, kubetest.Permissions()) {
			t.Errorf("it may %+v\nand needs %+v", role.Rules, kubetest.Permissions())
		}
		roles, bindings := of[*rbacv1.Role](t), of[*rbacv1.RoleBinding](t)
		if len(roles) != 1 || len(bindings) != 1 || len(bindings[0].Subjects) != 1 {
			t.Fatalf("there are %d roles and %d bindings", len(roles), len(bindings))
		}
		b := bindings[0]
		if s := b.Subjects[0]; b.Namespace != engines || b.RoleRef.Name != role.Name || s.Name != "svc-engine-proxy" || s.Namespace != ours {
			t.Errorf("bound: %+v", b)
		}
		for _, object := range t.all {
			switch object.(type) {
			case *rbacv1.ClusterRole, *rbacv1.ClusterRoleBinding:
				t.Errorf("something holds in the whole cluster: %+v", object)
			}
		}
	})
}

func TestOnlyTheEngineProxyHasAnAccountOfTheAPIServer(t *testing.T) {
	inEach(t, func(t manifests) {
		for _, a := range of[*corev1.ServiceAccount](t) {
			if a.AutomountServiceAccountToken == nil || *a.AutomountServiceAccountToken {
				t.Errorf("every pod of %s/%s gets a token", a.Namespace, a.Name)
			}
		}
		named[*corev1.ServiceAccount](t, engines, "default")
		for _, d := range of[*appsv1.Deployment](t) {
			mounted := d.Spec.Template.Spec.AutomountServiceAccountToken
			if mounted == nil || *mounted != (d.Name == "svc-engine-proxy") {
				t.Errorf("%s: token mounted %v", d.Name, mounted)
			}
			if d.Spec.Template.Spec.ServiceAccountName != d.Name {
				t.Errorf("%s runs as %q", d.Name, d.Spec.Template.Spec.ServiceAccountName)
			}
		}
	})
}

func TestPartsRunAsRestrictedPods(t *testing.T) {
	inEach(t, func(t manifests) {
		for _, d := range of[*appsv1.Deployment](t) {
			pod := d.Spec.Template.Spec
			if s := pod.SecurityContext; s == nil || s.RunAsNonRoot == nil || !*s.RunAsNonRoot || s.RunAsUser == nil || *s.RunAsUser == 0 ||
				s.SeccompProfile == nil || s.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
				t.Errorf("%s: %+v", d.Name, s)
			}
			if pod.HostNetwork || pod.HostPID || pod.HostIPC || pod.EnableServiceLinks == nil || *pod.EnableServiceLinks {
				t.Errorf("%s shares what is the node's", d.Name)
			}
			for _, v := range pod.Volumes {
				if v.HostPath != nil {
					t.Errorf("%s mounts %s of the node", d.Name, v.HostPath.Path)
				}
			}
			for _, c := range pod.Containers {
				s := c.SecurityContext
				if s == nil || s.AllowPrivilegeEscalation == nil || *s.AllowPrivilegeEscalation || s.ReadOnlyRootFilesystem == nil || !*s.ReadOnlyRootFilesystem ||
					s.Capabilities == nil || !slices.Equal(s.Capabilities.Drop, []corev1.Capability{"ALL"}) || len(s.Capabilities.Add) > 0 {
					t.Errorf("%s: %+v", d.Name, s)
				}
				if c.Resources.Requests.Memory().IsZero() || c.Resources.Limits.Memory().IsZero() || c.ReadinessProbe == nil {
					t.Errorf("%s: memory %v, probe %v", d.Name, c.Resources, c.ReadinessProbe)
				}
			}
		}
	})
}

func TestEverythingThatIsNamedIsThere(t *testing.T) {
	inEach(t, func(t manifests) {
		secrets := map[string]bool{ // made by who runs the cluster; README.md
			"svc-store": true, "svc-redis": true, "svc-sidecar-tls": true, "svc-engine-proxy-tls": true, "svc-gateway-tls": true,
			"svc-play": true, "svc-play-origin": true, "svc-traces": true,
		}
		readme, err := os.ReadFile("README.md")
		if err != nil {
			t.Fatal(err)
		}
		for name := range secrets {
			if !strings.Contains(string(readme), name) {
				t.Errorf("README.md does not name the secret %s", name)
			}
		}
		for _, d := range of[*appsv1.Deployment](t) {
			pod := d.Spec.Template.Spec
			if !reflect.DeepEqual(d.Spec.Selector.MatchLabels, map[string]string{"app.kubernetes.io/name": d.Name}) ||
				d.Spec.Template.Labels["app.kubernetes.io/name"] != d.Name {
				t.Errorf("%s selects %v", d.Name, d.Spec.Selector)
			}
			volumes := make(map[string]bool)
			for _, v := range pod.Volumes {
				volumes[v.Name] = true
				switch {
				case v.Secret != nil && !secrets[v.Secret.SecretName]:
					t.Errorf("%s: the secret %s is not made", d.Name, v.Secret.SecretName)
				case v.ConfigMap != nil:
					named[*corev1.ConfigMap](t, d.Namespace, v.ConfigMap.Name)
				case v.PersistentVolumeClaim != nil:
					named[*corev1.PersistentVolumeClaim](t, d.Namespace, v.PersistentVolumeClaim.ClaimName)
				}
			}
			for _, c := range pod.Containers {
				for _, m := range c.VolumeMounts {
					if !volumes[m.Name] {
						t.Errorf("%s: there is no volume %s", d.Name, m.Name)
					}
				}
				for _, e := range c.EnvFrom {
					if e.SecretRef == nil || !secrets[e.SecretRef.Name] {
						t.Errorf("%s: %+v is not made", d.Name, e)
					}
				}
			}
		}
		for _, s := range of[*corev1.Service](t) {
			d := named[*appsv1.Deployment](t, s.Namespace, s.Spec.Selector["app.kubernetes.io/name"])
			for _, p := range s.Spec.Ports {
				if !slices.ContainsFunc(d.Spec.Template.Spec.Containers[0].Ports, func(c corev1.ContainerPort) bool { return c.Name == p.TargetPort.StrVal }) {
					t.Errorf("%s: there is no port %s", s.Name, p.TargetPort.StrVal)
				}
			}
		}
		for _, b := range of[*policyv1.PodDisruptionBudget](t) {
			if b.Namespace == engines {
				continue // what is in it has no deployment
			}
			d := named[*appsv1.Deployment](t, b.Namespace, b.Name)
			if !reflect.DeepEqual(b.Spec.Selector, d.Spec.Selector) || replicas(t, d) <= b.Spec.MinAvailable.IntValue() {
				t.Errorf("%s keeps nodes from being drained, or nothing", b.Name)
			}
		}
	})
}

// TestSidecarsShareTheSecretsOfPublishedGames: with secrets of its own each would refuse
// the others' tokens, and know a player by another name.
func TestSidecarsShareTheSecretsOfPublishedGames(t *testing.T) {
	inEach(t, func(t manifests) {
		pod := named[*appsv1.Deployment](t, ours, "svc-sidecar").Spec.Template.Spec
		folder := "/" + path.Dir(play.PlayersFile)
		i := slices.IndexFunc(pod.Containers[0].VolumeMounts, func(m corev1.VolumeMount) bool { return m.MountPath == "/data"+folder })
		if i < 0 {
			t.Fatalf("nothing is mounted at %s of the data directory", folder)
		}
		for _, v := range pod.Volumes {
			if v.Name == pod.Containers[0].VolumeMounts[i].Name && v.Secret == nil {
				t.Errorf("%s is a folder of each pod's own", folder)
			}
		}
		readme, err := os.ReadFile("README.md")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{play.TokenFile, play.PlayersFile} {
			if !strings.Contains(string(readme), "--from-literal="+path.Base(file)+"=") {
				t.Errorf("README.md makes no secret %s", file)
			}
		}
	})
}

// TestWhoDecidesWaitsLongerThanOnOneMachine: the way to the sidecar and to the database is
// part of a decision, for the gateway as for the sidecar.
func TestWhoDecidesWaitsLongerThanOnOneMachine(t *testing.T) {
	inEach(t, func(t manifests) {
		for _, name := range []string{"svc-gateway", "svc-sidecar"} {
			env := named[*appsv1.Deployment](t, ours, name).Spec.Template.Spec.Containers[0].Env
			if !slices.Contains(env, corev1.EnvVar{Name: "SVC_DECISION_TIMEOUT", Value: "1s"}) {
				t.Errorf("%s gets %v", name, env)
			}
		}
	})
}

func TestEngineProxyTakesItsCommandLineAndOptions(t *testing.T) {
	inEach(t, func(t manifests) {
		d := named[*appsv1.Deployment](t, ours, "svc-engine-proxy")
		options := config(t, "svc-engine-proxy")["driver.json"]
		file := filepath.Join(t.TempDir(), "driver.json")
		if err := os.WriteFile(file, []byte(options), 0o600); err != nil {
			t.Fatal(err)
		}
		args := slices.Clone(d.Spec.Template.Spec.Containers[0].Args)
		for i, arg := range args {
			args[i] = strings.Replace(arg, "/config/driver.json", file, 1)
		}
		o, err := daemon.ParseOptions(args, func(string) string { return "" }, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(o.MonitorNames, []string{"monitor"}) || slices.Contains(o.Names, "monitor") {
			t.Errorf("gateways are %v and monitors %v", o.Names, o.MonitorNames)
		}
		if o.Host.Driver != driver.Name || o.Host.Kubernetes.Namespace != engines || o.Listen.Unix() {
			t.Errorf("it runs engines with %+v", o.Host)
		}
		var quota corev1.ResourceQuota
		for _, q := range of[*corev1.ResourceQuota](t) {
			quota = *q
		}
		if pods := quota.Spec.Hard[corev1.ResourcePods]; quota.Namespace != engines || int64(o.Host.Settings.MaxEngines) != pods.Value() {
			t.Errorf("it may have %d engines, the quota has %s", o.Host.Settings.MaxEngines, pods.String())
		}
		var known struct {
			URL string `json:"egress_url"`
		}
		if err := json.Unmarshal([]byte(options), &known); err != nil {
			t.Fatal(err)
		}
		service := named[*corev1.Service](t, ours, "svc-engine-proxy")
		if want := "https://" + service.Name + "." + service.Namespace + ".svc.cluster.local:7444"; known.URL != want {
			t.Errorf("engines know the egress as %s, and it is %s", known.URL, want)
		}
	})
}
