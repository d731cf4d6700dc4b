package caddymodule_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/api/sse"
	"github.com/svc-games/svc/test/freeport"
)

// wholeAPI is a site with the whole chain and an access log.
const wholeAPI = "\tlog\n\tsvc_api\n\thandle {\n\t\terror 404\n\t}"

func TestKeysAppearInNoLogAtDebugLevel(t *testing.T) {
	d := newFakeBackend(t)
	d.engine(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/events") {
			breakOff(w, "HTTP/1.1 200 OK\r\n"+contract.HeaderInstance+": i\r\nContent-Type: text/event-stream\r\n\r\nid: 1\ndata: {}\n\n")
			return
		}
		breakOff(w, "")
	})
	secrets := []string{
		d.key("active", ""), d.key("disabled", "disabled"), d.key("revoked", "revoked"), mint.NewKey(), "sk-junk-that-is-no-key",
	}
	g := d.gateway(t, wholeAPI)
	d.breakStore(errors.New("the store is down for the test"))
	headers := []func(h http.Header, key string){
		func(h http.Header, key string) { h.Set("X-API-Key", key) },
		func(h http.Header, key string) { h.Set("Authorization", "Bearer "+key) },
		func(h http.Header, key string) { h["x-api-key"] = []string{key} },
		func(h http.Header, key string) { h.Set("Authorization", key) },
		func(h http.Header, key string) { h.Set("X-API-Key", key); h.Set("Authorization", "Bearer other") },
	}
	generate := fmt.Sprintf(`{"projectId":%q,"prompt":"x"}`, testProject)
	requests := []struct{ method, path, body string }{
		{"GET", "/v1/projects", ""}, // the store fails
		{"GET", "/v1/nothing", ""},
		{"PUT", "/v1/projects", ""},
		{"GET", "/elsewhere", ""},
		{"POST", "/v1/generate", "{"},
		{"POST", "/v1/generate", generate}, // the engine breaks off
		{"GET", "/v1/generate/" + testJob + "/status", ""},
	}
	lines := 0
	for _, secret := range secrets {
		for _, set := range headers {
			for _, r := range requests {
				req, err := http.NewRequestWithContext(t.Context(), r.method, "http://"+g.addr+r.path, strings.NewReader(r.body))
				if err != nil {
					t.Fatal(err)
				}
				set(req.Header, secret)
				g.do(req)
				lines++
			}
		}
	}
	g.accessLines(lines)
	log := g.logged()
	for _, secret := range secrets {
		if n := strings.Count(log, secret); n > 0 {
			t.Errorf("the log holds %s %d times", secret, n)
		}
	}
	if !strings.Contains(log, `"level":"debug"`) || !strings.Contains(log, `"X-Request-Id"`) {
		t.Error("the log is not at debug level with headers: it proves nothing")
	}
	if page := g.ask("GET", "/metrics").body; strings.Contains(page, "sk-") {
		t.Error("the metrics hold a key")
	}
}

func TestConfigurationThatWouldLogKeysIsRefused(t *testing.T) {
	const filter = "format filter {\n\t\t\trequest>headers>X-Api-Key delete\n\t\t\trequest>uri delete\n\t\t}"
	const header = "format filter {\n\t\t\trequest>headers>X-Api-Key delete\n\t\t}"
	const query = "format filter {\n\t\t\trequest>headers>X-Api-Key delete\n\t\t\trequest>uri query {\n\t\t\t\tdelete token\n\t\t\t}\n\t\t}"
	const (
		defaultPlain    = "\tadmin off\n"
		defaultDebug    = "\tadmin off\n\tlog {\n\t\tlevel DEBUG\n\t\toutput file {log}\n\t}\n"
		defaultFiltered = "\tadmin off\n\tlog {\n\t\tlevel DEBUG\n\t\toutput file {log}\n\t\t" + filter + "\n\t}\n"
		extraPlain      = "\tadmin off\n\tlog {\n\t\t" + filter + "\n\t}\n\tlog extra {\n\t\toutput file {log}\n\t}\n"
		credentials     = "\tadmin off\n\tlog {\n\t\t" + filter + "\n\t}\n\tservers {\n\t\tlog_credentials\n\t}\n"
		unrelated       = "\tadmin off\n\tlog {\n\t\t" + filter + "\n\t}\n\tlog tls {\n\t\toutput file {log}\n\t\tinclude tls\n\t}\n"
	)
	const (
		api         = "\tsvc_api"
		accessLog   = "\tlog\n\tsvc_api"
		ownFiltered = "\tlog {\n\t\toutput file {log}\n\t\t" + filter + "\n\t}\n\tsvc_api"
		ownPlain    = "\tlog {\n\t\toutput file {log}\n\t}\n\tsvc_api"
		ownMasked   = "\tlog {\n\t\toutput file {log}\n\t\tformat svc\n\t}\n\tsvc_api"
		ownWrapped  = "\tlog {\n\t\toutput file {log}\n\t\tformat svc {\n\t\t\twrap console\n\t\t}\n\t}\n\tsvc_api"
		noErrors    = "\troute {\n\t\tsvc_auth\n\t}"
		replaced    = "\tlog {\n\t\toutput file {log}\n\t\tformat filter {\n\t\t\trequest>headers>X-Api-Key replace x\n\t\t\trequest>uri replace y\n\t\t}\n\t}\n\tsvc_api"
	)
	filteredBy := func(format string) string { return "\tadmin off\n\tlog {\n\t\t" + format + "\n\t}\n" }
	tests := map[string]struct{ globals, site, says string }{
		"nothing logs requests":                   {defaultPlain, api, ""},
		"access log, filtered":                    {defaultFiltered, accessLog, ""},
		"access log of the site, filtered":        {defaultFiltered, ownFiltered, ""},
		"access log of the site, replaced":        {defaultFiltered, replaced, ""},
		"access log of the site, masked":          {defaultFiltered, ownMasked, ""},
		"access log of the site, masked console":  {defaultFiltered, ownWrapped, ""},
		"a log that takes no requests":            {unrelated, accessLog, ""},
		"the header filtered alone":               {filteredBy(header), accessLog, "request>uri delete"},
		"the query filtered, which can't be seen": {filteredBy(query), accessLog, "request>uri delete"},
		"access log":                               {defaultPlain, accessLog, "X-Api-Key delete"},
		"access log of the site":                   {defaultFiltered, ownPlain, "X-Api-Key delete"},
		"debug level":                              {defaultDebug, api, "X-Api-Key delete"},
		"a second log beside the filtered one":     {extraPlain, accessLog, "X-Api-Key delete"},
		"no handle_errors, so 5xx log the request": {defaultPlain, noErrors, "X-Api-Key delete"},
		"log_credentials":                          {credentials, accessLog, "log_credentials"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			err := validate(t, tc.globals, tc.site)
			switch {
			case tc.says == "" && err != nil:
				t.Errorf("refused: %v", err)
			case tc.says != "" && (err == nil || !strings.Contains(err.Error(), tc.says)):
				t.Errorf("got %v, want %q", err, tc.says)
			}
		})
	}
}

