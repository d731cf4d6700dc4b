package gen

import (
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen/brief"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/spec"
	"github.com/svc-games/svc/engine/kit"
)

// untitled is the title of a frame until its author gives the game one.
const untitled = "Untitled"

// kitMark is a file that games on the kit of engine/kit have, and no others.
const kitMark = kit.Folder + "/kit.js"

// kitFixed are the files of such a game that are not its author's.
var kitFixed = map[string]string{kit.Folder + "/": "the kit is the same in every game"}

// kitGame is a game that was written on the kit: it has no spec, and its sources are
// the truth.
type kitGame struct {
	files    compile.Files // without the bundle
	renderer string
	short    bool // it must have the field of its type
}

// loadKitGame reads a project's game if it is one on the kit; else nil.
func loadKitGame(root *os.Root) (*kitGame, error) {
	mark, err := readOptional(root, Deliverable+"/"+kitMark)
	if mark == nil || err != nil {
		return nil, err
	}
	files, err := readGame(root)
	if err != nil {
		return nil, err
	}
	delete(files, compile.Script)
	delete(files, planFile)
	var manifest struct{ SVC compile.About }
	_ = json.Unmarshal(files[compile.Manifest], &manifest) // someone's own says nothing of it
	game := &kitGame{files: files, renderer: "canvas", short: manifest.SVC.Format == spec.Short}
	for _, name := range kit.Renderers {
		if files["lib/"+name+".min.js"] != nil {
			game.renderer = name
		}
	}
	return game, nil
}

// framed is a new game as an author begins it: what the settings and the words of the
// request say of its shape, and nothing of what it is.
func (g *embedded) framed(req Request) (*kitGame, error) {
	reading := brief.Read(req.Prompt)
	start := kit.Start{Title: untitled, Lang: reading.Lang, Kind: "arcade", Renderer: "canvas", Short: req.Settings.GameType != api.GamePlatform}
	switch {
	case req.Settings.DimensionMode == api.Dimension3D:
		start.Renderer = "three"
	case slices.Contains(kit.Renderers, reading.Rules.Renderer) && reading.Rules.Renderer != "three":
		start.Renderer = reading.Rules.Renderer
	}
	files, err := kit.Frame(start)
	if err != nil {
		return nil, fmt.Errorf("making the frame of a game: %w", err)
	}
	if name := compile.Framework(start.Renderer); name != "" {
		library, err := g.frameworks.get(name)
		if err != nil {
			return nil, err
		}
		library.addTo(files)
	}
	return &kitGame{files: files, renderer: start.Renderer, short: start.Short}, nil
}

// titleOf is a page's title.
var titleOf = regexp.MustCompile(`<title>[^<]*</title>`)

// aboutOf reads what a game says of itself, and gives the page its title. The faults
// are what an author must mend.
func (k *kitGame) aboutOf(files compile.Files) (about kit.About, faults []string) {
	if err := json.Unmarshal(files[compile.DataFile], &about); err != nil {
		return about, []string{compile.DataFile + ": " + clipped(err.Error())}
	}
	add := func(wrong bool, format string, args ...any) {
		if wrong {
			faults = append(faults, compile.DataFile+": "+fmt.Sprintf(format, args...))
		}
	}
	title := strings.TrimSpace(about.Title)
	add(title == "" || title == untitled, "title: the game has none yet")
	add(len([]rune(title)) > spec.MaxTitle || strings.ContainsAny(title, "<>\n"), "title: at most %d characters, and no markup", spec.MaxTitle)
	add(!slices.Contains(kinds, about.Kind), "kind: one of %s", strings.Join(kinds, ", "))
	add(k.short && about.Size != kit.Size{W: 480, H: 720}, "size: a game of this type has 480 by 720")
	add(about.Size.W < 240 || about.Size.H < 240 || about.Size.W > 2000 || about.Size.H > 2000, "size: w and h are 240 to 2000")
	add(len(about.Controls) == 0, "controls: none are named")
	var was kit.About
	_ = json.Unmarshal(k.files[compile.DataFile], &was) // what it had before is no fault of a change
	for _, name := range slices.Sorted(maps.Keys(about.Tunables)) {
		t := about.Tunables[name]
		add(!bounded(t) && t != was.Tunables[name], "tunables: %q has a value from min to max, and min less than max", brief.Clip(name, 40))
	}
	files[compile.Page] = titleOf.ReplaceAllLiteral(files[compile.Page], []byte("<title>"+html.EscapeString(title)+"</title>"))
	return about, faults
}

// kinds of games on the kit.
var kinds = []string{"arcade", "puzzle", "story", "sandbox", "versus"}

// complete adds what makes the game a project of its own.
func (k *kitGame) complete(req Request, files compile.Files, about kit.About) error {
	format := spec.Short
	if req.Settings.GameType == api.GamePlatform {
		format = spec.Platform
	}
	files.AddReadme(about.Title)
	var was kit.About
	if json.Unmarshal(k.files[compile.DataFile], &was) == nil {
		if err := files.Renew(spec.Spec{Title: was.Title, Lang: was.Lang}, spec.Spec{Title: about.Title, Lang: about.Lang}); err != nil {
			return err
		}
	}
	return files.AddProject(spec.Spec{ID: "svc-" + req.ProjectID, Title: about.Title, Mechanic: about.Kind, Format: format, Lang: about.Lang, Renderer: k.renderer})
}

// delivered collects what changes in the project with a revision of the game.
func (k *kitGame) delivered(req Request, made revision, unmet []string) (*delivery, error) {
	w := newDelivery(req)
	about, _ := k.aboutOf(made.files)
	files := maps.Clone(made.files)
	if err := k.complete(req, files, about); err != nil {
		return nil, err
	}
	files = withUnmet(files, unmet)
	if err := w.game(files); err != nil {
		return nil, err
	}
	return w, errors.Join(saveMode(w, true, files), w.remove(specFile), w.shots(made.shots))
}

// checksOfGame are the checks that a game has.
func checksOfGame(files compile.Files) compile.Files {
	out := compile.Files{}
	for name, data := range files {
		if strings.HasPrefix(name, "checks/") && strings.HasSuffix(name, ".json") {
			out[name] = data
		}
	}
	return out
}

// former is the check of a game as it was before it was changed, under a name that
// says so.
func former(data []byte) ([]byte, bool) {
	var check map[string]json.RawMessage
	var name string
	if json.Unmarshal(data, &check) != nil || json.Unmarshal(check["name"], &name) != nil {
		return nil, false
	}
	named, err := json.Marshal(name + formerMark)
	if err != nil {
		return nil, false
	}
	check["name"] = named
	data, err = json.Marshal(check)
	return data, err == nil
}

const formerMark = " (as it was before)"
