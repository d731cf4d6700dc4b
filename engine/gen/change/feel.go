package change

import (
	"fmt"
	"math"
	"regexp"
	"slices"

	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/spec"
)

// axis is a quality that requests move a game along, between its ends.
type axis struct {
	much, little func() frames
	name         *regexp.Regexp // what it is called: "raise the tempo"
}

var (
	pace      = axis{framed(fast), framed(slow), words(`speed`, `tempo`, `pace`, `geschwindigkeit`, `velocidad`, `ritmo`, `vitesse`, `rythme`, `cadence`, `stress`, `(?:less|no|more) rush`, `hektik`, `agobio`, `estrés`, `prisas?`, `pression`)}
	challenge = axis{framed(hard), framed(easy), words(`difficulty`, `challenge`, `action`, `thrill`, `schwierigkeit\pL*`, `spannung`, `pfeffer`, `pep`, `herausforderung`, `dificultad`, `acción`, `emoción`, `reto`, `caña`, `difficulté`, `défi`, `piment`)}
	weight    = axis{framed(heavy), framed(floaty), words(`gravity`, `schwerkraft`, `gravitation`, `gravedad`, `gravité`, `pesanteur`)}
	span      = axis{framed(long), framed(short), nil}
)

var (
	asksPattern   = words(`make`, `want`, `should(?: be)?`, `must`, `(?:can|could) (?:it|you|we)`, `would (?:be|you|like|love|prefer)`, `i'?d (?:like|love|prefer|rather)`, `hope`, `let`, `mach`, `mache`, `soll(?:te|ten|st)?`, `kann(?:st)?`, `könn\pL*`, `lass(?:t)?`, `wäre`, `hoffe\pL*`, `lieber`, `darf`, `dürf\pL+`, `will`, `möchte`, `haz(?:lo|me)?`, `pon(?:lo)?`, `que sea`, `quiero`, `debe`, `debería`, `pued\pL+`, `podr\pL+`, `espero`, `prefiero`, `que vaya`, `peux`, `pouvez`, `pourr\pL+`, `préfère`, `que ça`, `qu'\pL+`, `fais(?:-le)?`, `rends(?:-le)?`, `doit`, `devrait`, `veux`, `voudrais`)
	deniesPattern = words(`not`, `don'?t`, `never`, `shouldn'?t`, `nicht`, `kein(?:e|en)?`, `no`, `nunca`, `pas`, `jamais`)
	raisePattern  = words(`raise`, `increase`, `boost`, `(?:crank|turn|bump|amp|pump|bring) .*up`, `up`, `higher`, `more`, `too low`, `erhöh\pL*`, `steiger\pL*`, `anheben`, `anziehen`, `zieh\pL* .*an`, `hoch\pL*`, `mehr`, `höher\pL*`, `zu (?:niedrig|gering)`, `s[uú]be\pL*`, `subir`, `aumenta\pL*`, `incrementa\pL*`, `m[aá]s`, `dale`, `demasiado baj[oa]`, `augmente[rz]?`, `monte[rz]?`, `hausse[rz]?`, `plus`, `trop (?:bas|basse|faible)`)
	lowerPattern  = words(`lower`, `reduce`, `decrease`, `drop`, `cut`, `down`, `less`, `low`, `weaker`, `too (?:high|strong)`, `senke?\pL*`, `verringer\pL*`, `reduzier\pL*`, `dross?el\pL*`, `(?:he)?runter\pL*`, `weniger`, `niedriger\pL*`, `geringer\pL*`, `zu (?:hoch|stark)`, `b[aá]j[ae]\pL*`, `bajar`, `reduc\pL+`, `reduzca`, `disminuy\pL+`, `menos`, `demasiado alt[oa]`, `baisse[rz]?`, `diminue[rz]?`, `réduis\pL*`, `réduire`, `moins`, `trop (?:haute?|forte?|élevée?)`)
	// tiring speaks of what is hard to do with a game, and not of how hard it is.
	tiringPattern = words(`(?:hard|difficult|easy|impossible|slow) to (?:see|read|find|hear|tell|understand|hit|control|load|learn|pick up|get into|remember|stop|put down|resist|quit)`, `with one hand`, `(?:schwer|leicht|einfach) (?:zu (?:lernen|erlernen)|aufzuhören)`, `(?:f[aá]cil|dif[ií]cil) de (?:aprender|dejar)`, `(?:facile|difficile) à apprendre`, `(?:loading|laden|ladezeit|cargar|chargement)`,
		`(?:nothing|nichts|nix|nada|rien)[^\pL].*(?:when|if|wenn|cuando|quand)`, `(?:schwer|schwierig|schlecht|leicht) zu (?:sehen|lesen|erkennen|finden|verstehen|steuern)`, `(?:dif[ií]cil|f[aá]cil)(?:es)? de (?:ver|leer|entender|controlar)`, `(?:difficile|facile)s? à (?:voir|lire|comprendre|contrôler)`, `zu (?:sehen|lesen|erkennen)`)

	// lookPattern are things of a game that are no play, and likedPattern is praise.
	lookPattern  = words(`looks?`, `aussehen`, `aussieht`, `sieht (?:\pL+ )*aus`, `parezca`, `parecer(?:se)?`, `ressembl\pL*`, `sky`, `clouds?`, `trees?`, `scenery`, `landscape`, `story`, `intro`, `menu`, `himmel`, `landschaft`, `farbe`, `cielo`, `paisaje`, `ciel`, `paysage`, `colou?rs?`, `musi[ck]`, `sounds?`, `titles?`, `names?`, `texts?`, `fonts?`, `graphics`, `backgrounds?`, `score`, `farben`, `musik`, `töne`, `titel`, `schrift\pL*`, `hintergrund`, `grafik`, `colores`, `música`, `sonidos?`, `t[ií]tulo`, `fondo`, `gráficos`, `marcador`, `couleurs`, `musique`, `les? sons?`, `titre`, `police`, `graphismes`)
	likedPattern = words(`(?:i|we|they) (?:really |just )?(?:like|love|enjoy)s?`, `(?:ich|wir) (?:mag|mögen|liebe|finde? (?:es )?(?:gut|toll|super))`, `gefällt (?:mir|uns)`, `(?:me|nos) (?:gusta|encanta)`, `can'?t believe`, `kann (?:es )?(?:kaum|nicht) glauben`, `(?:j'|nous )(?:aime|adore)\pL*`)
)

