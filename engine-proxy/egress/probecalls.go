package egress

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	canvas "image"
	"image/color"
	"image/png"
	"strings"
	"time"
)

// longTokens is what a context must hold at least: tools, rules and a few files.
const longTokens = 16 << 10

// password stands at the beginning of a long request, and is asked for at its end.
const password = "marmalade"

// conversation is a user's message in the way of the model's protocol.
func (p *probe) conversation(text, picture string) string {
	switch p.model.protocol() {
	case ProtocolResponses:
		parts := fmt.Sprintf(`{"type":"input_text","text":%q}`, text)
		if picture != "" {
			parts += `,{"type":"input_image","image_url":"data:image/png;base64,` + picture + `"}`
		}
		return `"input":[{"role":"user","content":[` + parts + `]}]`
	case ProtocolMessages:
		parts := fmt.Sprintf(`{"type":"text","text":%q}`, text)
		if picture != "" {
			parts = `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + picture + `"}},` + parts
		}
		return `"messages":[{"role":"user","content":[` + parts + `]}]`
	}
	parts := fmt.Sprintf(`{"type":"text","text":%q}`, text)
	if picture == "" {
		return fmt.Sprintf(`"messages":[{"role":"user","content":%q}]`, text)
	}
	return `"messages":[{"role":"user","content":[` + parts + `,{"type":"image_url","image_url":{"url":"data:image/png;base64,` + picture + `"}}]}]`
}

// weather is a tool in the way of the model's protocol.
func (p *probe) weather() string {
	const schema = `{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`
	switch p.model.protocol() {
	case ProtocolResponses:
		return `,"tools":[{"type":"function","name":"weather","description":"The weather of one city","parameters":` + schema + `}]`
	case ProtocolMessages:
		return `,"tools":[{"name":"weather","description":"The weather of one city","input_schema":` + schema + `}]`
	}
	return `,"tools":[{"type":"function","function":{"name":"weather","description":"The weather of one city","parameters":` + schema + `}}]`
}

// plain asks for a word. A model that wants the other name of the cap gets it from
// then on.
func (p *probe) plain(ctx context.Context) (string, error) {
	const ready = "Answer with the one word: ready"
	h, err := p.ask(ctx, p.conversation(ready, ""), "")
	if p.model.protocol() == ProtocolChat && isReason(err, "unsupported_parameter") {
		p.extra = fmt.Sprintf(`,"max_completion_tokens":%d`, p.model.ceiling)
		h, err = p.ask(ctx, p.conversation(ready, ""), "")
	}
	if err != nil {
		return "", err
	}
	if h.read().text == "" {
		return "", errors.New("the answer holds no text")
	}
	return fmt.Sprintf("answers after %s, %d tokens read and %d written", tenths(h.first), h.tokens.input+h.tokens.cached+h.tokens.written, h.tokens.output), nil
}

// thoughts are the ways to tell a model to think, by protocol.
var thoughts = map[Protocol][]struct{ members, reasoning string }{
	ProtocolChat:      {{`,"reasoning_effort":"low"`, "effort"}},
	ProtocolResponses: {{`,"reasoning":{"effort":"low"}`, "effort"}},
	ProtocolMessages:  {{`,"thinking":{"type":"adaptive"}`, "adaptive"}, {`,"thinking":{"type":"enabled","budget_tokens":1024}`, "budget"}},
}

