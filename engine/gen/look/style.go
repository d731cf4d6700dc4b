package look

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/svc-games/svc/engine/gen/spec"
)

// Style is .svc/style.json: the look that a project settled on. It is written
// with the first game; later games and assets inherit it where a request does
// not say otherwise.
type Style struct {
	Version int          `json:"v"`
	Theme   string       `json:"theme"`
	Look    spec.Look    `json:"look"`
	Palette spec.Palette `json:"palette"`
	// Art says how pictures are drawn. It is set once an image model drew the
	// first, and shapes what is asked of such models from then on.
	Art string `json:"art,omitempty"`
}

// maxArt bounds Art, in characters.
const maxArt = 200

// arts are how pictures are drawn in a mood.
var arts = map[string]string{
	"":       "flat vector illustration with bold dark outlines, rounded shapes and soft shading",
	"dark":   "moody painted illustration with rim light and deep shadows",
	"bright": "bright cartoon illustration with bold outlines and clear colours",
	"pastel": "soft pastel illustration with thin outlines and gentle gradients",
	"neon":   "glowing neon line art in front of darkness",
}

// ArtOf returns how pictures are drawn: as the project settled on, or as suits
// the mood.
func (s Style) ArtOf(mood string) string {
	if art := strings.Join(strings.Fields(s.Art), " "); art != "" {
		return string([]rune(art)[:min(len([]rune(art)), maxArt)])
	}
	return arts[mood]
}

// StyleOf returns the style of a game.
func StyleOf(s spec.Spec) Style {
	return Style{Version: 1, Theme: s.Theme, Look: s.Look, Palette: s.Palette}
}

// Marshal writes the style as indented JSON.
func (s Style) Marshal() ([]byte, error) {
	out, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encoding style: %w", err)
	}
	return append(out, '\n'), nil
}

// ParseStyle reads a style.json and refuses one that names an unknown theme.
func ParseStyle(data []byte) (Style, error) {
	var s Style
	if err := json.Unmarshal(data, &s); err != nil {
		return Style{}, fmt.Errorf("decoding style: %w", err)
	}
	if _, ok := Themes[s.Theme]; !ok {
		return Style{}, fmt.Errorf("style names the unknown theme %q", s.Theme)
	}
	return s, nil
}
