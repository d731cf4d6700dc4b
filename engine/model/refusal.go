package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// Errors of Client, beside ErrBroken. Others mean that no model could be asked.
var (
	// ErrExhausted: the user's balance is used up. The job must end.
	ErrExhausted = errors.New("the TIK balance is used up")
	// ErrRefused: the same request will be refused again.
	ErrRefused = errors.New("the request was refused")
)

// Refusal is an answer other than 200.
type Refusal struct {
	Status  int
	Reason  string // for programs, from the egress: "model_not_allowed" for one
	Context int    // tokens that the model can hold, where the refusal says so
	after   time.Duration
	paid    bool // an answer came, and is none
}

func (r *Refusal) Error() string {
	return fmt.Sprintf("the model's endpoint answers %d %s", r.Status, r.Reason)
}

// Unwrap tells what the refusal means for the caller.
func (r *Refusal) Unwrap() error {
	switch r.Kind() {
	case Exhausted:
		return ErrExhausted
	case Overloaded:
		return nil // it may pass
	case Paid:
		return ErrBroken
	}
	return ErrRefused
}

// Kind is what a refusal is about.
type Kind string

// The kinds of refusals.
const (
	Exhausted  Kind = "exhausted"  // the user's balance
	Overloaded Kind = "overloaded" // it may pass
	Paid       Kind = "paid"       // the provider took too long or broke off, and is paid
	Overflow   Kind = "overflow"   // the conversation is too long for the model
	Small      Kind = "small"      // the model is too small for any conversation
	ToolsOff   Kind = "tools_off"  // the server runs without tools
	Form       Kind = "form"       // another form of the request may be taken
	NoModel    Kind = "no_model"   // there is none of that name
	Auth       Kind = "auth"       // the operator's key is not taken
	Quota      Kind = "quota"      // the operator's account is used up
	Declined   Kind = "declined"   // what was asked for, or was to be said
	Other      Kind = "other"
)

// Reasons that the engine gives itself, or reads out of what a server said.
const (
	reasonOverflow = "context_length_exceeded"
	reasonSmall    = "context_too_small"
	reasonTools    = "tools_unsupported"
	reasonDeclined = "content_policy_violation"
	reasonUnserved = "provider_no_model" // the egress knows the model, and its provider does not
	reasonOrder    = "message_order"     // whose turn it is, or how a call is called
	reasonUnknown  = "invalid_encrypted_content"
	reasonBlind    = "vision_unsupported"
)

// kinds of the reasons that an egress passes on, or that servers name.
var kinds = map[string]Kind{
	reasonOverflow: Overflow, "exceed_context_size_error": Overflow, "context_window_exceeded": Overflow, "request_too_large": Overflow, "too_large": Overflow,
	reasonSmall: Small,
	reasonTools: ToolsOff, "tools_off": ToolsOff, "tools_not_supported": ToolsOff,
	"provider_refused": Form, "unsupported_parameter": Form, "unsupported_value": Form, "invalid_request": Form, "unknown_parameter": Form,
	reasonBlind: Form, "reasoning_missing": Form, reasonUnknown: Form, reasonOrder: Form,
	reasonUnserved: NoModel, "model_not_allowed": NoModel, "model_not_found": NoModel, "not_found_error": NoModel, "unknown_model": NoModel, "wrong_protocol": NoModel,
	"invalid_api_key": Auth, "authentication_error": Auth, "permission_error": Auth, "provider_auth": Auth, "provider_unauthorized": Auth,
	"insufficient_quota": Quota, "billing_error": Quota, "provider_quota": Quota, "billing_hard_limit_reached": Quota,
	"overloaded_error": Overloaded, "overloaded": Overloaded, "server_overloaded": Overloaded, "rate_limited": Overloaded, "rate_limit_error": Overloaded,
	"provider_failed": Overloaded, "provider_broke": Paid, "provider_timeout": Paid,
	reasonDeclined: Declined, "moderation_blocked": Declined, "content_filter": Declined,
}

// Kind tells what the refusal is about: by its reason, else by its status.
func (r *Refusal) Kind() Kind {
	if r.Status == http.StatusPaymentRequired {
		return Exhausted
	}
	if k, known := kinds[r.Reason]; known {
		return k
	}
	switch r.Status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests:
		return Overloaded
	case http.StatusUnauthorized, http.StatusForbidden:
		return Auth
	case http.StatusNotFound:
		return NoModel
	case http.StatusRequestEntityTooLarge:
		return Overflow
	}
	if r.Status >= http.StatusInternalServerError {
		return Overloaded
	}
	return Other
}

