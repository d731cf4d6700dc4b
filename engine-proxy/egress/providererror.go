package egress

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
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
	"context_length_exceeded", "content_policy_violation", "content_filter", "moderation_blocked",
	"unsupported_parameter", "unsupported_value", "invalid_encrypted_content",
}

// providerError is what a provider says of a failure, in whatever shape.
type providerError struct {
	Code    any    `json:"code"`
	Type    string `json:"type"`
	Message string `json:"message"`
	Context int64  `json:"n_ctx"`
	Prompt  int64  `json:"n_prompt_tokens"`
}

// readError reads an error: below error, at the top, or the first of a list. One of
// another shape is all message.
func readError(raw []byte) providerError {
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
	if json.Unmarshal(raw, &e) != nil || e.Message == "" && e.code() == "" {
		e.Message = string(raw)
	}
	return e
}

// Reasons that are known by words.
const (
	reasonOverflow = "context_length_exceeded"
	reasonAuth     = "provider_auth"
	reasonQuota    = "provider_quota"
)

// known are the words by which servers say what has no code, or what their status
// does not say: that an account is used up is a 429 or a 400 for some of them, and a
// wrong key a 400.
var known = []struct {
	reason string
	words  []string // in lower case
}{
	{reasonQuota, []string{
		"insufficient_quota", "billing_error", "billing_hard_limit_reached", "insufficient_balance",
		"exceeded_current_quota", "credit balance is too low",
	}},
	{reasonAuth, []string{"api key not valid", "incorrect api key"}},
	{reasonOverflow, []string{
		"exceed_context_size", "context length", "context size", "context window", "context limit",
		"prompt is too long", "prompt too long", "input is too long", "maximum prompt length", "maximum number of tokens",
		"maximum allowed input length", "model token limit", "reduce the length", "request_too_large",
	}},
	{"content_policy_violation", []string{"content management policy", "requires moderation", "was flagged"}},
	{"tools_unsupported", []string{"requires --jinja", "--enable-auto-tool-choice", "does not support tools"}},
	{"message_order", []string{"roles must alternate", "unexpected role", "invalid_request_message_order", "with a length of 9"}},
	{"vision_unsupported", []string{"image input is not supported", "image_url is only supported", "does not support image", "mmproj"}},
	{"reasoning_missing", []string{"reasoning_content", "thought_signature", "`signature` in `thinking`", "expected `thinking`"}},
}

// code is the provider's word, "" for a number.
func (e providerError) code() string {
	if code, _ := e.Code.(string); code != "" {
		return code
	}
	return e.Type
}

// words are all that was said, in lower case.
func (e providerError) words() string {
	return strings.ToLower(fmt.Sprint(e.Code, " ", e.Type, " ", e.Message))
}

// reason is the word for an error that programs go by, "" when there is none.
func (e providerError) reason() string {
	if code := e.code(); slices.Contains(passedCodes, code) {
		return code
	}
	said := e.words()
	for _, k := range known {
		if slices.ContainsFunc(k.words, func(w string) bool { return strings.Contains(said, w) }) {
			return k.reason
		}
	}
	return ""
}

// statuses are those that errors within a 200 would have had.
var statuses = map[string]int{
	"rate_limit_exceeded": http.StatusTooManyRequests, "rate_limit_error": http.StatusTooManyRequests,
	"overloaded_error": statusOverloaded, "server_is_overloaded": statusOverloaded, "slow_down": statusOverloaded,
	"authentication_error": http.StatusUnauthorized, "invalid_api_key": http.StatusUnauthorized, "permission_error": http.StatusForbidden,
	"not_found_error": http.StatusNotFound, "model_not_found": http.StatusNotFound,
	"invalid_request_error": http.StatusBadRequest, "invalid_prompt": http.StatusBadRequest, "BadRequestError": http.StatusBadRequest,
}

// status is what an error within a 200 would have had: its code, or what its words are
// of.
func (e providerError) status() int {
	code, err := strconv.Atoi(fmt.Sprint(e.Code))
	if err == nil && code >= http.StatusBadRequest && code < 600 {
		return code
	}
	if e.reason() != "" {
		return http.StatusBadRequest
	}
	for _, word := range []string{e.code(), e.Type} {
		if status := statuses[word]; status != 0 {
			return status
		}
	}
	return http.StatusInternalServerError
}

// saidError is an error that a provider reports within a 200.
type saidError struct{ providerError }

func (saidError) Error() string { return "the answer is an error" }

// errorOf is the error that stands within a 200.
func errorOf(raw []byte) error { return saidError{readError(raw)} }

// isSaid reports whether a provider says within a 200 that it failed.
func isSaid(err error) bool {
	var said saidError
	return errors.As(err, &said)
}

// refusalOf translates what a provider refuses. Its own words may hold its
// address, or a part of the key.
func refusalOf(res *http.Response) *refusal {
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxErrorBody))
	if err != nil {
		raw = nil
	}
	return readError(raw).refusal(res.StatusCode, retryAfter(res.Header), fmt.Errorf("the provider answered with status %d", res.StatusCode))
}

// refusal is an error of a status. The provider is to be asked again after a pause at
// least, if at all.
func (e providerError) refusal(status int, pause time.Duration, cause error) *refusal {
	reason := e.reason()
	r := &refusal{status: http.StatusBadGateway, reason: reason, cause: cause}
	switch {
	case status == statusOverloaded:
		return busyProvider("overloaded", "The model's provider is overloaded.", pause, cause)
	case reason == reasonQuota, status == http.StatusPaymentRequired:
		r.reason, r.message = reasonQuota, "The operator's account with the model's provider is used up."
		return r
	case reason == reasonAuth, status == http.StatusUnauthorized, status == http.StatusForbidden && reason == "":
		r.reason, r.message = reasonAuth, "The model's provider does not take the operator's key."
		return r
	case status == http.StatusNotFound && reason == "":
		r.reason, r.message = "provider_no_model", "The model's provider has no such model, or speaks another protocol."
		return r
	case status == http.StatusTooManyRequests:
		return busyProvider("rate_limited", "The model's provider takes no more calls for now.", pause, cause)
	case status == http.StatusRequestEntityTooLarge && reason == "":
		r.reason = reasonOverflow
	case status == http.StatusBadRequest && reason == "", status == http.StatusUnprocessableEntity && reason == "":
		r.reason = "provider_refused"
	case reason == "" || status < http.StatusBadRequest:
		return failed(cause)
	}
	r.status, r.message, r.context = http.StatusBadRequest, "The model's provider refused the request.", e.Context
	r.streamOptions = strings.Contains(e.words(), "stream_options")
	if e.Context > 0 && e.Prompt > 0 {
		r.message = fmt.Sprintf("The request has %d tokens, and the model takes %d.", e.Prompt, e.Context)
	}
	return r
}

// busyProvider is the 429 of a provider that is to be asked again later.
func busyProvider(reason, message string, pause time.Duration, cause error) *refusal {
	return &refusal{status: http.StatusTooManyRequests, reason: reason, cause: cause, message: message, retryAfter: max(pause, time.Second)}
}
