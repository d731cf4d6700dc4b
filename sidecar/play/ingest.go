package play

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/analytics"
)

// recordTimeout bounds the recording of a request. The library sends it again.
const recordTimeout = 10 * time.Second

// batch takes the events of a game that is played.
func (p *Play) batch(w http.ResponseWriter, r *http.Request) {
	body, ok := p.readBody(w, r)
	if !ok {
		return
	}
	b, err := play.ParseBatch(body)
	var grant sidecar.PlayGrant
	var t token
	if err == nil {
		grant, err = p.admit(r.Context(), b.Game, b.Key)
	}
	if err == nil {
		t, err = p.proven(r, grant, proof{b.Game, b.Player, b.Token, b.Stream, time.Duration(b.Age) * time.Millisecond})
	}
	if err == nil {
		err = tooMany(p.Rates.takeStream(b.Game, b.Stream))
	}
	if err != nil {
		p.refuse(w, r, err)
		return
	}
	r, cancel := recording(r)
	defer cancel()
	answer, err := p.record(r.Context(), b, t, grant.JobID)
	if err != nil {
		p.refuse(w, r, err)
		return
	}
	writeJSON(w, statusOf(answer), answer)
}

// statusOf is that of an answer. The library forgets what is acknowledged all the same.
func statusOf(answer play.Answer) int {
	if answer.Mode == play.ModeEssential {
		return http.StatusPaymentRequired
	}
	return http.StatusOK
}

// formerBatch takes those of the library before there were batches.
func (p *Play) formerBatch(w http.ResponseWriter, r *http.Request) {
	body, ok := p.readBody(w, r)
	if !ok {
		return
	}
	key, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	batches, err := play.ParseFormer(body, key)
	if err == nil && len(batches) > 0 {
		var grant sidecar.PlayGrant
		if grant, err = p.admit(r.Context(), batches[0].Game, key); err == nil {
			_, err = p.proven(r, grant, proof{game: batches[0].Game})
		}
	}
	if err == nil && len(batches) > 0 {
		var wait time.Duration
		for _, b := range batches { // before any is recorded: what comes again counts again
			wait = max(wait, p.Rates.takeStream(b.Game, b.Stream))
		}
		err = tooMany(wait)
	}
	if err != nil {
		p.refuse(w, r, err)
		return
	}
	r, cancel := recording(r)
	defer cancel()
	status := http.StatusOK
	for _, b := range batches {
		if err == nil {
			var answer play.Answer
			answer, err = p.record(r.Context(), b, token{Class: analytics.ClassPublic, Player: b.Player}, "")
			status = max(status, statusOf(answer))
		}
	}
	if err != nil {
		p.refuse(w, r, err)
		return
	}
	writeJSON(w, status, play.Health{OK: status == http.StatusOK})
}

// formerBoard answers a score of that library with a board that has no rows.
func (p *Play) formerBoard(w http.ResponseWriter, r *http.Request) {
	if _, ok := p.readBody(w, r); ok {
		writeJSON(w, http.StatusOK, struct {
			Rank *int     `json:"rank"`
			Top  []string `json:"top"`
		}{Top: []string{}})
	}
}

// record has a batch recorded as what its token proves, of the build that is published or
// that the token names, or of none. Anybody can name any build.
func (p *Play) record(ctx context.Context, b play.Batch, t token, published string) (play.Answer, error) {
	arrived := analytics.Arrival{Batch: b, Class: t.Class, Proven: t.Name != ""}
	arrived.Player = t.Player
	if b.Build != published {
		arrived.Build = t.Build
	}
	log, err := p.Recorder(ctx)
	if err != nil {
		return play.Answer{}, err
	}
	return log.Record(ctx, arrived)
}

// recording returns a request whose end is that of the recording of what it brought: a
// page that closes does not end that.
func recording(r *http.Request) (*http.Request, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), recordTimeout)
	return r.WithContext(ctx), cancel
}

// left reports whether a request's client went away before it was answered.
func left(r *http.Request) bool { return errors.Is(r.Context().Err(), context.Canceled) }

// admit returns what a key is good for, or an *answers.Error for one that is not the game's.
func (p *Play) admit(ctx context.Context, game, key string) (sidecar.PlayGrant, error) {
	grant, err := p.Known.of(game, key, func() (sidecar.PlayGrant, error) { return p.Catalog.KeyGrant(ctx, game, key) })
	if err == nil && grant.JobID == "" {
		err = &answers.Error{Status: http.StatusUnauthorized, Message: "The key is not that of a published game."}
	}
	return grant, err
}

// health answers svc.health.
func (p *Play) health(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, play.Health{OK: true})
}

// preflight lets the former library send its header; the present one needs none.
func preflight(w http.ResponseWriter, _ *http.Request) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Allow-Methods", "GET, POST")
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type")
	h.Set("Access-Control-Max-Age", "7200")
	w.WriteHeader(http.StatusNoContent)
}

// tooMany returns the refusal of a request that is to wait, nil for one that need not.
func tooMany(wait time.Duration) error {
	if wait <= 0 {
		return nil
	}
	return &answers.Error{Status: http.StatusTooManyRequests, Message: "Too many requests; wait.", RetryAfter: wait}
}

// readBody reads the body of a request, or refuses it.
func (p *Play) readBody(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	if err := tooMany(p.Rates.take(ofAddress, addressOf(r), maxPerAddress)); err != nil {
		p.refuse(w, r, err)
		return nil, false
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, play.MaxBody))
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &over):
		writeError(w, http.StatusRequestEntityTooLarge, "The body is too large.")
	case err != nil:
		writeError(w, http.StatusBadRequest, "The body could not be read.")
	}
	return body, err == nil
}

// refuse answers a request whose events are not recorded. Of one whose client went away
// that is no error.
func (p *Play) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if left(r) {
		return
	}
	var refused *answers.Error
	if errors.As(err, &refused) {
		retryLater(w, refused)
		writeError(w, refused.Status, refused.Message)
		return
	}
	p.Logger.Error("events not recorded", zap.Error(err))
	w.Header().Set("Retry-After", "5")
	writeError(w, http.StatusServiceUnavailable, "Events can't be recorded right now.")
}

// retryLater says when a refused request may come again.
func retryLater(w http.ResponseWriter, refused *answers.Error) {
	if refused.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(refused.RetryAfter.Seconds()))))
	}
}

func writeError(w http.ResponseWriter, status int, message string) {
	writeJSON(w, status, struct {
		Error string `json:"error"`
	}{message})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a browser that went away is no error of ours
}
