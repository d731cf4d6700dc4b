package agent

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/svc-games/svc/engine/gen/author"
	"github.com/svc-games/svc/engine/model"
)

// When a conversation is made shorter, in tokens, and to what. In between nothing of
// it changes, so that providers know it again.
const (
	longTalk  = 120_000 // where nothing is known of the model
	longShare = 70      // of a hundred of what the model can hold
	lastTalk  = 20_000  // at the end that stays
	lastShots = 2       // pictures that stay

	maxID = 40 // bytes of a call's id, as much as every server takes

	usualBytes = 3    // of a token
	shotBytes  = 4500 // that a picture counts for
)

// leftOut stands for what was left out.
const leftOut = "(left out: call the tool again if you need it)"

// talk is the conversation.
type talk struct {
	system string // the rules and the game
	list   []model.Message
	ids    map[string]bool // of calls
	calls  int             // counted, for ids of our own

	known, knownAt int // tokens that the provider counted, of how many bytes
	still          still
}

// newTalk begins a conversation with what stays the same the longest: the rules and
// the manual, then what belongs to the project, the game, and what the user wants.
func newTalk(task Task, game *sources) talk {
	ask := task.Ask
	ask.Code = true
	first := model.Message{Role: model.RoleUser}
	for _, text := range []string{ask.Background(), gameAsItIs(task, game), ask.Wish()} {
		if text != "" {
			first.Parts = append(first.Parts, model.Part{Text: task.masked(text)})
		}
	}
	return talk{system: rulesOf(task) + "\n\n" + task.Manual, list: []model.Message{first}, ids: map[string]bool{}}
}

// maxShown is up to how many bytes a game is shown whole at the start.
const maxShown = 64 << 10

// gameAsItIs is what a model is told of the game that it starts from: the tree, and
// what it may write unless that is much.
func gameAsItIs(task Task, game *sources) string {
	var b, files strings.Builder
	fmt.Fprintf(&b, "## The game as it is\n\n%s\n\nIts files, with their sizes in bytes:\n%s\n", task.About, game.tree(""))
	for _, name := range game.names() {
		if data := game.files[name]; data != nil && game.writable(name) == nil {
			fmt.Fprintf(&files, "%s:\n\n%s\n", name, data)
		}
	}
	if files.Len() <= maxShown {
		b.WriteString(files.String())
	}
	return b.String()
}

// answered takes an answer in and returns its calls, with ids that are unique
// in the conversation: some servers give none, or the same ones each time.
func (t *talk) answered(r model.Reply) []model.Call {
	var calls []model.Call
	said := model.Message{Role: model.RoleAssistant}
	for _, p := range r.Parts {
		if p.Call != nil {
			if len(calls) == maxCalls {
				break
			}
			kept := *p.Call
			t.calls++
			if kept.ID == "" || len(kept.ID) > maxID || t.ids[kept.ID] {
				kept.ID = fmt.Sprintf("call_%d", t.calls)
			}
			t.ids[kept.ID] = true
			call := kept
			calls = append(calls, call)
			kept.Name = author.Clip(kept.Name, 64)
			if !json.Valid([]byte(kept.Arguments)) {
				kept.Arguments = "{}" // servers stumble over a history that is no JSON
			}
			p.Call = &kept
		}
		said.Parts = append(said.Parts, p)
	}
	t.list = append(t.list, said)
	return calls
}

// result adds what a tool said.
func (t *talk) result(id string, r result) {
	m := model.ResultMessage(id, r.text)
	m.Parts[0].Result.Images = r.images
	t.list = append(t.list, m)
}

// say adds words of ours: to what the model is to read already, since some servers take
// no message of the user's behind a result or another of the user's.
func (t *talk) say(text string) {
	if n := len(t.list); n > 0 && t.list[n-1].Role != model.RoleAssistant {
		last := &t.list[n-1]
		last.Parts = append(slices.Clone(last.Parts), model.Part{Text: text})
		return
	}
	t.list = append(t.list, model.TextMessage(model.RoleUser, text))
}

