package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/svc-games/svc/engine/model"
)

func TestCallsGetIdsOfTheirOwn(t *testing.T) {
	same := func(context.Context, model.Request) (model.Reply, error) {
		return model.NewReply("", model.Call{ID: "call_0", Name: "list_files"}, model.Call{Name: "list_files"}), nil
	}
	r := work(t, task(), &judge{}, same, same, calls("done", finish))
	seen := map[string]bool{}
	for _, m := range r.model.asked[2].Messages {
		for _, c := range m.Calls() {
			if seen[c.ID] {
				t.Errorf("the id %s is used twice", c.ID)
			}
			seen[c.ID] = true
		}
		if m.Role == model.RoleTool && !seen[m.Parts[0].Result.ID] {
			t.Errorf("a result of %s, which no one called", m.Parts[0].Result.ID)
		}
	}
	if len(seen) != 4 {
		t.Errorf("%d calls", len(seen))
	}
	var many []string
	for range 40 {
		many = append(many, "list_files", "{}")
	}
	r = work(t, task(), &judge{}, calls(many...), calls("done", finish))
	if got := len(r.log.calls); got > maxCalls+1 {
		t.Errorf("%d calls of one answer were made", got)
	}
}

func TestLongConversationIsShortenedAndStaysWhole(t *testing.T) {
	job := task()
	job.Limits.Steps = 60
	var turns []turn
	for i := range 20 {
		content := strings.Repeat(fmt.Sprint(i%10), 30<<10)
		turns = append(turns, calls("write_file", fmt.Sprintf(`{"path":"src/f%d.js","content":%q}`, i, content), "read_file", fmt.Sprintf(`{"path":"src/f%d.js"}`, i)))
	}
	r := work(t, job, &judge{}, append(turns, calls("done", finish))...)
	last := r.model.asked[len(r.model.asked)-1].Messages
	size, open := 0, map[string]bool{}
	for _, m := range last {
		size += sizeOf(m)
		for _, c := range m.Calls() {
			open[c.ID] = true
			if !json.Valid([]byte(c.Arguments)) {
				t.Errorf("arguments became %q", c.Arguments)
			}
		}
		if m.Role == model.RoleTool {
			delete(open, m.Parts[0].Result.ID)
		}
	}
	if size > maxTalk+200<<10 || len(open) > 0 || len(last) != 1+20*3 {
		t.Errorf("%d bytes in %d messages, %d calls without a result", size, len(last), len(open))
	}
	if r.Stop != StopSteps && r.Files == nil {
		t.Errorf("%+v", r.Stop)
	}
}

func TestConversationThatIsTooLongForTheModelIsSentShorter(t *testing.T) {
	once := true
	tooLong := func(_ context.Context, r model.Request) (model.Reply, error) {
		if once {
			once = false
			return model.Reply{}, &model.Refusal{Status: http.StatusBadRequest, Reason: "context_length_exceeded"}
		}
		return calls("done", finish)(context.Background(), r)
	}
	if r := work(t, task(), &judge{}, tooLong); r.err != nil || r.Stop != "" || len(r.model.asked) != 2 {
		t.Errorf("%+v, %v", r.Outcome, r.err)
	}
}
