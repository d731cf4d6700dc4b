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

func TestLongConversationIsMadeShorterInJumpsAndStaysWhole(t *testing.T) {
	job := task()
	job.Limits.Steps, job.Window = 60, 64_000
	var turns []turn
	for i := range 20 {
		content := strings.Repeat(fmt.Sprint(i%10), 15<<10)
		writes := calls("write_file", fmt.Sprintf(`{"path":"src/f%d.js","content":%q}`, i, content), "read_file", fmt.Sprintf(`{"path":"src/f%d.js"}`, i))
		turns = append(turns, counted(writes))
	}
	r := work(t, job, &judge{}, append(turns, calls("done", finish))...)
	jumps := 0
	for i, asked := range r.model.asked {
		size, open := 0, map[string]bool{}
		for _, m := range asked.Messages {
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
		if size/usualBytes > job.Window*longShare/100 || len(open) > 0 || len(asked.Messages) != 1+i*3 {
			t.Errorf("question %d: %d bytes in %d messages, %d calls without a result", i, size, len(asked.Messages), len(open))
		}
		if i > 0 && !begins(t, asked, r.model.asked[i-1]) {
			jumps++
		}
	}
	if jumps == 0 || jumps > 8 || r.Files == nil {
		t.Errorf("%d jumps in %d steps; %v", jumps, r.Steps, r.Stop)
	}
}

// Over thirty steps, each of 6 kB that are written and read, what a provider keeps of the
// conversation is lost twice at most.
func TestThirtyStepsBeginAnewTwiceAtMost(t *testing.T) {
	job := task()
	job.Limits.Steps, job.Window = 40, 128_000
	var turns []turn
	for i := range 30 {
		writes := calls("write_file", fmt.Sprintf(`{"path":"src/f%d.js","content":%q}`, i, strings.Repeat(fmt.Sprint(i%10), 6<<10)), "read_file", fmt.Sprintf(`{"path":"src/f%d.js"}`, i))
		turns = append(turns, counted(writes))
	}
	r := work(t, job, &judge{}, append(turns, calls("done", finish))...)
	jumps := 0
	for i, asked := range r.model.asked[1:] {
		if !begins(t, asked, r.model.asked[i]) {
			jumps++
		}
	}
	if jumps == 0 || jumps > 2 || r.Files == nil {
		t.Errorf("%d jumps in %d steps; %v", jumps, r.Steps, r.Stop)
	}
}

// TestLongBeginningLeavesRoomForTheAnswer: where most of what a model can hold is the
// request, what follows is kept within the rest, and so is the answer that may come.
func TestLongBeginningLeavesRoomForTheAnswer(t *testing.T) {
	job := task()
	job.Limits.Steps, job.Limits.Answer, job.Window = 40, 40_000, 64_000
	job.Ask.Instructions = strings.Repeat("word ", job.Window*60/100*usualBytes/len("word "))
	var turns []turn
	for i := range 24 {
		turns = append(turns, calls("write_file", fmt.Sprintf(`{"path":"src/f%d.js","content":%q}`, i, strings.Repeat("x", 6<<10)), "read_file", fmt.Sprintf(`{"path":"src/f%d.js"}`, i)))
	}
	for name, known := range map[string]bool{"counted here": false, "counted by the provider": true} {
		job := job
		var counted []turn
		for _, one := range turns {
			counted = append(counted, func(ctx context.Context, r model.Request) (model.Reply, error) {
				reply, err := one(ctx, r)
				reply.Usage = model.Usage{Input: tokensOf(r) * 4 / 3, Estimated: !known}
				return reply, err
			})
		}
		if known { // a third more than are estimated
			job.Ask.Instructions = job.Ask.Instructions[:len(job.Ask.Instructions)*3/4]
		}
		r := work(t, job, &judge{}, append(counted, calls("done", finish))...)
		for i, asked := range r.model.asked {
			tokens := tokensOf(asked)
			if known && i > 0 {
				tokens = tokens * 4 / 3
			}
			if tokens > job.Window*(longShare+5)/100 || tokens+asked.MaxOutput > job.Window*105/100 {
				t.Errorf("%s: question %d has %d tokens, and %d for the answer", name, i, tokens, asked.MaxOutput)
			}
		}
		if r.Stop != "" || r.Files == nil {
			t.Errorf("%s: %q after %d", name, r.Stop, r.Steps)
		}
	}
}

// counted is a turn that says how many tokens it has read.
func counted(next turn) turn {
	return func(ctx context.Context, r model.Request) (model.Reply, error) {
		reply, err := next(ctx, r)
		reply.Usage.Input = tokensOf(r)
		return reply, err
	}
}

// tokensOf is about how many tokens a question has.
func tokensOf(r model.Request) int {
	bytes := len(r.System)
	for _, m := range r.Messages {
		bytes += sizeOf(m)
	}
	return bytes / usualBytes
}

// begins reports whether a question begins, byte for byte, with the one before.
func begins(t *testing.T, now, before model.Request) bool {
	t.Helper()
	var text [2]string
	for i, r := range []model.Request{before, now} {
		raw, err := json.Marshal([]any{r.Tools, r.System, r.Messages})
		if err != nil {
			t.Fatal(err)
		}
		text[i] = strings.TrimRight(string(raw), "]")
	}
	return strings.HasPrefix(text[1], text[0])
}

func TestShotsThatAreOldGoWhenAConversationIsMadeShorter(t *testing.T) {
	var all talk
	for i := range 4 {
		all.result(fmt.Sprint(i), result{text: "a picture", images: []model.Image{{Type: "image/png", Data: []byte{byte(i)}}}})
	}
	all.compact(1 << 20)
	for i, m := range all.messages() {
		if got := len(m.Parts[0].Result.Images); i < 2 && i >= begun && got != 0 || i >= 2 && got != 1 {
			t.Errorf("result %d has %d pictures", i, got)
		}
	}
}

func TestWhatGoesWithARequestIsNeverCutAndMustFit(t *testing.T) {
	job := task()
	job.Window, job.Ask.Instructions = 20_000, strings.Repeat("word ", 20_000)
	r := work(t, job, &judge{}, calls("done", finish))
	if r.Stop != StopRoom || len(r.model.asked) != 0 {
		t.Errorf("%q after %d questions", r.Stop, len(r.model.asked))
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
	long := calls("read_file", `{"paths":["src/mechanics/gap.js","src/mechanics/gap.js","src/mechanics/gap.js"]}`)
	if r := work(t, task(), &judge{}, long, long, long, long, tooLong); r.err != nil || r.Stop != "" || len(r.model.asked) != 6 {
		t.Errorf("%+v, %v", r.Outcome, r.err)
	}
}
