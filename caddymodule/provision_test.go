package caddymodule_test

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/caddyserver/caddy/v2"

	_ "github.com/svc-games/svc/caddymodule/embedded"
	_ "github.com/svc-games/svc/caddymodule/remote"
	"github.com/svc-games/svc/test/freeport"
)

func TestChainInAnImpossibleOrderIsRefused(t *testing.T) {
	route := func(steps ...string) string {
		return "\troute {\n\t\t" + strings.Join(steps, "\n\t\t") + "\n\t}\n\thandle_errors {\n\t\tsvc_error\n\t}"
	}
	tests := map[string]struct{ site, says string }{
		"in order":                    {route("svc_auth", "svc_access", "svc_projects", "svc_engine", "svc_quota"), ""},
		"auth alone":                  {route("svc_auth"), ""},
		"without projects":            {route("svc_auth", "svc_access", "svc_engine", "svc_quota"), ""},
		"auth outside, rest inside":   {"\troute {\n\t\tsvc_auth\n\t\thandle /v1/* {\n\t\t\tsvc_access\n\t\t}\n\t}\n\thandle_errors {\n\t\tsvc_error\n\t}", ""},
		"access before auth":          {route("svc_access", "svc_auth"), "svc_auth must come before svc_access"},
		"access without auth":         {route("svc_access"), "svc_auth must come before svc_access"},
		"projects before access":      {route("svc_auth", "svc_projects", "svc_access"), "svc_access must come before svc_projects"},
		"engine without access":       {route("svc_auth", "svc_engine"), "svc_access must come before svc_engine"},
		"quota before engine":         {route("svc_auth", "svc_access", "svc_quota", "svc_engine"), "svc_engine must come before svc_quota"},
		"in a site, order is Caddy's": {"\tsvc_quota\n\tsvc_engine\n\tsvc_access\n\tsvc_auth\n\thandle_errors {\n\t\tsvc_error\n\t}", ""},
		"the shorthand":               {"\tsvc_api", ""},
		"the shorthand beside others": {"\tsvc_api\n\thandle {\n\t\terror 404\n\t}", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			err := validate(t, "\tadmin off\n", tc.site)
			switch {
			case tc.says == "" && err != nil:
				t.Errorf("refused: %v", err)
			case tc.says != "" && (err == nil || !strings.Contains(err.Error(), tc.says)):
				t.Errorf("got %v, want %q", err, tc.says)
			}
		})
	}
}

// TestPartsThatCanNotWorkTogetherAreRefusedWhereverAConfigurationIsLoaded: by "caddy
// validate" and a reload as by a start.
func TestPartsThatCanNotWorkTogetherAreRefusedWhereverAConfigurationIsLoaded(t *testing.T) {
	for options, says := range map[string]string{
		"\t\tengines /run/engines.sock\n":                                      "the engine proxy at /run/engines.sock can't report to a sidecar in this process",
		"\t\tengines /run/engines.sock\n\t\tstore postgres://db.example/svc\n": "",
		"\t\tengines /run/engines.sock\n\t\tsidecar /run/sidecar.sock\n":       "",
	} {
		raw, err := adapt(t, "{\n\tadmin off\n\tsvc {\n\t\tdata_dir "+t.TempDir()+"\n"+options+"\t}\n}\n:0 {\n\tsvc_api\n}\n")
		var config caddy.Config
		if err == nil {
			err = caddy.StrictUnmarshalJSON([]byte(raw), &config)
		}
		if err == nil {
			err = caddy.Validate(&config)
		}
		if says == "" && err != nil || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("with\n%s: got %v, want %q", options, err, says)
		}
	}
}

