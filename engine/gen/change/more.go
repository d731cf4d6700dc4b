package change

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/svc-games/svc/engine/gen/brief"
	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/spec"
)

var (
	safePattern = words(`(?:infinite|unlimited|endless|eternal) (?:lives|hearts|tries|health)`, `unendlich(?:e|en)?(?: vielen?)? (?:leben|herzen|versuche)`, `(?:vidas|intentos) (?:infinit[oa]s|ilimitad[oa]s)`, `infinitas vidas`, `vies (?:infinies|illimitées|à l'infini)`,
		`can'?t (?:lose|die|be killed)`, `can ?not (?:lose|die)`, `can(?:'t| not) get hurt`, `never (?:lose|die)`, `impossible to lose`, `invincible`, `invulnerable`, `immortal`, `god mode`, `no (?:dying|losing|game over)`,
		`nicht verlieren(?: können| kann)?`, `unbesiegbar`, `unsterblich`, `unverwundbar`, `nicht sterben(?: können| kann)?`, `no (?:se )?pued[ae](?:s)? (?:perder|morir)`, `(?:invencible|inmortal)`, `sin perder`,
		`ne p(?:eut|uisse|eux) pas (?:perdre|mourir)`, `(?:invincible|immortel)`)
	mortalPattern = words(`can (?:lose|die) again`, `no longer invincible`, `wieder verlieren`)

	tablePattern = words(`high ?scores?`, `high[- ]score (?:table|list)`, `leader ?board`, `score ?board`, `(?:best|top) (?:scores|five|ten)`, `bestenliste`, `rangliste`, `highscore(?:liste|tabelle)?`, `tabla de (?:puntuaciones|récords|records|posiciones)`,
		`(?:mejores|clasificación de) puntuaciones`, `tableau des scores`, `meilleurs scores`, `classement`)
	onlinePattern = words(`online`, `worldwide`, `global`, `shared`, `with friends`, `weltweit`, `en línea`, `en ligne`, `mundial`, `mondial`)

	smarterPattern  = words(`smarter`, `cleverer`, `stronger`, `better (?:opponent|computer|enem\w+)`, `klüger`, `schlauer`, `stärker`, `besser(?:er|en)? gegner`, `más (?:list[oa]s?|fuertes?|inteligentes?)`, `plus (?:forte?s?|malins?|intelligente?s?)`, `too (?:weak|dumb|stupid)`)
	dumberPattern   = words(`dumber`, `weaker`, `too (?:strong|smart|good|clever)`, `zu (?:stark|klug|gut)`, `schwächer`, `dümmer`, `demasiado (?:fuerte|list[oa])`, `más débil(?:es)?`, `trop (?:forte?|malin)`, `moins forte?`)
	opponentPattern = words(`opponents?`, `computer`, `enem(?:y|ies)`, `ghosts?`, `ai`, `cpu`, `gegner`, `rival(?:es)?`, `oponente`, `enemigos?`, `ordenador`, `adversaires?`, `ennemis?`, `ordinateur`)
)

// languages are the names of languages in those that games are written in; "" for
// those that no game is written in.
var languages = map[string]string{
	"english": "en", "englisch": "en", "inglés": "en", "ingles": "en", "anglais": "en", "german": "de", "deutsch": "de", "alemán": "de", "aleman": "de", "allemand": "de",
	"spanish": "es", "spanisch": "es", "español": "es", "espanol": "es", "castellano": "es", "espagnol": "es", "french": "fr", "französisch": "fr", "francés": "fr", "frances": "fr",
	"français": "fr", "francais": "fr",
	"italian": "", "portuguese": "", "dutch": "", "polish": "", "russian": "", "turkish": "", "japanese": "", "chinese": "", "korean": "", "arabic": "", "swedish": "", "hindi": "", "greek": "", "ukrainian": "",
	"italienisch": "", "portugiesisch": "", "polnisch": "", "russisch": "", "türkisch": "", "japanisch": "", "chinesisch": "", "italiano": "", "portugués": "", "japonés": "", "chino": "", "ruso": "",
	"englische": "en", "englischen": "en", "deutsche": "de", "deutschen": "de", "spanische": "es", "spanischen": "es", "französische": "fr", "französischen": "fr",
	"inglesa": "en", "alemana": "de", "española": "es", "francesa": "fr", "anglaise": "en", "allemande": "de", "espagnole": "es", "française": "fr",
	"italien": "", "portugais": "", "japonais": "", "chinois": "", "russe": "",
}

var letters = regexp.MustCompile(`\pL+`)

