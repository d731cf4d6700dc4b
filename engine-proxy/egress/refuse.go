package egress

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/svc-games/svc/api/contract"
)

// refusal is an answer that is not a model's. Its body is {error, reason}: a
// sentence, and a word that programs go by. It says nothing of the provider
// but what the engine can act on.
type refusal struct {
	status     int
	reason     string
	message    string
	retryAfter time.Duration // Retry-After; 0: none
	cause      error         // for the log

	context       int64 // tokens that the model holds, where its server said so
	streamOptions bool  // it is stream_options that the server does not take
}

type refusalBody struct {
	Error  string `json:"error"`
	Reason string `json:"reason"`
}

func refuse(status int, reason, message string, args ...any) *refusal {
	return &refusal{status: status, reason: reason, message: fmt.Sprintf(message, args...)}
}

// invalid is the 400 of a request that can't be passed on.
func invalid(message string, args ...any) *refusal {
	return refuse(http.StatusBadRequest, "invalid_request", message, args...)
}

// unavailable is the 503 while a call can't be accounted for.
func unavailable(cause error) *refusal {
	return &refusal{
		status: http.StatusServiceUnavailable, reason: "unavailable", retryAfter: time.Second, cause: cause,
		message: "Calls can't be accounted for right now.",
	}
}

// damaged is the 503 of a project whose calls can't be accounted for before
// somebody has repaired its journal.
func damaged(cause error) *refusal {
	r := unavailable(cause)
	r.message = "Calls can't be accounted for: the project's journal of calls is damaged."
	r.retryAfter = 0
	return r
}

// failed is the 502 of a provider whose answer is no use.
func failed(cause error) *refusal {
	return &refusal{
		status: http.StatusBadGateway, reason: "provider_failed", cause: cause,
		message: "The model's provider failed.",
	}
}

// paid is the refusal of a call that cost so much, nil its limit. Where it cost
// anything the engine is told, for the same call would be paid again.
func (r *refusal) paid(cost []contract.Unit) *refusal {
	if r == nil || cost != nil && len(cost) == 0 {
		return r
	}
	switch r.reason {
	case "provider_failed", "rate_limited", "overloaded":
		paid := failed(r.cause)
		paid.reason, paid.message = "provider_broke", "The model's provider broke its answer off. The call is charged."
		return paid
	}
	return r
}

// slow is the 504 of a provider that took too long.
func slow(cause error) *refusal {
	return &refusal{
		status: http.StatusGatewayTimeout, reason: "provider_timeout", cause: cause,
		message: "The model's provider did not answer in time.",
	}
}

func (r *refusal) body() []byte {
	raw, err := json.Marshal(refusalBody{r.message, r.reason})
	if err != nil {
		panic(err) // two strings always marshal
	}
	return raw
}

func (r *refusal) writeTo(w http.ResponseWriter) {
	h := w.Header()
	if r.retryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int((r.retryAfter+time.Second-1)/time.Second)))
	}
	if r.status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", "Bearer")
	}
	h.Set("Content-Type", "application/json")
	w.WriteHeader(r.status)
	_, _ = w.Write(append(r.body(), '\n')) // the engine has left
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the engine has left
}
