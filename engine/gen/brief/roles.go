package brief

import (
	"slices"
	"strings"

	"github.com/svc-games/svc/engine/gen/catalog"
)

// casting gives the nouns of a text their roles.
type casting struct {
	r       *Reading
	tokens  []token
	role    string          // that the words before give: hazard, pickup, or ""
	guessed map[string]bool // roles that no word gave
	plural  bool            // the hero is many
	alone   bool            // a shy being is the only one
	throws  bool            // something is thrown, at whom comes later
	feeds   bool            // the hero is fed with what comes next
	fights  bool            // the role is that of someone who is fought
	inNames bool            // nouns in the name of a game are read, no others
}

// readRoles gives the nouns their roles: what follows "avoid" or "shoot" is a
// hazard, what follows "collect" a pickup, and the first other being is the
// hero. A role that a verb gave wins over one that was only guessed. Nouns in
// the name of a game ("flappy bird") come in a second pass, for roles that
// are still free.
func (r *Reading) readRoles(tokens []token) {
	for _, inNames := range []bool{false, true} {
		c := casting{r: r, tokens: tokens, guessed: map[string]bool{}, inNames: inNames}
		for i := range tokens {
			c.read(i)
		}
		if c.alone && r.Hero == "" && c.guessed["hazard"] {
			r.Hero, r.HeroWord, r.Hazard = r.Hazard, r.Hazard, ""
		}
	}
	r.Idle = slices.DeleteFunc(r.Idle, func(noun string) bool {
		return noun == r.Hero || noun == r.Hazard || noun == r.Pickup || noun == r.Boss
	})
}

func (c *casting) read(i int) {
	t, r := &c.tokens[i], c.r
	if t.opens {
		c.role = ""
	}
	noun, f, ok := r.words.lookup(*t)
	if t.ofBoss {
		return
	}
	if !ok || t.usedAsNumber(c.tokens, i) || noun == "enemy" && c.isSaidToBe(i) || c.isColor(i) {
		t.known = t.known || ok
		c.hear(i)
		return
	}
	t.known = true
	if t.inName != c.inNames {
		return
	}
	if noun == "ship" && r.inSpace(c.tokens) {
		noun = "spaceship"
		f = figures[noun]
	}
	r.Nouns = append(r.Nouns, noun)
	if c.isWay(i) {
		c.role = ""
	}
	if t.negated && c.role != "hazard" || c.isModifier(i) || c.throws && f.body != "" && f.pickup == "" && r.Hero != noun && c.r.words.compound(t.word) != "" {
		return // "snowballs" that are thrown play no part
	}
	if c.inNames && r.Hero != "" && f.pickup == "" {
		return
	}
	if c.role == "" && (noun == "planet" || noun == "moon") && !t.isPlural() {
		return
	}
	c.give(i, noun, f)
	if c.feeds {
		c.role, c.feeds = "pickup", false
	}
}

// hear takes in a word that is no noun: it may say what the nouns after it are.
func (c *casting) hear(i int) {
	t, words := c.tokens[i], c.r.words
	c.fights = !t.negated && (words.is("verb shoot", t.word) || words.is("verb fight", t.word)) || c.fights && !t.startsClause && c.role == "hazard"
	switch {
	case words.is("verb feed", t.word):
		c.role, c.feeds = "hero", true
	case words.is("verb throw", t.word):
		c.role, c.throws = "", true
	case c.throws && words.is("verb at", t.word):
		c.role, c.throws = "hazard", false
	case words.is("verb by", t.word) && i > 0 && words.is("verb attack", c.tokens[i-1].word):
		c.role = "hazard"
	case words.is("cast hero", t.word) && c.isSaidToBe(i):
		c.role = "hero"
	case words.is("cast hazard", t.word) && c.isSaidToBe(i):
		c.role = "hazard"
	// What must not be shot is spared, what must not be hit is avoided.
	case words.is("verb shoot", t.word) && t.negated && !words.is("verb avoid", t.word):
		c.role = "pickup"
	case words.is("verb shoot", t.word), words.is("verb fight", t.word), words.is("verb deny", t.word), words.is("verb avoid", t.word) && !t.negated, words.is("verb collect", t.word) && t.negated:
		c.role = "hazard"
	case words.is("verb collect", t.word):
		c.role = "pickup"
	case t.audience || t.startsClause || c.r.isMechanicWord(t.word) || words.is("verb with", t.word):
		c.role = ""
	}
}

