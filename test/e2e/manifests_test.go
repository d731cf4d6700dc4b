package e2e

import (
	"context"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine-proxy/driver/kubernetes/kubetest"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
	"github.com/svc-games/svc/test/freeport"
	"github.com/svc-games/svc/test/wait"
)

// deployed is the service as an overlay of deploy/kubernetes has it, in front of a real API
// server, on a node that runs pods as processes. Ports are the machine's, so that there is
// one pod of each part.
type deployed struct {
	*service
	cluster *kubetest.Cluster
	node    *kubetest.Node
	pods    map[string]*corev1.Pod // by the name of their deployment
}

// partPorts are those of the manifests.
var partPorts = regexp.MustCompile(`\b(7442|7443|7444|8080|8181|9180)\b`)

// TestThePartsStartAsPodsAndMakeAGame: by the manifests' own command lines, files, variables,
// users, read-only roots and probes, with the secrets of their README.
func TestThePartsStartAsPodsAndMakeAGame(t *testing.T) {
	inOneForm(t)
	for _, overlay := range []string{"one-machine", "cluster"} {
		t.Run(overlay, func(t *testing.T) { // one after the other: both are in the namespaces of the manifests
			d := deploy(t, overlay)
			for name, pod := range d.pods {
				c := pod.Spec.Containers[0]
				for _, probe := range []*corev1.Probe{c.StartupProbe, c.ReadinessProbe, c.LivenessProbe} {
					d.eventually(name+" passes its probe", func() error { return d.ask(pod, probe) })
				}
			}
			d.admin("user", "create", "demo", "--tik", "100")
			var key apiKey
			d.decode([]byte(d.admin("key", "create", "--user", "demo", "--name", "first", "--json")), &key)
			var project string
			wait.Until(t, "the gateway has its parts", func() bool {
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
		})
	}
}

// admin runs svc admin as deploy/kubernetes/README.md does.
func (d deployed) admin(args ...string) string {
	d.t.Helper()
	out, err := d.node.Exec(d.t.Context(), "svc", "svc-sidecar", append([]string{"/svc", "admin"}, args...)...)
	if err != nil {
		d.t.Fatal(err)
	}
	return out
}

// eventually waits until something succeeds, and says why it never did.
func (d deployed) eventually(what string, try func() error) {
	d.t.Helper()
	var last error
	if err := wait.Poll(d.t.Context(), wait.Patience, func() bool { last = try(); return last == nil }); err != nil {
		d.t.Fatalf("%s: %v: %v", what, err, last)
	}
}

// ask asks a pod what a kubelet asks it by a probe.
func (d deployed) ask(pod *corev1.Pod, p *corev1.Probe) error {
	ctx, cancel := context.WithTimeout(d.t.Context(), time.Minute) // this machine may be busy
	defer cancel()
	address := func(port intstr.IntOrString) string {
		for _, c := range pod.Spec.Containers[0].Ports {
			if c.Name == port.StrVal {
				return net.JoinHostPort("127.0.0.1", strconv.Itoa(int(c.ContainerPort)))
			}
		}
		return "no port is named " + port.StrVal
	}
	switch {
	case p.Exec != nil:
		_, err := d.node.Exec(ctx, pod.Namespace, pod.Name, p.Exec.Command...)
		return err
	case p.TCPSocket != nil:
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", address(p.TCPSocket.Port))
		if err != nil {
			return err
		}
		return conn.Close()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address(p.HTTPGet.Port)+p.HTTPGet.Path, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode < 200 || resp.StatusCode > 399 {
		return &statusError{resp.StatusCode}
	}
	return nil
}

type statusError struct{ status int }

func (e *statusError) Error() string { return "the answer is " + strconv.Itoa(e.status) }

// deploy applies an overlay, makes the secrets, and starts the pods of the deployments, as a
// cluster's controllers do.
func deploy(t *testing.T, overlay string) deployed {
	t.Helper()
	cluster := kubetest.Shared(t)
	d := deployed{newService(t, formSplit), cluster, cluster.OfItsOwn(t), map[string]*corev1.Pod{}}
	ports := map[string]string{}
	text := partPorts.ReplaceAllStringFunc(string(kubetest.Render(t, filepath.Join(root(t), "deploy", "kubernetes", overlay))), func(port string) string {
		if ports[port] == "" {
			ports[port] = freeport.Port(t)
		}
		return ports[port]
	})
	d.addr = "127.0.0.1:" + ports["8080"]
	t.Cleanup(d.clear)
	cluster.Apply(t, []byte(text))
	cluster.Control(t, "svc-engines")
	d.secrets(overlay)
	d.node.AddImage("svc-engine:slim", kubetest.Image{
		Files:      map[string]string{"/usr/local/bin/svc-engine": bin(t, "svc-engine"), "/usr/local/bin/frameworks": bin(t, "frameworks")},
		Entrypoint: []string{"/usr/local/bin/svc-engine"},
	})
	for image, program := range map[string]string{"svc-gateway": "caddy", "svc-sidecar": "svc-sidecar", "svc-engine-proxy": "svc-engine-proxy"} {
		d.node.AddImage(image, kubetest.Image{ // as scripts/service-images makes it
			Files:      map[string]string{"/" + program: bin(t, program), "/svc": bin(t, "svc"), "/studio": bin(t, "studio")},
			Entrypoint: []string{"/" + program}, Env: []string{"HOME=/data", "SVC_DATA_DIR=/data"},
		})
	}
	if overlay == "one-machine" {
		cluster.Folder(t, "svc", "svc-sidecar", d.dir)
	}
	deployments, err := cluster.Admin.AppsV1().Deployments("svc").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, each := range deployments.Items {
		pod := &corev1.Pod{ObjectMeta: each.Spec.Template.ObjectMeta, Spec: each.Spec.Template.Spec}
		pod.Name = each.Name
		pod.Spec.HostAliases = []corev1.HostAlias{{IP: "127.0.0.1", Hostnames: []string{ // what the cluster's DNS knows
			"svc-sidecar.svc.svc.cluster.local", "svc-engine-proxy.svc.svc.cluster.local",
		}}}
		if d.pods[each.Name], err = cluster.Admin.CoreV1().Pods("svc").Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
			t.Fatalf("a pod of %s: %v", each.Name, err)
		}
	}
	return d
}

// secrets makes those that deploy/kubernetes/README.md asks for.
func (d deployed) secrets(overlay string) {
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
	if overlay == "cluster" {
		made["svc-store"] = map[string][]byte{"SVC_STORE": []byte(overTCP(d.t, postgrestest.URL(d.t)))}
	}
	for name := range maps.Keys(made) {
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: made[name]}
		if _, err := d.cluster.Admin.CoreV1().Secrets("svc").Create(d.t.Context(), secret, metav1.CreateOptions{}); err != nil {
			d.t.Fatal(err)
		}
	}
}

// overTCP returns the address of a database that listens at a socket, as one that pods reach.
func overTCP(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	socket := filepath.Join(query.Get("host"), ".s.PGSQL.5432")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go relay(conn, socket)
		}
	}()
	query.Del("host")
	query.Set("sslmode", "disable")
	u.RawQuery, u.Host = query.Encode(), listener.Addr().String()
	return u.String()
}

