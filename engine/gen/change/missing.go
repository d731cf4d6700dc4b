package change

import (
	"regexp"
	"strings"

	"github.com/svc-games/svc/engine/gen/spec"
)

// lacking are things that people ask for and no game here has, or each has already,
// with what to say of them.
var lacking = []struct {
	what *regexp.Regexp
	not  string // a mechanic that has it
	why  string
}{
	{words(`pause[- ](?:button|menu|key|screen)`, `(?:add|an?|with) pause`, `pausen?(?:knopf|taste|menü|funktion|button)`, `(?:eine|mit) pause`, `(?:bot[oó]n|men[uú]) de pausa`, `una pausa`, `(?:bouton|menu)(?: de)? pause`, `une pause`), "",
		"there is one already, the sign at the top of the field, and P on a keyboard"},
	{words(`full ?screen`, `vollbild\pL*`, `pantalla completa`, `plein écran`), "", "the game fills its window already; a browser's own full screen is F11"},
	{words(`shops?`, `stores?`, `upgrades?`, `(?:einen|im) laden`, `geschäft`, `kaufen`, `tiendas?`, `comprar`, `mejoras`, `boutiques?`, `magasins?`, `acheter`, `améliorations?`), "clicker",
		"there is nothing to buy, since a run begins as the one before; power-ups can be had"},
	{words(`sav(?:e|ing) (?:the |my )?(?:game|progress|state)`, `spielstand`, `(?:spiel )?speichern`, `guardar (?:la |mi )?(?:partida|progreso)`, `sauvegard\pL+`), "", "a run can't be saved; the best score is kept on the device"},
	{words(`achievements?`, `trophies`, `quests?`, `missions?`, `erfolge`, `logros`, `misiones`, `trophées?`), "", "there are none; levels, a boss and a table of scores can be had"},
	{words(`chat(?: room| window)`, `log ?in`, `accounts?`, `sign[- ]?up`, `anmeld\pL+`, `iniciar sesión`, `cuentas de usuario`, `connexion`), "", "the game is played on one device, without accounts"},
	{words(`game ?pads?`, `joysticks?`, `steuerung`, `controls`, `controles`, `mandos?`, `commandes`, `manettes?`, `contrôles`), "", "keys and touch both work, in the way of this kind of game"},
	{words(`graphics?`, `prettier`, `nicer`, `realistic`, `grafik\pL*`, `schöner`, `hübscher`, `gr[aá]ficos`, `m[aá]s bonit[oa]`, `realista`, `graphismes?`, `plus (?:beau|jolie?|belle)`, `réaliste`), "",
		"painted pictures are switched by settings.aiImages; I can change colours, mood and place"},
	{words(`(?:does(?:n'?t| not)|won'?t) (?:work|load|start|run)`, `broken`, `(?:is|has|there'?s) a bug`, `crash\pL*`, `(?:geht|funktioniert|läuft|startet) nicht`, `kaputt`, `no (?:funciona|carga|arranca)`, `ne (?:marche|fonctionne) pas`, `est cassé`), "",
		"I can't see what goes wrong there; say what the game should do instead"},
}

// missing says of what can't be had why that is, and takes the whole clause.
func missing(s *spec.Spec, c clause) result {
	for _, l := range lacking {
		if s.Mechanic != l.not && l.what.MatchString(c.text) {
			return result{unmet: l.why, alone: true}
		}
	}
	return result{}
}

