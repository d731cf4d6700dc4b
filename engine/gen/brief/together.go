package brief

import (
	"regexp"
	"slices"
	"strings"

	"github.com/svc-games/svc/engine/gen/spec"
)

// Words that stand for the ways in which two play a game at one screen.
const (
	hotSeat  = "hotseat"
	inTurns  = "inturns"
	duelling = "duelling" // against each other
)

const (
	two     = `(?:two|2|zwei|dos|deux)`
	against = `(?:against|versus|vs\.?|gegen|contra|contre)`
	ours    = `(?:an?|another|my|our|your|(?:mein|dein|unser|ein)(?:en?|e[mnr])?|un[ae]?|otr[oa]|mis?|nuestr[oa]|mon|ma|mes|notre|nos)`
	someone = `(?:(?:best |little |big |other |second |younger |older )?(?:friends?|brothers?|sisters?|siblings?|mum|mom|dad|mother|father|son|daughter|kids|wife|husband|girlfriend|boyfriend|partner|grand(?:pa|ma|father|mother|dad)|granny|nan|uncle|aunt|classmates?|colleagues?|cousin|neighbou?r|buddy|mate|person|human|player)` +
		`|(?:besten? |kleinen? |großen? )?(?:freund(?:e|in|en)?|brüdern?|bruder|schwestern?|geschwister|kumpel|kolleg(?:e|en|in)|mama|mutter|papa|vater|opa|oma|onkel|tante|sohn|tochter|kinder|frau|mann|cousine?|nachbar|mitspieler(?:in)?|mitschüler(?:in)?|andere[nr]? spieler)` +
		`|(?:mejor )?(?:amig[oa]s?|herman[oa]s?|madre|padre|mamá|papá|abuel[oa]s?|t[íi][oa]|hij[oa]s?|prim[oa]|novi[oa]|compañer[oa]s?|persona|jugador)` +
		`|(?:meilleure? )?(?:amie?s?|frères?|sœurs?|soeurs?|mère|père|maman|papa|papi|mamie|grand-(?:père|mère)|oncle|tante|fils|filles?|cousine?|copains?|copines?|voisin|joueur|personne))`
	persons = `(?:people|persons|friends|kids|children|siblings|brothers|sisters|classmates|pupils|students|leuten?|personen|freunden?|kindern?|geschwistern?|menschen|personas|amig[oa]s|niñ[oa]s|herman[oa]s|personnes|amie?s|enfants|frères|soeurs|sœurs)`
	playing = `(?:inturns|play\pL*|compet\pL+|pass(?:es)?|share|spielen|abwechselnd|wechseln|jueg\pL+|jugar|compit\pL+|jou\pL+)`
)

// together puts one word in place of each way to say that two play.
var together = []struct {
	pattern *regexp.Regexp
	word    string
}{
	{regexp.MustCompile(`(?i)\b` + against + ` (?:each other|one another)\b|\bgegeneinander\b|\bun[oa]s? contra (?:el |la |l[oa]s )?otr[oa]s?\b|\b(?:uno contra uno|une? contre une?|eins gegen eins)\b|\b(?:l['’])?une? contre l['’]autre\b|\bpvp\b|\bplayer (?:vs\.?|versus) player\b|` +
		`\b(?:1|one) ?(?:v|vs\.?|on|versus|against) ?(?:1|one)\b|\beiner? gegen eine[nr]?\b|\bversus[ -](?:mode|match|game|modus)\b|\b(?:modo|mode) versus\b`), " " + duelling + " "},
	{regexp.MustCompile(`(?i)\b` + against + ` ` + ours + ` ` + someone + `\b`), " " + duelling + " "},
	{regexp.MustCompile(`(?i)\b(?:tak(?:e|es|ing) (?:it in )?turns|in turns|abwechselnd|der reihe nach|im wechsel|por turnos|(?:se turnan|turnándose|turnarse)|(?:chacune? )?tour de rôle|chacune? (?:à )?(?:son|leur) tour|tour à tour|pass[ -]and[ -]play|` +
		`pass(?:es|ing)? the (?:phone|tablet|device|ipad|controller)(?: (?:back and forth|around|on))?)\b`), " " + inTurns + " "},
	{regexp.MustCompile(`(?i)\b(?:hot[\s-]?seat|with (?:a|my|our|another) (?:best |little |big )?(?:friend|brother|sister)|mit (?:eine[mnr]|meine[mnr]) (?:freund(?:in)?|bruder|schwester)|con (?:un|una|mi) (?:amig[oa]|herman[oa])|avec (?:une?|mon|ma) (?:amie?|frère|sœur|soeur)|con un amico|com um amigo|` +
		`zu zweit|jouer à deux|jouable à deux|jugar (?:de )?a dos)\b`), " " + hotSeat + " "},
	{regexp.MustCompile(`(?i)\b(?:play\pL* (?:it |this )?(?:together )?with (?:my|our) ` + someone + `|mit mein\pL* ` + someone + ` (?:zusammen )?spiel\pL*|jugar con mis? ` + someone + `|jouer avec m(?:on|a|es) ` + someone + `)\b`), " " + hotSeat + " "},
	{regexp.MustCompile(`(?i)(?:^|\s)(?:for|with|für|para|entre|pour|à) ` + two + `( (?:on|at|to|who|please|auf|am|an|sur)\b|\s*[.,;:!?]|\s*$)`), " " + hotSeat + " $1"},
	{regexp.MustCompile(`(?i)\b(?:for|between|für|zwischen|para|entre|pour) ` + two + ` ` + persons + `\b`), " " + hotSeat + " "},
	{regexp.MustCompile(`(?i)\b` + two + ` +(?:` + persons + ` +)?((?:who |that |die |que |qui )?(?:can |will |should |können |sollen |pueden |peuvent )?` + playing + `\b)`), " " + hotSeat + " $1"},
	{regexp.MustCompile(`(?i)\b(?:(?:my|our) ` + someone + ` and (?:i|me)|(?:me|i) and my ` + someone + `|mein\pL* ` + someone + ` und ich|ich und mein\pL* ` + someone + `|mi ` + someone + ` y yo|m(?:on|a) ` + someone + ` et moi)\b`), " " + hotSeat + " "},
}

// joinPlayers puts words in place of what says that two play.
func joinPlayers(text string) string {
	for _, t := range together {
		text = t.pattern.ReplaceAllString(text, t.word)
	}
	return text
}

// opponents are the other side of a game that one plays alone.
var opponents = listed("computer cpu ai bot ki computergegner ordenador computadora maquina ia ordinateur machine")

// readTogether reads that two play. Those who take turns with the computer are not two.
func (r *Reading) readTogether(tokens []token, i int) {
	word := tokens[i].word
	if word == inTurns && slices.ContainsFunc(tokens, func(t token) bool { return opponents[strings.TrimSuffix(t.word, "s")] }) {
		return
	}
	r.Rules.Players = spec.MaxPlayers
	r.Rules.Versus = r.Rules.Versus || word == duelling
	r.because(word, "two players in turns")
}
