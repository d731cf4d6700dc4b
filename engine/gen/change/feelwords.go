package change

// end is one end of an axis, in the words of English, German, Spanish and French with
// the commonest of Italian and Portuguese: alternatives of regular expressions.
type end struct {
	// fault is what a game is blamed for where it is only said: "it is slow". Of quality
	// there may be too much, "too simple", and it may be wished for; thrill is wished for.
	fault, quality, thrill []string
	// more are the comparatives of one word, and what else asks for more of it.
	more []string
	// said is what people say of a game that has too much of it.
	said []string
}

var fast = end{
	fault:   []string{`hectic`, `frantic`, `rushed`, `twitchy`, `hektisch`, `gehetzt`, `nervös`, `frenétic[oa]`, `acelerad[oa]`, `nervios[oa]`, `frénétique`, `nerveu(?:x|se)`, `précipitée?`},
	quality: []string{`fast`, `quick(?:ly)?`, `rapid(?:ly)?`, `speedy`, `schnell`, `flott`, `rasant`, `zügig`, `r[aá]pid[oa]`, `deprisa`, `rapide(?:ment)?`, `vite`, `veloce`},
	more:    []string{`faster`, `quicker`, `speedier`, `(?:speed|hurry) (?:\S+ ){0,4}up`, `(?:schnell|flott|zügig|rasant)ere?[snm]?`, `beschleunig\pL*`, `acel[eé]ra\pL*`, `acc[eé]l[eéè]re\pL*`},
	said:    []string{`(?:reaction|reaktions) ?(?:time|zeit)`, `time to (?:react|think)`, `zeit zum (?:nachdenken|denken|reagieren)`, `tiempo (?:de|para) pensar`, `temps de (?:réfléchir|penser)`, `tiempo (?:de|para) reaccion\pL*`, `temps de réaction`, `reflexes of`, `reflejos de`, `can'?t (?:react|keep up|follow)`, `a saco`, `a toda (?:leche|mecha|hostia)`, `komme? (?:\pL+ )*nicht (?:\pL+ )*(?:hinterher|mit)`, `no me da tiempo`, `no doy abasto`, `pas le temps de réagir`, `impossible (?:de|à) suivre`, `à toute (?:allure|vitesse)`, `a toda (?:prisa|velocidad|pastilla)`},
}

var slow = end{
	fault:   []string{`slow`, `sluggish`, `lethargic`, `langsam`, `lahm`, `träge`, `zäh`, `schleppend`, `lent[oa]?`, `lente`, `mou`, `molle`},
	quality: []string{`slowly`, `calm`, `relaxed`, `gemächlich`, `ruhig`, `lentamente`, `despacio`, `tranquil[oa]`, `lentement`, `calme`, `devagar`},
	said:    []string{`crawls?`, `(?:kriecht|se arrastra|se traîne)`, `ça (?:rame|traîne)`, `snail'?s? pace`, `(?:like|as slow as) a (?:snail|tortoise|turtle)`, `schneckentempo`, `wie eine schnecke`, `paso de tortuga`, `deux à l'heure`, `comme un escargot`},
	more:    []string{`slower`, `calmer`, `gentler`, `(?:sanft|gemütlich)er`, `m[aá]s suave`, `plus doux`, `(?:slow|calm) (?:\S+ ){0,4}down`, `(?:langsam|gemächlich|ruhig|gemütlich)ere?[snm]?`, `verlangsam\pL*`, `bremse?(?: es| das)?`, `ralenti[st]?`, `frena(?:lo)?`, `plus doucement`},
}