// TestSubmissionThatPassedNoQuotaReachesNoEngine has a configuration whose
// missing step can't be seen before a request comes: another route has it.
func TestSubmissionThatPassedNoQuotaReachesNoEngine(t *testing.T) {
	d := newFakeBackend(t)
	key := d.key("k", "")
	var asked atomic.Int32
	d.engine(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		accept(w, r)
	})
	const proxy = "reverse_proxy {\n\t\t\tdynamic svc_engine\n\t\t}\n\t}\n"
	g := d.gateway(t, "\troute /v1/projects/* {\n\t\tsvc_auth\n\t\tsvc_access\n\t\tsvc_engine\n\t\tsvc_quota\n\t\t"+proxy+
		"\troute /v1/generate {\n\t\tsvc_auth\n\t\tsvc_access\n\t\tsvc_engine\n\t\t"+proxy+
		"\thandle_errors {\n\t\tsvc_error\n\t}")
	a := g.send("POST", "/v1/generate", key, `{"projectId":"`+testProject+`","prompt":"x"}`)
	if a.StatusCode != http.StatusServiceUnavailable || asked.Load() != 0 {
		t.Errorf("it was answered %d %s, and the engine was asked %d times", a.StatusCode, a.body, asked.Load())
	}
	if !strings.Contains(g.logged(), "svc_quota must come before") {
		t.Error("the log does not say what is missing")
	}
}

// TestANamedRouteThatLacksAStepTakesNoSubmission: what a named route holds is
// known only when it is invoked.
func TestANamedRouteThatLacksAStepTakesNoSubmission(t *testing.T) {
	const proxy = "reverse_proxy {\n\t\t\tdynamic svc_engine\n\t\t}"
	tests := map[string]struct {
		steps  []string
		status int
		says   string // in the log
	}{
		"complete":           {[]string{"svc_auth", "svc_access", "svc_engine", "svc_quota", proxy}, 200, ""},
		"without svc_auth":   {[]string{"svc_access", "svc_engine", "svc_quota", proxy}, 500, "svc_auth must come before svc_access"},
		"without svc_access": {[]string{"svc_auth", "svc_engine", "svc_quota", proxy}, 500, "svc_access must come before svc_engine"},
		"without svc_engine": {[]string{"svc_auth", "svc_access", "svc_quota", proxy}, 500, "svc_engine must come before svc_quota"},
		"without svc_quota":  {[]string{"svc_auth", "svc_access", "svc_engine", proxy}, 503, "svc_quota must come before reverse_proxy"},
		"projects too early": {[]string{"svc_auth", "svc_projects", "svc_access"}, 500, "svc_access must come before svc_projects"},
		"the proxy alone":    {[]string{"svc_auth", "svc_access", proxy}, 503, "svc_engine must come before reverse_proxy"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			d := newFakeBackend(t)
			key := d.key("k", "")
			var asked atomic.Int32
			d.engine(t, func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				accept(w, r)
			})
			g := d.gateway(t, "\tinvoke submit\n\thandle_errors {\n\t\tsvc_error\n\t}\n}\n&(submit) {\n\troute {\n\t\t"+strings.Join(tc.steps, "\n\t\t")+"\n\t}")
			a := g.send("POST", "/v1/generate", key, `{"projectId":"`+testProject+`","prompt":"x"}`)
			taken := int32(0)
			if tc.status == http.StatusOK {
				taken = 1
			}
			if a.StatusCode != tc.status || asked.Load() != taken || d.reserve.Load() != taken {
				t.Errorf("answered %d %s; the engine was asked %d times, %d submissions were admitted", a.StatusCode, a.body, asked.Load(), d.reserve.Load())
			}
			if tc.says != "" && !strings.Contains(g.logged(), tc.says) {
				t.Errorf("the log does not say %q", tc.says)
			}
		})
	}
}

func TestARouteWithTwoQuotasMakesNoJob(t *testing.T) {
	d := newFakeBackend(t)
	key := d.key("k", "")
	var asked atomic.Int32
	d.engine(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		accept(w, r)
	})
	g := d.gateway(t, "\troute {\n\t\tsvc_auth\n\t\tsvc_access\n\t\tsvc_engine\n\t\tsvc_quota\n\t\tsvc_quota\n\t\treverse_proxy {\n\t\t\tdynamic svc_engine\n\t\t}\n\t}\n"+
		"\thandle_errors {\n\t\tsvc_error\n\t}")
	a := g.send("POST", "/v1/generate", key, `{"projectId":"`+testProject+`","prompt":"x"}`)
	if a.StatusCode < 500 || asked.Load() != 0 || d.reserve.Load() != 1 {
		t.Errorf("answered %d %s; the engine was asked %d times, %d submissions were admitted", a.StatusCode, a.body, asked.Load(), d.reserve.Load())
	}
	if !strings.Contains(g.logged(), "svc_quota stands twice") {
		t.Error("the log does not say what is wrong")
	}
}

