package egress

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/svc-games/svc/api/contract"
)

// relayed passes a stream of the messages wire on that is written as time goes by.
func relayed(t *testing.T, write func(say func(kind, data string))) (string, []contract.Unit, error) {
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	out, in := io.Pipe()
	context.AfterFunc(ctx, func() { in.CloseWithError(context.Cause(ctx)) })
	var writer sync.WaitGroup
	defer writer.Wait()
	writer.Go(func() {
		write(func(kind, data string) { _, _ = in.Write(named(kind, []byte(data))) })
		in.Close()
	})
	timer := time.AfterFunc(DefaultFirstToken, func() { cancel(errStalled) })
	answer := &http.Response{
		Header: http.Header{"Content-Type": {"text/event-stream"}},
		Body:   &watchedBody{ReadCloser: out, ctx: ctx, cancel: cancel, timer: timer, idle: DefaultStall},
	}
	defer answer.Body.Close()
	engine := httptest.NewRecorder()
	held := &heldEnd{ResponseWriter: engine}
	m := &meter{model: "author", input: 5, most: 1000}
	cost, _, err := relayOf(m, &messagesWire{meter: m}, true)(held, answer)
	held.release()
	return engine.Body.String(), cost, err
}

const (
	pinged  = `{"type":"ping"}`
	wroteIt = `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hello"}}`
	stopped = `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":3,"output_tokens":2}}`
)

func TestModelMayThinkLongerThanItMayStandStill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got, cost, err := relayed(t, func(say func(kind, data string)) {
			time.Sleep(DefaultFirstToken - time.Second)
			say("content_block_delta", wroteIt)
			time.Sleep(DefaultStall - time.Second)
			say("message_delta", stopped)
			say("message_stop", `{"type":"message_stop"}`)
		})
		if err != nil || !strings.HasSuffix(got, string(messagesEnd)) || len(cost) != 2 || cost[1].Quantity != 2 {
			t.Errorf("got %q, %v, %v", got, cost, err)
		}
	})
}

func TestSignsOfLifeGiveTheFirstTokenNoMoreTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		got, cost, err := relayed(t, func(say func(kind, data string)) {
			for time.Since(began) < DefaultFirstToken+10*time.Second {
				time.Sleep(time.Second)
				say("ping", pinged)
			}
		})
		if !errors.Is(err, errStalled) || cost != nil || !strings.Contains(got, "provider_timeout") {
			t.Errorf("after %s: %v, %v", time.Since(began), cost, err)
		}
	})
}

func TestAnswerThatStandsStillIsBrokenOffAndChargedAtItsLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		got, cost, err := relayed(t, func(say func(kind, data string)) {
			say("content_block_delta", wroteIt)
			time.Sleep(2 * DefaultStall)
		})
		if !errors.Is(err, errStalled) || cost != nil || !strings.Contains(got, "provider_timeout") || time.Since(began) < DefaultStall {
			t.Errorf("after %s: %q, %v, %v", time.Since(began), got, cost, err)
		}
	})
}