func relay(conn net.Conn, socket string) {
	defer conn.Close()
	to, err := net.Dial("unix", socket)
	if err != nil {
		return
	}
	defer to.Close()
	go func() {
		_, _ = io.Copy(to, conn) // until one end goes
		_ = to.Close()
	}()
	_, _ = io.Copy(conn, to)
}

// clear ends all pods, waits until they are gone, since their folders go next, and takes the
// objects of the parts away.
func (d deployed) clear() {
	ctx := context.Background()
	for _, namespace := range []string{"svc", "svc-engines"} {
		pods := d.cluster.Admin.CoreV1().Pods(namespace)
		list, err := pods.List(ctx, metav1.ListOptions{})
		if err != nil {
			d.t.Error(err)
			return
		}
		for _, pod := range list.Items {
			if d.t.Failed() {
				log, err := pods.GetLogs(pod.Name, &corev1.PodLogOptions{}).DoRaw(ctx)
				d.t.Logf("%s is %s %+v\n%s%v", pod.Name, pod.Status.Phase, pod.Status.ContainerStatuses, log, err)
			}
			if err := pods.Delete(ctx, pod.Name, metav1.DeleteOptions{GracePeriodSeconds: new(int64)}); err != nil {
				d.t.Error(err)
			}
		}
		d.gone("the pods of "+namespace, func() (int, error) {
			list, err := pods.List(ctx, metav1.ListOptions{})
			return len(list.Items), err
		})
		d.remove(namespace)
	}
	d.stopEngines()
}

// remove takes away what another overlay makes anew.
func (d deployed) remove(namespace string) {
	ctx := context.Background()
	all, none := metav1.ListOptions{}, metav1.DeleteOptions{}
	core := d.cluster.Admin.CoreV1()
	for _, err := range []error{
		d.cluster.Admin.AppsV1().Deployments(namespace).DeleteCollection(ctx, none, all),
		core.Secrets(namespace).DeleteCollection(ctx, none, all),
		core.ConfigMaps(namespace).DeleteCollection(ctx, none, metav1.ListOptions{FieldSelector: "metadata.name!=kube-root-ca.crt"}),
		core.PersistentVolumeClaims(namespace).DeleteCollection(ctx, none, all),
	} {
		if err != nil {
			d.t.Error(err)
		}
	}
	d.gone("the claims of "+namespace, func() (int, error) {
		list, err := core.PersistentVolumeClaims(namespace).List(ctx, all)
		return len(list.Items), err
	})
}

// gone waits until there is nothing of a kind any more, after the test.
func (d deployed) gone(what string, left func() (int, error)) {
	if err := wait.Poll(context.Background(), wait.Patience, func() bool { n, err := left(); return err == nil && n == 0 }); err != nil {
		d.t.Errorf("%s are still there: %v", what, err)
	}
}
