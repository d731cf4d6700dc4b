// Package spec is the GameSpec: everything that makes one generated game
// different from another, as plain data. A brief, a model or a change request
// fills it; the compiler turns it into files.
package spec

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Version is the version of the GameSpec's form.
const Version = 2

// Spec describes one game.
type Spec struct {
	Version  int    `json:"v"`
	ID       string `json:"id"` // names the game's local storage; from the project
	Title    string `json:"title"`
	Lang     string `json:"lang"` // BCP 47 language of the texts
	Format   Format `json:"format"`
	Renderer string `json:"renderer"` // phaser, pixi, canvas or three
	Mechanic string `json:"mechanic"` // a name of package catalog
	Theme    string `json:"theme"`    // a name of package look
	Seed     uint32 `json:"seed"`
	Art      Art    `json:"art"`
	Sound    bool   `json:"sound"` // synthesised effects and music
	Play     Play   `json:"play"`
	// Params are the mechanic's own tunables, by name.
	Params map[string]float64 `json:"params,omitempty"`
	// Content is what the brief gave the mechanic: words, or questions as
	// "question|right answer|wrong answer|…".
	Content []string `json:"content,omitempty"`
	// Background is a sum of the instructions, context and skills that were heeded
	// last; "" where that is not known.
	Background string `json:"background,omitempty"`
	// Pictures are sums of those that users sent, by their role: logo, hero, hazard or
	// pickup. Their files are in the game's assets folder.
	Pictures map[string]string `json:"pictures,omitempty"`
	// Stages are levels that differ from the rest.
	Stages  []Stage `json:"stages,omitempty"`
	Text    Text    `json:"text"`
	Cast    Cast    `json:"cast"`
	Scene   Scene   `json:"scene"`
	Look    Look    `json:"look"`
	Palette Palette `json:"palette"` // follows from theme and look
}

// Stage is what one level has of its own. What is absent is as in the others.
type Stage struct {
	Level   int      `json:"level"`
	Theme   string   `json:"theme,omitempty"`
	Scene   *Scene   `json:"scene,omitempty"`   // of the theme
	Palette *Palette `json:"palette,omitempty"` // of the theme
	Speed   float64  `json:"speed,omitempty"`   // times the game's own
	Density float64  `json:"density,omitempty"` // times the game's own
}

// Format is the frame that a game has to fit.
type Format string

// The formats. A short game is portrait and lasts 15 to 60 seconds; a platform
// game has no such frame.
const (
	Short    Format = "short"
	Platform Format = "platform"
)

// Art is what the figures and the sky are made of.
type Art string

// The kinds of art: plain shapes in the palette's colours, or painted ones
// with a background picture.
const (
	Placeholder Art = "placeholder"
	Procedural  Art = "procedural"
)

// Play holds the tunables. Speed, gravity, density, size and ramp are
// multipliers around the mechanic's tuned values, so that the same word means
// the same in every mechanic.
type Play struct {
	Speed    float64 `json:"speed"`
	Gravity  float64 `json:"gravity"`
	Density  float64 `json:"density"` // of what is avoided or hit
	Size     float64 `json:"size"`    // of the hero
	Ramp     float64 `json:"ramp"`    // how much harder it gets; 0 never
	Lives    int     `json:"lives"`
	Duration int     `json:"duration"` // seconds of a run; 0 no limit, in the platform format only
	Levels   int     `json:"levels"`
	Players  int     `json:"players"`         // 2 take turns
	Boss     bool    `json:"boss"`            // comes at the end, and must be beaten
	Powers   bool    `json:"powers"`          // power-ups for gains in a row
	Combo    bool    `json:"combo"`           // gains in a row count double, then triple
	Safe     bool    `json:"safe,omitempty"`  // nothing costs a life
	Table    bool    `json:"table,omitempty"` // the best five scores are listed at the end
}

