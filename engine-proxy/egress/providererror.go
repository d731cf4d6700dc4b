package egress

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

const (
	maxErrorBody = 64 << 10
	// statusOverloaded is Anthropic's.
	statusOverloaded = 529
)

// passedCodes are the causes of a 400 that an engine can do something about.
var passedCodes = []string{
	"context_length_exceeded", "content_policy_violation", "moderation_blocked", "unsupported_parameter", "unsupported_value",
	"invalid_encrypted_content",
}

// providerError is what a provider says of a failure, in whatever shape.
type providerError struct {
	Code    any    `json:"code"`
	Type    string `json:"type"`
	Message string `json:"message"`
	Context int64  `json:"n_ctx"`
	Prompt  int64  `json:"n_prompt_tokens"`
}

// readError reads an error: below error, at the top, or the first of a list.
func readError(body io.Reader) providerError {
	raw, err := io.ReadAll(io.LimitReader(body, maxErrorBody))
	if err != nil {
		return providerError{}
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil && len(list) > 0 {
		raw = list[0]
	}
	var nested struct {
		Error json.RawMessage `json:"error"`
	}
	var e providerError
	if json.Unmarshal(raw, &nested) == nil && !isNull(nested.Error) {
		raw = nested.Error
	}
	if json.Unmarshal(raw, &e) != nil {
		e.Message = string(raw)
	}
	return e
}

// known are the words by which servers say what has no code.
var known = []struct {
	reason string
	words  []string // in lower case
}{
	{"context_length_exceeded", []string{"exceed_context_size", "maximum context length", "prompt is too long", "exceeds the available context size", "context window"}},
	{"tools_unsupported", []string{"requires --jinja", "--enable-auto-tool-choice", "does not support tools"}},
	{"vision_unsupported", []string{"image input is not supported", "image_url is only supported", "does not support image", "mmproj"}},
	{"reasoning_missing", []string{"reasoning_content", "thought_signature", "`signature` in `thinking`", "expected `thinking`"}},
}

// accountCodes are how providers say that an account is used up, some of them with a
// 429 that will not pass.
var accountCodes = []string{"insufficient_quota", "billing_error", "billing_hard_limit_reached", "insufficient_balance"}

// code is the provider's word, "" for a number.
func (e providerError) code() string {
	if code, _ := e.Code.(string); code != "" {
		return code
	}
	return e.Type
}

// reason is the word for an error that programs go by, "" when there is none.
func (e providerError) reason() string {
	code, _ := e.Code.(string)
	if slices.Contains(passedCodes, code) {
		return code
	}
	said := strings.ToLower(code + " " + e.Type + " " + e.Message)
	for _, k := range known {
		if slices.ContainsFunc(k.words, func(w string) bool { return strings.Contains(said, w) }) {
			return k.reason
		}
	}
	return ""
}

// refusalOf translates what a provider refuses. Its own words may hold its
// address, or a part of the key.
func refusalOf(res *http.Response) *refusal {
	cause := fmt.Errorf("the provider answered with status %d", res.StatusCode)
	said := readError(res.Body)
	switch status := res.StatusCode; {
	case status == statusOverloaded:
		return busyProvider("overloaded", "The model's provider is overloaded.", res, cause)
	case slices.Contains(accountCodes, said.code()), status == http.StatusPaymentRequired:
		return &refusal{
			status: http.StatusBadGateway, reason: "provider_quota", cause: cause,
			message: "The operator's account with the model's provider is used up.",
		}
	case status == http.StatusUnauthorized, status == http.StatusForbidden && said.reason() == "":
		return &refusal{
			status: http.StatusBadGateway, reason: "provider_auth", cause: cause,
			message: "The model's provider does not take the operator's key.",
		}
	case status == http.StatusNotFound && said.reason() == "":
		return &refusal{
			status: http.StatusBadGateway, reason: "provider_no_model", cause: cause,
			message: "The model's provider has no such model, or speaks another protocol.",
		}
	case status == http.StatusTooManyRequests:
		return busyProvider("rate_limited", "The model's provider takes no more calls for now.", res, cause)
	case status == http.StatusBadRequest, status == http.StatusUnprocessableEntity, status == http.StatusRequestEntityTooLarge,
		said.reason() != "" && status >= http.StatusBadRequest:
		r := &refusal{
			status: http.StatusBadRequest, reason: "provider_refused", cause: cause,
			message: "The model's provider refused the request.",
		}
		if reason := said.reason(); reason != "" {
			r.reason = reason
		}
		if said.Context > 0 && said.Prompt > 0 {
			r.message = fmt.Sprintf("The request has %d tokens, and the model takes %d.", said.Prompt, said.Context)
		}
		return r
	}
	return failed(cause)
}

// busyProvider is the 429 of a provider that is to be asked again later.
func busyProvider(reason, message string, res *http.Response, cause error) *refusal {
	return &refusal{status: http.StatusTooManyRequests, reason: reason, cause: cause, message: message, retryAfter: max(retryAfter(res.Header), time.Second)}
}