// translatePattern asks for another language: by the word, by "in Spanish" at the end of a
// clause, or by naming texts of it.
var translatePattern = sync.OnceValue(func() *regexp.Regexp {
	lang := `(?:` + strings.Join(slices.Sorted(maps.Keys(languages)), `|`) + `)`
	polite := `(?: (?:please|bitte|por favor|s'il (?:te|vous) pla[iî]t|stp|svp|instead|now|jetzt|ahora|maintenant|machen|haben|sein|language|um|umstellen)| (?:for|für|para|pour) .*)*`
	texts := `(?:texts?|words|labels|language|version|translation|texte?n?|wörter|sprache|fassung|übersetzung|textos|palabras|idioma|versión|textes|mots|langue)`
	speaks := `(?:speaks?|understands?|spricht|sprechen|verstehen?|hablan?|entienden?|parlent?|comprennent) (?:only |nur |s[oó]lo |que )?`
	return regexp.MustCompile(speaks + lang + `(?:$|[^\pL])|translat\pL*|übersetz\pL*|tradu\pL*|(?:^|[^\pL])(?:in|auf|ins|en|to|into|al|vers|à) ?(?:the |das |el |l['’]|le )?` + lang + polite + `[?!]*$|^` + lang + polite + `[?!]*$|(?:^|[^\pL])` +
		lang + ` ` + texts + `(?:$|[^\pL])|(?:^|[^\pL])` + texts + ` (?:in |en |auf )?` + lang + `(?:$|[^\pL])`)
})

// translate writes the game's texts in another language.
func translate(s *spec.Spec, c clause) result {
	if !translatePattern().MatchString(c.text) {
		return result{}
	}
	for _, word := range letters.FindAllString(c.text, -1) {
		lang, known := languages[word]
		switch {
		case !known:
			continue
		case lang == "":
			return bound("texts are in English, German, Spanish or French; there are none in %s", strings.ToUpper(word[:1])+word[1:])
		case lang == s.Lang:
			return bound("it is in %s already", catalog.LanguageNames[lang])
		}
		old := s.Lang
		brief.Translate(s, lang)
		return done("language %s → %s", catalog.LanguageNames[old], catalog.LanguageNames[lang])
	}
	return result{}
}

// safety makes a game that nobody loses, or one that can be lost again.
func safety(s *spec.Spec, c clause) result {
	safe := safePattern.MatchString(c.text) && !rivalLoses.MatchString(c.text) && !unbeaten(c.text)
	if mortalPattern.MatchString(c.text) {
		safe = false
	} else if !safe {
		return result{}
	}
	r := done("nothing costs a life")
	switch {
	case s.Play.Safe == safe:
		r = bound("it is like that already")
	case !safe:
		r = done("the game can be lost again")
	case s.Play.Duration == 0:
		s.Play.Duration = 2 * spec.MaxDuration
		r = done("nothing costs a life, and a run lasts %d s", s.Play.Duration)
	}
	s.Play.Safe, r.alone = safe, true
	return r
}

// table lists the best scores of this browser.
func table(s *spec.Spec, c clause) result {
	if !tablePattern.MatchString(c.text) {
		return result{}
	}
	switch wanted := !removes(c); {
	case onlinePattern.MatchString(c.text):
		return bound("an online table of scores needs a service for players; a table on the device can be had")
	case s.Play.Table == wanted:
		return bound("it is like that already")
	default:
		s.Play.Table = wanted
		return done("a table of the best five scores: %s", map[bool]string{true: "added", false: "removed"}[wanted])
	}
}

// content gives the game what a request lists: words or questions. The rest of the
// request is returned.
func content(out *Outcome, request string, limit Limit) (rest string) {
	rest, listed := brief.CutContent(request)
	fresh := listed.For(out.Spec.Mechanic)
	if len(fresh) == 0 {
		return request
	}
	next := out.Spec
	if addPattern.MatchString(strings.ToLower(request)) {
		fresh = brief.WithContent(next.Content, fresh)
	}
	next.Content = fresh
	if limit != nil {
		if why := limit(next); why != "" {
			out.Unmet = append(out.Unmet, brief.Clip(request, 60)+": "+why)
			return rest
		}
	}
	out.Did = append(out.Did, fmt.Sprintf("the list of the game: %d → %d entries", len(out.Spec.Content), len(fresh)))
	out.Spec = next
	if filledOnly.MatchString(rest) {
		return ""
	}
	return rest
}

var (
	addPattern = words(`add`, `also`, `more`, `another`, `dazu`, `noch`, `füge`, `ergänze`, `añade`, `agrega`, `también`, `ajoute[rz]?`, `aussi`)
	// filledOnly is what is left of a request that only gives a list.
	filledOnly = regexp.MustCompile(`(?i)^[^\pL]*(?:(?:add|use|take|also|with|the|this|these|new|following|question|questions|word|words|frage|fragen|füge|wörter|diese|nimm|die|hinzu|añade|usa|la|las|pregunta|preguntas|palabras|estas|ajoute|utilise|les|ces|mots)\b[^\pL]*)*$`)
)

// collectibles changes what is collected: "add apples to collect".
func collectibles(s *spec.Spec, c clause) result {
	noun := c.reading.Pickup
	if noun == "" || !addPattern.MatchString(c.text) || noun == s.Cast.Pickup.Noun || noun == s.Cast.Hero.Noun {
		return result{}
	}
	return done("%s", brief.Replace(s, "pickup", noun))
}
