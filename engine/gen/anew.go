package gen

import (
	"regexp"
	"slices"
	"strings"
)

// clauseEnds separates the clauses of a request.
var clauseEnds = regexp.MustCompile(`(?i)[.,;:!?\n]+|\s-\s|\b(?:and|then|but|also|und|aber|dann|pero|luego|mais|puis|ensuite)\b|\s(?:et|y)\s`)

// courtesies may stand before what a clause asks for.
const courtesies = `(?:(?:please|ok(?:ay)?|now|no|so|well|hey|hi|sorry|let'?s|just|i(?:'d| would) like(?: you)?(?: to)?|i want(?: you)?(?: to)?|can you|could you|` +
	`bitte|jetzt|nein|ich (?:will|möchte|hätte gerne?)|kannst du|` +
	`por favor|ahora|quiero|quisiera|me gustaría|puedes|` +
	`s'il (?:te|vous) pla[iî]t|stp|svp|maintenant|non|je (?:veux|voudrais)|tu peux|peux-tu)[ ,]+)*`

// imperative matches a clause that asks for one of these things and, but for what
// after lets follow, for nothing else.
func imperative(after string, phrases ...string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)^` + courtesies + `(?:` + strings.Join(phrases, "|") + `)(?:` + after + `)$`)
}

// subject is what may follow the words "a new game": what it is to be. Of anything else
// they are a part, as of "a new game button".
const subject = `|,? (?:please|bitte|por favor|s'il (?:te|vous) pla[iî]t|instead|now|from scratch` +
	`|(?:about|with|where|in|of|for|that|called|named|like|based|set|which|from` +
	`|über|mit|in|von|für|namens|wo|bei|aus|sobre|con|de|d'|del|donde|en|que|para|llamado|sur|avec|où|dans|qui|pour|appelé|du)\b.*)`

var startOver = imperative(subject,
	`(?:(?:make|create|build|generate|start|begin|design|write|give|do)(?: me| us)? )?(?:an?|one|another|some) (?:(?:completely|totally|entirely|whole|brand|very|quite)[ -])*(?:new|different|other) (?:[\pL-]+ )?game`,
	`(?:(?:make|create|build|generate|start|begin|give)(?: me| us)? )?another game`, `new game`, `(?:make|create|build|start|generate) (?:the|a) new game`,
	`start (?:all )?over(?: again)?`, `(?:start|begin|do it|make it|build it|make the game|rebuild it|redo it|rewrite it) (?:again |over )*from scratch`, `from scratch`,
	`(?:(?:mach|mache|erstelle?|baue?|generiere?|schreibe?|gib)(?: mir| uns)? )?(?:ein )?(?:(?:ganz|völlig|komplett|total) )*(?:neues|anderes) spiel(?: machen| bauen| erstellen| haben)?`,
	`(?:fang|fange|beginne?|starte?) (?:alles )?(?:noch ?mal )?(?:(?:ganz )?von vorne?|ganz neu|neu|von null)(?: an)?`, `(?:noch ?mal )?(?:ganz )?von vorne?(?: anfangen)?`,
	`(?:(?:haz|hazme|crea|créame|genera|construye|hacer|crear|empieza|dame) )?(?:un |otro )?(?:nuevo juego|juego (?:(?:completamente|totalmente|muy) )?(?:nuevo|distinto|diferente))`,
	`(?:(?:haz|hazme|crea|genera|dame|hacer|crear) )?otro juego`, `(?:empieza|empezar|empecemos|comienza|comenzar) (?:todo )?(?:de nuevo|de cero|desde cero|otra vez)`, `desde cero`,
	`(?:(?:fais|faites|cr[ée]e[rz]?|génère|construis|faire|donne)(?:[ -]moi)? )?(?:un )?(?:tout )?(?:nouveau|autre) jeu(?: (?:complètement|totalement|tout) différent)?`,
	`(?:(?:fais|faites|cr[ée]e[rz]?|génère|construis|faire|donne)(?:[ -]moi)? )?un jeu (?:(?:complètement|totalement|entièrement|tout) )?(?:différent|nouveau|neuf)`,
	`(?:recommence[rz]?|repar[st]|repartir|reprends)(?: tout)? (?:à|de|depuis) (?:zéro|zero|le début)`, `recommence tout`)

// inQuotes is text that nobody asks with.
var inQuotes = regexp.MustCompile(`"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»`)

// clausesOf splits a request, but not inside quotation marks.
func clausesOf(text string) []string {
	quotes := inQuotes.FindAllStringIndex(text, -1)
	var out []string
	from := 0
	add := func(to int) {
		if clause := strings.TrimSpace(text[from:to]); clause != "" {
			out = append(out, clause)
		}
	}
	for _, at := range clauseEnds.FindAllStringIndex(text, -1) {
		if !slices.ContainsFunc(quotes, func(q []int) bool { return at[0] >= q[0] && at[1] <= q[1] }) {
			add(at[0])
			from = at[1]
		}
	}
	add(len(text))
	return out
}

// asksAnew reports whether a request is for a new game in a project that has one.
func asksAnew(text string) bool {
	for _, clause := range clausesOf(text) {
		if startOver.MatchString(clause) {
			return true
		}
	}
	return false
}
