package doctor

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/test/freeport"
	"github.com/svc-games/svc/test/wait"
)

func TestAddressIsFreeOursOrTaken(t *testing.T) {
	answer := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		(&answers.Error{Status: 401, Message: "No key.", Reason: api.ReasonMissing}).WriteTo(w)
	})
	ours, secure, other := httptest.NewServer(answer), httptest.NewTLSServer(answer), httptest.NewServer(http.NotFoundHandler())
	for _, s := range []*httptest.Server{ours, secure, other} {
		defer s.Close()
	}
	free := freeport.Port(t)
	_, oursPort, _ := strings.Cut(strings.TrimPrefix(ours.URL, "http://"), ":")
	_, securePort, _ := strings.Cut(strings.TrimPrefix(secure.URL, "https://"), ":")
	for _, tt := range []struct {
		name, address string
		ok            bool
		says          string
	}{
		{"free", "http://localhost:" + free, true, "is free"},
		{"free, without scheme", "localhost:" + free, true, "is free"},
		{"free, of a name that leads to a proxy in front", "https://192.0.2.1:" + free, true, "is free"},
		{"ours", ours.URL, true, "the service runs"},
		{"ours, the first of several", ours.URL + ", http://127.0.0.1:" + free, true, "the service runs"},
		{"ours, without host", ":" + oursPort, true, "the service runs"},
		{"ours, by https with a certificate that no one knows", "https://localhost:" + securePort, true, "the service runs"},
		{"ours, by https without a scheme, as Caddy reads it", "localhost:" + securePort, true, "the service runs"},
		{"taken", other.URL, false, "in use"},
		{"other scheme", "ftp://localhost", false, "neither http nor https"},
		{"no port", "http://localhost:80800", false, "can't be listened on"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := checkAddress(t.Context(), tt.address, wait.Patience)
			if k.OK != tt.ok || !strings.Contains(k.Found, tt.says) || k.OK == (k.Advice != "") {
				t.Errorf("got %+v", k)
			}
		})
	}
}
