package change

// end is one end of an axis, in the words of English, German, Spanish and French with
// the commonest of Italian and Portuguese: alternatives of regular expressions.
type end struct {
	// fault is what a game is blamed for where it is only said: "it is slow". Of quality
	// there may be too much, "too simple", and it may be wished for; thrill is wished for.
	fault, quality, thrill []string
	// more are the comparatives of one word, and what else asks for more of it.
	more []string
	// said is what people say of a game that has too much of it, and like what they say of
	// one that has much: too much where it is blamed, too little where it is wished for.
	said, like []string
	// less asks for less of it without a comparative.
	less []string
}

var fast = end{
	fault:   []string{`hectic`, `frantic`, `rushed`, `twitchy`, `hektisch`, `gehetzt`, `nervös`, `frenétic[oa]`, `acelerad[oa]`, `nervios[oa]`, `frénétique`, `nerveu(?:x|se)`, `précipitée?`},
	quality: []string{`fast`, `quick(?:ly)?`, `rapid(?:ly)?`, `speedy`, `schnell`, `flott`, `rasant`, `zügig`, `r[aá]pid[oa]`, `deprisa`, `rapide(?:ment)?`, `vite`, `veloce`},
	more:    []string{`faster`, `quicker`, `speedier`, `(?:speed|hurry) (?:\S+ ){0,4}up`, `(?:schnell|flott|zügig|rasant)ere?[snm]?`, `beschleunig\pL*`, `acel[eé]ra\pL*`, `acc[eé]l[eéè]re\pL*`},
	less:    []string{`(?:reaction|reaktions) ?(?:time|zeit)`, `time to (?:react|think)`, `zeit zum (?:nachdenken|denken|reagieren)`, `tiempo (?:de|para) pensar`, `temps de (?:réfléchir|penser)`, `tiempo (?:de|para) reaccion\pL*`, `temps de réaction`},
	said:    []string{`reflexes of`, `reflejos de`, `can'?t (?:react|keep up)`, `(?:i|we|you|kids?|people) can'?t follow`, `a saco`, `komme? (?:\pL+ )*nicht (?:\pL+ )*(?:hinterher|mit)`, `no me da tiempo`, `no doy abasto`, `pas le temps de réagir`, `impossible (?:de|à) suivre`},
	like:    []string{`à toute (?:allure|vitesse)`, `a toda (?:prisa|velocidad|pastilla|leche|mecha|hostia)`},
}

var slow = end{
	fault:   []string{`slow`, `sluggish`, `lethargic`, `langsam`, `lahm`, `träge`, `zäh`, `schleppend`, `lent[oa]?`, `lente`, `mou`, `molle`},
	quality: []string{`slowly`, `calm`, `relaxed`, `gemächlich`, `ruhig`, `lentamente`, `despacio`, `tranquil[oa]`, `lentement`, `calme`, `devagar`},
	less:    []string{`less (?:reaction time|time to (?:react|think))`, `weniger (?:reaktionszeit|zeit zum (?:nachdenken|denken|reagieren))`, `menos tiempo (?:de|para) (?:pensar|reaccion\pL*)`, `moins de temps (?:de|pour) (?:réaction|réfléchir|penser|réagir)`},
	said:    []string{`(?:it|everything|this|game|all) (?:just |only |really )?crawls`, `(?:es|alles|das|spiel) kriecht`, `(?:todo|esto|juego) se arrastra`, `(?:tout|ça|jeu) se traîne`, `ça (?:rame|traîne)`},
	like:    []string{`snail'?s? pace`, `(?:like|as slow as) a (?:snail|tortoise|turtle)`, `schneckentempo`, `wie eine schnecke`, `paso de tortuga`, `deux à l'heure`, `comme un escargot`},
	more:    []string{`slower`, `calmer`, `gentler`, `(?:sanft|gemütlich)er`, `m[aá]s suave`, `plus doux`, `(?:slow|calm) (?:\S+ ){0,4}down`, `(?:langsam|gemächlich|ruhig|gemütlich)ere?[snm]?`, `verlangsam\pL*`, `bremse?(?: es| das)?`, `ralenti[st]?`, `frena(?:lo)?`, `plus doucement`},
}

