package e2e

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
)

// TestTraceFindsARequestInEveryPart: access log, decisions, ledger and the engine's log
// name it by the id that its client got, and not by the one that the client sent.
func TestTraceFindsARequestInEveryPart(t *testing.T) {
	inEveryForm(t, func(t *testing.T, f form) {
		s := start(t, f)
		key := s.newKey("demo")
		project := s.newProject(key)
		var accepted answer
		s.eventually("the submission is accepted", func() bool {
			accepted = s.call(key, "POST", "/v1/generate", map[string]string{"projectId": project, "prompt": brief}, "X-Request-Id", "mine")
			return accepted.status == http.StatusOK
		})
		var sub api.Submission
		s.decode(accepted.body, &sub)
		s.finish(key, sub)
		id := accepted.header.Get("X-Request-Id")
		var found struct {
			Access, Decisions []json.RawMessage
			Ledger            []struct {
				JobID, KeyID string
				Status       api.JobStatus
			}
			Engine []string
		}
		s.decode([]byte(s.svc("trace", id, "--json")), &found)
		if len(found.Access) != 1 || len(found.Decisions) == 0 {
			t.Errorf("%d lines of the access log, %d decisions", len(found.Access), len(found.Decisions))
		}
		if len(found.Ledger) != 1 || found.Ledger[0].JobID != sub.JobID || found.Ledger[0].KeyID != key.ID || found.Ledger[0].Status != api.JobCompleted {
			t.Errorf("the ledger has %+v", found.Ledger)
		}
		if said := strings.Join(found.Engine, "\n"); !strings.Contains(said, `"request_id":"`+id+`"`) {
			t.Errorf("the engine wrote %s", said)
		}
	})
}
