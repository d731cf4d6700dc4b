package egress

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"
)

// Found is what one call of a probe showed.
type Found struct {
	Call   string `json:"call"` // plain, stream, tool, two tools, picture or long
	OK     bool   `json:"ok"`
	Says   string `json:"says"`
	Advice string `json:"advice,omitempty"` // what helps; set when OK is false
}

// Probed is what was found out of a model by calling it.
type Probed struct {
	Model    string  `json:"model"`
	Endpoint string  `json:"endpoint"`
	Found    []Found `json:"found"`
	// Default, of the default, says whether it is fit to make games.
	Default *Found `json:"default,omitempty"`
	// Row is the model's entry for the configuration: what it showed, and what was
	// configured of what no call can show.
	Row json.RawMessage `json:"row"`
}

// Works reports whether a model can be used at all.
func (p Probed) Works() bool {
	return !slices.ContainsFunc(p.Found, func(f Found) bool { return !f.OK && (f.Call == "plain" || f.Call == "stream") })
}

// Probe calls the models that write, those named or all, six times each, as engines
// would but on nobody's account. Nothing is concluded from a name.
func (c Config) Probe(ctx context.Context, names []string, each func(Probed)) error {
	c = c.withDefaults()
	if err := c.Validate(); err != nil {
		return err
	}
	e := &Egress{provider: newProvider()}
	e.held.Store(c.configured())
	if c.Record != "" {
		e.provider.recorder = &recorder{folder: c.Record, log: zap.NewNop()}
	}
	for _, name := range names {
		if _, refused := e.now().catalog.named(name); refused != nil {
			return fmt.Errorf("the configuration has no model %s that writes", name)
		}
	}
	for i := range e.now().catalog {
		m := &e.now().catalog[i]
		if m.use() == useChat && (len(names) == 0 || slices.Contains(names, m.Name)) {
			each((&probe{egress: e, model: m, row: m.Model}).run(ctx))
		}
	}
	return nil
}

// named returns a model that writes.
func (c catalog) named(name string) (*offered, *refusal) {
	for i := range c {
		if c[i].Name == name {
			return c.find(name, useChat, c[i].protocol())
		}
	}
	return nil, invalid("no such model")
}

// probe is one model's.
type probe struct {
	egress *Egress
	model  *offered
	row    Model
	found  []Found
	extra  string // members that its server wants, found on the way
}

func (p *probe) run(ctx context.Context) Probed {
	p.row.Protocol = p.model.protocol()
	for _, step := range []struct {
		call string
		do   func(context.Context) (string, error)
	}{
		{"plain", p.plain}, {"stream", p.stream}, {"tool", p.tool}, {"two tools", p.twoTools}, {"picture", p.picture}, {"long", p.long},
	} {
		says, err := step.do(ctx)
		f := Found{Call: step.call, OK: err == nil, Says: says}
		if err != nil {
			f.Says, f.Advice = err.Error(), p.advice(step.call, err)
		}
		p.found = append(p.found, f)
		if !f.OK && step.call == "plain" {
			break // nothing else can be told from the same fault
		}
	}
	out := Probed{Model: p.model.Name, Endpoint: p.model.at.shown(), Found: p.found, Row: p.row.file()}
	if p.model.Name == p.egress.now().defaultModel() {
		out.Default = out.fit()
	}
	return out
}

// fit says of the default whether it can do what makes a game.
func (p Probed) fit() *Found {
	f := Found{Call: "default", OK: true, Says: "it makes the games of projects that named no model"}
	for _, call := range []string{"plain", "stream", "tool", "long"} {
		if !slices.ContainsFunc(p.Found, func(f Found) bool { return f.Call == call && f.OK }) {
			f.OK, f.Says = false, "it can't make the games of projects that named no model: see "+call
			f.Advice = "mend that, or name another model as default, or embedded"
			break
		}
	}
	return &f
}

// file is a model as it stands in a configuration file.
func (m Model) file() json.RawMessage {
	type plain Model
	out := struct {
		plain
		FirstToken string `json:"first_token,omitempty"`
	}{plain: plain(m)}
	if m.FirstToken > 0 {
		out.FirstToken = m.FirstToken.String()
	}
	raw, err := marshal(out)
	if err != nil {
		panic(err) // texts and numbers always marshal
	}
	return raw
}

