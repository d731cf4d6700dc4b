package gen

import (
	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen/brief"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/spec"
)

// maxLearnedPrompt bounds what a learned skill remembers of its brief, in
// characters.
const maxLearnedPrompt = 400

// maxLearnedFiles bounds how many edited sources a learned skill keeps.
const maxLearnedFiles = 8

// maxLearnedBytes bounds what a learned skill keeps of a game that a model wrote.
const maxLearnedBytes = 64 << 10

// learned makes a skill of a new game that was proven to play: its GameSpec and
// what a model changed in its sources, found again by the brief that it was made
// for.
func learned(req Request, s spec.Spec, written compile.Files) (*api.Skill, error) {
	data, err := spec.Marshal(s)
	if err != nil {
		return nil, err
	}
	files := []api.SkillFile{{Path: "game.json", Content: string(data)}}
	names := written.Names()
	for _, name := range names[:min(len(names), maxLearnedFiles)] {
		files = append(files, api.SkillFile{Path: name, Content: string(written[name])})
	}
	return &api.Skill{
		Key:       s.Mechanic + "-" + s.Theme,
		Title:     s.Title,
		Prompt:    brief.Clip(Masked(req.Prompt), maxLearnedPrompt),
		Mechanics: []string{s.Mechanic},
		Engine:    engineName(s.Renderer),
		Files:     files,
	}, nil
}

// engineName is a renderer as skills name engines; "" for a plain canvas, which
// is none of them.
func engineName(renderer string) string {
	if renderer == "canvas" {
		return ""
	}
	return renderer
}
