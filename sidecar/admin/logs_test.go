package admin

import (
	"errors"
	"net/http"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/sidecar/keys"
)

func TestStatementAndAuditLogAreReadOverTheSocket(t *testing.T) {
	c, _, _ := serve(t)
	ctx := t.Context()
	if _, err := c.CreateUser(ctx, "a+b@example.org", 2*api.MicroPerTIK); err != nil {
		t.Fatal(err)
	}
	key, err := c.CreateKey(ctx, keys.Request{UserID: "a+b@example.org", Name: "ci"})
	if err != nil {
		t.Fatal(err)
	}
	st, err := c.Statement(ctx, "a+b@example.org", "", "")
	if err != nil || len(st.Entries) != 1 || st.Entries[0].Kind != keys.EntryCredit || st.Balance != 2*api.MicroPerTIK {
		t.Errorf("statement %+v, %v", st, err)
	}
	if st, err = c.Statement(ctx, "a+b@example.org", key.ID, ""); err != nil || len(st.Entries) != 0 {
		t.Errorf("statement of the key %+v, %v", st, err)
	}
	log, err := c.Audit(ctx, "", "a+b@example.org", 0)
	if err != nil || len(log.Entries) != 2 || log.Entries[0].Subject != key.ID {
		t.Errorf("audit log %+v, %v", log, err)
	}
	if log, err = c.Audit(ctx, "", "", 2); err != nil || len(log.Entries) != 1 || log.Entries[0].Seq != 1 {
		t.Errorf("before entry 2: %+v, %v", log, err)
	}
	for path, status := range map[string]int{
		"/users/nobody/statement":                  http.StatusNotFound,
		"/users/a+b@example.org/statement?key=x":   http.StatusNotFound,
		"/users/a+b@example.org/statement?after=x": http.StatusBadRequest,
		"/audit?before=x":                          http.StatusBadRequest,
		"/audit?before=-1":                         http.StatusBadRequest,
	} {
		var refusal *Error
		var into any
		if err := c.send(ctx, http.MethodGet, path, nil, &into); !errors.As(err, &refusal) || refusal.Status != status {
			t.Errorf("%s: %v, want status %d", path, err, status)
		}
	}
}