// give gives a noun a role, if it is free or was only guessed.
func (c *casting) give(i int, noun string, f figure) {
	r, t := c.r, c.tokens[i]
	role := c.role
	if said := c.saidRole(i); said != "" {
		role = said
	}
	sure := role != ""
	if role == "" && t.isPlural() && f.body != "" && f.pickup == "" && r.Hero == "" && (r.hasOwnHero() || f.hostile) && !f.shy && r.showsHazards() {
		role = "hazard" // "space invaders with chickens", "a game with zombies"
	}
	if role == "" && f.body != "" && !f.shy && c.plural && c.guessed["hero"] && !t.isPlural() && r.Hazard == "" {
		r.Hazard, r.Hero, c.guessed["hazard"] = r.Hero, "", true // those many are not who is played
	}
	if role == "" && r.Hero == "" && f.body == "" && f.pickup != "" && c.acts(i) || role == "hero" && sure && f.body == "" && f.pickup != "" {
		role, sure = "hero", true // "a taco that dodges forks"
	} else {
		role = r.roleOf(f, role)
	}
	if role == "hero" && t.tuned {
		return // the balls of "two balls" are counted
	}
	if (role == "hazard" || role == "pickup") && noun == r.Hero && i > 0 && others[c.tokens[i-1].word] {
		*map[string]*string{"hazard": &r.Hazard, "pickup": &r.Pickup}[role] = noun // "evades other cars"
		r.Rivals = true
		r.because(t.word, "the "+role)
		return
	}
	place := map[string]*string{"hero": &r.Hero, "hazard": &r.Hazard, "pickup": &r.Pickup}[role]
	if sure && role != "hero" && noun == r.Hero && c.guessed["hero"] && (*place == "" || c.guessed[role]) {
		r.Hero, r.HeroWord = "", ""
	}
	if f.body != "" && (c.renames(i, r.Hero) || c.role == "" && r.Hero != "" && c.corrects(i)) {
		role, place, r.Hero = "hero", &r.Hero, "" // "the snake is a train"
	}
	like := r.words.likeness(t.word, t.singular) == noun
	if *place != "" && !(c.guessed[role] && sure) {
		if drawn := noun == r.Hero || noun == r.Hazard || noun == r.Pickup; like && !drawn {
			r.note(t.raw + ": it has no part in this game")
		} else if !like && !t.inName && !r.isMechanicWord(t.word) && !slices.Contains(r.Idle, noun) && noun != "enemy" {
			r.Idle = append(r.Idle, noun)
		}
		return
	}
	if like {
		r.note(t.raw + ": drawn as " + Article(noun))
	}
	c.guessed[role] = !sure
	if t.inName || r.isMechanicWord(t.word) {
		r.OfName = append(r.OfName, noun)
	}
	r.Because = slices.DeleteFunc(r.Because, func(why Reason) bool { return why.Chose == "the "+role })
	*place = noun
	switch role {
	case "hazard":
		r.Fought = ""
		if sure && c.fights {
			r.Fought = noun
		}
	case "hero":
		r.HeroWord, c.plural = t.raw, t.isPlural()
		if r.Lang != "en" && !c.isOne(i) {
			r.HeroWord = "" // "Einhörnern" is no name
		}
	case "pickup":
		r.PickupWord = t.raw
	}
	r.because(t.word, "the "+role)
	c.alone = c.alone || role == "hazard" && !sure && f.shy && t.word == noun
}

