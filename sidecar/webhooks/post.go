package webhooks

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/svc-games/svc/api/webhook"
)

const (
	// attemptTimeout bounds an attempt, the look-up of the name included.
	attemptTimeout = 10 * time.Second
	// maxAnswer is how much of an answer is read, of its head and of its body.
	maxAnswer = 256 << 10
)

// errAddress: the name leads to where nothing may be posted to, or nowhere. Which of the
// two is nobody's business: it would say what names the operator's network has.
var errAddress = errors.New("posts to this address are not allowed")

// post makes one attempt. What it says of a failure is for the project's owner: nothing
// of it depends on what is behind an address that may not be posted to.
func (s *Sender) post(ctx context.Context, t taken) outcome {
	deadline := time.Now().Add(s.timeout) // also the connection's, whose clock may strike before the context's
	within, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	status, err := s.send(within, t)
	switch {
	case ctx.Err() != nil && status == 0:
		return outcome{interrupted: true}
	case errors.Is(err, errAddress):
		return outcome{problem: "The host is unknown, or its address is not allowed: with https it must be public, with http in one of the operator's networks."}
	case err != nil && time.Until(deadline) <= 0:
		return outcome{problem: fmt.Sprintf("No answer within %s.", s.timeout)}
	case err != nil && isCertificate(err):
		return outcome{problem: "The certificate is not valid for the host."}
	case err != nil:
		return outcome{problem: "No answer: the connection failed."}
	case status >= 200 && status < 300:
		return outcome{status: status}
	case status >= 300 && status < 400:
		return outcome{status: status, problem: "Redirects are not followed."}
	case status == http.StatusGone:
		return outcome{status: status, problem: "The receiver is gone for good.", final: true}
	}
	return outcome{status: status, problem: fmt.Sprintf("The receiver answered %d.", status)}
}

func isCertificate(err error) bool {
	var failed *tls.CertificateVerificationError
	return errors.As(err, &failed)
}

// send posts once and returns the status of the answer.
func (s *Sender) send(ctx context.Context, t taken) (status int, err error) {
	u, err := url.Parse(t.url)
	if err != nil {
		return 0, fmt.Errorf("reading the URL: %w", err)
	}
	addresses, err := s.resolve(ctx, u)
	if err != nil {
		return 0, err
	}
	header, err := webhook.Sign(t.id, t.at, []byte(t.body), t.secrets...)
	if err != nil {
		return 0, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, t.url, strings.NewReader(t.body))
	if err != nil {
		return 0, fmt.Errorf("making the request: %w", err)
	}
	header.Set("Content-Type", "application/json")
	header.Set("User-Agent", "svc-webhooks")
	r.Header = header
	deadline, _ := ctx.Deadline()
	transport := &http.Transport{ // without a proxy, and for this request alone
		DialContext:       pinned(addresses, deadline),
		TLSClientConfig:   &tls.Config{RootCAs: s.o.Roots, MinVersion: tls.VersionTLS12},
		DisableKeepAlives: true, DisableCompression: true, MaxResponseHeaderBytes: maxAnswer,
	}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(r)
	if err != nil {
		return 0, err
	}
	// The status has said all; a receiver may wait for its body to be taken. After a
	// change of protocol there is none.
	if answer.StatusCode >= http.StatusOK {
		_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, maxAnswer))
	}
	_ = answer.Body.Close()
	return answer.StatusCode, nil
}

// resolve returns the addresses of a URL's host, all of which may be posted to.
func (s *Sender) resolve(ctx context.Context, u *url.URL) ([]netip.AddrPort, error) {
	port := uint16(443)
	if u.Scheme == "http" {
		port = 80
	}
	if text := u.Port(); text != "" {
		given, err := netip.ParseAddrPort("0.0.0.0:" + text)
		if err != nil {
			return nil, fmt.Errorf("reading the port: %w", err)
		}
		port = given.Port()
	}
	literal, err := netip.ParseAddr(u.Hostname())
	found := []netip.Addr{literal}
	if err != nil {
		found, err = s.o.LookUp(ctx, u.Hostname())
		if unknown, ok := errors.AsType[*net.DNSError](err); ok && unknown.IsNotFound {
			return nil, errAddress
		}
		if err != nil {
			return nil, fmt.Errorf("resolving the host: %w", err)
		}
	}
	var list []netip.AddrPort
	for _, addr := range found {
		if !allowed(addr, u.Scheme, s.o.Networks) {
			return nil, errAddress
		}
		list = append(list, netip.AddrPortFrom(addr.Unmap(), port))
	}
	if len(list) == 0 {
		return nil, errors.New("the host has no address")
	}
	return list, nil
}

// pinned connects to the first of addresses that answers before the deadline, whatever the
// name leads to by now. A transport's own context has no deadline when it connects.
func pinned(addresses []netip.AddrPort, deadline time.Time) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, _, _ string) (net.Conn, error) {
		var dialer net.Dialer
		var failed error
		for i, addr := range addresses {
			each, cancel := context.WithTimeout(ctx, time.Until(deadline)/time.Duration(len(addresses)-i))
			conn, err := dialer.DialContext(each, "tcp", addr.String())
			cancel()
			if err == nil {
				err = conn.SetDeadline(deadline) // also of a body that no transport reads any more
			}
			if err == nil {
				return conn, nil
			}
			failed = errors.Join(failed, err)
		}
		return nil, failed
	}
}
