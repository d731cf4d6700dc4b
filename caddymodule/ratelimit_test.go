package caddymodule_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/test/need"
	"github.com/svc-games/svc/test/wait"
)

// chainWithRate is a chain around the options of svc_auth. Buckets refill with
// at least one token a second, so tests wait for a refusal and do not count
// how many requests it takes.
const chainWithRate = `	handle /v1/* {
		route {
			svc_auth {
				%s
			}
			svc_access
			svc_projects
		}
	}
	handle_errors {
		svc_error
	}`

func TestRequestsAboveTheRateOfAKeyAnswer503(t *testing.T) {
	d := newFakeBackend(t)
	slow, other := d.key("slow", ""), d.key("other", "")
	g := d.gateway(t, fmt.Sprintf(chainWithRate, "rate 1 5"))
	var refused answer
	allowed := 0
	for range 1000 {
		a := g.send("GET", "/v1/projects", slow, "")
		if a.StatusCode != 200 {
			refused = a
			break
		}
		allowed++
	}
	if allowed < 5 || refused.Response == nil || refused.StatusCode != 503 {
		t.Fatalf("%d requests were answered 200 before %v", allowed, refused.Response)
	}
	if refused.body != `{"error":"Too many requests with this API key. Slow down."}`+"\n" {
		t.Errorf("the body is %s", refused.body)
	}
	if s, err := strconv.Atoi(refused.Header.Get("Retry-After")); err != nil || s < 1 {
		t.Errorf("Retry-After is %q", refused.Header.Get("Retry-After"))
	}
	if a := g.send("GET", "/v1/projects", other, ""); a.StatusCode != 200 {
		t.Errorf("another key gets %d", a.StatusCode)
	}
}

func TestRateCountsOnEveryRoute(t *testing.T) {
	d := newFakeBackend(t)
	key := d.key("k", "")
	g := d.gateway(t, fmt.Sprintf(chainWithRate, "rate 1 3"))
	paths := []string{"/v1/nothing", "/v1/projects", "/v1/generate/" + testJob + "/status", "/v1/generate/x"}
	for i := range 1000 {
		if g.send("GET", paths[i%len(paths)], key, "").StatusCode == 503 {
			return
		}
	}
	t.Error("no request was refused")
}

func TestStateOfRatesSurvivesAReload(t *testing.T) {
	d := newFakeBackend(t)
	key := d.key("k", "")
	site := fmt.Sprintf(chainWithRate, "rate 1 400")
	g := d.gateway(t, site)
	for range 350 {
		g.send("GET", "/v1/projects", key, "")
	}
	g.load(globals, site+"\n\theader X-Reloaded yes")
	allowed := 0
	for g.send("GET", "/v1/projects", key, "").StatusCode == 200 {
		if allowed++; allowed > 350 {
			t.Fatal("the reload filled the bucket")
		}
	}
}

// TestAGoodKeyIsNeverTakenForABadOne: its address sent many bad ones, and this
// gateway has not seen it before, as after a restart.
func TestAGoodKeyIsNeverTakenForABadOne(t *testing.T) {
	d := newFakeBackend(t)
	seen, fresh, disabled := d.key("seen", ""), d.key("fresh", ""), d.key("disabled", "disabled")
	g := d.gateway(t, fmt.Sprintf(chainWithRate, "failed_rate 1 5"))
	g.send("GET", "/v1/projects", seen, "")
	for range 200 {
		a := g.send("GET", "/v1/projects", mint.NewKey(), "")
		if a.StatusCode != 401 || a.body != `{"error":"This API key is not valid.","reason":"invalid"}`+"\n" {
			t.Fatalf("an unknown key gets %d %s", a.StatusCode, a.body)
		}
	}
	if a := g.send("GET", "/v1/projects", fresh, ""); a.StatusCode != 200 {
		t.Errorf("a good key from the same address gets %d %s", a.StatusCode, a.body)
	}
	if a := g.send("GET", "/v1/projects", disabled, ""); !strings.Contains(a.body, `"reason":"disabled"`) {
		t.Errorf("a disabled key from the same address gets %s", a.body)
	}
}

func TestNewKeysAreNotSuspectWithoutFailures(t *testing.T) {
	d := newFakeBackend(t)
	g := d.gateway(t, fmt.Sprintf(chainWithRate, "failed_rate 1 2"))
	for i := range 50 {
		if a := g.send("GET", "/v1/projects", d.key(fmt.Sprint("k", i), ""), ""); a.StatusCode != 200 {
			t.Fatalf("good key %d gets %d", i, a.StatusCode)
		}
	}
}

func TestRatesTurnedOffLimitNothing(t *testing.T) {
	d := newFakeBackend(t)
	key := d.key("k", "")
	g := d.gateway(t, fmt.Sprintf(chainWithRate, "rate off\n\t\t\t\tfailed_rate off"))
	for range 300 {
		if a := g.send("GET", "/v1/projects", key, ""); a.StatusCode != 200 {
			t.Fatalf("got %d", a.StatusCode)
		}
		if a := g.send("GET", "/v1/projects", mint.NewKey(), ""); a.Header.Get("Retry-After") != "" {
			t.Fatal("an unknown key was slowed")
		}
	}
}

func TestRedisThatIsNotThereLimitsPerNodeAndIsReported(t *testing.T) {
	d := newFakeBackend(t)
	key := d.key("k", "")
	t.Setenv("SVC_REDIS_URL", "unix://"+filepath.Join(d.dir, "none.sock"))
	g := d.gateway(t, fmt.Sprintf(chainWithRate, "rate 1 2"))
	limited := false
	for range 1000 {
		a := g.send("GET", "/v1/projects", key, "")
		if limited = a.StatusCode == 503; limited {
			break
		}
		if a.StatusCode != 200 {
			t.Fatalf("got %d", a.StatusCode)
		}
	}
	if !limited {
		t.Error("no limit without Redis")
	}
	if n := strings.Count(g.logged(), "redis does not answer"); n != 1 {
		t.Errorf("the log says %d times that redis is away", n)
	}
	if a := g.ask("GET", "/svc/status"); !strings.Contains(a.body, `"rates":"fallback"`) {
		t.Errorf("the status is %s", a.body)
	}
	if a := g.ask("GET", "/metrics"); !strings.Contains(a.body, "svc_rate_fallback 1") {
		t.Error("the metric does not say so")
	}
}

func TestRedisIsUsedWhenItIsThere(t *testing.T) {
	if _, err := exec.LookPath("redis-server"); err != nil {
		need.Missing(t, "redis-server is missing")
	}
	d := newFakeBackend(t)
	socket := filepath.Join(d.dir, "r.sock")
	server := exec.Command("redis-server", "--port", "0", "--unixsocket", socket, "--save", "", "--dir", d.dir)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	wait.Until(t, "redis-server listens", func() bool {
		_, err := os.Stat(socket)
		return err == nil
	})
	key := d.key("k", "")
	t.Setenv("SVC_REDIS_URL", "unix://"+socket)
	g := d.gateway(t, fmt.Sprintf(chainWithRate, "rate 1 2"))
	wait.Until(t, "a request is refused and the rates are shared", func() bool {
		limited := g.send("GET", "/v1/projects", key, "").StatusCode == 503
		return limited && strings.Contains(g.ask("GET", "/svc/status").body, `"rates":"shared"`)
	})
}