// note adds a wish that is not met, once.
func (r *Reading) note(unmet string) {
	if !slices.Contains(r.Unmet, unmet) {
		r.Unmet = append(r.Unmet, unmet)
	}
}

// saidRole is the role that the words around a noun give it: "cats as ghosts",
// "robots attack", "a monkey chasing you".
func (c *casting) saidRole(i int) string {
	next, words := c.after(i), c.r.words
	if len(next) == 0 {
		return ""
	}
	switch {
	case i > 1 && raceOf[c.tokens[i-1].word] && races[c.tokens[i-2].word] && !c.tokens[i-1].startsClause && !c.tokens[i].startsClause:
		return "hero" // "carrera de motos"
	case c.tokens[i].word == c.tokens[i].singular && slices.Contains(shooters, next[0].word):
		return "hazard" // "a zombie shooter"
	case words.is("verb as", next[0].word):
		for _, t := range next[1:min(3, len(next))] {
			switch {
			case words.is("cast hazard", t.word):
				return "hazard"
			case words.is("cast hero", t.word):
				return "hero"
			}
		}
	case words.is("verb last", next[0].word) && (len(next) == 1 || words.is("verb and", next[1].word)):
		switch { // "der Fische sammelt"
		case words.is("verb collect", next[0].word):
			return "pickup"
		case words.is("verb avoid", next[0].word), words.is("verb shoot", next[0].word), words.is("verb fight", next[0].word):
			return "hazard"
		}
	case words.is("verb collect", next[0].word) && len(next) > 1 && words.is("cast player", next[1].word) && c.tokens[i].isPlural():
		return "hazard" // "before the owls catch him"
	case words.is("verb attack", next[0].word):
		if c.tokens[i].isPlural() || len(next) > 1 && words.is("cast player", next[1].word) {
			return "hazard"
		}
	}
	return ""
}

// shooters are named after those who are shot.
var shooters = []string{"shooter", "blaster", "hunter", "hunt", "shooting", "killer", "slayer", "jagd", "jaeger"}

// races are of those who take part in them.
var (
	races  = listed("race races rennen carrera carreras course courses")
	raceOf = listed("of de mit der von")
)

// renames reports whether the words before a noun say that another one is it.
func (c *casting) renames(i int, other string) bool {
	if other == "" {
		return false
	}
	for j := i - 1; j > 0 && j > i-4 && !c.tokens[j+1].startsClause; j-- {
		if c.r.words.is("verb is", c.tokens[j].word) {
			noun, _, _ := c.r.words.lookup(c.tokens[j-1])
			return noun == other
		}
	}
	return false
}

// Words that correct what was said, by someone of whom there is one.
var (
	corrections = listed("but aber sondern pero sino mais")
	ones        = listed("a an ein eine einem einen einer un una une")
	being       = listed("it is it's its with as the hero player es ist mit held heldin der die con el la heroe c'est est avec le heros")
	articles    = listed("der die das dem den el la le mein meine mi mon ma")
	joins       = listed("mit von con de avec des und y et gegen contra contre")
	others      = listed("smaller bigger little kleinere kleineren kleine groessere pequenos petits grands other another rival andere anderen anderer autre autres otro otros otra otras")
	toward      = listed("to zu en a")
	instead     = listed("instead stattdessen")
)

// corrects reports whether a noun stands in place of the hero: "but it is a hedgehog",
// "with a train instead".
func (c *casting) corrects(i int) bool {
	if i+1 < len(c.tokens) && instead[c.tokens[i+1].word] {
		return true
	}
	one := false
	for k := i - 1; k >= max(0, i-5); k-- {
		switch word := c.tokens[k].word; {
		case corrections[word]:
			return one
		case ones[word]:
			one = true
		case !being[word] && len(c.r.words.nudges(word)) == 0:
			return false
		}
	}
	return false
}

// after are the words that follow in the same clause, without those that only
// join.
func (c *casting) after(i int) (next []token) {
	for _, t := range c.tokens[i+1:] {
		if t.startsClause || len(next) == 4 {
			break
		}
		if !c.r.words.is("verb join", t.word) {
			next = append(next, t)
		}
	}
	return next
}

