package change

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/spec"
)

// axis is a quality that requests move a game along, between its ends.
type axis struct {
	much, little func() frames
	name         *regexp.Regexp // what it is called: "raise the tempo"
}

var (
	pace      = axis{framed(fast), framed(slow), words(`speed`, `tempo`, `pace`, `geschwindigkeit`, `velocidad`, `ritmo`, `vitesse`, `rythme`, `cadence`, `stress`, `rush`, `hektik`, `agobio`, `estrés`, `prisas?`, `pression`)}
	challenge = axis{framed(hard), framed(easy), words(`difficulty`, `challenge`, `action`, `thrill`, `schwierigkeit\pL*`, `spannung`, `pfeffer`, `pep`, `herausforderung`, `dificultad`, `acción`, `emoción`, `reto`, `caña`, `difficulté`, `défi`, `piment`)}
	weight    = axis{framed(heavy), framed(floaty), words(`gravity`, `schwerkraft`, `gravitation`, `gravedad`, `gravité`, `pesanteur`)}
	span      = axis{framed(long), framed(short), nil}
)

// frames are the ways in which a clause speaks of one end of an axis.
type frames struct {
	said, lacking, excess, more, asked, stated *regexp.Regexp
}

// The words around an adjective.
const (
	degree = `(?:(?:ja|doch|einfach|schon|mir|uns|aber|way|far|much|really|very|pretty|quite|rather|kind of|kinda|so|a bit|a little|awfully|super|extremely|totally|ganz|ziemlich|echt|wirklich|total|sehr|viel|etwas|ein bisschen|muy|bastante|un poco|realmente|bien|très|vraiment|assez|un peu|tellement) )*`
	excess = `(?:too|overly|unbearably|insanely|ridiculously|impossibly|crazy|unerträglich|irre|wahnsinnig|insoportablemente|horriblement|not (?:so|too|that)|less|so|zu|nicht (?:so|zu|ganz so)|weniger|demasiado|muy|tan|menos|trop|moins|pas (?:si|trop|aussi)|tellement|troppo|meno|muito) `
	// hardly is what a game has too little of: "not very exciting".
	hardly = `(?:(?:isn'?t|ain'?t|is not|ist nicht|no es|n'est pas) (?:so|too|that|all that|tan|si)|(?:not|isn'?t|ain'?t|nicht|no es|no está|no va|no son|pas) (?:very|really|particularly|exactly|sehr|besonders|wirklich|gerade|muy|nada|très|vraiment|bien)|(?:not|isn'?t|nicht|no es|no va) (?:bastante|suficientemente|lo bastante|lo suficientemente)|pas assez|kaum|hardly|apenas|à peine) `
	// last is what may follow an adjective that is about the game, and no part of "the fast enemies".
	last = `(?:[^\pL]*$|[^\pL]+(?:please|bitte|por favor|svp|stp|now|jetzt|ahora|again|wieder|paced|enough|genug|game|spiel|juego|jeu|gameplay|to play|zu spielen|for|für|para|pour|so|like|wie|como|comme|but|than|als|que|tbh|honestly)(?:$|[^\pL]))`
	be   = `(?:is|are|was|it'?s|that'?s|feels?|seems?|gets?|plays?|ist|sind|war|wirkt|wird|es|está|son|parece|resulta|se hace|se siente|est|c'est|sont|semble|paraît) `
)

// framed compiles the frames of an end when they are first needed.
func framed(e end) func() frames {
	return sync.OnceValue(func() frames {
		of := func(lists ...[]string) string {
			if all := slices.Concat(lists...); len(all) > 0 {
				return `(?:` + strings.Join(all, `|`) + `)`
			}
			return `[^\s\S]` // nothing
		}
		blamed, wished := of(e.fault, e.quality), of(e.fault, e.quality, e.thrill)
		return frames{
			said:    words(of(e.said)),
			lacking: words(hardly+wished, `(?:not|isn'?t|nicht|pas|no) (?:\pL+ )?`+wished+` (?:enough|genug)`, `not enough `+wished),
			excess:  words(excess + degree + blamed),
			more:    words(of(e.more), `(?:more|m[aá]s|mais|plus|pi[uù]) `+wished, `(?:not|isn'?t|nicht|no es|n'est pas|c'est pas) `+wished),
			asked:   regexp.MustCompile(`(?:^|[^\pL])` + wished + last),
			stated:  regexp.MustCompile(`(?:^|[^\pL])` + be + degree + of(e.fault) + `(?:$|[^\pL])|^` + degree + of(e.fault) + last),
		}
	})
}