// begun is how many messages every conversation begins with, which stay as they are.
const begun = 1

// messages returns the conversation.
func (t *talk) messages() []model.Message { return slices.Clone(t.list) }

// tokens is about how many the conversation has.
func (t *talk) tokens() int {
	return t.known + max(0, t.size()-t.knownAt)/usualBytes
}

// fit makes the conversation shorter when it has become too long for a model that
// can hold so many tokens: what comes after its beginning to half of the room that
// there is for it, so that it need not be done soon again.
func (t *talk) fit(window int) {
	most := longTalk
	if window > 0 {
		most = window / 100 * longShare
	}
	if tokens := t.tokens(); tokens > most {
		size := t.size()
		t.compact(max(0, size*most/tokens-(size-t.later())) / 2)
	}
}

// later is how many bytes come after what the conversation begins with.
func (t *talk) later() int {
	n := 0
	for _, m := range t.list[min(begun, len(t.list)):] {
		n += sizeOf(m)
	}
	return n
}

// compact leaves out the oldest results and contents, and pictures, until the
// conversation has so many bytes after what it begins with, and reports whether it
// found any.
func (t *talk) compact(most int) bool {
	before, tokens, kept := t.size(), t.tokens(), 0
	end := len(t.list)
	for end > begun && kept < min(lastTalk*usualBytes, most/2) {
		end--
		kept += sizeOf(t.list[end])
	}
	shots := 0
	for i := len(t.list) - 1; i >= begun; i-- {
		t.list[i] = withoutShots(t.list[i], &shots)
	}
	size := t.later()
	for i := begun; i < end && size > most; i++ {
		was := sizeOf(t.list[i])
		t.list[i] = shortened(t.list[i])
		size += sizeOf(t.list[i]) - was
	}
	after := t.size()
	t.known, t.knownAt = tokens*after/max(1, before), after // as many to a byte as before
	return after < before
}

// withoutShots is a message without its pictures, but for those that are among the
// newest.
func withoutShots(m model.Message, shots *int) model.Message {
	m.Parts = slices.Clone(m.Parts)
	for i, p := range m.Parts {
		if p.Result == nil || len(p.Result.Images) == 0 {
			continue
		}
		if *shots += len(p.Result.Images); *shots > lastShots {
			m.Parts[i].Result = &model.Result{ID: p.Result.ID, Text: p.Result.Text}
		}
	}
	return m
}

// size is how many bytes the conversation has, shortened or not.
func (t *talk) size() int {
	n := len(t.system)
	for _, m := range t.list {
		n += sizeOf(m)
	}
	return n
}

func sizeOf(m model.Message) int {
	n := len(m.Text())
	for _, c := range m.Calls() {
		n += len(c.Arguments)
	}
	for _, p := range m.Parts {
		if p.Result != nil {
			n += len(p.Result.Images) * shotBytes
		}
	}
	return n
}

// shortened is a message without what is long in it. Who called what stays.
func shortened(m model.Message) model.Message {
	m.Parts = slices.Clone(m.Parts)
	changed := false // the call before
	for i, p := range m.Parts {
		if p.Opaque != nil && changed {
			m.Parts[i].Opaque = p.Opaque.OfChanged()
		}
		changed = p.Call != nil && len(p.Call.Arguments) >= longCall
		switch {
		case p.Result != nil && len(p.Result.Text) > len(leftOut):
			m.Parts[i].Result = &model.Result{ID: p.Result.ID, Text: leftOut}
		case changed:
			m.Parts[i].Call = shortenedCall(*p.Call)
		}
	}
	return m
}

// longCall is from how many bytes on the arguments of a call are shortened.
const longCall = 256

func shortenedCall(c model.Call) *model.Call {
	var a struct {
		Path string `json:"path"`
	}
	if json.Unmarshal([]byte(c.Arguments), &a) != nil {
		return &c
	}
	if short, err := json.Marshal(map[string]string{"path": author.Clip(a.Path, 200), "content": leftOut}); err == nil {
		c.Arguments = string(short)
	}
	return &c
}