// stream asks for a streamed answer, with thought as far as the model lets itself be
// told.
func (p *probe) stream(ctx context.Context) (string, error) {
	conversation := p.conversation("How many minutes are three days? Answer with the number.", "")
	ways := append(thoughts[p.model.protocol()], struct{ members, reasoning string }{"", "none"})
	var h *reply
	var err error
	for _, way := range ways {
		h, err = p.ask(ctx, conversation, `,"stream":true`+way.members)
		if err == nil {
			p.noteReasoning(way.reasoning, h.thought())
			break
		}
		if !isReason(err, "provider_refused", "unsupported_parameter", "unsupported_value") {
			break
		}
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("the first token after %s", tenths(h.first)), nil
}

// noteReasoning notes how the model is told to think: chat servers also take what they do
// not know, so that there the thought must be seen.
func (p *probe) noteReasoning(way string, seen bool) {
	switch {
	case way == "none" && seen:
		p.row.Reasoning = "adaptive"
	case way == "none" || seen || p.model.protocol() != ProtocolChat:
		p.row.Reasoning = way
	}
}

func (p *probe) tool(ctx context.Context) (string, error) {
	return p.calls(ctx, "What is the weather in Lisbon? Use the tool.", 1)
}

func (p *probe) twoTools(ctx context.Context) (string, error) {
	says, err := p.calls(ctx, "What is the weather in Lisbon, and what in Oslo? Call the tool for both at once.", 2)
	p.row.Parallel = err == nil
	return says, err
}

func (p *probe) calls(ctx context.Context, text string, want int) (string, error) {
	h, err := p.ask(ctx, p.conversation(text, ""), p.weather())
	if err != nil {
		return "", err
	}
	n := 0
	for _, name := range h.read().calls {
		if name == "weather" {
			n++
		}
	}
	if n < want {
		return "", fmt.Errorf("%d of %d calls came", n, want)
	}
	return fmt.Sprintf("%d of %d calls came", n, want), nil
}

func (p *probe) picture(ctx context.Context) (string, error) {
	p.row.Vision = false
	h, err := p.ask(ctx, p.conversation("Which colour has this picture: red, green or blue? Answer with the word.", redSquare()), "")
	if err != nil {
		return "", err
	}
	if text := strings.ToLower(h.read().text); !strings.Contains(text, "red") || strings.Contains(text, "blue") {
		return "", errors.New("the picture was not seen")
	}
	p.row.Vision = true
	return "the picture was seen", nil
}

func redSquare() string {
	img := canvas.NewNRGBA(canvas.Rect(0, 0, 64, 64))
	for i := range 64 * 64 {
		img.Set(i%64, i/64, color.NRGBA{220, 20, 20, 255})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err) // into memory
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// long asks at the end of a long request for what stood at its beginning. How much the
// model holds is known only of a server that refuses, and says so.
func (p *probe) long(ctx context.Context) (string, error) {
	text := "The password is " + password + ". " + strings.Repeat("The quick brown fox jumps over the lazy dog. ", longTokens/10) +
		"What is the password? Answer with the word."
	more := ""
	if p.model.protocol() == ProtocolMessages {
		more = `,"cache_control":{"type":"ephemeral"}`
	}
	h, err := p.ask(ctx, p.conversation(text, ""), more)
	if more != "" && isReason(err, "provider_refused") {
		h, err = p.ask(ctx, p.conversation(text, ""), "")
	}
	if refused, ok := errors.AsType[refusedError](err); ok && refused.context > p.row.MaxOutput {
		p.row.Context = refused.context
	}
	if err != nil {
		return "", err
	}
	read := h.tokens.input + h.tokens.cached + h.tokens.written
	if !strings.Contains(strings.ToLower(h.read().text), password) {
		return "", fmt.Errorf("the beginning of %d tokens was lost without a word", longTokens)
	}
	if p.row.Context > 0 {
		return fmt.Sprintf("%d tokens were read", read), nil
	}
	return fmt.Sprintf("%d tokens were read; the row has no context: add what the model holds", read), nil
}

func tenths(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

// advice is what helps against a fault, in the words of the servers that have it.
func (p *probe) advice(call string, err error) string {
	switch {
	case call == "long":
		return "games need a context of 16,384 tokens at least. Ollama: OLLAMA_CONTEXT_LENGTH=32768, since it cuts at 4,096 and says nothing; llama.cpp: -c 32768; vLLM: --max-model-len"
	case call == "tool", isReason(err, "tools_unsupported"):
		return "without tools a model can't write games. llama.cpp: --jinja; vLLM: --enable-auto-tool-choice --tool-call-parser NAME; Ollama: a model whose page says tools"
	case call == "two tools":
		return "the model works one step at a time; nothing is to be done"
	case call == "picture":
		return "the model sees no pictures. llama.cpp: --mmproj FILE; else choose another model where it shall look at games"
	case isReason(err, reasonQuota):
		return "see the account with the provider: it is used up"
	case isReason(err, reasonAuth):
		return `see key_file; by the protocol messages some servers want "auth": "bearer" at their endpoint`
	case isReason(err, "provider_no_model"):
		return "see url, which is the part before " + paths[p.model.protocol()] + ", the protocol, and how the server calls the model"
	}
	return "see whether the server runs, its log, and url"
}
