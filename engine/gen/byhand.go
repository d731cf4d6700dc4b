package gen

import (
	"context"
	"errors"
	"path"
	"time"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/gen/audit"
	"github.com/svc-games/svc/engine/gen/build"
	"github.com/svc-games/svc/engine/gen/compile"
)

// rebuildTimeout bounds the build of a game that a person edits: some sources keep the
// compiler busy for hours.
const rebuildTimeout = 10 * time.Second

// Made reports whether a file of the game is made of its sources, so that it can't be
// edited.
func Made(game map[string][]byte, name string) bool {
	_, sources := game[compile.Entry]
	return sources && name == compile.Script
}

// Rebuild makes the script that the page loads of a game's sources, in game, and says
// what is wrong with it, and with the file that was edited. A script that can't be made
// stays as it was.
func Rebuild(ctx context.Context, game map[string][]byte, edited string) ([]contract.Problem, error) {
	problems := Faults(edited, game[edited])
	files := compile.Files(game)
	if _, sources := files[compile.Entry]; sources {
		timed, cancel := context.WithTimeout(ctx, rebuildTimeout)
		defer cancel()
		out, err := build.Bundle(timed, build.Options{Read: files.Read, Entry: compile.Entry, Target: build.Game})
		var broken *build.Error
		switch {
		case errors.As(err, &broken):
			return problemsOf(broken.Problems), nil // which names the edited file too
		case ctx.Err() == nil && timed.Err() != nil:
			return []contract.Problem{{File: compile.Entry, Text: "The game could not be built in time."}}, nil
		case err != nil:
			return nil, err
		}
		files[compile.Script] = out.Script
		problems = append(problems, problemsOf(out.Problems)...)
	}
	for _, f := range audit.Blocking(audit.Check(files, audit.Limits{Bytes: audit.MaxLong})) {
		problems = append(problems, contract.Problem{File: f.File, Text: f.Rule + " " + f.Message})
	}
	return problems, nil
}

// Mend rewrites what is wrong in the sources of a game in a way that leaves no choice, in
// game, and says what it did.
func Mend(game map[string][]byte) (did []string) {
	sources := compile.Files(game)
	script, made := sources[compile.Script], Made(game, compile.Script)
	for _, f := range audit.Fix(sources) {
		if !made || f.File != compile.Script {
			did = append(did, f.Message)
		}
	}
	if made && script != nil {
		sources[compile.Script] = script // it is made of the others
	}
	return did
}

// Faults returns what is wrong with a file on its own.
func Faults(name string, content []byte) []contract.Problem {
	return problemsOf(build.Syntax(name, string(content)))
}

func problemsOf(list []build.Problem) []contract.Problem {
	problems := []contract.Problem{}
	for _, p := range list {
		problems = append(problems, contract.Problem{File: path.Clean(p.File), Line: p.Line, Text: p.Text})
	}
	return problems
}
