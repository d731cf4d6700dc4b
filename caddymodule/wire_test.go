package caddymodule_test

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
)

func TestWhatIsNoRequestOfTheAPIIsRefusedBelowItAsDocumented(t *testing.T) {
	raw, err := os.ReadFile("../docs/errors.md")
	if err != nil {
		t.Fatal(err)
	}
	d := newFakeBackend(t)
	g := d.gateway(t, wholeAPI)
	key := "X-API-Key: " + d.key("key_1", "")
	for name, tc := range map[string]struct {
		request, header string
		status          int
	}{
		"malformed header":          {"GET /v1/projects HTTP/1.1", "a b: c", http.StatusBadRequest},
		"another Expect":            {"GET /v1/projects HTTP/1.1", "Expect: miracles", http.StatusExpectationFailed},
		"another Transfer-Encoding": {"POST /v1/projects HTTP/1.1", "Transfer-Encoding: gzip", http.StatusNotImplemented},
		"unknown HTTP version":      {"GET /v1/projects HTTP/7.0", "Accept: */*", http.StatusHTTPVersionNotSupported},
	} {
		t.Run(name, func(t *testing.T) {
			conn := g.dial(t, strings.Join([]string{tc.request, "Host: " + g.addr, key, tc.header, "", ""}, "\r\n"))
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != tc.status || resp.Header.Get("Content-Type") == "application/json" {
				t.Errorf("%d %v, want %d and no JSON", resp.StatusCode, resp.Header, tc.status)
			}
			_, below, _ := strings.Cut(string(raw), "**Not JSON**")
			below, _, _ = strings.Cut(below, "\n- ")
			if !strings.Contains(below, fmt.Sprint(tc.status)) {
				t.Errorf("docs/errors.md does not name %d", tc.status)
			}
		})
	}
}
