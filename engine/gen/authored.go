package gen

import (
	"errors"
	"fmt"
	"html"
	"maps"
	"os"
	"regexp"
	"strings"

	"github.com/svc-games/svc/engine/gen/change"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/spec"
)

// sources is the folder of a game that can be edited.
const sources = "src/"

// authored is a game whose sources are the truth. The generator never writes them
// anew: it changes what they hold as data, in place, or nothing.
type authored struct {
	files compile.Files // without the bundle, which is made of them
	spec  spec.Spec     // the project's, with what the game's own data says

	built   compile.Files     // files and bundle, once it was made of the game as it is
	faults  map[tier][]string // the game's own, once they were looked for
	excused map[tier]bool     // where they were said
}

// loadAuthored reads an authored game.
func loadAuthored(root *os.Root, s spec.Spec) (*authored, error) {
	files, err := readGame(root)
	if err != nil {
		return nil, err
	}
	delete(files, compile.Script)
	delete(files, planFile)
	return &authored{files: files, spec: withData(s, files[compile.DataFile])}, nil
}

// sources are the game's files as someone wrote them, none of a game that is generated.
func (a *authored) sources() compile.Files {
	if a == nil {
		return nil
	}
	return a.files
}

// refuses says why the game can't become what another spec says, "" when it can.
func (a *authored) refuses(s spec.Spec) string {
	was := a.spec
	if s.Mechanic != was.Mechanic || s.Renderer != was.Renderer ||
		s.Format != was.Format || s.Art != was.Art || s.Sound != was.Sound || s.Lang != was.Lang {
		return "the sources of this game were written for it, and that would replace them"
	}
	for name, v := range s.Params {
		if old, given := was.Params[name]; (!given || old != v) && !a.reads(name) {
			return "its sources read no tunable " + name
		}
	}
	if s.Theme != was.Theme && a.hasPictures() {
		return "the game has pictures, which would not follow"
	}
	if _, err := a.with(s); err != nil {
		return compile.DataFile + " was written for this game, and does not hold that: " + err.Error()
	}
	return ""
}

// reads reports whether the game's sources heed a tunable of its kind.
func (a *authored) reads(tunable string) bool {
	name := regexp.QuoteMeta(tunable)
	heeds := regexp.MustCompile(`params\.` + name + `\b|\{[^{}]*\b` + name + `\b[^{}]*\}\s*=\s*[\w.]*params\b`)
	for file, text := range a.files {
		if strings.HasPrefix(file, sources) && heeds.Match(text) {
			return true
		}
	}
	return false
}

func (a *authored) hasPictures() bool {
	for name := range a.files {
		if strings.HasPrefix(name, compile.AssetsFolder+"/") && !strings.HasSuffix(name, ".wav") && !strings.HasSuffix(name, ".mp3") {
			return true
		}
	}
	return false
}

// with returns the game's files with the data of another spec, which refuses
// nothing of.
func (a *authored) with(s spec.Spec) (compile.Files, error) {
	before, err := compile.Data(a.spec)
	if err != nil {
		return nil, err
	}
	after, err := compile.Data(s)
	if err != nil {
		return nil, err
	}
	files := maps.Clone(a.files)
	if files[compile.DataFile], err = patch(a.files[compile.DataFile], before, after); err != nil {
		return nil, err
	}
	replace := func(name, old, now string) {
		if text, there := files[name]; there && old != now {
			files[name] = []byte(strings.Replace(string(text), old, now, 1))
		}
	}
	replace(compile.Page, "<title>"+html.EscapeString(a.spec.Title)+"</title>", "<title>"+html.EscapeString(s.Title)+"</title>")
	replace(compile.Page, a.spec.Palette.Shade, s.Palette.Shade)
	replace(compile.Page, a.spec.Palette.Ink, s.Palette.Ink) // of older releases
	replace(compile.Readme, a.spec.Title+":", s.Title+":")
	return files, errors.Join(files.Renew(a.spec, s), files.AddProject(s))
}

// limit is what of a request may be carried out on the game: all of it on one that
// is generated.
func (a *authored) limit() change.Limit {
	if a == nil {
		return nil
	}
	return a.refuses
}

// written returns the sources that are not as the generator makes them.
func written(generated, revision compile.Files) compile.Files {
	out := compile.Files{}
	for name, content := range revision {
		if !strings.HasPrefix(name, sources) || name == compile.DataFile {
			continue
		}
		if own, ok := generated[name]; !ok || string(own) != string(content) {
			out[name] = content
		}
	}
	return out
}

// untouched decides a request that describes another game, or that is for one whose
// description can't be read: an authored game stays as it is.
func untouched(prompt string, current *spec.Spec) decision {
	d := decision{noChange: true, unmet: []string{clippedWish(prompt)}}
	why := "its description can't be read"
	if current != nil {
		d.spec, why = *current, "the request describes another game"
	}
	d.summary = "Nothing was changed: the sources of this game were written for it, and " + why + ". To replace it, ask for a new game."
	return d
}

// keptSettings says what settings ask for that an authored game does not follow.
func keptSettings(asked []string) string {
	const why = "The settings ask for changes that would replace sources which were written for this game, so it stays as it is: %s."
	return fmt.Sprintf(why, strings.Join(asked, "; "))
}
