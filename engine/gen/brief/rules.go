package brief

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/spec"
)

// Rules are what a text says of levels, players and the like.
type Rules struct {
	Levels   int    // 0 when not named
	LevelsIn string // the unit that they were counted in, "" when not counted
	Players  int    // 0 when not named
	Versus   bool   // two against each other
	Boss     Wish   // wanted, refused, or not named
	Powers   Wish
	Combo    Wish
	Sound    Wish
	Endless  bool   // no limit of time
	Solid    bool   // 3D
	Flat     bool   // 2D
	Renderer string // phaser, pixi, canvas, three, "" when not named
}

// Wish is what a text says of something that a game may have.
type Wish int

// The wishes.
const (
	Unnamed Wish = iota
	Wanted
	Refused
)

// Over returns what holds after a wish, for something that was or was not so.
func (w Wish) Over(was bool) bool { return w == Wanted || was && w != Refused }

// or returns w, or other when w was not named.
func (w Wish) or(other Wish) Wish {
	if w == Unnamed {
		return other
	}
	return w
}

// usualLevels is what "with levels" means.
const usualLevels = 3

var (
	// rewrites turn names with dots and dashes into one word each.
	rewrites = []struct {
		pattern *regexp.Regexp
		word    string
	}{
		{regexp.MustCompile(`(?i)\bpower[\s-]+ups?\b`), "powerups"},
		{regexp.MustCompile(`(?i)\b(?:on|in|with|using)?\s*(?:the )?three\.?js\b`), " threejs "},
		{regexp.MustCompile(`(?i)\b(?:on|in|with|using|mit|con|avec)?\s*(?:the )?pixi(?:\.?js)?\b`), " pixijs "},
		{regexp.MustCompile(`(?i)\b(?:on|in|with|using|mit|con|avec)?\s*(?:a |the )?(?:plain |html5? |2d )*canvas\b`), " plaincanvas "},
		{regexp.MustCompile(`(?i)\b(?:on|in|with|using|mit|con|avec)?\s*(?:the )?phaser\b`), " phaserjs "},
		{regexp.MustCompile(`(?i)\b(\d{1,2}) ?(?:x|×|by|por|sur) ?(\d{1,2})\b`), "${1}x$2"},
		{regexp.MustCompile(`(?i)\b(?:(?:colou?rs?|colores?|tonos?|tons?|couleurs?|teintes?) (?:en |in |de )?pastel(?:es|s)?|pastell(?:ton|tön|farb|ig)\pL*|pastell)\b`), "pastelcolours"},
		{regexp.MustCompile(`(?i)\b([23])[\s-]d(?:imension(?:al|s))?\b`), "${1}d"},
		{regexp.MustCompile(`(?i)\b(two|2|zwei|dos|deux|due|dois)[\s-]+player\b`), "$1 players"},
		{regexp.MustCompile(`(?i)\bendless runners?\b`), "endlessrunner"},
		{regexp.MustCompile(`(?i)\bjump(?:\s*['’]?\s*(?:n|and|&|und)\s*['’]?\s*|\s*-\s*)run\b|\bmetroidvania\b`), "platformer"},
		{regexp.MustCompile(`(?i)\b(?:boules? de feu|bolas? de fuego|fire balls?)\b`), "fireball"},
		{regexp.MustCompile(`(?i)\b(?:polar|teddy) bear`), "bear"},
		{regexp.MustCompile(`(?i)\b(?:versus|vs\.?) (?:the |an? )?(computer|cpu|ai|bot)\b`), "against the $1"},
		{regexp.MustCompile(`(?i)\b(?:breath|spit|spew)(?:e?s|ing|e)? fire (?:on|at|onto)\b`), "shoots at"},
		{regexp.MustCompile(`(?i)\bchauves? ?-? ?souris\b`), "chauvesouris"},
		{regexp.MustCompile(`(?i)\b(?:watch|look) out for\b`), "avoid"},
		{regexp.MustCompile(`(?i)\b(?:ten )?cuidado con\b`), "evita"},
		{regexp.MustCompile(`(?i)\b(?:pass|passt) auf (die|den|das|alle)\b`), "vermeide $1"},
		{regexp.MustCompile(`(?i)\bu-boot`), "uboot"},
		{regexp.MustCompile(`(?i)\bzebra crossing`), "crosswalk"},
		{regexp.MustCompile(`(?i)\b(?:rocket|space) ship`), "spaceship"},
		{regexp.MustCompile(`(?i)\b(?:fire (?:truck|engine)|camión de bomberos|camion de pompiers?)`), "firetruck"},
		{regexp.MustCompile(`(?i)\bpolice cars?\b|\bvoitures? de police\b|\bcoches? de policía\b`), "police"},
		{regexp.MustCompile(`(?i)\b(?:ms\.? )?pac[\s-]man\b`), "pacman"}, // who is no man
		{regexp.MustCompile(`(?i)\b(?:(?:no|without a?|ohne|sin|sans) (?:time[\s-]?limit|timer|zeitlimit|límite de tiempo|limite de temps)|(?:remove|drop|get rid of|turn off|take away|quita|elimina|enlève|supprime|retire) (?:the |el |le |la )?(?:timer|time(?:[\s-]?limit)?|clock|countdown|tiempo|cronómetro|límite de tiempo|chrono(?:mètre)?|minuteur|temps|limite de temps)|(?:die )?zeit (?:weg|abschalten|entfernen))\b`), "endless"},
		{regexp.MustCompile(`(?i)\b(?:(?:gets? )?faster and faster|gets? faster(?: over time)?|speeds up(?: over time)?|speed up over time|speed-up|increasingly fast(?:er)?|immer schneller|cada vez más rápid[oa]|cada vez mas rapid[oa]|de plus en plus (?:vite|rapide))\b`), "fasterandfaster"},
		{regexp.MustCompile(`(?i)\bsea (un|una|el|la|más|mas|de)\b`), "es $1"}, // "be", not a place
		{regexp.MustCompile(`(?i)\bque sea\b`), "que es"},
		{regexp.MustCompile(`(?i)\b(le|du|sans|ajoute du|coupe le) son\b`), "$1 sons"}, // "his" elsewhere
	}
	renderers = map[string]string{"threejs": "three", "pixijs": "pixi", "plaincanvas": "canvas", "phaserjs": "phaser"}
)

