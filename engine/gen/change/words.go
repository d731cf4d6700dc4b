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
var forbidPattern = words(`(?:don'?t|do not|never) (?:make|change|add|speed|slow|touch|remove|turn)`, `stop (?:making|speeding|slowing|adding|changing|removing)`,
	`nicht (?:schneller|langsamer|schwerer|leichter|größer|kleiner|ändern|verändern|anfassen|entfernen)`, `no (?:lo |la )?(?:cambies|toques|quites|añadas|hagas|aceleres)`,
	`ne (?:le |la |les )?(?:change|touche|fais|rends|mets|enlève|ajoute)[sz]? pas`, `not (?:faster|slower|harder|easier|bigger|smaller)`, `pas plus (?:rapide|vite|lent|dur|grand|petit)`)

// The words of wishes in English, German, Spanish and French, with the commonest
// in Italian and Portuguese.
var (
	muchPattern = words(`much`, `a lot`, `lots`, `way`, `far`, `very`, `really`, `super`, `twice`, `double`,
		`viel`, `sehr`, `deutlich`, `wesentlich`, `nettement`, `mucho`, `beaucoup`, `bien plus`, `molto`, `muito`)
	bitPattern = words(`a (?:notch|touch|smidge|hair)`, `(?:ein|einen) (?:klein(?:es|en)? )?(?:bissl|stück|stückchen|tick)`, `bisschen`, `un (?:poquit[oa]|pel[ií]n|pelo)`, `un (?:chouïa|tantinet|tout petit peu)`, `a bit`, `a little`, `slightly`, `somewhat`, `a tad`, `etwas`, `ein wenig`, `un poco`, `un peu`, `un po'?`, `um pouco`)

	lifePattern     = words(`li(?:fe|ves)`, `hearts?`, `leben`, `vidas?`, `vies?`, `(?:aggiungi|pi[uù]|altre|\d) vit[ae]`)
	livesPattern    = words(`lives`, `hearts`, `leben`, `vidas`, `vies`, `vite`)
	nonePattern     = regexp.MustCompile(`^(?:there should be )?(?:no|without|keine?|ohne|sin|sans|pas de)\s`)
	morePattern     = words(`add`, `more`, `extra`, `another`, `additional`, `mehr`, `noch`, `weitere?s?`, `hinzu`, `más`, `mas`, `añade`, `agrega`, `plus`, `ajoute[rz]?`, `encore`, `aggiungi`, `pi[uù]`, `mais`, `adicion[ae]`)
	givePattern     = words(`give`, `gib`, `dame`, `donne[rz]?(?:-moi)?`, `dammi`)
	lessPattern     = words(`remove`, `take`, `fewer`, `less`, `minus`, `weniger`, `menos`, `moins`, `meno`)
	widerPattern    = words(`wider`, `breiter(?:e[snmr]?)?`, `m[aá]s anch[oa]s?`, `plus large`)
	narrowerPattern = words(`narrower`, `schmaler(?:e[snmr]?)?`, `enger(?:e[snmr]?)?`, `m[aá]s estrech[oa]s?`, `plus étroite?`)
	boardPattern    = words(`board`, `field`, `grid`, `(?:the|a|wider|narrower|deeper|bigger|larger|smaller) well`, `brett`, `(?:spiel)?feld`, `raster`, `schacht`, `tablero`, `campo`, `cuadrícula`, `plateau`, `grille`, `terrain`, `puits`)
	tooPattern      = words(`too`, `zu`, `demasiado`, `muy`, `trop`)
	tooManyPattern  = words(`too (?:many|much)`, `there (?:are|is) .*everywhere`, `(?:too|zu) (?:close together|dense|dicht|eng)`, `demasiado juntos`, `trop serrés`, `(?:sind|hay|il y a) .*(?:überall|por todas partes|partout)`, `zu viele?n?`, `demasiad(?:as?|os)`, `trop d['e]\S*`, `troppi`, `muitos`)
	tooFewPattern   = words(`not enough`, `n'?t enough`, `too (?:few|little)`, `(?:hardly|barely) any`, `zu wenige?`, `nicht genug`, `kaum`, `(?:muy |demasiado )?poc[oa]s`, `(?:no hay|faltan) (?:bastantes|suficientes)`, `pas assez d['e]\S*`, `trop peu d['e]\S*`)
	biggerPattern   = words(`bigger`, `larger`, `huge`, `giant`, `fatter`, `too small`, `größer(?:e[snmr]?)?`, `zu klein`, `m[aá]s grandes?`, `plus grande?s?`, `pi[uù] grande`, `maior`)
	smallerPattern  = words(`smaller`, `tinier`, `tiny`, `thinner`, `too (?:big|large)`, `kleiner(?:e[snmr]?)?`, `zu groß`, `m[aá]s peque[nñ][oa]s?`, `plus petite?s?`, `pi[uù] piccol[oa]`, `menor`)

	obstaclePattern = words(`enem(?:y|ies)`, `obstacles?`, `hazards?`, `traps?`, `things`, `stuff`, `pipes?`, `walls?`, `opponents?`, `monsters?`,
		`hindernisse?`, `gegner`, `feinde?`, `enemig[oa]s?`, `obst[aá]culos?`, `ennemis?`)

	declinePattern = words(`not`, `don'?t want`, `no longer`, `nicht`, `kein(?:e|en)?`, `no quiero`, `no`, `pas`, `plus de`)
	gamePattern    = regexp.MustCompile(`(?:game|spiel|juego|jeu|mechanic|gameplay|genre|platformer|shooter|runner|puzzle)(?:$|[^\pL])|spiel\pL*`)
	// thisGame is the game that is there, which is no kind of another one.
	thisGame      = regexp.MustCompile(`(?:^|[^\pL])(?:(?:the|this|my|our|das|dem|dieses|diesem|mein|el|este|mi|le|ce|mon) (?:game(?:play)?|spiel|juego|jeu)|(?:im|zum) spiel|del juego|du jeu)(?:$|[^\pL])`)
	becomePattern = words(`want`, `quiero`, `veux`, `will`, `möchte`,
		`like`, `into`, `turn`, `become`, `instead`, `mechanic`, `gameplay`, `genre`, `change`, `switch`, `convert`, `rather`, `make (?:it|this) an? .*game`, `(?:make|build|create)(?: me| us)? an? (?:[\pL-]+ ){1,3}game`,
		`wie`, `daraus`, `stattdessen`, `(?:mache?|baue?|erstelle?)(?: mir| uns| lieber| bitte)* ein [\pL -]*spiel`,
		`como`, `convi[eé]rte(?:lo)?`, `en su lugar`, `(?:haz(?:me)?|crea)(?: mejor)? un juego`, `comme`, `transforme(?:-le)?`, `à la place`, `(?:fais|cr[ée]e)(?:-moi)?(?: plutôt)? un jeu`)
	swapPattern = words(`change`, `replace`, `swap`, `turn`, `make`, `use`, `let`, `want`, `becomes?`, `should be`, `look like`, `aussehen`, `parezca`, `ressembler`, `instead of`,
		`ersetze`, `statt`, `soll`, `wird`, `mach`, `tausche`, `cambia`, `reemplaza`, `sustituye`, `en vez de`, `quiero`, `debe ser`, `es`, `soit`, `devient`, `remplace[rz]?`, `change[rz]?`, `au lieu d(?:e|u)`, `sostituisci`, `troque`)
	intoPattern = words(`to`, `into`, `with`, `by`, `for`, `an?`, `instead of`, `durch`, `gegen`, `eine?n?`, `zu`, `par`, `por`, `une?`, `una?`, `uma?`, `con`)
	arePattern  = words(`(?:is|are) the (?:enem(?:y|ies)|hero|player|obstacles?|pickups?|bad guys?)`, `sind die gegner`, `ist der held`, `son los enemigos`, `es el héroe`, `sont les ennemis`, `est le héros`)
	// circlePattern is a shape here, where it says elsewhere how something moves.
	circlePattern = words(`circle`, `disc`, `kreis`, `scheibe`, `círculo`, `disco`, `cercle`, `disque`)
	heroPattern   = words(`hero`, `player`, `character`, `protagonist`, `figure`, `held(?:en|in)?`, `spielfigur`, `h[eé]roe`, `personaje`, `protagonista`, `h[eé]ros`, `personnage`)
)
