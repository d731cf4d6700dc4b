package fakeengine

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/contract"
)

// Runs that are no JSON: one has no answer, and the answer to the other is none.
const (
	RunWithoutEnd   = "without end"
	RunThatSaysMuch = "much"
)

// Replays answers as an engine without a volume does. A run is the JSON of the
// contract.ReplayEnding that it comes to, whose steps are the size of the game's ZIP.
func Replays(projectID, instanceID, token string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+contract.PathReady, func(w http.ResponseWriter, _ *http.Request) {
		answer(w, contract.Ready{InstanceID: instanceID, ProjectID: projectID, FeedID: "none", Version: "fake"})
	})
	mux.HandleFunc("POST "+contract.PathReplay, func(w http.ResponseWriter, r *http.Request) {
		body := bufio.NewReader(r.Body)
		line, err := body.ReadBytes('\n')
		var runs []contract.Replay
		if err == nil {
			err = json.Unmarshal(line, &runs)
		}
		size, sizeErr := io.Copy(io.Discard, body)
		if err != nil || sizeErr != nil {
			answers.BadRequest("The body has no runs, or no game.").WriteTo(w)
			return
		}
		var out contract.Replayed
		for _, run := range runs {
			switch run.Log {
			case RunWithoutEnd:
				<-r.Context().Done()
				return
			case RunThatSaysMuch:
				_, _ = io.WriteString(w, strings.Repeat("x", 2<<20))
				return
			}
			var e contract.ReplayEnding
			if err := json.Unmarshal([]byte(run.Log), &e); err != nil {
				e.Failed = err.Error()
			}
			e.Stream, e.Run, e.Steps = run.Stream, run.Run, size
			out.Endings = append(out.Endings, e)
		}
		answer(w, out)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(contract.HeaderInstance, instanceID)
		if r.Header.Get("Authorization") != "Bearer "+token {
			(&answers.Error{Status: http.StatusUnauthorized, Message: "This is not the instance's token."}).WriteTo(w)
			return
		}
		mux.ServeHTTP(w, r)
	})
}