// KindOf returns what an error is about, "" for one that is no refusal.
func KindOf(err error) Kind {
	if r, ok := errors.AsType[*Refusal](err); ok {
		return r.Kind()
	}
	return ""
}

// Hint says, for whoever runs the model's server, what would help; "" when
// nothing is known.
func Hint(err error) string {
	switch KindOf(err) {
	case ToolsOff:
		return "The model's server takes no tools: start llama.cpp's with --jinja, vLLM's with --enable-auto-tool-choice and --tool-call-parser; in Ollama use a model that has tools."
	case Small, Overflow:
		return small(err)
	case Auth:
		return "The model's provider does not take the operator's key."
	case Quota:
		return "The operator's account with the model's provider is used up."
	case NoModel:
		if r, ok := errors.AsType[*Refusal](err); ok && r.Reason == reasonUnserved {
			return "The model's provider has no model of that name at that address: the operator's list of models is wrong."
		}
	}
	return ""
}

// small is what helps where a model has too little room, "" where it has enough, or
// nobody knows.
func small(err error) string {
	r, ok := errors.AsType[*Refusal](err)
	if !ok || r.Kind() == Overflow && (r.Context == 0 || r.Context >= leastContext) {
		return ""
	}
	holds := "The model holds too little"
	if r.paid {
		holds = fmt.Sprintf("The model's server read %d tokens of what it was sent and dropped the rest without a word", r.Context)
	}
	return fmt.Sprintf("%s: give it %d tokens of context or more, by num_ctx of the model or OLLAMA_CONTEXT_LENGTH for Ollama, -c for llama.cpp, --max-model-len for vLLM, and name them as context in the list of models.", holds, usualContext)
}

// refusal reads why a request was refused. What else the answer says is not
// repeated: it may be anything.
func refusal(resp *http.Response) *Refusal {
	r := &Refusal{Status: resp.StatusCode, after: retryAfter(resp.Header)}
	if raw, err := io.ReadAll(io.LimitReader(resp.Body, maxRefusal)); err == nil {
		r.read(raw)
	}
	return r
}

// read reads the reason.
func (r *Refusal) read(raw []byte) {
	var body struct {
		Reason string          `json:"reason"`
		Error  json.RawMessage `json:"error"`
		fault
	}
	if json.Unmarshal(raw, &body) != nil {
		return
	}
	if known(body.Reason) {
		r.Reason, r.Context = body.Reason, body.Context
		return
	}
	said := body.fault
	if given(body.Error) && json.Unmarshal(body.Error, &said) != nil {
		return
	}
	r.Reason, r.Context = said.reason(raw), said.Context
}

// fault is what servers say of an error, each in its own way: the code is a word
// or a number, and the type says more, or less.
type fault struct {
	Code    json.RawMessage `json:"code"`
	Type    string          `json:"type"`
	Context int             `json:"n_ctx"`
}

// reason is the word that says most.
func (f fault) reason(said []byte) string {
	code := text(f.Code)
	for _, word := range []string{code, f.Type} {
		if _, telling := kinds[word]; telling {
			return word
		}
	}
	// What servers have no word for, they say.
	said = bytes.ToLower(said)
	for _, p := range phrases {
		if bytes.Contains(said, []byte(p.said)) {
			return p.reason
		}
	}
	if code == "invalid_request_error" || f.Type == "invalid_request_error" || f.Type == "BadRequestError" {
		return "provider_refused"
	}
	if known(code) {
		return code
	}
	return ""
}

// phrases are a part of what servers say in place of a word.
var phrases = []struct{ said, reason string }{
	{"--jinja", reasonTools}, {"--enable-auto-tool-choice", reasonTools}, {"does not support tools", reasonTools}, {"unsupported param: tools", reasonTools},
	{"maximum context length", reasonOverflow}, {"available context size", reasonOverflow}, {"prompt is too long", reasonOverflow}, {"context window", reasonOverflow},
	{"roles must alternate", reasonOrder}, {"unexpected role", reasonOrder}, {"invalid_request_message_order", reasonOrder}, {"with a length of 9", reasonOrder},
}

// known reports whether a reason looks like one of the egress's.
func known(reason string) bool {
	return reason != "" && len(reason) <= 64 && strings.Trim(reason, "abcdefghijklmnopqrstuvwxyz_") == ""
}