var hard = end{
	fault: []string{`unplayable`, `unbeatable`, `unschlagbar`, `imbatible`, `imbattable`, `unspielbar`, `injugable`, `injouable`, `hard`, `difficult`, `tough`, `brutal`, `unfair`, `frustrating`, `unwinnable`, `overwhelming`, `schwer`, `schwierig`, `knifflig`, `frustrierend`, `frustriert`, `unmöglich`, `unschaffbar`,
		`dif[ií]cil`, `complicad[oa]`, `injust[oa]`, `frustrante`, `imposible`, `dure?`, `difficile`, `injuste`, `frustrante?`, `compliquée?`},
	quality: []string{`knackig`, `stressful`, `stressig`, `estresante`, `stressante?`, `challenging`, `tricky`, `hart`, `anspruchsvoll`, `exigente`, `intens[oa]`, `corsée?`, `intense`},
	thrill:  []string{`exciting`, `thrilling`, `fun`, `interesting`, `spannend`, `aufregend`, `interessant`, `emocionante`, `divertid[oa]`, `interesante`, `palpitante?`, `excitante?`, `amusante?`, `intéressante?`},
	more: []string{`hard mode`, `schwere[rn]? modus`, `modo dif[ií]cil`, `mode difficile`, `knackiger`, `harder`, `tougher`, `trickier`, `(?:schwer|schwierig|kniffl?ig|anspruchsvoll|spannend|aufregend)ere?[snm]?`, `härter`, `more of a challenge`,
		`(?:spice|liven|crank|amp|kick|ramp|step) (?:it|things)(?: all)? up`, `corse[rz]?`, `du (?:piment|peps|nerf)`, `pimente[rz]?`, `dale caña`, `anímalo`},
	said: []string{`never (?:make|made|get|got|gets) (?:it )?past`, `komme? nie(?:mals)? (?:über|weiter)`, `nunca paso de`, `(?:ne )?dépasse jamais`, `trop (?:chaud|hardcore)`, `gives? up`, `gave up`, `gibt? (?:\pL+ )*auf`, `se (?:rinde|frustra)`, `abandonne`, `cuesta arriba`, `overwhelms?`, `(?:nobody|no one|no-one) (?:can |could )?(?:wins?|beats?|finish(?:es)?)`, `can'?t (?:win|cope|manage|do it|do this|beat|finish|solve|crack|get (?:past|through|anywhere))`, `impossible(?: to (?:win|play|beat|finish))?`, `(?:always|keep|only) (?:die|dying|lose|losing)`,
		`(?:everything|they all|so much|too much) .*at once`, `(?:schaff|pack)\pL* (?:das |es |ich |man )*(?:nicht|nie)`, `kein(?:er|e)? (?:\pL+ )?schafft`, `überforder\pL*`,
		`no (?:hay quien|logr[oa]|consigo|consigue) \pL+`, `no pued[oe] (?:ganar|con|pasar|acabar|terminar)`, `imposible (?:de )?(?:ganar|pasar|terminar)`, `n'(?:y arriv\pL+|arriv\pL+) pas`, `personne n'`, `impossible (?:de|à) (?:gagner|finir|passer|battre|réussir)`},
	like: []string{`(?:almost|nearly|practically|virtually|fast|beinahe|nahezu|casi|presque) (?:impossible|unmöglich|imposible)`, `(?:make|want) (?:it|this|the game) impossible`},
}

var easy = end{
	fault:   []string{`easy`, `leicht`, `f[aá]cil`, `chupad[oa]`, `facile`, `fastoche`, `kinderleicht`, `bland`, `tedious`, `repetitive`, `fad`, `sos[oa]`, `repetitiv[oa]`, `répétiti(?:f|ve)`},
	quality: []string{`simple`, `trivial`, `einfach`, `simpel`, `anspruchslos`, `sencill[oa]`},
	more:    []string{`easy mode`, `leichte[rn]? modus`, `modo f[aá]cil`, `mode facile`, `easier`, `(?:einfach|leicht)ere?[snm]?`, `simpler`, `(?:tone|dial|turn|take) (?:it|things)(?: all)? (?:down|back)`, `facilit\pL+`, `simplifi\pL+`, `vereinfach\pL*`},
	said: []string{`bor(?:es?|ed)`, `pushover`, `(?:some|more|a bit of) (?:pep|spice|zip|oomph|excitement)`, `life into`, `penn\pL* (?:\pL+ )*(?:weg|ein)`, `snooze\pL*`, `rollo`, `(?:nothing|(?:hardly|barely) anything|not much) (?:ever |really |much )?(?:happens|comes|to (?:do|avoid|dodge)|going on)`, `(?:kommt|passiert) (?:\pL+ )*(?:nichts|nix|kaum (?:et)?was|wenig)`, `(?:apenas|casi no) (?:pasa|hay) (?:nada|algo)`, `(?:se passe|il n'y a|y a) (?:presque |quasiment )?rien`, dull, `(?:i(?:'m)?|we(?:'re)?|you|one|almost|nearly|kids?|people|everyone|son|daughter|granny) (?:\pL+ )?(?:falls?|fell|falling) asleep`, `puts? \pL+ to sleep`, `(?:a|big|makes? \pL+) yawn(?:fest)?`, `^yawn$`, `schläft (?:man|jeder|mein\pL* \pL+) (?:\pL+ )*ein`, `schlafe? (?:\pL+ )*ein`, `zum (?:einschlafen|gähnen)`,
		`me duermo`, `da sueño`, `se duerme uno`, `s'endort`, `m'endors`, `nichts los`, `no pasa (?:casi )?nada`, `no hay nada que hacer`,
		`no challenge`, `pan comido`, `du gâteau`, `doigts dans le nez`},
	like: []string{`piece of cake`, `child'?s play`, `walk in the park`, `kinderspiel`, `juego de niños`, `jeu d'enfant`},
}

