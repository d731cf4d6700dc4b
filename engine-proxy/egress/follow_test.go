package egress_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/zap/zaptest/observer"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine-proxy/egress"
)

// TestListOfModelsIsFollowedWhileItRuns: a changed file holds from the next question
// on, and one that can't work changes nothing.
func TestListOfModelsIsFollowedWhileItRuns(t *testing.T) {
	t.Parallel()
	var path, head string
	var later atomic.Int64
	write := func(models string) {
		t.Helper()
		next := path + ".next" // of another inode, as editors write files
		if err := os.WriteFile(next, []byte(head+models+`}]}`), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(next, path); err != nil {
			t.Fatal(err)
		}
	}
	r := newRig(t, func(o *egress.Options) {
		path = filepath.Join(filepath.Dir(o.Dir), "egress.json")
		o.Now = func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
		at := o.Config.Endpoints[0]
		head = fmt.Sprintf(`{"max_tokens":1000,"concurrency":2,"endpoints":[{"url":%q,"key_file":%q,`, at.URL, at.KeyFile)
		write(`"chat":["writer"]`)
		var err error
		if o.Config, err = egress.ReadConfig(path); err != nil {
			t.Fatal(err)
		}
	})
	asks := func(model string) int {
		t.Helper()
		return r.post("/v1/chat/completions", strings.Replace(chatBody(""), "writer", model, 1)).status
	}
	if got := r.names(); got != "writer" || asks("author") != 403 {
		t.Errorf("at first there are %s", got)
	}
	write(`"chat":["writer","author"]`)
	if status := asks("author"); status != 200 || r.names() != "writer author" {
		t.Errorf("with another model: %d, %s", status, r.names())
	}
	for wrong, says := range map[string]string{`"chat":["author"`: "reading egress configuration", `"chats":["author"]`: "unknown field", `"chat":["a","a"]`: "given twice"} {
		write(wrong)
		if got := r.names(); got != "writer author" || !r.logged("the changed list of models can't be used; keeping the old one", says) {
			t.Errorf("%s: there are %s", wrong, got)
		}
	}
	r.ledger.set(func() { r.ledger.unpriced = []string{"model.author.input"} })
	write(`"chat":["author"]`)
	if got := r.names(); got != "writer author" || !r.logged("the changed list of models can't be used; keeping the old one", "model.author.input: add them to prices") {
		t.Errorf("without a price there are %s", got)
	}
	asked := 0
	r.ledger.set(func() {
		asked = r.ledger.asked
		r.ledger.unpriced, r.ledger.prices = nil, map[string]api.TIK{}
	})
	if got := r.names(); got != "writer author" || asks("writer") != 200 {
		t.Errorf("at once there are %s", got)
	}
	r.ledger.set(func() {
		if r.ledger.asked != asked {
			t.Error("each question reads a file again that was refused")
		}
	})
	later.Store(int64(time.Minute))
	if got := r.names(); got != "author" || asks("writer") != 403 || asks("author") != 200 {
		t.Errorf("with its price there are %s", got)
	}
}

// names returns those of the models that jobs may name, which engines see as well.
func (r *rig) names() string {
	r.t.Helper()
	all, err := r.Models(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	var named []string
	for _, m := range all {
		named = append(named, m.Name)
	}
	p := r.do(r.request(r.t.Context(), "GET", "/v1/models", token, ""))
	var engines struct{ Data []struct{ ID string } }
	if err := json.Unmarshal([]byte(p.body), &engines); err != nil || len(engines.Data) != len(all) {
		r.t.Errorf("jobs may name %v, engines see %s (%v)", named, p.body, err)
	}
	return strings.Join(named, " ")
}

// logged reports whether an entry says so.
func (r *rig) logged(message, says string) bool {
	entries := r.logs.FilterMessage(message).All()
	return slices.ContainsFunc(entries, func(e observer.LoggedEntry) bool { return strings.Contains(fmt.Sprint(e.ContextMap()["error"]), says) })
}