var (
	asksPattern   = words(`make`, `want`, `should(?: be)?`, `must`, `(?:can|could) (?:it|you|we)`, `mach`, `mache`, `soll(?:te|ten)?`, `will`, `möchte`, `haz(?:lo|me)?`, `pon(?:lo)?`, `que sea`, `quiero`, `debe`, `debería`, `fais(?:-le)?`, `rends(?:-le)?`, `doit`, `devrait`, `veux`, `voudrais`)
	deniesPattern = words(`not`, `don'?t`, `never`, `shouldn'?t`, `nicht`, `kein(?:e|en)?`, `no`, `nunca`, `pas`, `jamais`)
	raisePattern  = words(`raise`, `increase`, `boost`, `(?:crank|turn|bump|amp|pump|bring) .*up`, `up`, `higher`, `more`, `too low`, `erhöh\pL*`, `steiger\pL*`, `anheben`, `anziehen`, `zieh\pL* .*an`, `hoch\pL*`, `mehr`, `höher\pL*`, `zu (?:niedrig|gering)`, `s[uú]be\pL*`, `subir`, `aumenta\pL*`, `incrementa\pL*`, `m[aá]s`, `dale`, `demasiado baj[oa]`, `augmente[rz]?`, `monte[rz]?`, `hausse[rz]?`, `plus`, `trop (?:bas|basse|faible)`)
	lowerPattern  = words(`lower`, `reduce`, `decrease`, `drop`, `cut`, `down`, `less`, `low`, `weaker`, `too (?:high|strong)`, `senke?\pL*`, `verringer\pL*`, `reduzier\pL*`, `dross?el\pL*`, `(?:he)?runter\pL*`, `weniger`, `niedriger\pL*`, `geringer\pL*`, `zu (?:hoch|stark)`, `b[aá]j[ae]\pL*`, `bajar`, `reduc\pL+`, `reduzca`, `disminuy\pL+`, `menos`, `demasiado alt[oa]`, `baisse[rz]?`, `diminue[rz]?`, `réduis\pL*`, `réduire`, `moins`, `trop (?:haute?|forte?|élevée?)`)
	// tiring speaks of what is hard to do with a game, and not of how hard it is.
	tiringPattern = words(`(?:hard|difficult|easy|impossible|slow) to (?:see|read|find|hear|tell|understand|hit|control|load)`, `(?:schwer|schwierig|schlecht|leicht) zu (?:sehen|lesen|erkennen|finden|verstehen|steuern)`, `(?:dif[ií]cil|f[aá]cil)(?:es)? de (?:ver|leer|entender|controlar)`, `(?:difficile|facile)s? à (?:voir|lire|comprendre|contrôler)`, `zu (?:sehen|lesen|erkennen)`)

	// lookPattern are things of a game that are no play, and likedPattern is praise.
	lookPattern  = words(`colou?rs`, `musi[ck]`, `sounds?`, `titles?`, `names?`, `texts?`, `fonts?`, `graphics`, `backgrounds?`, `score`, `farben`, `musik`, `töne`, `titel`, `schrift\pL*`, `hintergrund`, `grafik`, `colores`, `música`, `sonidos?`, `t[ií]tulo`, `fondo`, `gráficos`, `marcador`, `couleurs`, `musique`, `les? sons?`, `titre`, `police`, `graphismes`)
	likedPattern = words(`(?:i|we|they) (?:really |just )?(?:like|love|enjoy)s?`, `(?:ich|wir) (?:mag|mögen|liebe|finde? (?:es )?(?:gut|toll|super))`, `gefällt (?:mir|uns)`, `(?:me|nos) (?:gusta|encanta)`, `(?:j'|nous )(?:aime|adore)\pL*`)

	losesPattern = words(`d(?:ie|ies|ied|ying)`, `los(?:e|es|ing|t)`, `fail(?:s|ing|ed)?`, `(?:gets?|getting|am|is|are) (?:killed|hit|caught|eaten)`, `game over`, `sterben?`, `sterbe`, `stirb\pL*`, `verlier\pL*`, `geh\pL* .*drauf`, `(?:bin|ist) (?:\pL+ )*tot`,
		`muer\pL+`, `me la peg\pL+`, `morir`, `(?:me|te|lo|la|nos) (?:mata|matan|pilla|pillan|comen)`, `pierd\pL+`, `perder`, `meurs?`, `meurt`, `mourir`, `perds?`, `fai[st] (?:tuer|avoir|manger|attraper)`)
	oftenPattern = words(`too (?:often|soon|early|quickly|fast|easily|much)`, `all the time`, `constantly`, `always`, `every ?time`, `(?:again|over) and (?:again|over)`, `immediately`, `instantly`, `right away`, `at once`, `straight ?away`, `keeps?`, `(?:after|within|in) (?:\S+ ){0,3}seconds?`, `in no time`,
		`dauernd`, `ständig`, `immer`, `andauernd`, `sofort`, `zu (?:oft|schnell|früh|leicht)`, `jedes ?mal`, `nach \S+ sekunden?`, `siempre`, `todo el (?:rato|tiempo)`, `en ?seguida`, `al instante`, `constantemente`, `cada vez`, `a cada rato`, `(?:demasiado|muy) (?:pronto|rápido|fácil|a menudo)`, `a los \S+ segundos`,
		`sans (?:arrêt|cesse)`, `tout le temps`, `toujours`, `tout de suite`, `trop (?:vite|souvent|tôt|facilement)`, `au bout d\S*`, `dès le`, `à chaque fois`, `immédiatement`)
	winsPattern  = words(`w[io]n`, `wins`, `beat`, `beats`, `finish(?:ed)?`, `gewinn\pL*`, `gewonnen`, `geschafft`, `gan[aoeé]\pL*`, `termin[oéa]\pL*`, `gagne\pL*`, `fini`, `réussi\pL*`)
	neverPattern = words(`never`, `can'?t`, `cannot`, `nie(?:mals)?`, `nunca`, `jamais`, `no (?:puedo|puede|se puede)`, `ne (?:peut|peux) pas`)
	// unerring is an opponent that makes no mistakes.
	unerring       = words(`never (?:misses|makes? (?:a )?mistakes?|loses?)`, `(?:verfehlt|verliert) (?:\pL+ )*nie`, `nunca (?:falla|pierde)`, `ne (?:rate|perd) jamais`, `always wins`, `gewinnt (?:\pL+ )*immer`, `siempre gana`, `gagne toujours`)
	blindlyPattern = words(`first (?:try|go|time|attempt)`, `every ?time`, `always`, `without (?:even )?(?:trying|looking|effort|thinking)`, `eyes (?:closed|shut)`, `blindfold(?:ed)?`, `one hand`, `auf anhieb`, `beim ersten (?:mal|versuch)`, `immer`, `jedes ?mal`, `mit links`, `ohne (?:mühe|hinzusehen|hinzuschauen)`, `blind`,
		`a la primera`, `siempre`, `ojos cerrados`, `sin (?:mirar|esfuerzo|querer)`, `du premier coup`, `à chaque fois`, `toujours`, `yeux fermés`, `sans (?:regarder|effort)`)
)

