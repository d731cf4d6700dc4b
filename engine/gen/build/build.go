// Package build bundles the sources of a game into one classic script with
// esbuild. It reads nothing but what it is given.
package build

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/evanw/esbuild/pkg/api"
)

// Version is that of esbuild, of which games name the npm package: it makes the same
// bytes.
const Version = "0.28.2"

// Problem is one message of the compiler.
type Problem struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

// Output is a finished bundle.
type Output struct {
	Script   []byte
	Problems []Problem // warnings, or the errors of a failed build
	Took     time.Duration
}

// Options of a build.
type Options struct {
	// Read returns a source file by its slash-separated path. For a workspace
	// use os.Root's ReadFile, which follows no link out of it.
	Read func(name string) ([]byte, error)
	// Entry is the path of the main module.
	Entry string
	// GlobalName, when set, is the variable that receives the entry's exports.
	GlobalName string
	// Minify makes the script small instead of readable.
	Minify bool
	// Target is "game" (browsers, ES2017) or "sim" (the simulator, ES2015).
	Target Target
}

// Target says what runs the bundle.
type Target int

// The targets.
const (
	Game Target = iota
	Sim
)

// Error is a build that produced no script; Problems says why.
type Error struct{ Problems []Problem }

func (e *Error) Error() string {
	if len(e.Problems) == 0 {
		return "building the game failed"
	}
	p := e.Problems[0]
	return fmt.Sprintf("building the game failed: %s:%d: %s", p.File, p.Line, p.Text)
}

// Bundle builds one script. Its error is an *Error when the sources are at
// fault, and ctx's when that ended first.
func Bundle(ctx context.Context, o Options) (Output, error) {
	start := time.Now()
	language := api.ES2017
	if o.Target == Sim {
		language = api.ES2015
	}
	build, failed := api.Context(api.BuildOptions{
		EntryPoints:   []string{o.Entry},
		Bundle:        true,
		Write:         false,
		Format:        api.FormatIIFE,
		Target:        language,
		GlobalName:    o.GlobalName,
		Charset:       api.CharsetUTF8,
		LegalComments: api.LegalCommentsInline,
		LogLevel:      api.LogLevelSilent,

		MinifyWhitespace:  o.Minify,
		MinifyIdentifiers: o.Minify,
		MinifySyntax:      o.Minify,
		// Both keep esbuild from looking for configuration on the disk.
		TsconfigRaw:   "{}",
		AbsWorkingDir: "/",
		Outfile:       "/game.js",
		Plugins:       []api.Plugin{confined(o.Read)},
	})
	if failed != nil {
		return Output{}, &Error{Problems: problems(failed.Errors)}
	}
	defer build.Dispose()
	stop := context.AfterFunc(ctx, build.Cancel)
	defer stop()
	result := build.Rebuild()
	if err := ctx.Err(); err != nil {
		return Output{}, err
	}
	if len(result.Errors) > 0 || len(result.OutputFiles) != 1 {
		return Output{}, &Error{Problems: problems(result.Errors)}
	}
	return Output{
		Script:   result.OutputFiles[0].Contents,
		Problems: problems(result.Warnings),
		Took:     time.Since(start),
	}, nil
}

func problems(messages []api.Message) []Problem {
	var out []Problem
	for _, m := range messages {
		p := Problem{Text: m.Text}
		if m.Location != nil {
			p.File = strings.TrimPrefix(m.Location.File, namespace+":")
			p.Line = m.Location.Line
		}
		out = append(out, p)
	}
	return out
}