var (
	// contentPattern says that something is as it should be: "it's not too hard".
	contentPattern = words(`(?:is|are|it'?s|that'?s|was) not too`, `(?:isn|aren|wasn)'?t too`, `(?:ist|sind) (?:\pL+ )?nicht zu`, `no (?:es|está|son|va) demasiado`, `(?:n'est|ne sont) pas trop`)
	supposes       = words(`what if`, `if`, `wenn`, `falls`, `ob`, `hätte`, `würde`, `y si`, `et si`)
	dullPattern    = words(dull)
	// deniedDull is praise.
	deniedDull = words(`(?:not|never|\pL+n'?t|nicht|nie|nada|pas|jamais|kein(?:e|en)?|nunca|no (?:es|está)|don'?t make (?:it|this)) (?:\pL+ )?` + dull)
	// thingPattern are things of a game that are called as what it is moved by.
	thingPattern = words(`speed ?boost\pL*`, `boosters?`, `upside down`, `auf den kopf`, `boca abajo`, `à l'envers`)

	articled   = regexp.MustCompile(`(?:^|[^\pL])(?:the|an?|my|his|her|its|their|der|die|das|den|dem|eine?n?|mein|el|la|los|las|una?|les?|une|mon|ma) (\pL+)`)
	runPattern = words(`games?`, `runs?`, `rounds?`, `levels?`, `match(?:es)?`, `time`, `limit`, `clock`, `timer`, `countdown`, `spiel\pL*`, `runden?`, `partien?`, `zeit\pL*`, `juego`, `partidas?`, `rondas?`, `tiempo`, `jeu`, `parties?`, `manches?`, `temps`)
)

// ofThing reports whether what a clause would have longer is a thing of the game, as in
// "make the tail longer", and not its run.
func ofThing(text string) bool {
	thing := false
	for _, m := range articled.FindAllStringSubmatch(text, -1) {
		thing = thing || !amounts[m[1]]
	}
	return thing && !runPattern.MatchString(text) || betweenPattern.MatchString(text)
}

// amounts follow an article and are no things: "a bit longer".
var amounts = map[string]bool{"bit": true, "little": true, "tad": true, "lot": true, "touch": true, "notch": true, "much": true, "bisschen": true, "wenig": true, "poco": true, "peu": true, "poquito": true, "whole": true}

