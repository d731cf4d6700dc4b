package e2e

import (
	"context"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine-proxy/driver/kubernetes/kubetest"
	"github.com/svc-games/svc/test/freeport"
	"github.com/svc-games/svc/test/wait"
)

// deployed is the service as deploy/kubernetes has it for one machine, in front of a real
// API server, on a node that runs pods as processes. Ports are the machine's.
type deployed struct {
	*service
	cluster *kubetest.Cluster
}

// partPorts are those of the manifests.
var partPorts = regexp.MustCompile(`\b(7442|7443|7444|8080|8181|9180)\b`)

// TestThePartsOfOneMachineStartAsPodsAndMakeAGame: by the manifests' own command lines, files,
// variables, users and read-only roots, with the secrets of their README.
func TestThePartsOfOneMachineStartAsPodsAndMakeAGame(t *testing.T) {
	inOneForm(t)
	d := deploy(t)
	wait.Until(t, "the gateway is ready", func() bool {
		resp, err := http.Get("http://" + d.addr + "/openapi.yaml") // its readiness probe
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	d.eventually("the sidecar answers operators", func() bool {
		cmd := exec.Command(bin(t, "svc"), "admin", "user", "create", "demo", "--tik", "100")
		cmd.Env = append(os.Environ(), "SVC_DATA_DIR="+d.dir)
		return cmd.Run() == nil
	})
	key := d.newKey("demo")
	var project string
	d.eventually("the gateway has its parts", func() bool {
		a := d.call(key, "POST", "/v1/projects", map[string]string{"name": "Duck", "template": "blank"})
		var made api.ProjectCreated
		if a.status == http.StatusCreated {
			d.decode(a.body, &made)
		}
		project = made.Data.ID
		return project != ""
	})
	sub := d.generate(key, project, brief)
	if job := d.finish(key, sub); job.Status != api.JobCompleted {
		t.Fatalf("the job ended as %s %+v", job.Status, job.Failure)
	}
	unpack(t, d.download(key, sub))
}

// deploy applies the manifests, makes the secrets, and starts the pods of the deployments,
// as a cluster's controllers do.
func deploy(t *testing.T) deployed {
	t.Helper()
	cluster := kubetest.Shared(t)
	node := cluster.OfItsOwn(t)
	ports := map[string]string{}
	text := partPorts.ReplaceAllStringFunc(string(kubetest.Render(t, "one-machine")), func(port string) string {
		if ports[port] == "" {
			ports[port] = freeport.Port(t)
		}
		return ports[port]
	})
	d := deployed{newService(t, formSplit), cluster}
	d.addr = "127.0.0.1:" + ports["8080"]
	cluster.Apply(t, []byte(text))
	cluster.Control(t, "svc-engines")
	d.secrets()
	node.AddImage("svc-engine:slim", kubetest.Image{
		Files:      map[string]string{"/usr/local/bin/svc-engine": bin(t, "svc-engine"), "/usr/local/bin/frameworks": bin(t, "frameworks")},
		Entrypoint: []string{"/usr/local/bin/svc-engine"},
	})
	for image, program := range map[string]string{"svc-gateway": "caddy", "svc-sidecar": "svc-sidecar", "svc-engine-proxy": "svc-engine-proxy"} {
		node.AddImage(image, kubetest.Image{ // as scripts/service-images makes it
			Files: map[string]string{"/" + program: bin(t, program)}, Entrypoint: []string{"/" + program},
			Env: []string{"HOME=/data", "SVC_DATA_DIR=/data", "SVC_DECISION_TIMEOUT=10s"}, // this machine may be busy
		})
	}
	cluster.Folder(t, "svc", "svc-sidecar", d.dir)
	deployments, err := cluster.Admin.AppsV1().Deployments("svc").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.clear)
	for _, each := range deployments.Items {
		pod := &corev1.Pod{ObjectMeta: each.Spec.Template.ObjectMeta, Spec: each.Spec.Template.Spec}
		pod.Name = each.Name
		pod.Spec.HostAliases = []corev1.HostAlias{{IP: "127.0.0.1", Hostnames: []string{ // what the cluster's DNS knows
			"svc-sidecar.svc.svc.cluster.local", "svc-engine-proxy.svc.svc.cluster.local",
		}}}
		if _, err := cluster.Admin.CoreV1().Pods("svc").Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
			t.Fatalf("a pod of %s: %v", each.Name, err)
		}
	}
	return d
}

// secrets makes those that deploy/kubernetes/README.md asks for.
func (d deployed) secrets() {
	d.t.Helper()
	certs := filepath.Join(d.t.TempDir(), "certs")
	d.svc("certs", "init", certs, "--host", "engines=engine-proxy")
	made := map[string]map[string][]byte{"svc-play": {}}
	for _, name := range []string{"play", "players"} {
		made["svc-play"][name] = []byte("0123456789abcdef0123456789abcdef" + name)
	}
	for secret, part := range map[string]string{"svc-gateway-tls": "gateway", "svc-sidecar-tls": "sidecar", "svc-engine-proxy-tls": "engines"} {
		made[secret] = map[string][]byte{}
		for name, file := range map[string]string{"tls.crt": part + ".pem", "tls.key": part + ".key", "ca.crt": "ca.pem"} {
			made[secret][name] = []byte(d.read(filepath.Join(certs, file)))
		}
	}
	for name := range maps.Keys(made) {
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: made[name]}
		if _, err := d.cluster.Admin.CoreV1().Secrets("svc").Create(d.t.Context(), secret, metav1.CreateOptions{}); err != nil {
			d.t.Fatal(err)
		}
	}
}

// clear ends all pods, and waits until they are gone: their folders go next.
func (d deployed) clear() {
	for _, namespace := range []string{"svc", "svc-engines"} {
		pods := d.cluster.Admin.CoreV1().Pods(namespace)
		list, err := pods.List(context.Background(), metav1.ListOptions{})
		if err != nil {
			d.t.Error(err)
			return
		}
		for _, pod := range list.Items {
			if d.t.Failed() {
				log, err := pods.GetLogs(pod.Name, &corev1.PodLogOptions{}).DoRaw(context.Background())
				d.t.Logf("%s is %s %+v\n%s%v", pod.Name, pod.Status.Phase, pod.Status.ContainerStatuses, log, err)
			}
			if err := pods.Delete(context.Background(), pod.Name, metav1.DeleteOptions{GracePeriodSeconds: new(int64)}); err != nil {
				d.t.Error(err)
			}
		}
	}
	d.stopEngines()
}
