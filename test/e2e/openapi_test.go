package e2e

import (
	"bytes"
	"net/http"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/test/openapi"
	"github.com/svc-games/svc/test/rig"
)

// documented fails the test when an answer is not as the document says.
func (s *service) documented(req *http.Request, a answer) {
	s.t.Helper()
	d, err := openapi.Read()
	if err != nil {
		s.t.Fatalf("reading api/openapi.yaml: %v", err)
	}
	if err := d.Check(req, rig.Answer{Status: a.status, Header: a.header, Body: a.body}); err != nil {
		s.t.Errorf("api/openapi.yaml does not describe %s %s: %d %v %.500s\n%v",
			req.Method, req.URL.Path, a.status, a.header, a.body, err)
	}
}

func TestTheDocumentIsServedToAnyone(t *testing.T) {
	f := inOneForm(t)
	s := start(t, f)
	a := s.call(apiKey{}, "GET", "/openapi.yaml", nil)
	if a.status != http.StatusOK || !bytes.Equal(a.body, []byte(api.OpenAPI())) {
		t.Fatalf("%d, %d bytes", a.status, len(a.body))
	}
	if same := s.call(apiKey{}, "GET", "/openapi.yaml", nil, "If-None-Match", a.header.Get("ETag")); same.status != http.StatusNotModified {
		t.Errorf("If-None-Match: %d", same.status)
	}
}