// toward returns which way a clause would have an axis: 1 for more, -1 for less, 0 where
// it says nothing of it.
func (a *axis) toward(text string) int {
	if contentPattern.MatchString(text) {
		return 0
	}
	much, little := a.much(), a.little()
	asked, denied := asksPattern.MatchString(text), deniesPattern.MatchString(text)
	for _, f := range []struct {
		much, little *regexp.Regexp
		way          int // of what is said of much
		holds        bool
	}{
		{little.less, much.less, 1, true},
		{much.like, little.like, 1, asked && !denied},
		{much.like, little.like, -1, !asked && !denied},
		{much.said, little.said, -1, true},
		{much.lacking, little.lacking, 1, true},
		{much.sofar, little.sofar, 1, asked && !denied},
		{much.excess, little.excess, -1, true},
		{much.more, little.more, 1, true},
		{much.asked, little.asked, 1, asked && !denied},
		{much.asked, little.asked, -1, asked && denied},
		{much.stated, little.stated, -1, !asked && !denied && !supposes.MatchString(text)},
	} {
		switch {
		case !f.holds:
		case f.much.MatchString(text):
			return f.way
		case f.little.MatchString(text):
			return -f.way
		}
	}
	switch {
	case a.name == nil || !a.name.MatchString(text) || thingPattern.MatchString(text):
	case lowerPattern.MatchString(text):
		return -1
	case raisePattern.MatchString(text):
		return 1
	}
	return 0
}

// besides reports whether a clause is praise, or about what is seen, read or heard.
func (c clause) besides() bool {
	return tiringPattern.MatchString(c.text) || lookPattern.MatchString(c.text) || likedPattern.MatchString(c.text)
}

// wants is what a clause says of the axis, where it is about the play. That losing is no
// fun does not ask for a harder game, and what is not dull is praised.
func (c clause) wants(a *axis) int {
	if c.tuned || c.besides() {
		return 0
	}
	way := a.toward(c.text)
	if a == &challenge && (way > 0 && losesPattern.MatchString(c.text) || praised(c.text)) {
		return 0
	}
	return way
}

// feeling takes a clause that says how it is to play: "I die all the time", "it hangs in
// the air for ages", "piece of cake". Its words mean no place, figure or number.
func feeling(s *spec.Spec, c clause) result {
	r := result{}
	switch way := outcome(*s, c); {
	case c.besides():
		return r
	case way != 0:
		r = harder(s, c, way)
	case rivalLoses.MatchString(c.text) && oftenPattern.MatchString(c.text):
		r = result{unmet: "what the others can take goes with the kind of game; I can make it harder"}
	case said(&weight, c.text) && catalog.Uses(s.Mechanic, "gravity"):
		r = weigh(s, c, weight.toward(c.text))
	case said(&span, c.text) && !ofThing(c.text):
		r = lasting(s, c, span.toward(c.text))
	case said(&pace, c.text):
		r = hurry(s, c, pace.toward(c.text))
	case said(&challenge, c.text) && c.wants(&challenge) != 0:
		r = harder(s, c, challenge.toward(c.text))
	default:
		return r
	}
	r.alone = true
	return r
}

// praised reports whether a clause says that a game is not dull, or is not to become so.
func praised(text string) bool {
	return deniedDull.MatchString(text) && (!asksPattern.MatchString(text) || forbidPattern.MatchString(text))
}

// said reports whether a clause is one of those that people say of a game's axis.
func said(a *axis, text string) bool {
	if praised(text) {
		return false
	}
	much, little := a.much(), a.little()
	return slices.ContainsFunc([]*regexp.Regexp{much.said, little.said, much.like, little.like, much.less, little.less}, func(p *regexp.Regexp) bool { return p.MatchString(text) }) &&
		a.toward(text) != 0
}

// hurry makes a game faster or slower.
func hurry(s *spec.Spec, c clause, way int) result {
	return scale(s, "speed", &s.Play.Speed, by(way, step(c, 1.1, 1.25, 1.6)))
}

// levelOfPlay are the names of the tunable that says how well an opponent plays.
var levelOfPlay = []string{"level", "difficulty"}

func levelParam(s spec.Spec) string {
	for _, name := range levelOfPlay {
		if _, own := catalog.Mechanics[s.Mechanic].Params[name]; own {
			return name
		}
	}
	return ""
}

// harder makes a game harder or easier: where it has an opponent, that one plays better
// or worse.
func harder(s *spec.Spec, c clause, way int) result {
	if name := levelParam(*s); name != "" {
		r := setParam(s, name, paramOf(*s, name, catalog.Mechanics[s.Mechanic].Params[name])+float64(way))
		r.scaled = fmt.Sprintf("%s %d;", name, way)
		return r
	}
	k := by(way, step(c, 1.08, 1.18, 1.35))
	return list(scale(s, "density", &s.Play.Density, k), scale(s, "ramp", &s.Play.Ramp, k*k), scale(s, "speed", &s.Play.Speed, math.Sqrt(k)))
}

// weigh makes what jumps fall faster or slower.
func weigh(s *spec.Spec, c clause, way int) result {
	return scale(s, "gravity", &s.Play.Gravity, by(way, step(c, 1.12, 1.25, 1.5)))
}

// by is a factor, or its inverse for less.
func by(way int, factor float64) float64 {
	if way < 0 {
		return 1 / factor
	}
	return factor
}