// validate does what "caddy validate" does.
func validate(t *testing.T, globals, site string) error {
	t.Helper()
	d := newFakeBackend(t)
	g := &testGateway{fakeBackend: d, t: t, addr: freeport.Address(t), log: filepath.Join(d.dir, "caddy.log")}
	var config caddy.Config
	if err := caddy.StrictUnmarshalJSON(g.config(globals, site), &config); err != nil {
		t.Fatal(err)
	}
	return caddy.Validate(&config)
}

func TestAccessLogSaysWhoWhatAndWhy(t *testing.T) {
	d := newFakeBackend(t)
	d.engine(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/events") {
			breakOff(w, "HTTP/1.1 200 OK\r\n"+contract.HeaderInstance+": i\r\nContent-Type: text/event-stream\r\nContent-Length: 1000\r\n\r\nid: 1\ndata: {}\n\n")
			return
		}
		accept(w, r)
	})
	key, disabled := d.key("key_1", ""), d.key("key_2", "disabled")
	g := d.gateway(t, wholeAPI)
	job := "/v1/generate/" + testJob
	requests := []struct {
		method, path, key, body string
		want                    map[string]string
	}{
		{"GET", "/v1/projects", "", "", map[string]string{"user_id": "", "svc_key": ""}},
		{"GET", "/v1/projects", key, "", map[string]string{
			"user_id": "user_key_1", "svc_key": "key_1", "svc_action": "projects.list", "svc_rule": "svc.project.owner",
		}},
		{"GET", "/v1/projects", disabled, "", map[string]string{
			"user_id": "user_key_2", "svc_key": "key_2", "svc_rule": "svc.key.disabled",
		}},
		{"GET", "/v1/nowhere", key, "", map[string]string{"user_id": "user_key_1", "svc_key": "key_1", "svc_action": ""}},
		{"GET", job + "/status", key, "", map[string]string{
			"svc_action": "status", "svc_job": testJob, "svc_project": testProject, "svc_rule": "svc.project.owner",
		}},
		{"POST", "/v1/generate", key, fmt.Sprintf(`{"projectId":%q,"prompt":"x"}`, testProject), map[string]string{
			"svc_action": "generate", "svc_project": testProject, "svc_job": "job_",
		}},
	}
	for _, r := range requests {
		r.want["request_id"] = g.send(r.method, r.path, r.key, r.body).Header.Get("X-Request-Id")
	}
	for i, line := range g.accessLines(len(requests))[:len(requests)] {
		for field, want := range requests[i].want {
			got, _ := line[field].(string)
			if got != want && (field != "svc_job" || !strings.HasPrefix(got, want)) {
				t.Errorf("%s %s: %s is %q, want %q", requests[i].method, requests[i].path, field, got, want)
			}
		}
	}

	// Its engine breaks this one off again and again, until its client leaves.
	req, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+g.addr+job+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-API-Key", key)
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	begin := make([]byte, len(sse.FirstBlock))
	if _, err := io.ReadFull(resp.Body, begin); err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	line := g.accessLines(len(requests) + 1)[len(requests)]
	for field, want := range map[string]string{
		"user_id": "user_key_1", "svc_key": "key_1", "svc_action": "events", "svc_job": testJob, "svc_project": testProject,
	} {
		if line[field] != want {
			t.Errorf("aborted stream: %s is %v, want %q", field, line[field], want)
		}
	}
}