// acts reports whether a thing is one that does something: "a balloon rises".
func (c *casting) acts(i int) bool {
	next, words := c.after(i), c.r.words
	if len(next) == 0 || c.tokens[i].isPlural() || !words.is("verb act", next[0].word) && !words.is("verb avoid", next[0].word) || words.is("plain", next[0].word) && words.is("verb avoid", next[0].word) {
		return false
	}
	for k := i - 1; k >= max(0, i-3) && !c.tokens[k+1].startsClause; k-- {
		if ones[c.tokens[k].word] {
			return true
		}
	}
	return false
}

// isOne reports whether a noun stands as it is called: behind an article or alone.
func (c *casting) isOne(i int) bool {
	for k := i - 1; k >= max(0, i-3) && !c.tokens[k+1].startsClause; k-- {
		word := c.tokens[k].word
		if joins[word] {
			return false
		}
		if ones[word] || articles[word] || strings.Contains(c.tokens[i].raw, "'") || strings.Contains(c.tokens[i].raw, "’") {
			return true
		}
	}
	return c.tokens[i].startsClause || i > 0 && c.r.isMechanicWord(c.tokens[i-1].word) || c.tokens[i].inName
}

// isSaidToBe reports whether a word is followed by what it is: "the enemies are".
func (c *casting) isSaidToBe(i int) bool {
	return i+1 < len(c.tokens) && !c.tokens[i+1].startsClause && c.r.words.is("verb is", c.tokens[i+1].word)
}

// isWay reports whether a noun is what one goes on: "from planet to planet".
func (c *casting) isWay(i int) bool {
	for _, to := range []int{i - 1, i + 1} {
		if other := 2*to - i; other >= 0 && other < len(c.tokens) && c.tokens[other].word == c.tokens[i].word && toward[c.tokens[to].word] {
			return true
		}
	}
	return false
}

// isModifier reports whether a noun only says more about the next one, as in
// "ninja frog".
func (c *casting) isModifier(i int) bool {
	if c.r.Lang != "en" || c.tokens[i].isPlural() || i+1 == len(c.tokens) || c.tokens[i+1].startsClause {
		return false
	}
	noun, f, ok := c.r.words.lookup(c.tokens[i+1])
	return ok && noun != "ship" && f.body != "" && c.tokens[i+1].inName == c.tokens[i].inName
}

// isPlural reports whether a word is one for many, as far as its ending tells.
func (t token) isPlural() bool { return t.word != t.singular || singulars[t.word] != "" }

// hasOwnHero reports whether the kind of game that is most spoken for has someone
// whom it is played by.
func (r *Reading) hasOwnHero() bool {
	best := heaviest(r.Mechanics)
	return r.Mechanics[best] >= catalog.Named && catalog.Mechanics[best].Cast["hero"] != ""
}

// showsHazards reports whether the kind of game that is named shows hazards: the ducks of
// a game that crosses the road are its heroes.
func (r *Reading) showsHazards() bool {
	best := heaviest(r.Mechanics)
	return r.Mechanics[best] < catalog.Named || slices.Contains(catalog.Figures(best), "hazard")
}

// roleOf is the role of a figure: the one that was given, if it can play it, or
// the first that is free.
func (r *Reading) roleOf(f figure, given string) string {
	switch {
	case given == "hero" && f.body != "":
		return "hero"
	case given == "hero":
		return r.roleOf(f, "")
	case given == "" && f.body != "" && r.Hero == "" && !f.shy:
		return "hero"
	case given == "" && f.body == "" && f.hazard != "":
		return "hazard"
	case given == "" && f.pickup != "":
		return "pickup"
	case given == "":
		return "hazard"
	case given == "hazard" && f.hazard == "" && f.body == "":
		return "pickup" // a star that one runs over is still a treat
	case given == "pickup" && f.pickup == "" && f.body == "":
		return "hazard"
	}
	return given
}
