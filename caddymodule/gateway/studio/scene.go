package studio

import (
	_ "embed"
	"net/http"
	"net/url"
	"slices"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/policy"
)

// The files of a game's scene, and of the view of it.
const (
	sceneFile   = "src/scene.json"
	sceneReader = "src/scene.js"
	viewFolder  = "viewport/" // beside the folders of a live preview
)

var (
	//go:embed preview/scene.json
	sceneStart []byte
	//go:embed preview/scene.js
	scenePart []byte
	//go:embed preview/view.html
	viewPage []byte
	//go:embed preview/view.js
	viewPart []byte
)

// own are the files beside the folders of a live preview: none of them is the game's.
var own = map[string][]byte{
	bridgeFile: bridge, viewFolder + "view.html": viewPage, viewFolder + "view.js": viewPart, viewFolder + "scene.js": scenePart,
}

// beginScene writes a first scene, and what reads it in the game. What is there stays.
func (s *Studio) beginScene(x *exchange) error {
	if err := s.may(x, x.project(), policy.ActionStudioWrite); err != nil {
		return err
	}
	for _, f := range []struct {
		name string
		text []byte
	}{{sceneReader, scenePart}, {sceneFile, sceneStart}} {
		a, err := s.ask(x.r.Context(), x.owner(), call{
			method: http.MethodPut, path: contract.PathFile, query: fileQuery(f.name, 0), body: f.text, header: precondition(""),
		})
		if err == nil && a.status != http.StatusPreconditionFailed {
			err = a.refused()
		}
		if err != nil {
			return s.showRefused(x, "Not begun: ", err)
		}
	}
	return x.redirect(x.at("?done=scene" + fileLink(sceneFile)))
}

// Scene reports whether the file that is shown is a scene that can be changed by sight.
func (p projectPage) Scene() bool {
	return p.Shows(sceneFile) && !p.File.Binary && !p.File.Fixed && p.Preview != ""
}

// AskForScene returns the page with a brief that somebody who writes no code may send.
func (p projectPage) AskForScene() string {
	const brief = "Show the entities of src/scene.json in the game, by placed of src/scene.js."
	return p.At("?" + url.Values{"prompt": {brief}}.Encode() + "#chat")
}

// Has reports whether the game has a file.
func (p projectPage) Has(name string) bool {
	return slices.ContainsFunc(p.Workspace.Files, func(f contract.WorkspaceFile) bool { return f.Path == name })
}

// Kinds are those of a scene's entities.
func (projectPage) Kinds() []string {
	return []string{"box", "ball", "cone", "post", "plane", "figure", "light", "camera", "group"}
}

// triple is a field of an entity with three numbers.
type triple struct{ Name, Label string }

// Axes are what the numbers are along.
func (triple) Axes() []string { return []string{"x", "y", "z"} }

// Fields are those of an entity with three numbers.
func (projectPage) Fields() []triple {
	return []triple{{"pos", "Place"}, {"rot", "Turn °"}, {"scale", "Size"}}
}