// emoji puts words in place of signs.
var emoji = func() *strings.Replacer {
	var pairs []string
	for _, l := range readLines("words/emoji.txt") {
		for sign := range strings.FieldsSeq(l[1]) {
			pairs = append(pairs, sign, " "+l[0]+" ")
		}
	}
	return strings.NewReplacer(pairs...)
}()

// Rewrite joins names of several parts ("three.js", "power-ups") into words, so
// that no one splits them.
func Rewrite(text string) string { return joinPlayers(joinNames(text)) }

// joinNames is Rewrite without what says that two play.
func joinNames(text string) string {
	text = emoji.Replace(text)
	for _, r := range rewrites {
		text = r.pattern.ReplaceAllString(text, r.word)
	}
	return text
}

// readRules reads levels, players, the boss and their like.
func (r *Reading) readRules(tokens []token) {
	for i := range tokens {
		t := &tokens[i]
		if t.known && r.words.means["rule"][t.word] != "boss" {
			continue
		}
		n := 0
		if i > 0 {
			n = tokens[i-1].number
		}
		switch {
		case renderers[t.word] != "":
			r.Rules.Renderer = renderers[t.word]
			r.because(r.Rules.Renderer, "the renderer")
		case t.word == "3d" || t.word == "2d":
			r.Rules.Solid, r.Rules.Flat = t.word == "3d", t.word == "2d"
		case t.word == "fasterandfaster":
			r.nudge(nudge{"ramp", 1.6})
			r.because("faster and faster", "how it plays")
		case r.words.means["rule"][t.word] != "" && !t.audience:
			r.readRule(tokens, i)
		case r.words.is("count levels", t.word) && (n > 0 || r.words.is("many levels", t.word)):
			r.readLevels(tokens, i, n)
		case r.words.is("count players", t.word) && n > 1:
			r.readPlayers(tokens, i, n)
		case r.words.is("many players", t.word) && !online(tokens):
			r.readTogether(tokens, i)
		default:
			continue
		}
		t.known = true
	}
}

func (r *Reading) readRule(tokens []token, i int) {
	t := tokens[i]
	rule := r.words.means["rule"][t.word]
	if rule == "endless" {
		r.Rules.Endless = !t.negated
		r.because(t.word, "no limit of time")
		return
	}
	wish := map[string]*Wish{"boss": &r.Rules.Boss, "powers": &r.Rules.Powers, "combo": &r.Rules.Combo, "sound": &r.Rules.Sound}[rule]
	*wish = Wanted
	if t.negated {
		*wish = Refused
	}
	r.because(t.word, "a rule")
	if i+1 < len(tokens) && r.words.is("after sound", tokens[i+1].word) {
		tokens[i+1].known = true
	}
}

func (r *Reading) readLevels(tokens []token, i, n int) {
	named := tokens[i].word
	if n > 0 {
		named = tokens[i-1].word + " " + named
		tokens[i-1].known = true
		r.Rules.LevelsIn = tokens[i].word
	} else {
		n = usualLevels
	}
	r.Rules.Levels = min(n, spec.MaxLevels)
	r.because(named, "the levels")
	if n > spec.MaxLevels {
		r.Unmet = append(r.Unmet, named)
	}
}

// LevelsOf returns the levels that the text names, 0 when it names none, or counts what
// a tunable of the mechanic counts: the rounds of a duel.
func (r Reading) LevelsOf(mechanic string) int {
	for _, p := range catalog.Mechanics[mechanic].Params {
		for _, lang := range r.languages {
			if slices.Contains(p.Units[lang], r.Rules.LevelsIn) {
				return 0
			}
		}
	}
	return r.Rules.Levels
}

func (r *Reading) readPlayers(tokens []token, i, n int) {
	named := tokens[i-1].raw + " " + tokens[i].raw
	tokens[i-1].known = true
	r.Rules.Players = spec.MaxPlayers
	r.because(named, "two players in turns")
	if n > spec.MaxPlayers {
		r.Unmet = append(r.Unmet, named)
	}
}

// online reports whether a text speaks of a network.
func online(tokens []token) bool {
	for _, t := range tokens {
		if t.word == "online" || strings.HasPrefix(t.word, "internet") || t.word == "network" || t.word == "en ligne" {
			return true
		}
	}
	return false
}

// under fills what r leaves open from a background.
func (r Rules) under(b Rules) Rules {
	if r.Levels == 0 {
		r.Levels = b.Levels
	}
	if r.Players == 0 {
		r.Players = b.Players
	}
	r.Boss, r.Powers, r.Combo, r.Sound = r.Boss.or(b.Boss), r.Powers.or(b.Powers), r.Combo.or(b.Combo), r.Sound.or(b.Sound)
	r.Endless, r.Versus = r.Endless || b.Endless, r.Versus || b.Versus
	r.Renderer = cmp.Or(r.Renderer, b.Renderer)
	return r
}
