package gen

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/kit"
)

// kitWish is a wish that a tunable of a game on the kit may fulfil.
type kitWish struct {
	asked    *regexp.Regexp
	tunables []string // parts of names, the likeliest first
	factor   float64  // of their values; 0 adds one
	waits    bool     // the tunables say how long something takes, and not how fast it is
}

const how = `(?:(?:make|makes|mache?|haz|hazlo|rends?|fais) )?(?:it|the game|everything|es|das spiel|alles|lo|el juego|todo|le jeu|le|tout)? ?(?:go |run |be |más |plus )?(?:a (?:bit|little|lot) |much |etwas |ein (?:bisschen|wenig) |viel |un poco |mucho |un peu |beaucoup )?`

func kitWishOf(words string, factor float64, tunables ...string) kitWish {
	asked := regexp.MustCompile(`(?i)^` + courtesies + how + `(?:` + words + `)(?:,? (?:please|bitte|por favor|stp|svp))?$`)
	return kitWish{asked: asked, tunables: tunables, factor: factor, waits: slices.Contains(tunables, "pause")}
}

const (
	faster = `faster|quicker|speed (?:it )?up|schneller|m[aá]s r[aá]pido|r[aá]pido|plus (?:vite|rapide)|vite|rapide`
	slower = `slower|slow (?:it )?down|langsamer|m[aá]s lento|lento|plus lent|lent(?:ement)?`
)

// kitWishes are understood without a model.
var kitWishes = sync.OnceValue(func() []kitWish {
	return []kitWish{
		kitWishOf(faster, 1.25, "speed", "velocity", "tempo", "pace"),
		kitWishOf(slower, 0.8, "speed", "velocity", "tempo", "pace"),
		// What takes its time between two moves is faster with less of it.
		kitWishOf(faster, 0.8, "pause", "delay", "interval"),
		kitWishOf(slower, 1.25, "pause", "delay", "interval"),
		kitWishOf(`(?:(?:give me |add )?more lives|mehr leben|m[aá]s vidas|vidas|plus de vies|de vies)`, 0, "lives", "life", "health"),
	}
})

// tuning is what became of a game's data.
type tuning struct {
	data []byte
	did  string
	// share of the time that something takes now, of that which it took before.
	share float64
}

// tuned changes the tunables of a game, where that is all that a request asks; nil where
// it is not, or a tunable is at its bound or has none.
func (k *kitGame) tuned(prompt string) *tuning {
	var about kit.About
	if json.Unmarshal(k.files[compile.DataFile], &about) != nil {
		return nil
	}
	data, share := k.files[compile.DataFile], 1.0
	var done []string
	for _, c := range clausesOf(prompt) {
		if title := renamed(c); title != "" {
			var err error
			if data, err = setMember(data, title, "title"); err != nil {
				return nil
			}
			done = append(done, "the title is now "+title)
			continue
		}
		i := slices.IndexFunc(kitWishes(), func(w kitWish) bool {
			return !c.depends && w.asked.MatchString(c.text) && w.tunable(about.Tunables) != ""
		})
		if i < 0 {
			return nil
		}
		w := kitWishes()[i]
		name := w.tunable(about.Tunables)
		t := about.Tunables[name]
		value := w.applied(t)
		if !bounded(t) || value == t.Value {
			return nil
		}
		var err error
		if data, err = setMember(data, value, "tunables", name, "value"); err != nil {
			return nil
		}
		label := t.Label
		if label == "" {
			label = name
		}
		done = append(done, fmt.Sprintf("%s %v → %v", label, t.Value, value))
		switch {
		case w.waits:
			share *= value / t.Value
		case w.factor != 0:
			share *= t.Value / value
		}
		t.Value = value
		about.Tunables[name] = t
	}
	if len(done) == 0 {
		return nil
	}
	return &tuning{data, strings.Join(done, ", "), share}
}

// tunable is the name of the one that the wish is about, "" if there is none or more
// than one is as likely.
func (w kitWish) tunable(all map[string]kit.Tunable) string {
	for _, part := range w.tunables {
		var found []string
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if strings.EqualFold(name, part) {
				return name
			}
			if strings.Contains(strings.ToLower(name), part) {
				found = append(found, name)
			}
		}
		if len(found) == 1 {
			return found[0]
		}
	}
	return ""
}

// bounded reports whether a tunable has bounds that leave it room, and is within them.
func bounded(t kit.Tunable) bool { return t.Min < t.Max && t.Min <= t.Value && t.Value <= t.Max }

// applied is a tunable's value as the wish would have it, within its bounds.
func (w kitWish) applied(t kit.Tunable) float64 {
	value := t.Value + 1
	if w.factor != 0 {
		value = t.Value * w.factor
		if t.Value == math.Trunc(t.Value) && (w.waits || math.Abs(t.Value) >= 10) {
			value = math.Round(value) // what is counted stays so
		}
	}
	value, _ = strconv.ParseFloat(strconv.FormatFloat(value, 'g', 4, 64), 64) // of a number
	return max(t.Min, min(t.Max, value))
}

// naming asks for another title.
var naming = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^` + courtesies + `(?:(?:call|name|rename) (?:it|the game)(?: to)?|(?:nenne?|benenne?) (?:es|das spiel)(?: um in)?|ll[aá]malo|llama al juego|appelle[ -]le|appelle le jeu) ["“„«]?\s?([^"”“»<>\n]{1,40}?)\s?["”“»]?$`)
})

// renamed is the title that a clause asks for, "" if it asks for something else.
func renamed(c clause) string {
	match := naming().FindStringSubmatch(c.text)
	if c.depends || match == nil {
		return ""
	}
	return match[1]
}

// setMember changes one value in the text of a data file, and nothing else.
func setMember(data []byte, value any, path ...string) ([]byte, error) {
	at := 0
	part := data
	for _, key := range path {
		from, to, err := member(part, key)
		if err != nil {
			return nil, err
		}
		at += from
		part = part[from:to]
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("encoding a value of %s: %w", compile.DataFile, err)
	}
	return slices.Concat(data[:at], text, data[at+len(part):]), nil
}

// tunables lists what can be tuned.
func (k *kitGame) tunables() string {
	var about kit.About
	if json.Unmarshal(k.files[compile.DataFile], &about) != nil || len(about.Tunables) == 0 {
		return "it has none"
	}
	return strings.Join(slices.Sorted(maps.Keys(about.Tunables)), ", ")
}
