package change

import "github.com/svc-games/svc/engine/gen/spec"

// rivals begins a clause whose subject is an opponent or who is avoided.
const rivals = `(?:enem(?:y|ies)|monsters?|boss(?:es)?|ghosts?|opponents?|computer|cpu|ai|bots?|gegner|feinde|geister|endgegner|enemigos?|fantasmas?|jefe|rival(?:es)?|oponente|ordenador|ennemis?|fantômes?|adversaires?|ordinateur) (?:(?:always|can'?t|cannot|all|never|just|only|keeps?|immer|ständig|nie|siempre|nunca|toujours|ne|me|nos|mich) )*`

var (
	// losesPattern has losing with whoever loses, as far as the verb alone says something
	// else: "die" is a German article, and a German "dies" is this.
	losesPattern = words(`(?:i|you|we|they|he|she|one|always|constantly|keep|only|just|to|kids|people|players?|everybody|everyone) (?:\pL+ )?die`, `die (?:all|too|after|within|every|immediately|instantly|constantly|over|again|right|straight)`, `\pL+ dies(?: (?:all|too|after|within|every|immediately|instantly|constantly|over|again|right|straight)|$)`, `died|dying`,
		`los(?:e|es|ing|t)`, `fail(?:s|ing|ed)?`, `(?:gets?|getting|am|is|are) (?:killed|hit|caught|eaten)`, `game over`, `(?:catch|catches|kills?|eats?|beats?|hits?|gets?) (?:me|us|him|her|my \pL+)`, `sterben?`, `sterbe`, `stirb\pL*`, `verlier\pL*`, `geh\pL* .*drauf`, `(?:bin|ist) (?:\pL+ )*tot`, `(?:fang|fäng|töt|schlag|schläg|krieg|erwisch|fress|friss)\pL* (?:mich|uns|ihn|sie)`,
		`muer\pL+`, `me la peg\pL+`, `morir`, `(?:me|te|lo|la|nos) (?:mata|matan|pilla|pillan|comen|atrapan?|ganan?)`, `pierd\pL+`, `perder`, `meurs?`, `meurt`, `mourir`, `perds?`, `fai[st] (?:tuer|avoir|manger|attraper)`, `m'(?:attrap|tu|bat)\pL*`)
	// whenPattern has it as the time of something else: "restart when I die".
	whenPattern = words(`(?:when|whenever|after|once|if|until|every ?time|each time|as soon as) (?:i|you|we|they|he|she|one|the \pL+|my \pL+) (?:dies?|died|loses?|lost|fails?|get hit|am hit)`, `after (?:dying|losing)`, `(?:wenn|sobald|nachdem|falls|bis) (?:ich|man|er|sie|du|wir|d\pL\pL \pL+) (?:stirb\pL*|sterbe\pL*|verlier\pL*|tot)`, `(?:nach dem|beim) (?:sterben|verlieren|tod)`,
		`(?:cuando|si) (?:\pL+ )?(?:muer\pL+|pierd\pL+)`, `(?:al|después de) (?:morir|perder)`, `(?:quand|lorsque|si) (?:je|on|tu|il|elle) (?:meur[st]|perds?)`, `après (?:la mort|avoir perdu)`)
	oftenPattern = words(`too (?:often|soon|early|quickly|fast|easily|much)`, `(?:this|so|that) (?:much|often)`, `all the time`, `constantly`, `always`, `every ?time`, `(?:again|over) and (?:again|over)`, `immediately`, `instantly`, `right away`, `at once`, `straight ?away`, `keeps? (?:on )?\pL+ing`, `(?:after|within|in) (?:\S+ ){0,3}seconds?`, `in no time`,
		`dauernd`, `ständig`, `immer`, `andauernd`, `sofort`, `zu (?:oft|schnell|früh|leicht)`, `jedes ?mal`, `nach \S+ sekunden?`, `siempre`, `todo el (?:rato|tiempo)`, `en ?seguida`, `al instante`, `constantemente`, `cada vez`, `a cada rato`, `(?:demasiado|muy) (?:pronto|rápido|fácil|a menudo)`, `a los \S+ segundos`,
		`sans (?:arrêt|cesse)`, `tout le temps`, `toujours`, `tout de suite`, `trop (?:vite|souvent|tôt|facilement)`, `au bout d\S*`, `dès le`, `à chaque fois`, `immédiatement`)
	winsPattern = words(`w[io]n`, `wins`, `beat`, `beats`, `finish(?:ed)?`, `gewinn\pL*`, `gewonnen`, `geschafft`, `gan[aoeé]\pL*`, `termin[oéa]\pL*`, `gagne\pL*`, `fini`, `réussi\pL*`)
	// rivalWins and rivalLoses have an opponent, or who is avoided, for the subject.
	rivalWins    = words(rivals + `(?:wins?|won|beats?|gewinn\pL*|schläg\pL*|ganan?|vencen?|gagne(?:nt)?|bat|battent)`)
	rivalLoses   = words(rivals + `(?:dies?|lose|loses|sterben|stirbt|verlier\pL+|mueren?|pierden?|meur(?:t|ent)|perd(?:ent)?)`)
	neverPattern = words(`never`, `can'?t`, `cannot`, `nie(?:mals)?`, `nunca`, `jamais`, `no (?:puedo|puede|se puede)`, `ne (?:peut|peux) pas`)
	// unerring is an opponent that makes no mistakes.
	unerring       = words(`never (?:misses|makes? (?:a )?mistakes?|loses?)`, `(?:verfehlt|verliert) (?:\pL+ )*nie`, `nunca (?:falla|pierde)`, `ne (?:rate|perd) jamais`, `always wins`, `gewinnt (?:\pL+ )*immer`, `siempre gana`, `gagne toujours`)
	blindlyPattern = words(`first (?:try|go|time|attempt)`, `every ?time`, `always`, `without (?:even )?(?:trying|looking|effort|thinking)`, `eyes (?:closed|shut)`, `blindfold(?:ed)?`, `one hand`, `auf anhieb`, `beim ersten (?:mal|versuch)`, `immer`, `jedes ?mal`, `mit links`, `ohne (?:mühe|hinzusehen|hinzuschauen)`, `blind`,
		`a la primera`, `siempre`, `ojos cerrados`, `sin (?:mirar|esfuerzo|querer)`, `du premier coup`, `à chaque fois`, `toujours`, `yeux fermés`, `sans (?:regarder|effort)`)
)

