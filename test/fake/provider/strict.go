package fakeprovider

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// Manner is whose words and habits a strict server has.
type Manner string

// The manners that are known.
const (
	OpenAI    Manner = "openai"
	DeepSeek  Manner = "deepseek"  // chat: reasoning_content comes back
	Gemini    Manner = "gemini"    // chat: thought signatures come back
	Anthropic Manner = "anthropic" // messages
	LlamaCpp  Manner = "llama.cpp"
	VLLM      Manner = "vllm"
	Ollama    Manner = "ollama"
	Mistral   Manner = "mistral" // chat: roles in turns, short ids, no member that it doesn't know
)

// Rules are what a strict server goes by beyond its wire.
type Rules struct {
	Manner Manner
	// Context is how many tokens fit, at four bytes each; 0: any number. Ollama
	// cuts silently, the others refuse.
	Context int
	// Cap is the name that a chat server wants for the most to be written; "": any.
	Cap string
	// NoTools: the server was started without what tools need.
	NoTools bool
	// NoVision: the model takes no pictures.
	NoVision bool
	// Reasoning: a turn that calls tools has to come back with its reasoning.
	Reasoning bool
	// Turns: the template of the model has the user and the model speak in turns, calls
	// and their results aside.
	Turns bool
}

// Strict checks a conversation as real servers do, on each of the three wires,
// and answers 400 in their words; what is right gets the answer then.
func Strict(rules Rules, then Answer) Answer {
	return func(p *Provider, w http.ResponseWriter, r *http.Request, q Request) {
		var f *fault
		switch {
		case strings.HasSuffix(q.Path, "/messages"):
			f = rules.checkMessages(q.Body)
		case strings.HasSuffix(q.Path, "/responses"):
			f = rules.checkResponses(q.Body)
		default:
			f = rules.checkChat(q.Body)
		}
		if f == nil {
			f = rules.checkContext(q.Body)
		}
		if f != nil {
			f.write(w, rules.Manner)
			return
		}
		then(p, w, r, q)
	}
}

// fault is why a server refuses.
type fault struct {
	status  int
	kind    string // the error's type
	code    any
	message string
	more    map[string]any // further members
}

func bad(message string, args ...any) *fault {
	return &fault{status: http.StatusBadRequest, kind: "invalid_request_error", message: fmt.Sprintf(message, args...)}
}

func (f *fault) coded(code any) *fault {
	f.code = code
	return f
}

// write answers in the shape that servers of a manner have.
func (f *fault) write(w http.ResponseWriter, m Manner) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(f.status)
	detail := map[string]any{"message": f.message, "type": f.kind, "param": nil, "code": f.code}
	var body any = map[string]any{"error": detail}
	switch m {
	case Anthropic:
		body = map[string]any{"type": "error", "error": map[string]any{"type": f.kind, "message": f.message}, "request_id": "req_fake"}
	case Gemini:
		body = []any{map[string]any{"error": map[string]any{"code": f.status, "message": f.message, "status": "INVALID_ARGUMENT"}}}
	case LlamaCpp:
		detail["code"] = f.status
		delete(detail, "param")
	case VLLM:
		detail["code"], detail["type"] = f.status, "BadRequestError"
	case Mistral:
		body = map[string]any{"object": "error", "message": f.message, "type": f.kind, "param": nil, "code": f.code}
	}
	maps.Copy(detail, f.more)
	_, _ = w.Write(marshal(body))
}

// checkContext refuses what does not fit.
func (rules Rules) checkContext(body map[string]any) *fault {
	n := Tokens(body)
	if rules.Context == 0 || n <= rules.Context || rules.Manner == Ollama {
		return nil
	}
	switch rules.Manner {
	case Anthropic:
		return bad("prompt is too long: %d tokens > %d maximum", n, rules.Context)
	case LlamaCpp:
		f := bad("request (%d tokens) exceeds the available context size (%d tokens), try increasing it", n, rules.Context)
		f.kind, f.more = "exceed_context_size_error", map[string]any{"n_prompt_tokens": n, "n_ctx": rules.Context}
		return f
	case VLLM:
		return bad("This model's maximum context length is %d tokens. However, your request has %d input tokens. Please reduce the length of the input messages.", rules.Context, n)
	}
	return bad("This model's maximum context length is %d tokens. However, your messages resulted in %d tokens.", rules.Context, n).
		coded("context_length_exceeded")
}

