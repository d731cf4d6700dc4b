package e2e

import (
	"context"
	"crypto/tls"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine-proxy/driver/kubernetes/kubetest"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
	"github.com/svc-games/svc/test/child"
	fakeprovider "github.com/svc-games/svc/test/fake/provider"
	"github.com/svc-games/svc/test/freeport"
)

// withPostgres runs tests that may ask for a database.
type withPostgres struct{ *testing.M }

func (w withPostgres) Run() int { return postgrestest.Main(w.M) }

func TestMain(m *testing.M) { kubetest.Main(withPostgres{m}) }

// kubed is a service whose engines are pods of a cluster. In the split form
// the engine proxy is a process beside the gateway, as it is in a cluster.
type kubed struct {
	fleet
	cluster   *kubetest.Cluster
	namespace string
}

func newKubed(t *testing.T, f form) kubed {
	t.Helper()
	return newKubedWith(t, f, kubetest.Shared(t), nil, "")
}

// newKubedWith prepares one on a cluster, with further options of its driver, and
// the models of an egress file.
func newKubedWith(t *testing.T, f form, cluster *kubetest.Cluster, more map[string]any, egress string, env ...string) kubed {
	t.Helper()
	s := kubed{cluster: cluster}
	node := cluster.OfItsOwn(t)
	s.namespace = s.cluster.Namespace(t)
	t.Cleanup(func() { s.clear() })
	policy := kubetest.Policy(s.namespace, networkingv1.NetworkPolicyPeer{NamespaceSelector: new(metav1.LabelSelector)}, 7444)
	if _, err := s.cluster.Admin.NetworkingV1().NetworkPolicies(s.namespace).Create(t.Context(), policy, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	node.AddImage("svc-engine:slim", kubetest.Image{
		Files: map[string]string{
			"/usr/local/bin/svc-engine": bin(t, "svc-engine"), "/usr/local/bin/frameworks": bin(t, "frameworks"),
		},
		Entrypoint: []string{"/usr/local/bin/svc-engine"},
	})
	s.service = newService(t, f, env...)
	s.running = s.pods
	options := map[string]any{
		"kubeconfig": s.cluster.Kubeconfig(t, s.namespace, kubetest.Permissions()), "namespace": s.namespace, "image": "svc-engine:slim",
	}
	maps.Copy(options, more)
	s.runEngines("kubernetes", options, egress)
	return s
}

// all returns the pods of the service, whether they have ended or not.
func (s kubed) all() []corev1.Pod {
	list, err := s.cluster.Admin.CoreV1().Pods(s.namespace).List(context.Background(), metav1.ListOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	return list.Items
}

// pods returns the ids of those that run or may come to run.
func (s kubed) pods() []string {
	s.t.Helper()
	ids := []string{}
	for _, p := range s.all() {
		if p.Status.Phase != corev1.PodSucceeded && p.Status.Phase != corev1.PodFailed {
			ids = append(ids, string(p.UID))
		}
	}
	return ids
}

// clear ends what the service has left running, which shares the cluster with
// those of other tests.
func (s kubed) clear() {
	err := s.cluster.Admin.CoreV1().Pods(s.namespace).DeleteCollection(context.Background(),
		metav1.DeleteOptions{GracePeriodSeconds: new(int64)}, metav1.ListOptions{})
	if err != nil {
		s.t.Error(err)
	}
}

// TestEnginesInPods has one cluster. Whoever kills its API server, and cuts off its
// node, comes when the others are done.
func TestEnginesInPods(t *testing.T) {
	t.Parallel()
	t.Run("SideBySide", enginesInPodsSideBySide)
	if f := askedFor(); f == "" || f == formSplit {
		t.Run("KilledAPIServer", func(t *testing.T) { killedAPIServer(t, formSplit) })
	}
}

func enginesInPodsSideBySide(t *testing.T) {
	for _, test := range []struct {
		name string
		form form
		run  func(t *testing.T, f form)
	}{
		{"BriefBecomesAGame", formSplit, briefBecomesAGameInAPod},
		{"TheyOutliveAKilledEngineProxyAndAreAdopted", formSplit, podsOutliveAKilledEngineProxy},
		{"TheyOutliveAKilledServiceAndAreAdopted", formEmbedded, podsOutliveAKilledService},
		{"ALostDataFolderIsRemediedAsDocumented", formSplit, lostDataFolder},
		{"ModelsMakeAGame", formSplit, modelsMakeAGameInAPod},
	} {
		if f := askedFor(); f == "" || f == test.form {
			t.Run(test.name, func(t *testing.T) {
				t.Parallel()
				test.run(t, test.form)
			})
		}
	}
}

func briefBecomesAGameInAPod(t *testing.T, f form) {
	s := newKubed(t, f)
	s.start()
	s.makeGame()
	s.endsClean()
}

// podsOutliveAKilledEngineProxy: streams of pods lead through
// the engine proxy. They are cut with it, and the gateway takes them up again:
// no client notices.
func podsOutliveAKilledEngineProxy(t *testing.T, f form) {
	s := newKubed(t, f)
	s.start()
	kill := func() { _ = s.engineProxy.stop(os.Kill) }
	followers := s.outlives(func() {
		kill()
		s.startEngines()
		kill()
	}, func() { s.startEngines() })
	for _, f := range followers {
		if f.asked != 1 || f.refused > 0 {
			t.Errorf("a client was given %d streams and refused %d times, want one stream", f.asked, f.refused)
		}
	}
	if !strings.Contains(followers[0].got.String(), "waiting for the engine") {
		t.Error("the stream was not cut")
	}
}

func podsOutliveAKilledService(t *testing.T, f form) {
	s := newKubed(t, f)
	s.start()
	followers := s.outlives(func() { _ = s.stop(os.Kill) }, func() { s.start() })
	if n := followers[0].asked; n != 2 {
		t.Errorf("the client was given %d streams for one that broke off once", n)
	}
	s.endsClean()
}

// lostDataFolder follows docs/operations.md: what
// the engine proxy kept is gone, and the projects' claims are not.
func lostDataFolder(t *testing.T, f form) {
	s := newKubed(t, f)
	s.start()
	key := s.newKey("demo")
	project := s.newProject(key)
	jobs := []api.Submission{s.generate(key, project, brief)}
	s.allCompleted(key, jobs)
	s.endsClean()
	before := s.claim(project)
	for _, lost := range []string{"engines", "archive", "egress"} {
		if err := os.RemoveAll(filepath.Join(s.dir, lost)); err != nil {
			t.Fatal(err)
		}
	}

	// An empty folder does not get the engines of the store by itself.
	s.startSidecar()
	if err := s.startPart("svc-engine-proxy").ended(); err == nil || !strings.Contains(s.log.String(), "run svc admin engines release") {
		t.Fatalf("an engine proxy on an empty folder ended with %v", err)
	}
	s.svc("admin", "engines", "release")
	s.start()
	// And it does not know which engine was the last on the volume.
	body := map[string]string{"projectId": project, "prompt": brief}
	if a := s.call(key, "POST", "/v1/generate", body); a.status != http.StatusServiceUnavailable || !strings.Contains(string(a.body), "A newer engine of the project was started elsewhere.") {
		t.Fatalf("before the mark is lowered: %d %s", a.status, a.body)
	}
	// kubectl annotate pvc svc-volume-PROJECT svc.engine/generation=0 --overwrite
	_, err := s.cluster.Admin.CoreV1().PersistentVolumeClaims(s.namespace).Patch(t.Context(), before.Name, types.MergePatchType,
		[]byte(`{"metadata":{"annotations":{"svc.engine/generation":"0"}}}`), metav1.PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s.svc("engines", "reset", project)
	s.allCompleted(key, append(jobs, s.generate(key, project, brief)))
	if after := s.claim(project); after.UID != before.UID {
		t.Errorf("the project has the volume %s, before %s", after.UID, before.UID)
	}
}

// claim returns the one of a project's volume.
func (s kubed) claim(project string) *corev1.PersistentVolumeClaim {
	s.t.Helper()
	claim, err := s.cluster.Admin.CoreV1().PersistentVolumeClaims(s.namespace).Get(s.t.Context(), "svc-volume-"+project, metav1.GetOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	return claim
}

// modelsMakeAGameInAPod: the engine has no way out but the egress, which
// knows it by its certificate and its token.
func modelsMakeAGameInAPod(t *testing.T, f form) {
	provider := fakeprovider.New(t, fakeprovider.ByPath(map[string]fakeprovider.Answer{
		"/chat/completions":   fakeprovider.InTurn(concept, writes(wobble), fakeprovider.RateLimited(1), writes(tool("check", nil)), writes(handIn)),
		"/images/generations": fakeprovider.Pictures(fakeprovider.Picture(t)),
		"/audio/speech":       fakeprovider.Speech(fakeprovider.Tone()),
	}))
	provider.Key = credential
	address := "localhost:" + freeport.Port(t)
	s := newKubedWith(t, f, kubetest.Shared(t), map[string]any{"egress_listen": address, "egress_url": "https://" + address}, modelsFile(t, provider.URL), "SVC_PRICES="+pricesFile(t))
	s.secrets = append(s.secrets, credential)
	s.start()
	key := s.newKey("demo")
	sub := s.submit(key, map[string]any{
		"projectId": s.newProject(key), "prompt": "a yellow duck that flaps through gaps, and it wobbles",
		"settings": map[string]any{"model": "writer", "aiImages": true, "aiAudio": true},
	})
	job := s.finishLong(key, sub)
	if job.Status != api.JobCompleted {
		t.Fatalf("the job is %+v", job)
	}
	s.charged(key, job, 4)
	dir := unpack(t, s.download(key, sub))
	for name, want := range map[string]string{"game.js": "Math.sin(s.t * 9) * 3", "assets/hero.png": "PNG", "assets/music.wav": "WAVE"} {
		if !strings.Contains(s.read(filepath.Join(dir, name)), want) {
			t.Errorf("%s lacks %q", name, want)
		}
	}
	s.othersStayOutside(address)
	s.nowhere(credential)
	s.notInTheCluster(credential)
}

// othersStayOutside tries the egress without an engine's certificate.
func (s kubed) othersStayOutside(address string) {
	s.t.Helper()
	other := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	resp, err := other.Get("https://" + address + "/models")
	if err == nil {
		resp.Body.Close()
		s.t.Errorf("the egress answers another client: %s", resp.Status)
	}
}

// notInTheCluster checks that a secret is in no object of the engines'.
func (s kubed) notInTheCluster(text string) {
	s.t.Helper()
	secrets, err := s.cluster.Admin.CoreV1().Secrets(s.namespace).List(s.t.Context(), metav1.ListOptions{})
	if err != nil || len(secrets.Items) == 0 {
		s.t.Fatalf("%d secrets, %v", len(secrets.Items), err)
	}
	pods := s.all()
	if len(pods) == 0 {
		s.t.Fatal("there is no pod")
	}
	for _, secret := range secrets.Items {
		for name, data := range secret.Data {
			if strings.Contains(string(data), text) {
				s.t.Errorf("%s of an engine's secret has it", name)
			}
		}
	}
	for _, pod := range pods {
		if strings.Contains(pod.String(), text) {
			s.t.Error("an engine's pod has it")
		}
	}
}

// killedAPIServer is the row of the kill matrix for the API server: what a
// client sees when it goes at each moment of an engine's life, and what holds.
func killedAPIServer(t *testing.T, f form) {
	t.Run("starting: 503, and the same request again makes the one job", func(t *testing.T) {
		s := newKubedWith(t, f, kubetest.Killable(t), nil, "")
		s.start()
		key := s.newKey("demo")
		project := s.newProject(key)
		s.cluster.Node.Disconnect()
		body := map[string]string{"projectId": project, "prompt": brief}
		if a := s.call(key, "POST", "/v1/generate", body); a.status != http.StatusServiceUnavailable {
			t.Fatalf("while its pod waits for a node: %d %s", a.status, a.body)
		}
		s.eventually("the pod is made", func() bool { return len(s.pods()) == 1 })
		s.kill()
		if a := s.call(key, "POST", "/v1/generate", body); a.status != http.StatusServiceUnavailable {
			t.Errorf("without an API server: %d %s", a.status, a.body)
		}
		if u := s.usage(key); u.RunningJobs != 0 || u.JobsThisMonth != 0 {
			t.Errorf("usage after refusals is %+v", u)
		}
		s.raise()
		s.cluster.Node.Reconnect()
		s.allCompleted(key, []api.Submission{s.generate(key, project, brief)})
		if n := len(s.pods()); n != 1 {
			t.Errorf("%d pods run, want 1", n)
		}
	})
	t.Run("ready with job: nothing, and every job completes", func(t *testing.T) {
		s := newKubedWith(t, f, kubetest.Killable(t), nil, "")
		s.start()
		key := s.newKey("demo")
		jobs := s.queue(key, 6)
		before := s.pods()
		stream := s.events(key, jobs[len(jobs)-1], "")
		s.kill()
		jobs = append(jobs, s.generate(key, jobs[0].ProjectID, brief)) // an engine that runs is used
		s.finish(key, jobs[0])
		s.raise()
		checkLog(t, s.readEvents(stream.Body))
		s.allCompleted(key, jobs)
		if after := s.pods(); !slices.Equal(before, after) {
			t.Errorf("pods: %v, before %v", after, before)
		}
	})
	t.Run("stopping: the engine is stopped when the API server is back", func(t *testing.T) {
		s := newKubedWith(t, f, kubetest.Killable(t), nil, "")
		s.start()
		key := s.newKey("demo")
		project := s.newProject(key)
		sub := s.generate(key, project, brief)
		s.finish(key, sub)
		s.cluster.Node.Disconnect()
		stop := exec.Command(bin(t, "svc"), "engines", "stop", project, "--data-dir", s.dir)
		if err := child.Start(stop); err != nil {
			t.Fatal(err)
		}
		s.eventually("the engine is asked to end", s.asked)
		s.kill()
		s.cluster.Node.Reconnect()
		s.raise()
		s.eventually("the engine is gone", func() bool { return len(s.pods()) == 0 })
		if err := stop.Wait(); err != nil {
			t.Errorf("svc engines stop ended with %v", err)
		}
		s.allCompleted(key, []api.Submission{sub, s.generate(key, project, brief)})
	})
}

// asked reports whether a pod was asked to end.
func (s kubed) asked() bool {
	s.t.Helper()
	return slices.ContainsFunc(s.all(), func(p corev1.Pod) bool { return p.Spec.ActiveDeadlineSeconds != nil })
}

func (s kubed) kill() {
	s.t.Helper()
	if err := s.cluster.KillAPI(); err != nil {
		s.t.Fatal(err)
	}
}

// raise starts the API server again.
func (s kubed) raise() {
	s.t.Helper()
	if err := s.cluster.StartAPI(); err != nil {
		s.t.Fatal(err)
	}
}
