package foreign

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

//go:embed game
var game embed.FS

// talk is a conversation as far as an author looks at it.
type talk struct {
	turns   int      // of its own
	results []string // of the calls of its newest turn
	tools   []string // that it is offered
	words   int      // letters of all that it read
}

// call is a tool that is to be called.
type call struct {
	id, name, arguments string
}

// reply is what the author says.
type reply struct {
	thought, text string
	calls         []call
	read          int // tokens
}

func (r reply) stops() bool { return len(r.calls) == 0 }

func (r reply) written() int {
	n := len(r.thought) + len(r.text)
	for _, c := range r.calls {
		n += len(c.name) + len(c.arguments)
	}
	return n/4 + 1
}

// next is the author's next turn: it looks, writes one file a call, has the game checked,
// plays it where it can, and hands it in.
func (t talk) next() reply {
	r := reply{read: t.words/4 + 1, thought: fmt.Sprintf("Turn %d. Let me see what is next — 次は?", t.turns)}
	add := func(name string, arguments map[string]any) {
		if !slices.Contains(t.tools, name) {
			return
		}
		if arguments == nil {
			arguments = map[string]any{}
		}
		raw, err := json.Marshal(arguments)
		if err != nil {
			panic(err) // of strings
		}
		r.calls = append(r.calls, call{fmt.Sprintf("call_%d_%d", t.turns, len(r.calls)), name, string(raw)})
	}
	last := strings.Join(t.results, "\n")
	switch {
	case t.turns == 0:
		r.text = "I'll look around first."
		add("list_files", nil)
		add("read_file", map[string]any{"paths": []string{"src/main.js"}})
	case t.turns == 1:
		r.text = "A basket under falling stars. ✨"
		for _, f := range files() {
			add("write_file", map[string]any{"path": f.name, "content": f.content})
		}
	case t.turns == 2:
		add("check", nil)
	case t.turns == 3:
		add("play", map[string]any{"seconds": 8, "policy": "player"})
	case t.turns == 4 && strings.Contains(last, "shot"):
		add("look", map[string]any{"shot": shotOf(last)})
	case t.turns <= 6 && !strings.Contains(last, "Passed"):
		add("done", map[string]any{"summary": "Catch the falling stars with a basket.", "unmet": []string{}})
	}
	if r.stops() {
		r.text = "That is the game. " + last
	}
	return r
}

// shotOf is the first id of a shot in what play said.
func shotOf(said string) string {
	at := strings.Index(said, "shot")
	end := strings.IndexAny(said[at:], ": ,\n")
	if end < 0 {
		return said[at:]
	}
	return said[at : at+end]
}

type file struct{ name, content string }

func files() []file {
	var out []file
	err := fs.WalkDir(game, "game", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		raw, err := game.ReadFile(name)
		out = append(out, file{strings.TrimPrefix(path.Clean(name), "game/"), string(raw)})
		return err
	})
	if err != nil {
		panic(err) // they are in the program
	}
	return out
}