func TestLogsHaveNoPlayer(t *testing.T) {
	const agent = "the browser of a player"
	g := newFakeBackend(t).gateway(t, "\tlog\n\tsvc_play /play/*\n\tsvc_api\n\thandle {\n\t\terror 404\n\t}")
	ask := func(method, path string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, "http://"+g.addr+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("User-Agent", agent)
		if got := g.do(req); got.StatusCode != http.StatusOK && path != "/elsewhere" {
			t.Errorf("%s %s: %d", method, path, got.StatusCode)
		}
	}
	ask("GET", "/play/x")
	ask("GET", "/play/x/page.js")
	ask("POST", "/play/x/report")
	if log := g.logged(); strings.Contains(log, agent) {
		t.Errorf("the log says who played: %s", log)
	}
	ask("GET", "/elsewhere")
	if lines := g.accessLines(1); len(lines) != 1 || !strings.Contains(g.logged(), agent) {
		t.Errorf("the access log has %v", lines)
	}
}

func TestClientsGetTheRuleThatDecidedOnlyWhereItIsExposed(t *testing.T) {
	d := newFakeBackend(t)
	key, disabled := d.key("key_1", ""), d.key("key_2", "disabled")
	g := d.gateway(t, wholeAPI)
	check := func(want map[string]string) {
		t.Helper()
		for secret, rule := range want {
			got := g.send("GET", "/v1/generate/"+testJob+"/status", secret, "")
			if shown := got.Header.Get("Svc-Policy-Rule"); shown != rule {
				t.Errorf("%d tells of the rule %q, want %q", got.StatusCode, shown, rule)
			}
		}
	}
	check(map[string]string{key: "", disabled: "", "": ""})
	g.app = "\t\texpose_rule\n"
	g.load(globals, wholeAPI)
	check(map[string]string{key: "svc.project.owner", disabled: "svc.key.disabled", "": ""})
	req, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+g.addr+"/v1/generate/"+testJob+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-API-Key", key)
	stream := g.roundTrip(http.DefaultTransport, req)
	stream.Body.Close()
	if shown := stream.Header.Get("Svc-Policy-Rule"); shown != "svc.project.owner" {
		t.Errorf("an event stream (%d) tells of the rule %q", stream.StatusCode, shown)
	}
}

// TestStreamTokensAppearInNoLogAtDebugLevel: they are the one secret that stands in an
// address.
func TestStreamTokensAppearInNoLogAtDebugLevel(t *testing.T) {
	d := newFakeBackend(t)
	g := d.gateway(t, wholeAPI)
	token := mint.NewStreamToken()
	encoded := "%73%74%6B%2D" + strings.TrimPrefix(token, "stk-")
	for _, address := range []string{
		"/v1/generate/" + testJob + "/events?token=" + token, "/v1/generate/" + testJob + "/events?token=" + encoded,
		"/v1/projects?token=" + token, "/elsewhere?a=b&token=" + token, "/" + token,
	} {
		g.send("GET", address, "", "")
	}
	g.accessLines(5)
	if log := g.logged(); strings.Contains(log, token[4:20]) || !strings.Contains(log, "token=stk-****") {
		t.Error("the log holds a stream token, or no address with its mask")
	}
}

func TestFormatSvcTakesKeysOutOfWhereverTheyStand(t *testing.T) {
	d := newFakeBackend(t)
	key := d.key("k", "")
	g := d.gateway(t, "\tsvc_api")
	const masked = `	admin unix/{admin}
	persist_config off
	log {
		level DEBUG
		output file {log}
		format svc {
			wrap json
		}
	}
`
	g.load(masked, "\tlog\n\tsvc_api\n\thandle {\n\t\terror \"no {http.request.uri}\" 404\n\t}")
	req, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+g.addr+"/desk-3/?key="+key+"&cut="+key[:30]+"&q=key%3D"+key, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-API-Key", key)
	req.Header.Set("X_Api_Key", key) // Caddy drops it, and logs it
	req.Header.Set("Api-Key", "key="+key)
	g.do(req)
	line := fmt.Sprint(g.accessLines(1)[0])
	log := g.logged()
	if strings.Contains(log, key) || strings.Contains(log, key[:30]) {
		t.Errorf("the log holds the key: %s", line)
	}
	mask := "sk-" + strings.Repeat("*", len(key)-3)
	for _, want := range []string{"key=" + mask, "X_api_key:[" + mask + "]", "Api-Key:[key=" + mask + "]", "%3D" + mask, "/desk-3/"} {
		if !strings.Contains(line, want) {
			t.Errorf("the line holds no %s: %s", want, line)
		}
	}
}
