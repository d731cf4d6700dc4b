package model

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// script is an endpoint without a network: it answers with pieces, each after its
// pause, by the clock of the test.
type script []struct {
	after time.Duration
	piece string
}

func (s script) RoundTrip(r *http.Request) (*http.Response, error) {
	out, in := io.Pipe()
	go func() {
		for _, step := range s {
			select {
			case <-time.After(step.after):
			case <-r.Context().Done():
				in.CloseWithError(context.Cause(r.Context()))
				return
			}
			if _, err := io.WriteString(in, step.piece); err != nil {
				return
			}
		}
		in.Close()
	}()
	return &http.Response{StatusCode: http.StatusOK, Body: out, Header: http.Header{}}, nil
}

// scripted is a client of an endpoint that answers by script.
func scripted(t *testing.T, s http.RoundTripper) *Client {
	t.Helper()
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := New(Options{TokenFile: token})
	c.http.Transport = s
	return c
}

const (
	pieceWord = `data: {"choices":[{"delta":{"content":"word"}}]}` + "\n\n"
	pieceRole = `data: {"choices":[{"delta":{"role":"assistant","content":""}}]}` + "\n\n"
	pieceSign = ": still here\n\n"
	pieceEnd  = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
)

func TestSilenceIsBorneBeforeTheFirstTokenAndLessAfterIt(t *testing.T) {
	for name, tc := range map[string]struct {
		script script
		first  float64 // of the list of models, in seconds
		took   time.Duration
		fails  error
	}{
		"reasons for 200 s":        {script: script{{0, pieceRole}, {200 * time.Second, pieceWord}, {0, pieceEnd}}, took: 200 * time.Second},
		"says nothing":             {script: script{{0, pieceRole}, {time.Hour, pieceWord}}, took: 300 * time.Second, fails: errSilent},
		"may take longer":          {script: script{{0, pieceRole}, {500 * time.Second, pieceWord}, {0, pieceEnd}}, first: 600, took: 500 * time.Second},
		"may take less":            {script: script{{0, pieceRole}, {500 * time.Second, pieceWord}, {0, pieceEnd}}, first: 20, took: 20 * time.Second, fails: errSilent},
		"falls silent":             {script: script{{0, pieceWord}, {80 * time.Second, pieceWord}, {time.Hour, pieceEnd}}, took: 170 * time.Second, fails: errStalled},
		"gives signs of life":      {script: script{{0, pieceWord}, {80 * time.Second, pieceSign}, {80 * time.Second, pieceSign}, {80 * time.Second, pieceEnd}}, took: 240 * time.Second},
		"says a word in a while":   {script: slowly(), took: 15 * time.Minute, fails: errSlow},
		"gives signs and no words": {script: script{{299 * time.Second, pieceSign}, {299 * time.Second, pieceSign}, {301 * time.Second, pieceWord}}, took: 898 * time.Second, fails: errSilent},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := scripted(t, tc.script)
				c.offers.set([]Offer{{Name: "m", Use: UseChat, FirstToken: tc.first}})
				began := time.Now()
				_, err := c.Chat(t.Context(), Request{Model: "m"})
				if !errors.Is(err, tc.fails) || tc.fails != nil && !errors.Is(err, ErrBroken) || time.Since(began) != tc.took {
					t.Errorf("%v after %v", err, time.Since(began))
				}
			})
		})
	}
}

func slowly() script {
	var s script
	for range 60 {
		s = append(s, script{{time.Minute, pieceWord}}...)
	}
	return s
}