// Text holds the words on the screen besides the title.
type Text struct {
	HowTo    string `json:"howTo"`
	Start    string `json:"start"`
	Over     string `json:"over"`
	Win      string `json:"win"`
	Again    string `json:"again"`
	Score    string `json:"score"`
	Best     string `json:"best"`
	Record   string `json:"record"`
	Level    string `json:"level"`
	Player   string `json:"player"`
	YourTurn string `json:"yourTurn"`
	Wins     string `json:"wins"`
	Draw     string `json:"draw"`
	Perfect  string `json:"perfect"`
	Streak   string `json:"streak"`
	Boss     string `json:"boss"`
	Shield   string `json:"shield"`
	Double   string `json:"double"`
	Slow     string `json:"slow"`
}

// Cast says who is who.
type Cast struct {
	Hero   Actor `json:"hero"`
	Hazard Actor `json:"hazard"`
	Pickup Actor `json:"pickup"`
	// Boss is who comes at the end; nil for a large one of the hazard's kind.
	Boss *Actor `json:"boss,omitempty"`
}

// Has reports whether a noun is one of the cast.
func (c Cast) Has(noun string) bool {
	return noun == c.Hero.Noun || noun == c.Hazard.Noun || noun == c.Pickup.Noun || c.Boss != nil && noun == c.Boss.Noun
}

// Actor is a figure: either a body with features, or a thing that one painter
// of the kit draws. Exactly one of Body and Art is set.
type Actor struct {
	Noun     string   `json:"noun"`
	Body     string   `json:"body,omitempty"`
	Features []string `json:"features,omitempty"`
	Art      string   `json:"art,omitempty"`
	// Color and Color2 are a boss's own; the others' are in the palette.
	Color  string `json:"color,omitempty"`
	Color2 string `json:"color2,omitempty"`
}

// Scene is what lies behind the game.
type Scene struct {
	Far    string `json:"far"`
	Near   string `json:"near"`
	Orb    string `json:"orb"` // sun, moon, rays or none
	Stars  bool   `json:"stars"`
	Clouds bool   `json:"clouds"`
	Motes  Motes  `json:"motes"`
}

// Motes are small things that float in front of the scenery.
type Motes struct {
	Kind  string `json:"kind"`
	Move  string `json:"move"` // rise, fall or still
	Count int    `json:"count"`
	Size  int    `json:"size"` // pixels
}

// Look is what was asked of the colours. Empty fields leave the theme's.
type Look struct {
	Mood   string `json:"mood,omitempty"` // dark, bright, pastel or neon
	Tint   string `json:"tint,omitempty"` // colour that the scene leans towards
	Hero   string `json:"hero,omitempty"`
	Hero2  string `json:"hero2,omitempty"`
	Hazard string `json:"hazard,omitempty"`
	Pickup string `json:"pickup,omitempty"`
	Boss   string `json:"boss,omitempty"`
}

// Palette maps each role to a colour, #rrggbb.
type Palette struct {
	BG          string `json:"bg"`  // the sky at its top
	BG2         string `json:"bg2"` // and at its bottom
	Far         string `json:"far"`
	Near        string `json:"near"`
	Ground      string `json:"ground"`
	GroundTop   string `json:"groundTop"`
	Block       string `json:"block"`
	BlockLight  string `json:"blockLight"`
	Hero        string `json:"hero"`
	Hero2       string `json:"hero2"` // its second colour
	Hazard      string `json:"hazard"`
	Pickup      string `json:"pickup"`
	Accent      string `json:"accent"`
	Ink         string `json:"ink"`   // outlines
	Shade       string `json:"shade"` // shadows and dimming
	Text        string `json:"text"`
	TextInk     string `json:"textInk"` // outlines of text
	Panel       string `json:"panel"`
	PanelText   string `json:"panelText"`
	PanelAccent string `json:"panelAccent"`
}

// Marshal writes a spec as indented JSON with a final line break. Equal specs
// give equal bytes.
func Marshal(s Spec) ([]byte, error) {
	out, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encoding game spec: %w", err)
	}
	return append(out, '\n'), nil
}

// Unmarshal reads a spec and checks it. Members it does not know are refused.
func Unmarshal(data []byte) (Spec, error) {
	var s Spec
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&s); err != nil {
		return Spec{}, fmt.Errorf("decoding game spec: %w", err)
	}
	if err := s.Check(); err != nil {
		return Spec{}, fmt.Errorf("checking game spec: %w", err)
	}
	return s, nil
}
