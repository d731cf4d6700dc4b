package catalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/svc-games/svc/engine/gen/kit"
)

// Mechanic is what the generator must know of a mechanic of the kit. It is read
// from the kit's mechanics/NAME.json, beside the mechanic's own module.
type Mechanic struct {
	// Wide ones have a landscape field of 960x540, a tall one in a tall window, and
	// are played in the platform format only; others have the short format's 480x720.
	Wide bool `json:"wide"`
	// Strip: where its field is tall, buttons have a strip of their own below it.
	Strip bool `json:"strip"`
	// Solid ones are 3D. Their field follows the format.
	Solid bool `json:"solid"`
	// Staged ones have levels to clear; in others levels follow the clock.
	Staged bool `json:"staged"`
	// Turns: nothing moves unless the player does. Such a game has no boss, no
	// power-ups and no combos, and skill need not pay at once.
	Turns bool `json:"turns"`
	// Endless ones have no end of their own: without a clock they go on.
	Endless bool `json:"endless"`
	// Lives and Levels are the usual numbers.
	Lives  int `json:"lives"`
	Levels int `json:"levels"`
	// Bodies are heroes that speak for this mechanic.
	Bodies []string `json:"bodies"`
	// Carries are bodies that it draws in its own vehicle, and not as they are.
	Carries []string `json:"carries"`
	// Shows are things of a place that it shows by itself: a river.
	Shows []string `json:"shows"`
	// Themes suit it when the brief names no place.
	Themes []string `json:"themes"`
	// Home: it is played in its themes, wherever its figures are at home.
	Home bool `json:"home"`
	// Cast are the nouns of hero, hazard and pickup where the brief names none.
	Cast map[string]string `json:"cast"`
	// Titles hold {Hero} or, where that is what a game is about, {Pickup}. Those
	// of English serve languages that have none.
	Titles map[string][]string `json:"titles"`
	// HowTo says in one line what to do, by language. In English {hazard} and
	// {pickup} are replaced by plural nouns.
	HowTo map[string]string `json:"howTo"`
	// Labels are the mechanic's own words on the screen, by language and name.
	Labels map[string]map[string]string `json:"labels"`
	// Words are those of a brief that speak for it, by language, with weights.
	// From Named on a word is its name.
	Words map[string]map[string]float64 `json:"words"`
	// Params are its own tunables.
	Params map[string]Param `json:"params"`
	// Example is a brief that asks for it by name; "" for those that have none.
	Example string `json:"example"`
	// Content is what a list in the brief may give it: words, questions or times
	// tables; "" for nothing.
	Content string `json:"content"`
}

// HasLevels reports whether a game of it may have several levels in a run of so many
// seconds, 0 for no limit.
func (m Mechanic) HasLevels(duration int) bool {
	return !m.Turns && !m.Endless && (m.Staged || duration > 0)
}

// Param is a tunable of one mechanic, which it reads as cfg.params.NAME.
type Param struct {
	Value float64 `json:"value"` // the usual one
	Min   float64 `json:"min"`
	Max   float64 `json:"max"`
	// Units are the nouns that a number of it is followed by, by language.
	Units map[string][]string `json:"units"`
	// Before are the words that a number of it stands behind, by language: "up to".
	Before map[string][]string `json:"before"`
	// Sized are the nouns of what is larger the more it is, by language.
	Sized map[string][]string `json:"sized"`
	// Bodies of a hero set it to the most.
	Bodies []string `json:"bodies"`
	// Words set it to a value, by language.
	Words map[string]map[string]float64 `json:"words"`
	// Ways name its values, from 0 on, where it says how the hazards move.
	Ways []string `json:"ways"`
	// Board tells that it is the size of the board.
	Board bool `json:"board"`
	// Aim tells that a number of it is meant only beside a word of an end: "win at 500 coins".
	Aim bool `json:"aim"`
}

// whole reports whether it takes whole numbers only.
func (p Param) whole() bool {
	values := []float64{p.Value, p.Min, p.Max}
	for _, words := range p.Words {
		values = slices.AppendSeq(values, maps.Values(words))
	}
	return !slices.ContainsFunc(values, func(v float64) bool { return v != math.Trunc(v) })
}

// Named is the weight from which a word is the name of a mechanic.
const Named = 8

// Mechanics are all mechanics by name.
var Mechanics = read()

func read() map[string]Mechanic {
	out := map[string]Mechanic{}
	for _, name := range kit.Mechanics() {
		m, err := readMechanic(name)
		if err != nil {
			panic(err) // the files are embedded
		}
		out[name] = m
	}
	return out
}

func readMechanic(name string) (Mechanic, error) {
	data, err := kit.Source("mechanics/" + name + ".json")
	if err != nil {
		return Mechanic{}, err
	}
	var m Mechanic
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&m); err != nil {
		return Mechanic{}, fmt.Errorf("reading the mechanic %s: %w", name, err)
	}
	return m, nil
}
