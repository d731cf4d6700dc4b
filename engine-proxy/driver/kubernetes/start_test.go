package kubernetes

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/drivertest"
	"github.com/svc-games/svc/engine-proxy/driver/internal/driverkit"
	"github.com/svc-games/svc/test/wait"
)

// reasonOf is the sentence that an owner reads of a start that failed.
func reasonOf(err error) string {
	var reason *driver.ReasonError
	if errors.As(err, &reason) {
		return reason.Reason
	}
	return ""
}

func TestAPodThatNoNodeTakesIsNoRoom(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	// The cluster's words are told if it has said any in time.
	for patient := 100 * time.Millisecond; ; patient *= 4 {
		d := b.another(t, func(o *Options) { o.Limits.Memory, o.PlaceTimeout = 1<<40, patient })
		_, err := d.Start(t.Context(), b.spec(t), nil)
		if !errors.Is(err, driver.ErrCapacity) || reasonOf(err) != driverkit.NoRoom {
			t.Fatalf("got %v, want ErrCapacity", err)
		}
		b.empty(t)
		if strings.Contains(err.Error(), "Insufficient memory") {
			break
		}
		if patient > wait.Patience {
			t.Fatalf("got %v, want the cluster's words", err)
		}
	}
}

func TestAQuotaThatIsUsedUpIsNoRoom(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.cluster.OfItsOwn(t)
	quotas := b.cluster.Admin.CoreV1().ResourceQuotas(b.namespace)
	none := corev1.ResourceList{corev1.ResourcePods: resource.MustParse("0")}
	quota, err := quotas.Create(t.Context(), &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Name: "engines"}, Spec: corev1.ResourceQuotaSpec{Hard: none},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	quota.Status = corev1.ResourceQuotaStatus{Hard: none, Used: none} // which a controller writes elsewhere
	if _, err := quotas.UpdateStatus(t.Context(), quota, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	wait.Until(t, "the API server knows the quota", func() bool {
		_, err := b.Start(t.Context(), b.spec(t), nil)
		return errors.Is(err, driver.ErrCapacity) && reasonOf(err) == driverkit.NoRoom
	})
	if err := b.Check(t.Context()); err != nil {
		t.Errorf("check: %v; there may be room again", err)
	}
	b.empty(t)
}

func TestAnImageThatCanNotBeFetchedNowIsWaitedFor(t *testing.T) {
	t.Parallel()
	for message, fatal := range map[string]bool{
		`failed to pull and unpack image "r/e:1": failed to resolve reference "r/e:1": r/e:1: not found`: true,
		`pull access denied for r/e, repository does not exist or may require authorization`:             true,
		`failed to do request: Head "https://r/v2/e/manifests/1": dial tcp 10.0.0.1:443: i/o timeout`:    false,
		`received unexpected HTTP status: 503 Service Unavailable`:                                       false,
	} {
		got := waiting(&corev1.ContainerStateWaiting{Reason: waitPullAgain, Message: message})
		if isFatal := errors.Is(got.err, driver.ErrFatalSpec); isFatal != fatal || got.done {
			t.Errorf("%q: %+v, want fatal %t", message, got, fatal)
		}
	}
}

func TestOnlyAProgramThatCanNotBeRunIsFatalWhenAContainerIsNotMade(t *testing.T) {
	t.Parallel()
	for message, fatal := range map[string]bool{
		`runc create failed: unable to start container process: exec: \"/engine\": stat /engine: no such file or directory`:                  true,
		`runc create failed: unable to start container process: exec: \"/engine\": permission denied`:                                        true,
		"crun: executable file `/engine` not found: No such file or directory: OCI runtime attempted to invoke a command that was not found": true,
		`failed to generate container "1" spec: failed to generate spec: no command specified`:                                               true,
		`container has runAsNonRoot and image will run as root`:                                                                              true,
		`context deadline exceeded`: false,
		`failed to reserve container name "engine_0": name "engine_0" is reserved for "2"`:                                  false,
		`Kubelet may be retrying requests that are timing out in CRI-O due to system load: context deadline exceeded`:       false,
		`failed to create shim task: OCI runtime create failed: unable to apply cgroup configuration: resource unavailable`: false,
		`services have not yet been read at least once, cannot construct envvars`:                                           false,
		`failed to sync secret cache: timed out waiting for the condition`:                                                  false,
	} {
		for _, reason := range []string{waitConfig, waitCreate, waitRun} {
			got := waiting(&corev1.ContainerStateWaiting{Reason: reason, Message: message})
			if isFatal := errors.Is(got.err, driver.ErrFatalSpec); isFatal != fatal || got.done {
				t.Errorf("%s: %q: %+v, want fatal %t", reason, message, got, fatal)
			}
		}
	}
}

// TestANodeThatCanNotMakeTheContainerNowIsWaitedFor, in the order in which one
// with too much to do says so.
func TestANodeThatCanNotMakeTheContainerNowIsWaitedFor(t *testing.T) {
	b := newBed(t)
	node := b.cluster.OfItsOwn(t)
	t.Cleanup(node.Relieve)
	node.Overload(waitCreate, "context deadline exceeded")
	s := b.spec(t)
	started := make(chan error, 1)
	go func() {
		_, err := b.Start(t.Context(), s, nil)
		started <- err
	}()
	for _, message := range []string{"context deadline exceeded", `name "engine_0" is reserved for "1"`} {
		node.Overload(waitCreate, message)
		wait.Until(t, "the node says so", func() bool {
			pods := b.all(t)
			if len(pods) == 0 {
				return false
			}
			said := stateOf(&pods[0]).Waiting
			return said != nil && said.Message == message
		})
	}
	node.Relieve()
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	b.start(t, s) // the same one, which ends with the test
}

func TestOnlyAnImageThatAppearsLetsTheStartGoOn(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.cluster.OfItsOwn(t)
	late := "svc-engine-late:" + b.namespace
	b.Driver = b.another(t, func(o *Options) { o.Image = late })
	if _, err := b.Start(t.Context(), b.spec(t), nil); reasonOf(err) != reasonNoImage {
		t.Fatalf("without the image: %v", err)
	}
	b.imageOf(t, late, map[string]string{"/engine": drivertest.BuildEngine(t)})
	b.start(t, b.spec(t))
}

func TestAnOlderGenerationIsRefused(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	s := b.spec(t)
	s.Generation = 5
	h := b.start(t, s)
	if err := b.Stop(t.Context(), h, time.Minute); err != nil {
		t.Fatal(err)
	}
	for what, stale := range map[string]func(driver.Spec) driver.Spec{
		"an older one":            func(s driver.Spec) driver.Spec { s = next(s); s.Generation = 4; return s },
		"another of the same one": func(s driver.Spec) driver.Spec { s = next(s); s.Generation = 5; return s },
	} {
		if _, err := b.another(t).Start(t.Context(), stale(s), nil); !errors.Is(err, driver.ErrUnavailable) || reasonOf(err) != reasonNewer {
			t.Errorf("%s: %v, want it refused", what, err)
		}
	}
	b.start(t, next(s))
}

// TestAMarkThatAnOperatorLowersLetsAProjectBeginAgain: what docs/operations.md
// says to do when the engine proxy's data directory is lost.
func TestAMarkThatAnOperatorLowersLetsAProjectBeginAgain(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	s := b.spec(t)
	s.Generation = 5
	b.stop(t, b.start(t, s))
	s.Generation = 0
	s = next(s)
	if _, err := b.Start(t.Context(), s, nil); reasonOf(err) != reasonNewer {
		t.Fatalf("before: %v", err)
	}
	// kubectl annotate pvc svc-volume-PROJECT svc.engine/generation=0 --overwrite
	_, err := b.cluster.Admin.CoreV1().PersistentVolumeClaims(b.namespace).Patch(t.Context(), claimName(s.ProjectID), types.MergePatchType,
		[]byte(`{"metadata":{"annotations":{"svc.engine/generation":"0"}}}`), metav1.PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b.start(t, s)
	wait.Until(t, "it runs on the project's volume", func() bool { return runs(t, s) })
}

// TestTwoEngineProxiesNeverRunTwoEngines of one project: with different
// generations, at once, again and again.
func TestTwoEngineProxiesNeverRunTwoEngines(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	first, second := b.another(t), b.another(t)
	s := b.spec(t)
	for range 5 {
		older, newer := next(s), next(next(s))
		var wg sync.WaitGroup
		handles := make([]driver.Handle, 2)
		errs := make([]error, 2)
		wg.Go(func() { handles[0], errs[0] = first.Start(t.Context(), older, nil) })
		wg.Go(func() { handles[1], errs[1] = second.Start(t.Context(), newer, nil) })
		wg.Wait()
		if errs[0] == nil && errs[1] == nil {
			t.Fatal("both run")
		}
		for i, err := range errs {
			if err != nil && !slices.Contains([]string{reasonNewer, reasonEarlier}, reasonOf(err)) {
				t.Fatalf("start %d: %v", i, err)
			}
			if err == nil {
				b.stop(t, handles[i])
			}
		}
		b.empty(t)
		s = newer
	}
}

// stop ends an engine and clears it away.
func (b *bed) stop(t testing.TB, h driver.Handle) {
	t.Helper()
	if err := b.Stop(t.Context(), h, time.Minute); err != nil {
		t.Fatal(err)
	}
	if err := b.Remove(t.Context(), h); err != nil {
		t.Fatal(err)
	}
}

func TestAnotherInstallationsVolumeIsRefused(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	s := b.spec(t)
	b.start(t, s)
	other := b.another(t, func(o *Options) { o.Installation = "other" })
	if _, err := other.Start(t.Context(), next(s), nil); !errors.Is(err, driver.ErrFatalSpec) || reasonOf(err) != reasonVolume {
		t.Errorf("start: %v", err)
	}
	if err := other.DeleteVolume(t.Context(), s.ProjectID); err == nil {
		t.Error("it was deleted")
	}
	if list, err := other.List(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("it lists %+v, %v", list, err)
	}
}

func TestADeletedVolumeIsGone(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	s := b.spec(t)
	if err := b.DeleteVolume(t.Context(), s.ProjectID); err != nil {
		t.Errorf("of a project that never started: %v", err)
	}
	b.stop(t, b.start(t, s))
	for range 2 {
		if err := b.DeleteVolume(t.Context(), s.ProjectID); err != nil {
			t.Fatal(err)
		}
	}
	claims, err := b.cluster.Admin.CoreV1().PersistentVolumeClaims(b.namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil || len(claims.Items) != 0 {
		t.Errorf("left: %v, %v", claims.Items, err)
	}
	b.cluster.OfItsOwn(t) // which gives the folder again
	s.Generation = 0
	b.start(t, next(s)) // a project begins anew, with no memory of generations
}

func TestAnEngineFindsItsEgressWithoutNames(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	s := b.spec(t)
	s.Remote.Egress = "https://localhost:8444"
	b.start(t, s)
	pod := b.all(t)[0]
	if !slices.Contains(pod.Spec.Containers[0].Args, s.Remote.Egress) {
		t.Errorf("arguments %q", pod.Spec.Containers[0].Args)
	}
	if len(pod.Spec.HostAliases) == 0 || pod.Spec.HostAliases[0].Hostnames[0] != "localhost" {
		t.Errorf("host aliases %v", pod.Spec.HostAliases)
	}
}

func TestTheEndpointIsThePods(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	h := b.start(t, b.spec(t))
	obs, err := b.Inspect(t.Context(), h)
	if err != nil || obs.Endpoint.Network != driver.TCP || obs.Endpoint.Address != b.all(t)[0].Status.PodIP+":8443" {
		t.Errorf("inspected %+v, %v", obs, err)
	}
}
