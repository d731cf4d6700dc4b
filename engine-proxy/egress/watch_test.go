package egress

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api/contract"
)

// transport is a provider without a network.
type transport func(*http.Request) *http.Response

func (answer transport) RoundTrip(r *http.Request) (*http.Response, error) { return answer(r), nil }

// relayed passes a stream of the messages wire on that is written as time goes by.
func relayed(t *testing.T, write func(say func(kind, data string))) (string, []contract.Unit, error) {
	return relayedAndKept(t, nil, write)
}

// relayedAndKept is relayed with a recorder, nil for none.
func relayedAndKept(t *testing.T, by *recorder, write func(say func(kind, data string))) (string, []contract.Unit, error) {
	var writer sync.WaitGroup
	defer writer.Wait()
	p := &provider{recorder: by}
	p.client.Transport = transport(func(r *http.Request) *http.Response {
		out, in := io.Pipe()
		context.AfterFunc(r.Context(), func() { in.CloseWithError(context.Cause(r.Context())) })
		writer.Go(func() {
			write(func(kind, data string) { _, _ = in.Write(named(kind, []byte(data))) })
			in.Close()
		})
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: out, Request: r}
	})
	m := &meter{model: "author", input: 5, most: 1000}
	of := &offered{Model: Model{Name: "author"}, at: &Endpoint{URL: "http://models.example"}, first: DefaultFirstToken, stall: DefaultStall}
	c := of.call([]byte(`{"model":"author"}`), m, &messagesWire{meter: m}, true)
	c.route = routeOf("/v1" + paths[ProtocolMessages])
	answer, _, refused := p.send(t.Context(), c)
	if refused != nil {
		t.Fatal(refused)
	}
	defer answer.Body.Close()
	engine := httptest.NewRecorder()
	held := &heldEnd{ResponseWriter: engine}
	cost, refused, err := c.relay(held, answer)
	if refused != nil {
		refused.paid(cost).writeTo(held)
		err = refused.cause
	}
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

func TestAnAnswerThatIsRecordedIsWatchedAsAnyOther(t *testing.T) {
	for _, tt := range []struct {
		name  string
		pause time.Duration
		whole bool
	}{{"one that goes on", DefaultStall - time.Second, true}, {"one that stands still", 2 * DefaultStall, false}} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				by := &recorder{folder: t.TempDir(), log: zap.NewNop()}
				got, cost, err := relayedAndKept(t, by, func(say func(kind, data string)) {
					for time.Since(began) < 2*DefaultFirstToken {
						say("content_block_delta", wroteIt)
						time.Sleep(tt.pause)
					}
					say("message_delta", stopped)
					say("message_stop", `{"type":"message_stop"}`)
				})
				whole := err == nil && strings.HasSuffix(got, string(messagesEnd))
				if whole != tt.whole || !whole && (!errors.Is(err, errStalled) || strings.Count(got, "hello") != 1) {
					t.Errorf("got %q, %v, %v", got, cost, err)
				}
				tapes, err := filepath.Glob(filepath.Join(by.folder, "author", "*"))
				if err != nil || (len(tapes) == 1) != tt.whole {
					t.Errorf("recorded %v, %v", tapes, err)
				}
			})
		})
	}
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
