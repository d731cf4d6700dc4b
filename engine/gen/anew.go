package gen

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/svc-games/svc/engine/gen/brief"
	"github.com/svc-games/svc/engine/gen/spec"
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
var filler = regexp.MustCompile(`(?i)^(?:no|nah|nope|nein|nee|ne|non|hm+|oh|ach|tja|uf|bof|pff+|lass (?:mal|gut sein)|forget (?:it|that|what i said)|vergiss (?:es|das)|olvídalo|oublie(?: ça)?|sorry|please|thanks|thank you|bitte|danke|gracias|por favor|merci|ok(?:ay)?|i (?:don't|do not) like (?:it|that|this)|(?:it was|that was|war es|das war|es war|era|c'était) (?:(?:much|viel|mucho|bien) )?(?:better|besser|mejor|mieux)|(?:that|this|it|das|es|esto|eso|ça|cela)(?: \pL+){0,3} (?:worse|schlechter|schlimmer|peor|pire))$`)

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

// clearBrief is the weight of a mechanic from which a text with a hero of its
// own that asks for no change is taken for the brief of a new game.
const clearBrief = 3

// changeWords are those of a request for a change.
var changeWords = regexp.MustCompile(`(?i)(?:^|[^\pL])(?:make (?:it|the|this|him|her|them|everything)|change|turn|convert|add|remove|replace|swap|instead|rename|call it|more|less|fewer|bigger|smaller|faster|slower|easier|harder|longer|shorter|darker|brighter|too|undo|set it|give|should|are the|soll|sollen|statt|anstatt|stattdessen|lieber|mehr|weniger|mache?|ändere|füge|entferne|ersetze|größer|kleiner|schneller|langsamer|leichter|schwerer|debe|en vez de|más|menos|cambia|pon|quita|añade|haz|hazlo|reemplaza|demasiado|doit|au lieu|plutôt|moins|ajoute|enlève|remplace|rends|mets|trop)(?:$|[^\pL])`)

// remarkWords are those of a remark on a game that is there, or of one who plays it, where nobody
// new is introduced.
var remarkWords = regexp.MustCompile(`(?i)(?:^|[^\pL])(?:this|it|i|me|my|we|you need|ich|mir|mich|wir|man|dafür|yo|me|mi|nos|esto|je|moi|ça|on|can['’]?t|cannot|can not|(?:does|do|is|did|has)n['’]?t|why|keeps?|always|never|higher|lower|warum|wieso|kann|immer|nie|höher|tiefer|por qué|puede|siempre|nunca|pourquoi|peut|toujours|jamais|plus (?:haut|bas|loin|vite))(?:$|[^\pL])`)

// remarks are the words with which one speaks of what is there: "the fox", "when it".
var remarks = imperative(`[\s,](?s:.*)`, `(?:let |can |could |may |does |do |is |are |will )?(?:the|this|that|these|those|my|our|it|its|it['’]s|he|she|they)`, `when(?:ever)?`, `if`, `sometimes`,
	`(?:lass |kann |darf )?(?:der|die|das|den|dem|diese[rsmn]?|meine?[rsmn]?|es|er|sie)`, `wenn`, `sobald`, `manchmal`,
	`(?:puede |deja que )?(?:el|la|los|las|est[ea]|mi|ese|esa)`, `cuando`, `si`, `(?:est-ce que |laisse )?(?:le|la|les|ce|cette|mon|ma|il|elle)`, `(?:est-ce que |laisse )?l['’]\pL+`, `c['’]est`, `quand`, `lorsque`)

// introduces matches a text that begins with someone or a game that is not there yet: "a fox".
var introduces = imperative(`\s(?s:.*)`, `(?:(?:make|create|build|generate|design|write|give|do|mache?|erstelle?|baue?|generiere?|gib|haz|hazme|crea|créame|genera|dame|fais|faites|cr[ée]e[rz]?|génère|donne)(?:[ -](?:me|us|mir|uns|moi|nous))? )?(?:an?|eine?[nrms]?|un[ae]?)`)

// isBrief reports whether a text describes another game than the project has. Of one
// that can't be read, nil, every game is another.
func isBrief(text string, current *spec.Spec) bool {
	text = strings.TrimSpace(text)
	if changeWords.MatchString(text) {
		return false
	}
	r := brief.Read(text)
	kind, weight := "", 0.0
	for name, w := range r.Mechanics {
		if w > weight || w == weight && name < kind {
			kind, weight = name, w
		}
	}
	switch {
	case weight < clearBrief || r.Hero == "":
		return false
	case current == nil || introduces().MatchString(text):
		return true
	case remarks().MatchString(text) || remarkWords.MatchString(text):
		return false
	}
	return kind != current.Mechanic && !slices.ContainsFunc(r.Nouns, current.Cast.Has)
}