// refusedError is a refusal as what a probe found.
type refusedError struct{ *refusal }

func (e refusedError) Error() string {
	if e.cause == nil {
		return e.message
	}
	return strings.TrimSuffix(e.message, ".") + ": " + e.cause.Error()
}

// reply is an answer, as it would reach an engine.
type reply struct {
	header http.Header
	body   bytes.Buffer
	asked  time.Time
	first  time.Duration // until something came
	tokens counted
}

func (h *reply) Header() http.Header { return h.header }
func (h *reply) WriteHeader(int)     {}
func (h *reply) Flush()              {}
func (h *reply) Write(b []byte) (int, error) {
	if h.body.Len() == 0 {
		h.first = time.Since(h.asked)
	}
	return h.body.Write(b)
}

// ask asks the model with more members than those of every request.
func (p *probe) ask(ctx context.Context, conversation, more string) (*reply, error) {
	to := routeOf("/v1" + paths[p.model.protocol()])
	body := fmt.Sprintf(`{"model":%q,%s%s%s}`, p.model.Name, conversation, p.extra, more)
	c, refused := to.read(p.egress, []byte(body))
	if refused != nil {
		return nil, refusedError{refused}
	}
	c.route = to
	ctx, cancel := context.WithTimeout(ctx, p.egress.now().Timeout)
	defer cancel()
	h := &reply{header: http.Header{}, asked: time.Now()}
	answer, _, refused := p.egress.provider.send(ctx, c)
	if refused != nil {
		return nil, refusedError{refused}
	}
	defer answer.Body.Close()
	out := &heldEnd{ResponseWriter: h}
	cost, refused, err := c.relay(out, answer)
	out.release()
	if refused != nil {
		return nil, refusedError{refused}
	}
	for _, u := range cost {
		switch strings.TrimPrefix(u.Name, "model."+p.model.Name) {
		case ".input":
			h.tokens.input = u.Quantity
		case ".cached":
			h.tokens.cached = u.Quantity
			p.row.Cache = cmp.Or(p.row.Cache, "auto")
		case ".cache_write":
			h.tokens.written = u.Quantity
			p.row.Cache = cmp.Or(p.row.Cache, "marks")
		case ".output":
			h.tokens.output = u.Quantity
		}
	}
	return h, err
}

// thinking is how an answer shows that the model thought.
var thinking = regexp.MustCompile(`"(reasoning_content|reasoning)":"[^"]|"type":"(thinking|thinking_delta|reasoning)"|"reasoning_tokens":[1-9]`)

func (h *reply) thought() bool { return thinking.Match(h.body.Bytes()) }

// said is a whole answer's text and calls.
type said struct {
	text  string
	calls []string // names
}

// read reads a whole answer of any wire.
func (h *reply) read() said {
	type part struct {
		Type    string          `json:"type"`
		Text    string          `json:"text"`
		Name    string          `json:"name"`
		Content json.RawMessage `json:"content"`
	}
	var a struct {
		Choices []struct {
			Message struct {
				Content   string `json:"content"`
				ToolCalls []struct {
					Function struct {
						Name string `json:"name"`
					} `json:"function"`
				} `json:"tool_calls"`
			} `json:"message"`
		} `json:"choices"`
		Content []part `json:"content"`
		Output  []part `json:"output"`
	}
	var s said
	if json.Unmarshal(h.body.Bytes(), &a) != nil {
		return s
	}
	for _, c := range a.Choices {
		s.text += c.Message.Content
		for _, call := range c.Message.ToolCalls {
			s.calls = append(s.calls, call.Function.Name)
		}
	}
	for _, b := range append(a.Content, a.Output...) {
		s.text += b.Text
		var inner []part
		if json.Unmarshal(b.Content, &inner) == nil {
			for _, t := range inner {
				s.text += t.Text
			}
		}
		if b.Type == "tool_use" || b.Type == "function_call" {
			s.calls = append(s.calls, b.Name)
		}
	}
	return s
}

// isReason reports whether an error is a refusal for one of some reasons.
func isReason(err error, reasons ...string) bool {
	var refused refusedError
	return errors.As(err, &refused) && slices.Contains(reasons, refused.reason)
}
