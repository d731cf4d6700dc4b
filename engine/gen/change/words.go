package change

import (
	"regexp"
	"strings"
)

// words matches any of some phrases, in lower case, as whole words in any
// alphabet.
func words(phrases ...string) *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^\pL])(?:` + strings.Join(phrases, "|") + `)(?:$|[^\pL])`)
}

// forbidPattern is a request to leave something as it is.
var forbidPattern = words(`(?:don'?t|do not|never) (?:make|change|add|speed|slow|touch|remove|turn)`,
	`nicht (?:schneller|langsamer|schwerer|leichter|größer|kleiner|ändern|verändern|anfassen|entfernen)`, `no (?:lo |la )?(?:cambies|toques|quites|añadas|hagas|aceleres)`,
	`ne (?:le |la |les )?(?:change|touche|fais|rends|mets|enlève|ajoute)[sz]? pas`, `not (?:faster|slower|harder|easier|bigger|smaller)`, `pas plus (?:rapide|vite|lent|dur|grand|petit)`)

// The words of wishes in English, German, Spanish and French, with the commonest
// in Italian and Portuguese.
var (
	muchPattern = words(`much`, `a lot`, `lots`, `way`, `far`, `very`, `really`, `super`, `twice`, `double`,
		`viel`, `sehr`, `mucho`, `beaucoup`, `bien plus`, `molto`, `muito`)
	bitPattern = words(`a bit`, `a little`, `slightly`, `somewhat`, `a tad`, `etwas`, `ein bisschen`, `ein wenig`, `un poco`, `un peu`, `un po'?`, `um pouco`)

	fasterPattern = words(`faster`, `quicker`, `speedier`, `speed (?:it |things |the game )?up`, `more speed`, `too slow`, `(?:not so|less) slow`, `(?:nicht so|weniger) langsam`, `no tan lent[oa]`, `pas si lente?`,
		`schneller`, `zu langsam`, `m[aá]s r[aá]pid[oa]`, `(?:demasiado|muy) lent[oa]`, `plus (?:rapide|vite)`, `trop lente?`, `acc[eé]l[eè]re`,
		`pi[uù] veloce`, `troppo lent[oa]`, `mais r[aá]pid[oa]`, `muito lent[oa]`)
	slowerPattern = words(`hectic`, `hektisch`, `frenétic[oa]`, `frénétique`, `slower`, `slow (?:it |things |the game )?down`, `less speed`, `too (?:fast|quick|quickly)`, `can'?t (?:react|keep up)`, `komme? nicht hinterher`, `no me da tiempo`, `pas le temps de réagir`, `(?:not so|less) fast`, `calmer`,
		`(?:nicht so|weniger) schnell`, `no tan r[aá]pid[oa]`, `(?:pas si|moins) (?:vite|rapide)`,
		`langsamer`, `zu schnell`, `m[aá]s (?:lent[oa]|despacio)`, `(?:demasiado|muy) r[aá]pid[oa]`, `plus lente?(?:ment)?`, `trop (?:rapide|vite)`, `ralentis`,
		`pi[uù] lent[oa]`, `troppo veloce`, `mais (?:lent[oa]|devagar)`, `muito r[aá]pid[oa]`)
	easierPattern = words(`easier`, `simpler`, `too (?:hard|difficult|tough)`, `(?:less|not so) (?:difficult|challenging|hard)`, `(?:nicht so|weniger) (?:schwer|schwierig)`, `no tan dif[ií]cil`, `(?:pas si|moins) (?:dure?|difficile)`, `impossible(?: to (?:win|play|beat))?`,
		`(?:always|keep|only) (?:die|dying|lose|losing)`, `can'?t win`, `schaff\pL* (?:das |es )?nicht`, `plus simple`, `m[aá]s (?:sencillo|simple)`, `n'y arrive pas`,
		`einfacher`, `leichter`, `zu (?:schwer|schwierig|hart)`, `m[aá]s f[aá]cil`, `(?:demasiado|muy) dif[ií]cil`, `plus facile`, `trop (?:dure?|difficile)`,
		`pi[uù] facile`, `troppo difficile`, `mais f[aá]cil`, `muito dif[ií]cil`)
	harderPattern = words(`boring`, `dull`, `monotonous`, `langweilig`, `öde`, `aburrid[oa]`, `ennuyeu(?:x|se)`, `harder`, `tougher`, `trickier`, `too (?:easy|simple|boring)`, `not so easy`, `nicht so (?:leicht|einfach)`, `no tan f[aá]cil`, `pas si facile`, `more (?:difficult|challenging)`, `more of a challenge`,
		`schwerer`, `schwieriger`, `zu (?:leicht|einfach)`, `m[aá]s dif[ií]cil`, `(?:demasiado|muy) f[aá]cil`, `plus (?:dure?|difficile)`, `trop facile`,
		`pi[uù] difficile`, `troppo facile`, `mais dif[ií]cil`, `muito f[aá]cil`)
	longerPattern  = words(`longer`, `too short`, `more time`, `länger`, `mehr zeit`, `zu kurz`, `m[aá]s larg[oa]`, `m[aá]s tiempo`, `demasiado cort[oa]`, `trop courte?`, `plus long(?:ue)?`, `plus de temps`)
	shorterPattern = words(`shorter`, `too long`, `less time`, `kürzer`, `zu lang`, `m[aá]s cort[oa]`, `demasiado larg[oa]`, `trop long(?:ue)?`, `plus courte?`)

	lifePattern    = words(`li(?:fe|ves)`, `hearts?`, `leben`, `vidas?`, `vies?`, `(?:aggiungi|pi[uù]|altre|\d) vit[ae]`)
	livesPattern   = words(`lives`, `hearts`, `leben`, `vidas`, `vies`, `vite`)
	nonePattern    = regexp.MustCompile(`^(?:there should be )?(?:no|without|keine?|ohne|sin|sans|pas de)\s`)
	morePattern    = words(`add`, `more`, `extra`, `another`, `additional`, `mehr`, `noch`, `weitere?s?`, `hinzu`, `más`, `mas`, `añade`, `agrega`, `plus`, `ajoute[rz]?`, `encore`, `aggiungi`, `pi[uù]`, `mais`, `adicion[ae]`)
	givePattern    = words(`give`, `gib`, `dame`, `donne[rz]?(?:-moi)?`, `dammi`)
	lessPattern    = words(`remove`, `take`, `fewer`, `less`, `minus`, `weniger`, `menos`, `moins`, `meno`)
	biggerPattern  = words(`bigger`, `larger`, `huge`, `giant`, `fatter`, `too small`, `größer`, `zu klein`, `m[aá]s grande`, `plus grand`, `pi[uù] grande`, `maior`)
	smallerPattern = words(`smaller`, `tinier`, `tiny`, `thinner`, `too (?:big|large)`, `kleiner`, `zu groß`, `m[aá]s peque[nñ][oa]`, `plus petit`, `pi[uù] piccol[oa]`, `menor`)

	complaintPattern = words(`feels?`, `too`, `looks?`, `seems?`, `is`, `it'?s`, `zu`, `wirkt`, `ist`, `fühlt`, `demasiado`, `muy`, `es`, `parece`, `trop`, `est`, `c'est`)
	wantedPattern    = words(`make`, `more`, `want`, `should be`, `please`, `mach\pL*`, `mehr`, `haz\pL*`, `más`, `fais`, `rends`, `plus`, `not`, `less`)
	floatyPattern    = words(`float(?:y|ier)`, `schwebend`, `schwammig`, `flotante`, `flottant`)
	heavyPattern     = words(`heav(?:y|ier)`, `schwerfällig`, `pesad[oa]`, `lourde?`)
	gravityPattern   = words(`gravity`, `float(?:y|ier)`, `schwebend`, `schwammig`, `flotante`, `flottant`, `heav(?:y|ier)`, `lighter weight`, `schwerkraft`, `gravedad`, `gravité`)
	lowPattern       = words(`low`, `lower`, `less`, `weaker`, `reduce`, `float(?:y|ier)`, `weniger`, `menos`, `moins`)
	obstaclePattern  = words(`enem(?:y|ies)`, `obstacles?`, `hazards?`, `traps?`, `things`, `stuff`, `pipes?`, `walls?`, `opponents?`, `monsters?`,
		`hindernisse?`, `gegner`, `enemigos?`, `obst[aá]culos?`, `ennemis?`)

	declinePattern = words(`not`, `don'?t want`, `no longer`, `nicht`, `kein(?:e|en)?`, `no quiero`, `no`, `pas`, `plus de`)
	gamePattern    = regexp.MustCompile(`(?:game|spiel|juego|jeu|mechanic|gameplay|genre|platformer|shooter|runner|puzzle)(?:$|[^\pL])|spiel\pL*`)
	// thisGame is the game that is there, which is no kind of another one.
	thisGame      = regexp.MustCompile(`(?:^|[^\pL])(?:(?:the|this|my|our|das|dem|dieses|diesem|mein|el|este|mi|le|ce|mon) (?:game(?:play)?|spiel|juego|jeu)|(?:im|zum) spiel|del juego|du jeu)(?:$|[^\pL])`)
	becomePattern = words(`want`, `quiero`, `veux`, `will`, `möchte`,
		`like`, `into`, `turn`, `become`, `instead`, `mechanic`, `gameplay`, `genre`, `change`, `switch`, `convert`, `rather`, `make (?:it|this) an? .*game`, `(?:make|build|create)(?: me| us)? an? (?:[\pL-]+ ){1,3}game`,
		`wie`, `daraus`, `stattdessen`, `(?:mache?|baue?|erstelle?)(?: mir| uns| lieber| bitte)* ein [\pL -]*spiel`,
		`como`, `convi[eé]rte(?:lo)?`, `en su lugar`, `(?:haz(?:me)?|crea)(?: mejor)? un juego`, `comme`, `transforme(?:-le)?`, `à la place`, `(?:fais|cr[ée]e)(?:-moi)?(?: plutôt)? un jeu`)
	swapPattern = words(`change`, `replace`, `swap`, `turn`, `make`, `use`, `let`, `want`, `becomes?`, `should be`, `instead of`,
		`ersetze`, `statt`, `soll`, `wird`, `mach`, `tausche`, `cambia`, `reemplaza`, `sustituye`, `en vez de`, `quiero`, `debe ser`, `es`, `soit`, `devient`, `remplace[rz]?`, `change[rz]?`, `au lieu d(?:e|u)`, `sostituisci`, `troque`)
	intoPattern = words(`to`, `into`, `with`, `by`, `for`, `an?`, `instead of`, `durch`, `gegen`, `eine?n?`, `zu`, `par`, `por`, `une?`, `una?`, `uma?`, `con`)
	arePattern  = words(`(?:is|are) the (?:enem(?:y|ies)|hero|player|obstacles?|pickups?|bad guys?)`, `sind die gegner`, `ist der held`, `son los enemigos`, `es el héroe`, `sont les ennemis`, `est le héros`)
	// circlePattern is a shape here, where it says elsewhere how something moves.
	circlePattern = words(`circle`, `disc`, `kreis`, `scheibe`, `círculo`, `disco`, `cercle`, `disque`)
	heroPattern   = words(`hero`, `player`, `character`, `protagonist`, `figure`, `held(?:en|in)?`, `spielfigur`, `h[eé]roe`, `personaje`, `protagonista`, `h[eé]ros`, `personnage`)
)
