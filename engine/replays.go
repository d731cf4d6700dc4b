package engine

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/gamezip"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/sim"
)

const (
	// maxSources bounds the sources of a game whose runs are played again, in bytes.
	maxSources = 8 << 20
	// maxReplayBody bounds a request: the runs, and the game's ZIP.
	maxReplayBody = gamezip.MaxBytes + 4<<20
	// replayTimeout bounds the replay of one request's runs.
	replayTimeout = time.Minute
	// replayLeast is what a run has of it, and replayFaster how much faster than it was
	// played it must be played again besides.
	replayLeast, replayFaster = 2 * time.Second, 20
	// replaySteps are those of a day, which no run has.
	replaySteps = 24 * 60 * 60 * 60
	// noFeed is the feed of an engine without a volume, which reports nothing.
	noFeed = "none"
)

// ServeReplays runs an engine without a volume until ctx ends, and then returns nil. It
// plays runs of players again, each game in a process of its own, and does nothing else.
func ServeReplays(ctx context.Context, cfg Config, judge sim.Judge) error {
	if cfg.Token == "" {
		return errors.New("the instance's token is empty")
	}
	s := newServer(cfg)
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+contract.PathReady, func(w http.ResponseWriter, r *http.Request) {
		s.answer(w, r, contract.Ready{InstanceID: cfg.InstanceID, ProjectID: cfg.ProjectID, FeedID: noFeed, Version: cfg.Version}, nil)
	})
	mux.HandleFunc("POST "+contract.PathReplay, func(w http.ResponseWriter, r *http.Request) {
		endings, err := replay(w, r, judge)
		s.answer(w, r, contract.Replayed{Endings: endings}, err)
	})
	mux.Handle("/", refusal(answers.Error{Status: http.StatusNotFound, Message: "There is no such route."}))
	return s.serve(ctx, s.authorized(mux), func(ctx context.Context) error {
		cfg.Log.Info("engine ready to play runs again", zap.String("instance", cfg.InstanceID))
		<-ctx.Done()
		return nil
	})
}

func (s *server) answer(w http.ResponseWriter, r *http.Request, body any, err error) {
	if err := answerWith(w, body, err); err != nil {
		s.refuse(w, r, err)
	}
}

// replay plays the runs of a request again. A game whose runs can't be is no failure of
// the engine: each run says why.
func replay(w http.ResponseWriter, r *http.Request, judge sim.Judge) ([]contract.ReplayEnding, error) {
	runs, archive, err := readReplay(http.MaxBytesReader(w, r.Body, maxReplayBody))
	if err != nil {
		return nil, err
	}
	files, err := sourcesOf(archive)
	if err != nil {
		return nil, err
	}
	endings := make([]contract.ReplayEnding, 0, len(runs))
	for _, run := range runs {
		e, err := replayRun(r.Context(), judge, files, run, shareOf(run, len(runs)))
		if err != nil {
			return nil, err
		}
		endings = append(endings, e)
	}
	return endings, nil
}

// shareOf is how long the replay of a run may take that is one of so many.
func shareOf(run contract.Replay, runs int) time.Duration {
	length := time.Duration(min(max(0, run.Steps), replaySteps)) * time.Second / 60
	return min(replayLeast+length/replayFaster, replayTimeout/time.Duration(runs))
}

// replayRun plays one run again within its share of the time, so that one without an end
// costs no other its verdict. Its error is ctx's.
func replayRun(ctx context.Context, judge sim.Judge, files compile.Files, run contract.Replay, share time.Duration) (e contract.ReplayEnding, err error) {
	within, cancel := context.WithTimeout(ctx, share)
	defer cancel()
	played, err := judge.Replay(within, files, []contract.Replay{run})
	switch {
	case ctx.Err() != nil:
		return e, ctx.Err()
	case within.Err() != nil:
		e.Failed = contract.ReplayTooLong
	case err != nil:
		e.Failed = sim.Brief(err.Error())
	default:
		e = played[0]
	}
	e.Stream, e.Run = run.Stream, run.Run
	return e, nil
}

// readReplay reads the body of a request: a line of JSON with the runs, and the ZIP of
// their game.
func readReplay(body io.Reader) ([]contract.Replay, []byte, error) {
	from := bufio.NewReader(body)
	line, err := from.ReadBytes('\n')
	var runs []contract.Replay
	if err == nil {
		err = json.Unmarshal(line, &runs)
	}
	if err != nil || len(runs) == 0 || len(runs) > contract.MaxReplays {
		return nil, nil, answers.BadRequest("The body must begin with a line of 1 to %d runs.", contract.MaxReplays)
	}
	archive, err := io.ReadAll(from)
	if err != nil {
		return nil, nil, answers.BadRequest("The game's ZIP could not be read.")
	}
	return runs, archive, nil
}

// sourcesOf returns the sources of a game's ZIP, which nobody has checked, and the page and
// the library that they are loaded with.
func sourcesOf(archive []byte) (compile.Files, error) {
	reader, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err == nil {
		err = gamezip.CheckNames(reader.File)
	}
	if err != nil {
		return nil, answers.BadRequest("This is not the ZIP of a game.")
	}
	files, left := compile.Files{}, int64(maxSources)
	for _, f := range reader.File {
		if !strings.HasPrefix(f.Name, "src/") && f.Name != compile.Page && f.Name != compile.Library {
			continue
		}
		content, err := readFile(f, left)
		if err != nil {
			return nil, err
		}
		files[f.Name] = content
		left -= int64(len(content))
	}
	return files, nil
}

// readFile reads a file of a ZIP that has at most so many bytes.
func readFile(f *zip.File, most int64) ([]byte, error) {
	content, err := f.Open()
	if err != nil {
		return nil, answers.BadRequest("The game's ZIP could not be read.")
	}
	defer content.Close()
	data, err := io.ReadAll(io.LimitReader(content, most+1))
	if err != nil {
		return nil, answers.BadRequest("The game's ZIP could not be read.")
	}
	if int64(len(data)) > most {
		return nil, fmt.Errorf("reading the sources of a game: %w", &answers.Error{
			Status: http.StatusRequestEntityTooLarge, Message: fmt.Sprintf("The game's sources have more than %d bytes.", maxSources),
		})
	}
	return data, nil
}
