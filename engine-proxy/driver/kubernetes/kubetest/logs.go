package kubetest

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/svc-games/svc/test/authority"
	"github.com/svc-games/svc/test/wait"
)

// logServer is the part of a kubelet's interface from which the API server
// takes logs.
type logServer struct {
	listener net.Listener
	server   *http.Server
}

// serveLogs serves the files that pathOf names to the API server alone.
func serveLogs(certs *authority.Authority, pathOf func(namespace, pod string) (string, bool)) (*logServer, error) {
	pair, err := tls.LoadX509KeyPair(certs.Path("kubelet.crt"), certs.Path("kubelet.key"))
	if err != nil {
		return nil, err
	}
	clients := x509.NewCertPool()
	clients.AddCert(certs.Cert)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /containerLogs/{namespace}/{pod}/{container}", func(w http.ResponseWriter, r *http.Request) {
		path, ok := pathOf(r.PathValue("namespace"), r.PathValue("pod"))
		if !ok {
			http.NotFound(w, r)
			return
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		if n, err := strconv.Atoi(r.FormValue("tailLines")); err == nil {
			raw = lastLines(raw, n)
		}
		if n, err := strconv.Atoi(r.FormValue("limitBytes")); err == nil {
			raw = raw[:min(n, len(raw))]
		}
		_, _ = w.Write(raw) // the reader may have gone
	})
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{
		Certificates: []tls.Certificate{pair}, ClientCAs: clients, ClientAuth: tls.RequireAndVerifyClientCert,
	})
	if err != nil {
		return nil, err
	}
	s := &logServer{listener: l, server: &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}}
	go func() { _ = s.server.Serve(l) }() // until close
	return s, nil
}

func (s *logServer) close() error {
	ctx, cancel := wait.Within(context.Background(), wait.Patience)
	defer cancel()
	return s.server.Shutdown(ctx)
}

// lastLines returns the last n lines of text.
func lastLines(text []byte, n int) []byte {
	end := len(bytes.TrimSuffix(text, []byte("\n")))
	for i := end - 1; i >= 0; i-- {
		if text[i] == '\n' {
			if n--; n <= 0 {
				return text[i+1:]
			}
		}
	}
	return text
}
