// Package corpus has the briefs and follow-ups that games are proven with, each
// with what a machine can check of what becomes of it.
package corpus

import (
	"bufio"
	"bytes"
	_ "embed" // the briefs
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"slices"
	"strings"

	"github.com/svc-games/svc/api"
)

var (
	//go:embed briefs.jsonl
	briefs []byte
	//go:embed followups.jsonl
	followUps []byte
	//go:embed phrases.jsonl
	phrases []byte
)

// Wish is a brief, or a follow-up to one.
type Wish struct {
	Name, Prompt string
	Brief        string   // of the game that a follow-up is about
	After        []string // follow-ups before this one
	Format, Dim  string   // platform, and 3d
	Repeat       int      // times that the prompt is sent
	Context      string   // "logo": a picture
	Settings     map[string]any
	Blocks       []api.ContextBlock
	Skills       []api.Skill
	Short        bool // part of the short run
	Want         Want
}

// Want is what is expected. What is absent is not checked.
type Want struct {
	Kind, UnmetHas, Same                                                                        []string
	Unmet                                                                                       any // []: nothing; a text: a part of it
	UnmetMin, Content, Lives, Players                                                           int
	UnmetFirst, Lang, Title, Hero, Pickup, Theme, Mood, Renderer, NotHero, NotPickup, NotHazard string
	Boss, Restored, Logo                                                                        bool
	Param                                                                                       map[string]float64
	Change                                                                                      map[string]string
	Equal                                                                                       map[string]any
	Stage                                                                                       *struct {
		Level                 int
		Theme, Speed, Density string
		Recolored             bool
	}
	Refused bool     // as a bad request
	Harm    []string // texts that no file of the game has
}

// Briefs returns the briefs in their order.
func Briefs() ([]Wish, error) { return read(briefs) }

// FollowUps returns the follow-ups in their order.
func FollowUps() ([]Wish, error) { return read(followUps) }

// Phrases returns what players say of a game in their own words. They are told from
// each other by their texts.
func Phrases() ([]Wish, error) { return read(phrases) }

func read(data []byte) (out []Wish, err error) {
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		var w Wish
		line := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		line.DisallowUnknownFields() // else an expectation that is misspelt holds
		if err := line.Decode(&w); err != nil {
			return nil, fmt.Errorf("%.80s: %w", lines.Text(), err)
		}
		if w.Repeat > 0 {
			w.Prompt = strings.Repeat(w.Prompt, w.Repeat)
		}
		out = append(out, w)
	}
	return out, lines.Err()
}

// Body returns the request that a client sends for a prompt of the wish.
func (w Wish) Body(projectID, prompt string) ([]byte, error) {
	settings := map[string]any{}
	switch w.Format {
	case "short":
		settings["gameType"] = api.GameShort
	case "platform":
		settings["gameType"] = api.GamePlatform
	}
	if w.Dim != "" {
		settings["dimensionMode"] = w.Dim
	}
	for name, v := range w.Settings {
		settings[name] = v
	}
	blocks := w.Blocks
	if w.Context == "logo" && prompt == w.Prompt {
		blocks = append(slices.Clone(blocks), api.ContextBlock{Name: "logo.png", Content: logo()})
	}
	body := map[string]any{"projectId": projectID, "prompt": prompt, "settings": settings, "context": blocks, "skills": w.Skills}
	return json.Marshal(body)
}

// logo is a picture as clients send one.
func logo() string {
	img := image.NewNRGBA(image.Rect(0, 0, 120, 60))
	draw.Draw(img, img.Rect.Inset(8), image.NewUniform(color.NRGBA{R: 220, G: 30, B: 90, A: 255}), image.Point{}, draw.Src)
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		panic(err) // into memory
	}
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(out.Bytes())
}
