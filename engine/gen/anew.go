package gen

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// clauseEnds separates the clauses of a request.
var clauseEnds = regexp.MustCompile(`(?i)[.,;:!?\n]+|\s-\s|\b(?:and|then|but|also|und|aber|dann|pero|luego|mais|puis|ensuite)\b|\s(?:et|y)\s`)

// courtesies may stand before what a clause asks for.
const courtesies = `(?:(?:please|ok(?:ay)?|now|no|so|well|hey|hi|sorry|let'?s|just|i(?:'d| would) like(?: you)?(?: to)?|i want(?: you)?(?: to)?|can you|could you|` +
	`bitte|jetzt|nein|ich (?:will|möchte|hätte gerne?)|kannst du|` +
	`por favor|ahora|quiero|quisiera|me gustaría|puedes|` +
	`s'il (?:te|vous) pla[iî]t|stp|svp|maintenant|non|je (?:veux|voudrais)|tu peux|peux-tu)[ ,]+)*`

// imperative matches a clause that asks for one of these things and, but for what
// after lets follow, for nothing else. It is compiled when it is needed: most starts of
// an engine need none.
func imperative(after string, phrases ...string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^` + courtesies + `(?:` + strings.Join(phrases, "|") + `)(?:` + after + `)$`)
	})
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

// makes begins a clause that asks for something to be made: others may be words of a
// list, of buttons for instance, where they don't begin a sentence.
var makes = imperative(` .*`, `make`, `create`, `build`, `generate`, `design`, `mache?`, `erstelle?`, `baue?`, `generiere`, `haz`, `hazme`, `crea`, `créame`, `genera`, `fais`, `faites`, `cr[ée]e[rz]?`, `génère`)

// conditions begin a clause whose sentence says what happens in the game.
var conditions = regexp.MustCompile(`(?i)^(?:when|whenever|if|once|after|until|unless|wenn|falls|sobald|nachdem|bis|cuando|si|después|hasta|quand|lorsque|dès|après)\b`)

// filler is a clause that asks for nothing.
var filler = regexp.MustCompile(`(?i)^(?:no|nein|non|hm+|oh|sorry|please|thanks|thank you|bitte|danke|gracias|por favor|merci|ok(?:ay)?|i (?:don't|do not) like (?:it|that|this))$`)

// inQuotes is text that nobody asks with.
var inQuotes = regexp.MustCompile(`"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»`)

// clause is a part of a request.
type clause struct {
	text    string
	opens   bool // it begins a sentence, or follows what asks for nothing
	depends bool // on a condition
}

// clausesOf splits a request, but not inside quotation marks, and leaves fillers out.
func clausesOf(text string) []clause {
	quotes := inQuotes.FindAllStringIndex(text, -1)
	var out []clause
	from, next := 0, clause{opens: true}
	add := func(to int, separator string) {
		if next.text = strings.TrimSpace(text[from:to]); next.text != "" && !filler.MatchString(next.text) {
			next.depends = next.depends || conditions.MatchString(next.text)
			out = append(out, next)
			next.opens = false
		}
		if strings.ContainsAny(separator, ".;!?\n") {
			next = clause{opens: true}
		}
		from = to + len(separator)
	}
	for _, at := range clauseEnds.FindAllStringIndex(text, -1) {
		if !slices.ContainsFunc(quotes, func(q []int) bool { return at[0] >= q[0] && at[1] <= q[1] }) {
			add(at[0], text[at[0]:at[1]])
		}
	}
	add(len(text), "")
	return out
}

// asksAnew reports whether a request is for a new game in a project that has one.
func asksAnew(text string) bool {
	for _, c := range clausesOf(text) {
		if !c.depends && (c.opens || makes().MatchString(c.text)) && startOver().MatchString(c.text) {
			return true
		}
	}
	return false
}