// outcome is which way a clause would have the game because of who wins and who loses how
// often: 1 for harder, -1 for easier, 0 where it says nothing of it. An opponent who plays
// the same game may lose too often, but not one who is avoided.
func outcome(s spec.Spec, c clause) int {
	often, blindly, never := oftenPattern.MatchString(c.text), blindlyPattern.MatchString(c.text), neverPattern.MatchString(c.text)
	rival := opponentPattern.MatchString(c.text)
	wins, loses := rivalWins.MatchString(c.text), rivalLoses.MatchString(c.text)
	switch {
	case whenPattern.MatchString(c.text), (wins || loses) && asksPattern.MatchString(c.text): // what it wishes for may be either
		return 0
	case unbeaten(c.text):
		return 1
	case rival && unerring.MatchString(c.text):
		return -1
	case wins:
		return sign(never, often || blindly)
	case loses:
		return sign(often && levelParam(s) != "", never)
	case losesPattern.MatchString(c.text) && often, winsPattern.MatchString(c.text) && never:
		return -1
	case winsPattern.MatchString(c.text):
		return sign(blindly, false)
	}
	return 0
}

// unbeatenPattern says that the player never loses, which is no wish for it.
var unbeatenPattern = words(`(?:i|we|you|he|she|my \pL+) never (?:lose|die|fail)s?`, `(?:ich|wir|man) (?:verlier|sterb|stirb)\pL* (?:\pL+ )?nie(?:mals)?`, `nunca (?:pierdo|muero)`, `je ne (?:perds|meurs) jamais`)

func unbeaten(text string) bool {
	return unbeatenPattern.MatchString(text) && !asksPattern.MatchString(text)
}

// sign is 1 where the first of two holds, -1 where the second alone does.
func sign(more, less bool) int {
	switch {
	case more:
		return 1
	case less:
		return -1
	}
	return 0
}