// dull is what nobody wishes a game to be.
const dull = `(?:boring|dull|monotonous|langweil\pL*|öde|eintönig|monoton|aburr\pL+|mon[oó]ton[oae]|ennu(?:y|ie)\pL*)`

var heavy = end{
	fault: []string{`heavy`, `clunky`, `schwerfällig`, `plump`, `pesad[oa]`, `lourde?`},
	more:  []string{`heavier`},
	less:  []string{`jumps? (?:much |a bit |a little |even )?higher`, `(?:höher spring\pL*|springt höher)`, `salt\pL+ (?:un poco )?m[aá]s alto`, `saut\pL+ (?:un peu )?plus haut`},
	said:  []string{`(?:he|she|it) falls? .*too (?:fast|quick(?:ly)?|hard)`, `fällt (?:\pL+ )*zu schnell`, `n'?t jump (?:\pL+ )*high enough`, `springt (?:\pL+ )*nicht hoch genug`, `weighs? (?:too|a ton)`, `wiegt (?:zu|eine tonne)`, `pesa (?:demasiado|mucho|una tonelada)`, `p[eè]se (?:trop|une tonne|lourd)`},
	like:  []string{`like (?:a |an |made of )?(?:brick|stone|rock|lead|anvil)`, `wie (?:ein |eine )?(?:stein|blei|mehlsack)`, `como (?:una? )?(?:piedra|plomo|ladrillo)`, `comme (?:une? )?(?:pierre|brique|enclume|du plomb)`},
}

var floaty = end{
	fault: []string{`float(?:y|ing)`, `weightless`, `schwebend`, `schwammig`, `schwerelos`, `flotante`, `ingrávid[oa]`, `flottante?`},
	more:  []string{`floatier`, `lighter weight`},
	said:  []string{`(?:sails?|soars?|drifts?) through the air`, `jumps? (?:\pL+ )?too (?:high|far)`, `springt (?:\pL+ )?zu (?:hoch|weit)`, `salta demasiado (?:alto|lejos)`, `saute trop (?:haut|loin)`, `(?:landing|falling|coming down|to land) .*(?:forever|ages|too long)`, `(?:hang|hover|float|glide)s? .*(?:too|ages|forever|(?:so|very) long)`, `(?:schwebt|hängt|segelt|gleitet) .*(?:zu|ewig|lange)`, `(?:flota|planea|cuelga) .*(?:demasiado|mucho|tanto|eternidad)`, `(?:plane|flotte) .*(?:trop|longtemps|heures)`},
	like: []string{`light as (?:a )?(?:feather|air)`, `federleicht`, `ligero como`, `léger comme`, `(?:stays?|floats?|hovers?|hangs?) (?:up )?(?:in the air|longer)`, `(?:like|as if)(?: it'?s| it were)? on the moon`, `like (?:a )?(?:balloon|feather)`, `(?:bleibt|bleiben) .*in der luft`, `in der luft bleib\pL+`,
		`wie (?:auf dem mond|ein(?:e)? (?:luft)?(?:ballon|feder))`, `se qued[ae] .*en el aire`, `como (?:si estuviera )?en la luna`, `como (?:un globo|una pluma)`, `reste .*en l'air`, `comme sur la lune`, `comme (?:un ballon|une plume)`},
}

var long = end{
	quality: []string{`long`, `lengthy`, `lang`, `larg[oa]`, `longue`},
	more:    []string{`longer`, `länger(?:e[snm]?)?`, `more time`, `mehr zeit`, `m[aá]s tiempo`, `plus de temps`},
	said:    []string{`drags? on`, `takes? (?:forever|ages)`, `never ends`, `zieht sich`, `nimmt kein ende`, `dauert (?:ewig|zu lange)`, `se hace (?:eterno|largo)`, `nunca (?:acaba|termina)`, `n'en finit pas`, `dure (?:trop|une éternité)`},
}

var short = end{
	quality: []string{`short`, `kurz`, `cort[oa]`, `courte?`},
	more:    []string{`shorter`, `kürzer(?:e[snm]?)?`, `less time`, `weniger zeit`, `menos tiempo`, `moins de temps`},
	said:    []string{`in the blink of an eye`, `im nu`, `en un (?:abrir y cerrar|pis ?pas|santiamén)`, `en un clin`, `duran? (?:muy )?po[cq]\pL*`, `dure (?:trop )?peu`, `(?:over|ends|finished) (?:much |way |far )?(?:too|so|before|in no time|right away)`, `(?:gleich|zu schnell|sofort|so schnell) (?:wieder )?(?:vorbei|zu ende|aus)`, `se (?:acaba|termina) (?:enseguida|muy|demasiado|tan)`, `(?:se termine|finit|est fini) (?:trop|si|tout de suite)`},
}
