package gateway

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/peer"
)

func TestFactsOfARequestAreWrittenInOneWay(t *testing.T) {
	for address, want := range map[string]string{
		"192.0.2.1": "192.0.2.1", "::ffff:192.0.2.1": "192.0.2.1", "2001:DB8:0:0::1": "2001:db8::1", "fe80::1%eth0": "fe80::1",
		"": "", "@": "", "localhost": "", "192.0.2.1:80": "",
	} {
		if got := Facts("r-1", address, "GET", "curl"); got != (peer.Request{ID: "r-1", IP: want, Method: "GET", UserAgent: "curl"}) {
			t.Errorf("%q: %+v", address, got)
		}
	}
}

func TestAUserAgentHasNoSecretAndFitsALine(t *testing.T) {
	key := mint.NewKey()
	for sent, want := range map[string]string{
		"Mozilla/5.0 (X11; Linux x86_64)": "Mozilla/5.0 (X11; Linux x86_64)",
		" a\r\nb\x00c\xff ":               "abc",
		strings.Repeat("x", 300):          strings.Repeat("x", maxUserAgent),
		strings.Repeat("ü", 200):          strings.Repeat("ü", maxUserAgent/2),
		"x" + strings.Repeat("ü", 200):    "x" + strings.Repeat("ü", maxUserAgent/2-1),
		"sk-short":                        "sk-short",
	} {
		if got := Facts("", "", "", sent).UserAgent; got != want {
			t.Errorf("%.40q: %q", sent, got)
		}
	}
	for _, sent := range []string{key, "agent/" + key, strings.Repeat("x", maxUserAgent-20) + key, strings.Repeat("x", 4*maxUserAgent-20) + key} {
		got := Facts("", "", "", sent).UserAgent
		if strings.Contains(got, key[3:12]) || !utf8.ValidString(got) || len(got) > maxUserAgent {
			t.Errorf("%q", got)
		}
	}
}
