package caddymodule_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/svc-games/svc/api/sse"
	"github.com/svc-games/svc/peer/peertest"
	"github.com/svc-games/svc/test/wait"
)

// TestNoStreamAtRestHasAGoroutine: whatever Caddy and listener wrappers put around its
// connection, by which its file has to be found. One that reads each connection would take
// as much memory as the rest of a stream.
func TestNoStreamAtRestHasAGoroutine(t *testing.T) {
	const readers = 40
	for name, tc := range map[string]struct {
		globals string
		tls     bool
	}{
		"as Caddy listens":     {globals: globals},
		"HTTP/1.1 alone":       {globals: globals + "\tservers {\n\t\tprotocols h1\n\t}\n"},
		"with svc_connections": {globals: wrapped("")},
		"TLS":                  {globals: globals, tls: true},
		"TLS, svc_connections": {globals: wrapped(""), tls: true},
	} {
		t.Run(name, func(t *testing.T) {
			d := newFakeBackend(t)
			streamingEngine(t, d)
			g := d.gateway(t, wholeAPI)
			config := string(g.config(tc.globals, wholeAPI+"\n\theader X-Mark a"))
			if tc.tls {
				files := peertest.NewAuthority(t).Issue("gateway")
				config = strings.NewReplacer(
					`"apps":{`, fmt.Sprintf(`"apps":{"tls":{"certificates":{"load_files":[{"certificate":%q,"key":%q}]}},`, files.Cert, files.Key),
					`"listen":[`, `"tls_connection_policies":[{}],"listen":[`,
				).Replace(config)
			}
			g.replace([]byte(config))
			key := d.key("k", "")
			ctx, cancel := wait.Context(t)
			defer cancel()
			routines := runtime.NumGoroutine()
			for i := range readers {
				conn, err := new(net.Dialer).DialContext(ctx, "tcp", g.addr)
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				context.AfterFunc(ctx, func() { conn.Close() })
				if tc.tls {
					conn = tls.Client(conn, &tls.Config{ServerName: "gateway", InsecureSkipVerify: true, NextProtos: []string{"http/1.1"}})
				}
				if _, err := io.WriteString(conn, "GET /v1/generate/"+testJob+"/events HTTP/1.1\r\nHost: "+g.addr+"\r\nX-API-Key: "+key+"\r\n\r\n"); err != nil {
					t.Fatal(err)
				}
				resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
				if err != nil || resp.StatusCode != http.StatusOK {
					t.Fatalf("stream %d is answered %v, %v", i, resp, err)
				}
				if _, err := io.ReadFull(resp.Body, make([]byte, len(sse.FirstBlock))); err != nil {
					t.Fatal(err)
				}
			}
			wait.Until(t, "no stream has a goroutine", func() bool { return runtime.NumGoroutine()-routines < readers/2 })
		})
	}
}