var hard = end{
	fault: []string{`unplayable`, `unspielbar`, `injugable`, `injouable`, `hard`, `difficult`, `tough`, `brutal`, `unfair`, `frustrating`, `unwinnable`, `overwhelming`, `schwer`, `schwierig`, `knifflig`, `frustrierend`, `frustriert`, `unmöglich`, `unschaffbar`,
		`dif[ií]cil`, `complicad[oa]`, `injust[oa]`, `frustrante`, `imposible`, `dure?`, `difficile`, `injuste`, `frustrante?`, `compliquée?`},
	quality: []string{`knackig`, `stressful`, `stressig`, `estresante`, `stressante?`, `challenging`, `tricky`, `hart`, `anspruchsvoll`, `exigente`, `intens[oa]`, `corsée?`, `intense`},
	thrill:  []string{`exciting`, `thrilling`, `fun`, `interesting`, `spannend`, `aufregend`, `interessant`, `emocionante`, `divertid[oa]`, `interesante`, `palpitante?`, `excitante?`, `amusante?`, `intéressante?`},
	more: []string{`hard mode`, `schwere[rn]? modus`, `modo dif[ií]cil`, `mode difficile`, `knackiger`, `harder`, `tougher`, `trickier`, `(?:schwer|schwierig|kniffl?ig|anspruchsvoll|spannend|aufregend)ere?[snm]?`, `härter`, `more of a challenge`,
		`(?:spice|liven|crank|amp|kick|ramp|step) (?:it|things)(?: all)? up`, `corse[rz]?`, `du (?:piment|peps|nerf)`, `pimente[rz]?`, `dale caña`, `anímalo`},
	said: []string{`never (?:make|made|get|got|gets) (?:it )?past`, `komme? nie(?:mals)? (?:über|weiter)`, `nunca paso de`, `(?:ne )?dépasse jamais`, `trop (?:chaud|hardcore)`, `gives? up`, `gave up`, `gibt? (?:\pL+ )*auf`, `se (?:rinde|frustra)`, `abandonne`, `cuesta arriba`, `overwhelms?`, `(?:nobody|no one|no-one) (?:can |could )?(?:wins?|beats?|finish(?:es)?)`, `can'?t (?:win|cope|manage|do it|do this|beat|finish|solve|crack|get (?:past|through|anywhere))`, `impossible(?: to (?:win|play|beat|finish))?`, `(?:always|keep|only) (?:die|dying|lose|losing)`,
		`(?:everything|all|so much|too much) .*at once`, `(?:schaff|pack)\pL* (?:das |es |ich |man )*(?:nicht|nie)`, `kein(?:er|e)? (?:\pL+ )?schafft`, `überforder\pL*`,
		`no (?:hay quien|logr[oa]|consigo|consigue) \pL+`, `no pued[oe] (?:ganar|con|pasar|acabar|terminar)`, `imposible (?:de )?(?:ganar|pasar|terminar)`, `n'(?:y arriv\pL+|arriv\pL+) pas`, `personne n'`, `impossible (?:de|à) (?:gagner|finir|passer|battre|réussir)`},
}

var easy = end{
	fault:   []string{`easy`, `leicht`, `f[aá]cil`, `chupad[oa]`, `facile`, `fastoche`, `kinderleicht`, `bland`, `tedious`, `repetitive`, `fad`, `sos[oa]`, `repetitiv[oa]`, `répétiti(?:f|ve)`},
	quality: []string{`simple`, `trivial`, `einfach`, `simpel`, `anspruchslos`, `sencill[oa]`},
	more:    []string{`easy mode`, `leichte[rn]? modus`, `modo f[aá]cil`, `mode facile`, `easier`, `(?:einfach|leicht)ere?[snm]?`, `simpler`, `(?:tone|dial|turn|take) (?:it|things)(?: all)? (?:down|back)`, `facilit\pL+`, `simplifi\pL+`, `vereinfach\pL*`},
	said: []string{`bor(?:es?|ed)`, `pushover`, `(?:some|more|a bit of) (?:pep|spice|zip|oomph|excitement)`, `life into`, `penn\pL* (?:\pL+ )*(?:weg|ein)`, `snooze\pL*`, `rollo`, `(?:nothing|(?:hardly|barely) anything|not much) (?:ever |really |much )?(?:happens|comes|to (?:do|avoid|dodge)|going on)`, `(?:kommt|passiert|ist) (?:\pL+ )*(?:nichts|nix|kaum (?:et)?was|wenig)`, `(?:apenas|casi no) (?:pasa|hay) (?:nada|algo)`, `(?:se passe|il n'y a|y a) (?:presque |quasiment )?rien`, `boring`, `dull`, `monotonous`, `langweil\pL*`, `öde`, `eintönig`, `monoton`, `aburr\pL+`, `mon[oó]ton[oae]`, `ennu(?:y|ie)\pL*`, `(?:fall|fell|falling|puts? \pL+ )\s?(?:asleep|to sleep)`, `yawn\pL*`, `schläft (?:\pL+ )*ein`, `schlafe? (?:\pL+ )*ein`, `einschlafen`, `(?:zum )?gähnen`,
		`me duermo`, `da sueño`, `se duerme uno`, `s'endort`, `m'endors`, `nichts los`, `no pasa (?:casi )?nada`, `no hay nada que hacer`,
		`piece of cake`, `child'?s play`, `walk in the park`, `no challenge`, `kinderspiel`, `pan comido`, `juego de niños`, `du gâteau`, `jeu d'enfant`, `doigts dans le nez`},
}