func TestReloadThatNeedsAnotherSidecarOnTheSameFolderIsRefusedAndSaysSo(t *testing.T) {
	d := newFakeBackend(t)
	key := d.key("k", "")
	g := d.gateway(t, wholeAPI)
	other := strings.Replace(string(g.config(globals, wholeAPI)), `"sidecar":{"form":"fake"}`, `"sidecar":{"form":"fake","option":"another store"}`, 1)
	err := caddy.Load([]byte(other), true)
	if err == nil || !strings.Contains(err.Error(), "take effect at a start: restart the service") {
		t.Errorf("got %v", err)
	}
	if a := g.send("GET", "/v1/projects", key, ""); a.StatusCode != http.StatusOK {
		t.Errorf("what ran before answers %d", a.StatusCode)
	}
}

func TestReloadThatNamesAnotherDataFolderIsRefusedAndOpensNothingThere(t *testing.T) {
	d := newFakeBackend(t)
	key := d.key("k", "")
	g := d.gateway(t, wholeAPI)
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	other := strings.Replace(string(g.config(globals, wholeAPI)), `"data_dir":"`+g.dir+`"`, `"data_dir":"`+elsewhere+`"`, 1)
	err := caddy.Load([]byte(other), true)
	if err == nil || !strings.Contains(err.Error(), "data_dir") || !strings.Contains(err.Error(), "take effect at a start: restart the service") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(elsewhere); !os.IsNotExist(err) {
		t.Errorf("the folder is there: %v", err)
	}
	if a := g.send("GET", "/v1/projects", key, ""); a.StatusCode != http.StatusOK {
		t.Errorf("what ran before answers %d", a.StatusCode)
	}
}

// TestReloadThatFailsLeavesTheOptionsAsTheyWere reloads with an address that is
// taken. Caddy starts apps in any order, so that the app svc is before the one
// that fails now and then.
func TestReloadThatFailsLeavesTheOptionsAsTheyWere(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	d := newFakeBackend(t)
	g := d.gateway(t, wholeAPI)
	with := func(setting string) string {
		return strings.Replace(string(g.config(globals, wholeAPI)), `"engines":{"form":"fake"}`, `"engines":{"form":"fake","setting":"`+setting+`"}`, 1)
	}
	if err := caddy.Load([]byte(with("before")), true); err != nil {
		t.Fatal(err)
	}
	broken := strings.Replace(with("after"), `"servers":{`, `"servers":{"taken":{"listen":["`+taken.Addr().String()+`"]},`, 1)
	for range 20 {
		if err := caddy.Load([]byte(broken), true); err == nil {
			t.Fatal("a configuration with an address that is taken was loaded")
		}
		if got := d.setting.Load(); got != "before" {
			t.Fatalf("the reload was refused, and the setting is %q", got)
		}
	}
	if err := caddy.Load([]byte(with("after")), true); err != nil || d.setting.Load() != "after" {
		t.Errorf("a good reload: %v, and the setting is %q", err, d.setting.Load())
	}
}

// TestWhatIsWrongWithTheAppIsSaidWithoutTheNamesOfItsRoutes loads several times:
// Caddy loads apps in any order.
func TestWhatIsWrongWithTheAppIsSaidWithoutTheNamesOfItsRoutes(t *testing.T) {
	for option, says := range map[string]string{
		"retry_after 500ms":                         "retry_after must be at least 1s, is 500ms",
		"redis http://localhost":                    "option redis: not a URL like",
		"cors example.com":                          "cors: ",
		"engines embedded {\n\t\t\tidle 10s\n\t\t}": "must be at least twice retry_after",
	} {
		text, err := adapt(t, "{\n\tadmin off\n\tsvc {\n\t\tdata_dir "+t.TempDir()+"\n\t\t"+option+"\n\t}\n}\nhttp://"+freeport.Address(t)+
			" {\n\tsvc_api\n\tsvc_console /console/*\n}\nhttp://"+freeport.Address(t)+" {\n\tsvc_preview\n}\n")
		if err != nil {
			t.Fatal(err)
		}
		for range 10 {
			var config caddy.Config
			if err := caddy.StrictUnmarshalJSON([]byte(text), &config); err != nil {
				t.Fatal(err)
			}
			err := caddy.Validate(&config)
			if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "handlers") {
				t.Fatalf("%s: %v; want %q alone", option, err, says)
			}
		}
	}
}

