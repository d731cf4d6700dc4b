package doctor

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// DefaultAddress is the site address of the shipped Caddyfile.
const DefaultAddress = "http://localhost:8080"

// SiteOf returns where a site of a Caddyfile is found. Of several addresses it
// takes the first, and reads it as Caddy does: a host without a scheme is
// served by https, a port without a host by http.
func SiteOf(address string) string {
	if fields := strings.FieldsFunc(address, func(r rune) bool { return r == ',' || r == ' ' }); len(fields) > 0 {
		address = fields[0]
	}
	scheme, host, given := strings.Cut(strings.TrimSuffix(address, "/"), "://")
	if !given {
		scheme, host = "https", scheme
		if strings.HasSuffix(host, ":80") || strings.HasPrefix(host, ":") && host != ":443" {
			scheme = "http"
		}
	}
	if strings.HasPrefix(host, ":") {
		host = "localhost" + host
	}
	return scheme + "://" + host
}

// portOf returns the port of a site.
func portOf(site string) (string, error) {
	u, err := url.Parse(site)
	if err != nil {
		return "", err
	}
	switch port := u.Port(); {
	case u.Scheme != "http" && u.Scheme != "https":
		return "", fmt.Errorf("scheme %q is neither http nor https", u.Scheme)
	case port != "":
		return port, nil
	case u.Scheme == "http":
		return "80", nil
	}
	return "443", nil
}

// answerTime is how long whoever has the port of the service may take to answer.
const answerTime = 2 * time.Second

// checkAddress asks whether the service runs at its address, or could. Caddy
// listens on its port of every interface, whatever host the address names. Whoever
// listens has the time of within to answer.
func checkAddress(ctx context.Context, address string, within time.Duration) Check {
	k := Check{Name: "address", Required: true}
	site := SiteOf(address)
	port, err := portOf(site)
	if err != nil {
		k.Found, k.Advice = fmt.Sprintf("%q can't be used: %v", address, err), "set SVC_ADDRESS, to "+DefaultAddress+" for one"
		return k
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", ":"+port)
	switch {
	case err == nil:
		_ = listener.Close() // nothing was accepted
		k.OK, k.Found = true, "port "+port+" is free"
	case !errors.Is(err, syscall.EADDRINUSE):
		k.Found, k.Advice = fmt.Sprintf("port %s can't be listened on: %v", port, err), "set SVC_ADDRESS to an address with another port"
	case answersLikeService(ctx, site, port, within):
		k.OK, k.Found = true, site+" answers: the service runs"
	default:
		k.Found, k.Advice = "port "+port+" is in use by another program", "stop that program or set SVC_ADDRESS"
	}
	return k
}

// answersLikeService asks whoever has the port on this machine without a key:
// only the service answers 401 with the reason "missing". Whose certificate it
// shows does not matter, since nothing is told to it.
func answersLikeService(ctx context.Context, site, port string, within time.Duration) bool {
	here := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, net.JoinHostPort("localhost", port))
	}
	transport := &http.Transport{DialContext: here, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: within}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, site+"/v1/projects", nil)
	if err != nil {
		return false
	}
	resp, err := client.Do(req)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 4<<10))
	return err == nil && resp.StatusCode == http.StatusUnauthorized && strings.Contains(string(body), `"missing"`)
}