var (
	textPattern = words(`texts?`, `fonts?`, `letters?`, `titles?`, `buttons?`, `hud`, `score`, `screen`, `background`, `schrift\pL*`, `buchstaben`, `titel`, `knopf`, `knöpfe`, `punkte(?:stand|zahl)`, `bildschirm`, `hintergrund`,
		`letras?`, `textos?`, `t[ií]tulo`, `bot[oó]n(?:es)?`, `puntuaci[oó]n`, `marcador`, `pantalla`, `fondo`, `textes?`, `lettres?`, `police`, `titre`, `boutons?`, `écran`, `fond`)
	// steadyPattern asks that a game does not get harder as it goes on.
	steadyPattern = words(`not (?:get|become|getting) (?:any )?(?:faster|harder)`, `never (?:get|become)s? (?:faster|harder)`, `(?:doesn'?t|don'?t|shouldn'?t) (?:get|become) (?:faster|harder)`, `without getting (?:faster|harder)`, `same speed (?:all the time|throughout)`,
		`nicht (?:immer )?(?:schneller|schwerer) werden`, `(?:gleich|konstant) schnell bleiben`, `(?:que )?no (?:se acelere|vaya (?:cada vez )?más rápido)`, `ne (?:s'accélère|devienne) pas(?: plus (?:rapide|dur))?`)
	// silentPattern complains of the quiet.
	silentPattern   = words(`(?:there is |there's |it has )?no (?:sound|music|audio)`, `can'?t hear (?:anything|a thing|any sound)`, `(?:kein|ohne) (?:ton|sound|klang)`, `keine musik`, `h(?:ö|oe)re nichts`, `no (?:tiene|hay) (?:sonido|música)`, `no se (?:oye|escucha)`, `(?:pas|il n'y a pas) de (?:son|musique)`, `n'entends rien`)
	questionPattern = regexp.MustCompile(`^[¿\s]*(?:why|how (?:do|does|did|can|is|to|come|many|much)|what (?:is|are|does|do|did|was)|warum|wieso|weshalb|wie (?:geht|kann|komme|viele|spielt|steuer)|was (?:ist|sind|soll|macht|muss)|por ?qu[eé]|c[oó]mo|qu[eé] (?:es|hace|pasa)|pourquoi|comment|qu'est-ce)(?:$|[^\pL])`)
	proposalPattern = words(`why not`, `why don'?t (?:you|we)`, `warum nicht`, `por qué no`, `pourquoi pas`)
)

// steady takes away that a game gets harder as it goes on.
func steady(s *spec.Spec, c clause) result {
	if !steadyPattern.MatchString(c.text) {
		return result{}
	}
	r := scale(s, "ramp", &s.Play.Ramp, 0)
	r.alone = true
	return r
}

// sound says what switches it: a complaint of silence is no wish for it.
func sound(s *spec.Spec, c clause) result {
	switch {
	case !silentPattern.MatchString(c.text):
		return result{}
	case s.Sound:
		return result{unmet: "there is sound, unless the sign on the title screen or M on a keyboard mutes it; settings.aiAudio switches it", alone: true}
	}
	return result{unmet: "sound is switched by settings.aiAudio", alone: true}
}

// question says how the game is played to whoever asks something.
func question(s *spec.Spec, c clause) result {
	if !questionPattern.MatchString(c.text) || proposalPattern.MatchString(c.text) {
		return result{}
	}
	return bound("I answer no questions; what the game says of itself is %q", s.Text.HowTo)
}

// courtesies are the words of thanks and praise.
var courtesies = func() map[string]bool {
	out := map[string]bool{}
	for _, word := range strings.Fields(`please thanks thank you a lot so much very hi hello hey ok okay great nice cool i we like love it this that good job well done awesome amazing wow perfect super the game is my kids son daughter loves really fun
		bitte danke schön sehr vielen dank dir hallo toll prima klasse perfekt geworden gefällt mir uns gut das ist es spiel finde ich
		gracias muchas por favor hola me encanta gusta mucho genial perfecto muy bien está es juego el excelente
		merci beaucoup bonjour salut j adore aime c est parfait génial très bien ça le jeu s il te vous plaît plait bravo`) {
		out[word] = true
	}
	return out
}()

// between are those of them that say nothing alone.
var between = words(`a|i|we|it|this|that|job|the|game|is|my|so|dir|mir|uns|das|ist|es|spiel|ich|finde|me|el|está|juego|le|jeu|il|te|est|c|j|ça|s|vous`)

// polite reports whether a clause is nothing but thanks and praise.
func polite(c clause) bool {
	said := false
	for _, word := range letters.FindAllString(c.text, -1) {
		if !courtesies[word] {
			return false
		}
		said = said || !between.MatchString(word)
	}
	return said
}