// toward returns which way a clause would have an axis: 1 for more, -1 for less, 0 where
// it says nothing of it.
func (a *axis) toward(text string) int {
	much, little := a.much(), a.little()
	asked, denied := asksPattern.MatchString(text), deniesPattern.MatchString(text)
	for _, f := range []struct {
		much, little *regexp.Regexp
		way          int // of what is said of much
		holds        bool
	}{
		{much.said, little.said, -1, true},
		{much.lacking, little.lacking, 1, true},
		{much.excess, little.excess, -1, true},
		{much.more, little.more, 1, true},
		{much.asked, little.asked, 1, asked && !denied},
		{much.asked, little.asked, -1, asked && denied},
		{much.stated, little.stated, -1, true},
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
	case a.name == nil || !a.name.MatchString(text):
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

// wants is what a clause says of the axis, where it is about the play.
func (c clause) wants(a *axis) int {
	if c.tuned || c.besides() {
		return 0
	}
	return a.toward(c.text)
}

// feeling takes a clause that says how it is to play: "I die all the time", "it hangs in
// the air for ages", "piece of cake". Its words mean no place, figure or number.
func feeling(s *spec.Spec, c clause) result {
	r := result{}
	switch {
	case c.besides():
		return r
	case losesPattern.MatchString(c.text) && oftenPattern.MatchString(c.text), winsPattern.MatchString(c.text) && neverPattern.MatchString(c.text),
		opponentPattern.MatchString(c.text) && unerring.MatchString(c.text):
		r = harder(s, c, -1)
	case winsPattern.MatchString(c.text) && blindlyPattern.MatchString(c.text):
		r = harder(s, c, 1)
	case said(&weight, c.text) && catalog.Uses(s.Mechanic, "gravity"):
		r = weigh(s, c, weight.toward(c.text))
	case said(&span, c.text):
		r = lasting(s, c, span.toward(c.text))
	case said(&pace, c.text):
		r = hurry(s, c, pace.toward(c.text))
	case said(&challenge, c.text):
		r = harder(s, c, challenge.toward(c.text))
	default:
		return r
	}
	r.alone = true
	return r
}

// said reports whether a clause is one of those that people say of a game's axis.
func said(a *axis, text string) bool {
	return a.much().said.MatchString(text) || a.little().said.MatchString(text)
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
