package commands

import (
	"fmt"
	"net/url"
	"strings"
)

// defaultAddress is the site address of the shipped Caddyfile.
const defaultAddress = "http://localhost:8080"

// siteOf returns where a site of a Caddyfile is found. Of several addresses it
// takes the first, and reads it as Caddy does: a host without a scheme is
// served by https, a port without a host by http.
func siteOf(address string) string {
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