var heavy = end{
	fault: []string{`heavy`, `clunky`, `schwerfällig`, `plump`, `pesad[oa]`, `lourde?`},
	more:  []string{`heavier`},
	said: []string{`(?:he|she|it) falls? .*too (?:fast|quick(?:ly)?|hard)`, `fällt (?:\pL+ )*zu schnell`, `jumps? (?:much |a bit |a little |even )?higher`, `(?:höher spring\pL*|springt höher)`, `salt\pL+ (?:un poco )?m[aá]s alto`, `saut\pL+ (?:un peu )?plus haut`, `n'?t jump (?:\pL+ )*high enough`, `springt (?:\pL+ )*nicht hoch genug`, `like (?:a |an |made of )?(?:brick|stone|rock|lead|anvil)`, `weighs? (?:too|a ton)`, `wie (?:ein |eine )?(?:stein|blei|mehlsack)`, `wiegt (?:zu|eine tonne)`, `como (?:una? )?(?:piedra|plomo|ladrillo)`, `pesa (?:demasiado|mucho|una tonelada)`,
		`comme (?:une? )?(?:pierre|brique|enclume|du plomb)`, `p[eè]se (?:trop|une tonne|lourd)`},
}

var floaty = end{
	fault: []string{`float(?:y|ing)`, `weightless`, `schwebend`, `schwammig`, `schwerelos`, `flotante`, `ingrávid[oa]`, `flottante?`},
	more:  []string{`floatier`, `lighter weight`},
	said: []string{`light as (?:a )?(?:feather|air)`, `(?:sails?|soars?|drifts?) through the air`, `jumps? (?:\pL+ )?too (?:high|far)`, `springt (?:\pL+ )?zu (?:hoch|weit)`, `salta demasiado (?:alto|lejos)`, `saute trop (?:haut|loin)`, `federleicht`, `(?:landing|falling|coming down|to land) .*(?:forever|ages|too long)`, `ligero como`, `léger comme`, `(?:hang|hover|float|glide)s? .*(?:too|ages|forever|(?:so|very) long)`, `stays? (?:up )?in the air`, `(?:like|as if)(?: it'?s| it were)? on the moon`, `like (?:a )?(?:balloon|feather)`, `(?:schwebt|hängt|segelt|gleitet) .*(?:zu|ewig|lange)`, `bleibt .*in der luft`,
		`wie (?:auf dem mond|ein(?:e)? (?:luft)?(?:ballon|feder))`, `(?:flota|planea|cuelga) .*(?:demasiado|mucho|tanto|eternidad)`, `se queda .*en el aire`, `como (?:si estuviera )?en la luna`, `como (?:un globo|una pluma)`,
		`(?:plane|flotte) .*(?:trop|longtemps|heures)`, `reste .*en l'air`, `comme sur la lune`, `comme (?:un ballon|une plume)`},
}

var long = end{
	quality: []string{`long`, `lengthy`, `lang`, `larg[oa]`, `longue`},
	more:    []string{`longer`, `länger(?:e[snm]?)?`, `more time`, `mehr zeit`, `m[aá]s tiempo`, `plus de temps`},
	said:    []string{`drags? on`, `takes? (?:forever|ages)`, `never ends`, `zieht sich`, `nimmt kein ende`, `dauert (?:ewig|zu lange)`, `se hace (?:eterno|largo)`, `nunca (?:acaba|termina)`, `n'en finit pas`, `dure (?:trop|une éternité)`},
}

var short = end{
	quality: []string{`short`, `kurz`, `cort[oa]`, `courte?`},
	more:    []string{`shorter`, `kürzer(?:e[snm]?)?`, `less time`, `weniger zeit`, `menos tiempo`, `moins de temps`},
	said:    []string{`in the blink of an eye`, `im nu`, `en un (?:abrir y cerrar|pis ?pas|santiamén)`, `en un clin`, `duran? (?:muy )?po[cq]\pL*`, `dure (?:trop )?peu`, `(?:over|ends|finished) (?:too|so|before|in no time|right away)`, `(?:gleich|zu schnell|sofort|so schnell) (?:wieder )?(?:vorbei|zu ende|aus)`, `se (?:acaba|termina) (?:enseguida|muy|demasiado|tan)`, `(?:se termine|finit|est fini) (?:trop|si|tout de suite)`},
}
