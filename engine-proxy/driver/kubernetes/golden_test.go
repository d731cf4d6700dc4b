package kubernetes

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/internal/driverkit"
	"github.com/svc-games/svc/engine-proxy/driver/kubernetes/kubetest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// reviewed is an engine with every option of the driver.
var reviewed = driver.Spec{
	Incarnation: driver.Incarnation{ProjectID: "0123456789abcdef01234567", Generation: 7, InstanceID: "01JD0000000000000000000000"},
	OwnerID:     "ann", Volume: "projects/0123456789abcdef01234567",
	Remote: &driver.RemoteSpec{
		Token: "the token", Cert: []byte("the certificate"), Key: []byte("the private key"), CA: []byte("the authority"),
		Egress: "https://egress.example:7444",
	},
}

// TestEnginesAreMadeAsReviewed compares all that the API server is asked for
// with files that a reviewer has read: for every option, and for none but the
// two that are required.
func TestEnginesAreMadeAsReviewed(t *testing.T) {
	t.Setenv(driverkit.StartDelay, "1s")
	for file, opts := range map[string]Options{
		"least.yaml": {Namespace: "engines", Image: "engine:1"},
		"all.yaml": {
			Namespace: "engines", Installation: "staging",
			Image: "registry.example/engine@sha256:00", PullPolicy: corev1.PullAlways, PullSecret: "registry",
			Command: []string{"/engine", "--verbose"}, Env: []string{"A=1"},
			StorageClass: "fast", AccessMode: corev1.ReadWriteOnce,
			UID: 1001, GID: 1002, Limits: driver.Limits{Memory: 1 << 30, CPU: 1500, Volume: 2 << 30},
			TmpBytes: 128 << 20, DiskBytes: 512 << 20, LogBytes: 2 << 20,
			RuntimeClass: "gvisor", PriorityClass: "engines", NodeSelector: map[string]string{"pool": "engines"},
			PlaceTimeout: time.Minute,
		},
	} {
		t.Run(file, func(t *testing.T) {
			if err := opts.complete(); err != nil {
				t.Fatal(err)
			}
			d := &Driver{opts: opts}
			claim := d.claim(reviewed)
			pod := d.pod(reviewed, d.room(claim), []corev1.HostAlias{{IP: "10.0.0.1", Hostnames: []string{"egress.example"}}})
			secret := d.secret(reviewed, pod)
			secret.Data, secret.StringData = nil, readable(secret.Data)
			secret.OwnerReferences[0].UID = "the-pods"
			policy := kubetest.Policy(opts.Namespace, proxyPeer, 7444)
			compare(t, filepath.Join("testdata", file), manifests(t, claim, pod, secret, policy))
		})
	}
}

func readable(data map[string][]byte) map[string]string {
	text := make(map[string]string)
	for name, value := range data {
		text[name] = string(value)
	}
	return text
}

// manifests writes objects as kubectl does.
func manifests(t *testing.T, objects ...runtime.Object) []byte {
	t.Helper()
	encoder := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme.Scheme, scheme.Scheme, json.SerializerOptions{Yaml: true})
	var out bytes.Buffer
	for _, object := range objects {
		kind, _, err := scheme.Scheme.ObjectKinds(object)
		if err != nil {
			t.Fatal(err)
		}
		object.GetObjectKind().SetGroupVersionKind(kind[0])
		out.WriteString("---\n")
		if err := encoder.Encode(object, &out); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

func compare(t *testing.T, golden string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the API server is asked for\n%s\nreviewed was\n%s", got, want)
	}
}
