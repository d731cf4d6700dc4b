package compile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen/build"
	"github.com/svc-games/svc/engine/gen/kit"
	"github.com/svc-games/svc/engine/gen/spec"
)

// Files that make a game a project of npm.
const (
	Manifest = "package.json"
	Builder  = "build.mjs"
	Types    = "jsconfig.json" // has editors check the JSDoc
	Licence  = "licenses/kit.txt"
)

// About is the member svc of a game's Manifest: what the game is, and what was asked
// for and it is not.
type About struct {
	GameID    string      `json:"gameId"`
	Engine    string      `json:"engine"` // version of this program
	Kind      string      `json:"kind"`
	Format    spec.Format `json:"format"`
	Dimension string      `json:"dimension"`
	Language  string      `json:"language"`
	Unmet     []api.Unmet `json:"unmet"`
}

// AddProject adds what makes a game a project of npm, unless it is one.
func (f Files) AddProject(s spec.Spec) error {
	if f[Manifest] != nil {
		return nil
	}
	manifest, err := JSON(struct {
		Name        string            `json:"name"`
		Version     string            `json:"version"`
		Private     bool              `json:"private"`
		Description string            `json:"description"`
		License     string            `json:"license"`
		Type        string            `json:"type"`
		Scripts     map[string]string `json:"scripts"`
		Dev         map[string]string `json:"devDependencies"`
		Engines     map[string]string `json:"engines"`
		About       About             `json:"svc"`
	}{
		packageName(s.Title), "1.0.0", true, s.Title, "SEE LICENSE IN " + Readme, "module",
		map[string]string{"build": "node " + Builder, "start": "node " + Builder + " --serve"},
		map[string]string{"esbuild": build.Version}, map[string]string{"node": ">=18"}, about(s),
	}, "")
	if err != nil {
		return err
	}
	f[Manifest] = append(manifest, '\n')
	for name, source := range map[string]string{Builder: "page/build.mjs", Types: "page/jsconfig.json", Licence: "page/kit.txt"} {
		if f[name] != nil {
			continue
		}
		if f[name], err = kit.Source(source); err != nil {
			return err
		}
	}
	return nil
}

// Renew gives the manifest of a game the name and the language of now where it has those
// of was: what someone wrote there stays.
func (f Files) Renew(was, now spec.Spec) error {
	for _, m := range []struct{ member, was, now string }{
		{"name", packageName(was.Title), packageName(now.Title)}, {"description", was.Title, now.Title}, {"language", was.Lang, now.Lang},
	} {
		old, err := JSON(map[string]string{m.member: m.was}, "")
		if err != nil {
			return err
		}
		fresh, err := JSON(map[string]string{m.member: m.now}, "")
		if err != nil {
			return err
		}
		if f[Manifest] != nil {
			f[Manifest] = bytes.Replace(f[Manifest], pair(old), pair(fresh), 1)
		}
	}
	return nil
}

// pair is the one member of an object's text.
func pair(object []byte) []byte { return bytes.Trim(object, "{} \n") }

// JSON is a value as people read it, its lines but the first behind a prefix.
func JSON(value any, prefix string) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent(prefix, "  ")
	if err := encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("encoding for %s: %w", Manifest, err)
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

func about(s spec.Spec) About {
	a := About{
		GameID: strings.TrimPrefix(s.ID, "svc-"), Engine: "unknown", Kind: s.Mechanic, Format: s.Format, Dimension: "2d", Language: s.Lang,
		Unmet: []api.Unmet{},
	}
	if s.Renderer == "three" {
		a.Dimension = "3d"
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		a.Engine = info.Main.Version
	}
	return a
}

// packageName makes a name that npm takes of a title.
func packageName(title string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			return r
		case r > 0x7f || r == '\'': // accents, which norm has taken off their letters
			return -1
		}
		return '-'
	}, norm.NFKD.String(strings.ToLower(title)))
	parts := strings.FieldsFunc(name, func(r rune) bool { return r == '-' })
	if len(parts) == 0 {
		return "game"
	}
	return strings.Join(parts, "-")
}