// Read is how many tokens of a request such a server says that it read: what does not fit
// it refuses, or cuts, as Ollama does, to half of its window and two tokens more.
func (rules Rules) Read(body map[string]any) int {
	n := Tokens(body)
	if rules.Context > 0 && n > rules.Context {
		return rules.Context/2 + 2
	}
	return n
}

// Tokens is how many a strict server counts in a request: four bytes of what is
// said are one, and a picture is a thousand.
func Tokens(body map[string]any) int {
	var n int
	for _, name := range []string{"messages", "input", "system", "instructions", "tools"} {
		n += weight(body[name])
	}
	return n/4 + 1
}

func weight(v any) (n int) {
	switch v := v.(type) {
	case string:
		if strings.HasPrefix(v, "data:image/") {
			return 4000
		}
		return len(v)
	case []any:
		for _, e := range v {
			n += weight(e)
		}
	case map[string]any:
		if text(v["type"]) == "base64" {
			return 4000
		}
		for name, e := range v {
			n += len(name) + weight(e)
		}
	}
	return n
}

// noTools is how a server says that it was started without tools.
func (rules Rules) noTools() *fault {
	switch rules.Manner {
	case LlamaCpp:
		return &fault{status: http.StatusInternalServerError, kind: "server_error", message: "tools param requires --jinja flag"}
	case VLLM:
		return bad(`"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set`)
	}
	return bad("registry.ollama.ai/library/fake:latest does not support tools")
}

// noVision is how a server says that its model takes no pictures.
func (rules Rules) noVision() *fault {
	if rules.Manner == LlamaCpp {
		return &fault{status: http.StatusInternalServerError, kind: "server_error", message: "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj"}
	}
	return bad("Invalid content type. image_url is only supported by certain models.")
}

// Sign is what a server hands out with a thought, and knows again: a change of one
// byte of either is found.
func Sign(thought string) string {
	sum := sha256.Sum256([]byte("a server's key" + thought))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// sealed is a thought that none but the server can read.
func sealed(thought string) string {
	return base64.StdEncoding.EncodeToString([]byte(thought)) + "." + Sign(thought)
}

// unsealed reports whether a sealed thought is one.
func unsealed(content string) bool {
	raw, sign, _ := strings.Cut(content, ".")
	thought, err := base64.StdEncoding.DecodeString(raw)
	return err == nil && sign == Sign(string(thought))
}

// checkPicture refuses what is no picture's data.
func (rules Rules) checkPicture(mediaType, data string) *fault {
	if rules.NoVision {
		return rules.noVision()
	}
	switch mediaType {
	case "image/png", "image/jpeg", "image/webp", "image/gif":
	default:
		return bad("unsupported image %q", mediaType)
	}
	if _, err := base64.StdEncoding.DecodeString(data); err != nil {
		return bad("Could not process image")
	}
	return nil
}

func (rules Rules) checkDataURL(url string) *fault {
	rest, isData := strings.CutPrefix(url, "data:")
	kind, data, isBase64 := strings.Cut(rest, ";base64,")
	if !isData || !isBase64 {
		return bad("Failed to download image from %s.", url)
	}
	return rules.checkPicture(kind, data)
}

// checkMembers refuses members that a wire does not know.
func checkMembers(v map[string]any, where string, known ...string) string {
	for name := range v {
		if !slices.Contains(known, name) {
			return where + name
		}
	}
	return ""
}

func list(v any) []any { l, _ := v.([]any); return l }

func object(v any) map[string]any { o, _ := v.(map[string]any); return o }

func text(v any) string { s, _ := v.(string); return s }

func number(v any) float64 { n, _ := v.(float64); return n }

func valid(arguments string) bool { return json.Valid([]byte(arguments)) }

// decode reads what a test scripts, as far as it is JSON.
func decode(raw string, into any) { _ = json.Unmarshal([]byte(raw), into) }