// TestASecretOfTheProviderThatIsEmptyIsRefused: without it the console would go on
// as a client that needs none.
func TestASecretOfTheProviderThatIsEmptyIsRefused(t *testing.T) {
	t.Setenv("SVC_TEST_SECRET", "geheim")
	for secret, good := range map[string]bool{
		"{env.SVC_TEST_SECRET}": true, "{env.SVC_TEST_UNSET}": false, "x{env.SVC_TEST_UNSET}": false, "a{b}c": true,
	} {
		err := validate(t, "\tadmin off\n", "\tsvc_console {\n\t\toidc {\n\t\t\tissuer https://id.example\n\t\t\tclient_id c\n\t\t\tclient_secret "+
			secret+"\n\t\t}\n\t}")
		if good && err != nil || !good && (err == nil || !strings.Contains(err.Error(), "client_secret")) {
			t.Errorf("%s: %v", secret, err)
		}
	}
}

func TestBadValuesInJSONAreRefused(t *testing.T) {
	tests := map[string]struct{ app, auth, says string }{
		"negative rate": {`{}`, `"rate":{"per_second":-1}`, "rate: both numbers must be from 0 to 1000000"},
		"huge burst":    {`{}`, `"failed_rate":{"per_second":1,"burst":1000001}`, "failed_rate: both numbers"},
		"unknown field": {`{}`, `"speed":1`, "unknown field"},
		"no streams":    {`{"max_streams_per_key":-1}`, `"rate":{"per_second":1}`, "max_streams_per_key must be from 1 to 1000000, is -1"},
		"huge streams":  {`{"max_streams":1000001}`, `"rate":{"per_second":1}`, "max_streams must be from 1 to 1000000, is 1000001"},
		"bad redis":     {`{"redis":"localhost"}`, `"rate":{"per_second":1}`, "option redis: not a URL like redis://host:6379/0"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var config caddy.Config
			raw := fmt.Sprintf(`{"admin":{"disabled":true},"apps":{"svc":%s,"http":{"servers":{"a":{"listen":["127.0.0.1:0"],
				"routes":[{"handle":[{"handler":"svc_auth",%s}]}],"errors":{"routes":[{"handle":[{"handler":"svc_error"}]}]}}}}}}`,
				strings.Replace(tc.app, "{", `{"sidecar":{"form":"fake"},"engines":{"form":"fake"},`, 1), tc.auth)
			raw = strings.Replace(raw, ",}", "}", 1)
			if err := caddy.StrictUnmarshalJSON([]byte(raw), &config); err != nil {
				t.Fatal(err)
			}
			if err := caddy.Validate(&config); err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("got %v, want %q", err, tc.says)
			}
		})
	}
}

func TestValidateTouchesNeitherDiskNorNetwork(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	called := make(chan struct{})
	go func() {
		if conn, err := l.Accept(); err == nil {
			conn.Close()
			close(called)
		}
	}()
	absent := filepath.Join(t.TempDir(), "absent")
	text, err := adapt(t, "{\n\tadmin off\n\tsvc {\n\t\tdata_dir "+absent+"\n\t\tredis redis://"+l.Addr().String()+"\n\t}\n}\nhttp://"+freeport.Address(t)+" {\n\tsvc_api\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	var config caddy.Config
	if err := caddy.StrictUnmarshalJSON([]byte(text), &config); err != nil {
		t.Fatal(err)
	}
	if err := caddy.Validate(&config); err != nil {
		t.Fatal(err)
	}
	l.Close()
	select {
	case <-called:
		t.Error("validating connected to Redis")
	default:
	}
	if _, err := os.Stat(absent); !os.IsNotExist(err) {
		t.Errorf("validating made the data directory: %v", err)
	}
}
