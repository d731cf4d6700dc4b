package brief

// themeWords maps a word to a theme of package look.
var themeWords = map[string]string{
	"sky": "sky", "cloud": "sky", "clouds": "sky", "heaven": "sky", "himmel": "sky", "air": "sky",
	"space": "space", "galaxy": "space", "cosmos": "space", "cosmic": "space", "universe": "space", "weltraum": "space",
	"weltall": "space", "espace": "space", "espacio": "space", "spazio": "space", "mars": "space", "astronaut": "space",
	"nebula": "space",
	"sea":    "sea", "ocean": "sea", "underwater": "sea", "water": "sea", "reef": "sea", "coral": "sea", "meer": "sea",
	"mer": "sea", "mar": "sea", "mare": "sea", "beach": "sea", "aquarium": "sea", "river": "sea", "lake": "sea",
	"forest": "forest", "wood": "forest", "woods": "forest", "tree": "forest", "trees": "forest", "wald": "forest",
	"foret": "forest", "bosque": "forest", "autumn": "forest", "mountain": "forest",
	"jungle": "jungle", "rainforest": "jungle", "dschungel": "jungle", "safari": "jungle", "tropical": "jungle",
	"candy": "candy", "sweets": "candy", "sugar": "candy", "chocolate": "candy", "bakery": "candy", "kitchen": "candy",
	"rainbow": "candy", "bonbon": "candy", "cake": "candy",
	"city": "city", "town": "city", "street": "city", "road": "city", "highway": "city", "urban": "city", "stadt": "city",
	"ville": "city", "ciudad": "city", "rooftop": "city", "traffic": "city",
	"night": "night", "spooky": "night", "halloween": "night", "haunted": "night", "graveyard": "night", "nacht": "night",
	"nuit": "night", "noche": "night", "castle": "night", "creepy": "night", "midnight": "night",
	"desert": "desert", "sand": "desert", "egypt": "desert", "pyramid": "desert", "wueste": "desert", "western": "desert", "canyon": "desert",
	"winter": "winter", "snow": "winter", "ice": "winter", "icy": "winter", "snowy": "winter", "christmas": "winter",
	"xmas": "winter", "arctic": "winter", "schnee": "winter", "weihnachten": "winter", "frozen": "winter",
	"neige": "winter", "nieve": "winter", "ski": "winter",
	"farm": "farm", "garden": "farm", "garten": "farm", "jardin": "farm", "giardino": "farm", "grotte": "volcano",
	"cueva": "volcano", "hoehle": "volcano", "grave": "night", "meadow": "farm", "field": "farm", "barn": "farm",
	"bauernhof": "farm", "ferme": "farm", "granja": "farm", "countryside": "farm", "easter": "farm",
	"volcano": "volcano", "lava": "volcano", "cave": "volcano", "dungeon": "volcano",
	"inferno": "volcano", "underworld": "volcano", "vulkan": "volcano",
	"neon": "neon", "cyber": "neon", "cyberpunk": "neon", "synthwave": "neon", "retrowave": "neon", "futuristic": "neon",
	"arcade": "neon", "tron": "neon", "disco": "neon",
}

// colorWords are the colours a brief may name.
var colorWords = map[string]string{
	"red": "#e63946", "blue": "#3a86ff", "green": "#3fbf5f", "yellow": "#ffd23f", "orange": "#ff8c2e", "purple": "#8f4ae0",
	"violet": "#8f4ae0",
	"pink":   "#ff6fb5", "black": "#2a2633", "white": "#fbfbff", "brown": "#9a6540", "gray": "#97a0af", "grey": "#97a0af", "golden": "#ffc93c",
	"gold": "#ffc93c", "silver": "#c9d1dc", "turquoise": "#2ec4b6", "teal": "#2a9d8f", "cyan": "#27d3e8",
	"magenta": "#e0369f", "lime": "#a4de02",
	"rot": "#e63946", "rote": "#e63946", "roter": "#e63946", "blau": "#3a86ff", "blaue": "#3a86ff", "gruen": "#3fbf5f",
	"gruene": "#3fbf5f", "gelb": "#ffd23f", "gelbe": "#ffd23f", "rosa": "#ff6fb5", "schwarz": "#2a2633", "weiss": "#fbfbff",
	"lila": "#8f4ae0", "violett": "#8f4ae0", "roten": "#e63946", "rotes": "#e63946", "blauer": "#3a86ff", "blauen": "#3a86ff", "blaues": "#3a86ff", "gruener": "#3fbf5f", "gruenen": "#3fbf5f", "gruenes": "#3fbf5f",
	"gelber": "#ffd23f", "gelben": "#ffd23f", "schwarze": "#2a2633", "schwarzer": "#2a2633", "weisse": "#fbfbff", "weisser": "#fbfbff", "braun": "#9a6540", "grau": "#97a0af", "tuerkis": "#2ec4b6",
	"roja": "#e63946", "rojos": "#e63946", "rojas": "#e63946", "amarilla": "#ffd23f", "morado": "#8f4ae0", "morada": "#8f4ae0", "negro": "#2a2633", "negra": "#2a2633", "blanco": "#fbfbff", "blanca": "#fbfbff", "naranja": "#ff8c2e", "gris": "#97a0af", "marron": "#9a6540",
	"verte": "#3fbf5f", "bleue": "#3a86ff", "noir": "#2a2633", "noire": "#2a2633", "blanc": "#fbfbff", "blanche": "#fbfbff", "violette": "#8f4ae0", "brun": "#9a6540", "orangen": "#ff8c2e",
	"rouge": "#e63946", "bleu": "#3a86ff", "vert": "#3fbf5f", "jaune": "#ffd23f", "rose": "#ff6fb5", "rojo": "#e63946",
	"azul": "#3a86ff", "verde": "#3fbf5f", "amarillo": "#ffd23f",
}

// moodWords map to moods of package look.
var moodWords = map[string]string{
	"dark": "dark", "gloomy": "dark", "dunkel": "dark", "dunkle": "dark", "dunkler": "dark", "oscuro": "dark", "oscura": "dark", "sombre": "dark", "hell": "bright", "helle": "bright", "bunte": "bright", "claro": "bright", "colorido": "bright", "colore": "bright", "dim": "dark", "bright": "bright", "colorful": "bright",
	"colourful": "bright", "vivid": "bright", "cheerful": "bright", "bunt": "bright", "happy": "bright",
	"pastel": "pastel", "soft": "pastel", "cute": "pastel", "gentle": "pastel", "neon": "neon", "glowing": "neon", "fluorescent": "neon",
}

// nudge changes one tunable by a factor, or sets the lives.
type nudge struct {
	field string // speed, gravity, density, size, ramp
	by    float64
}

// adjectives say how a game plays.
var adjectives = map[string][]nudge{
	"fast": {{"speed", 1.25}}, "quick": {{"speed", 1.2}}, "speedy": {{"speed", 1.3}}, "hectic": {{"speed", 1.3},
		{"density", 1.15}}, "frantic": {{"speed", 1.3}, {"density", 1.2}}, "turbo": {{"speed", 1.35}}, "schnell": {{"speed",
		1.25}}, "schnelle": {{"speed", 1.25}}, "rapide": {{"speed", 1.25}}, "rapido": {{"speed", 1.25}},
	"schnelles": {{"speed", 1.25}}, "schneller": {{"speed", 1.25}}, "rapida": {{"speed", 1.25}}, "veloz": {{"speed", 1.25}}, "langsame": {{"speed", 0.8}}, "lento": {{"speed", 0.8}}, "lenta": {{"speed", 0.8}}, "lent": {{"speed", 0.8}},
	"schwierig": {{"density", 1.2}, {"ramp", 1.4}}, "dificil": {{"density", 1.2}, {"ramp", 1.4}}, "difficile": {{"density", 1.2}, {"ramp", 1.4}}, "einfach": {{"density", 0.85}, {"ramp", 0.6}}, "facil": {{"density", 0.85}, {"ramp", 0.6}}, "facile": {{"density", 0.85}, {"ramp", 0.6}},
	"kinder": {{"density", 0.85}, {"ramp", 0.5}, {"speed", 0.88}}, "ninos": {{"density", 0.85}, {"ramp", 0.5}, {"speed", 0.88}}, "enfants": {{"density", 0.85}, {"ramp", 0.5}, {"speed", 0.88}},
	"grosse": {{"size", 1.2}}, "grosser": {{"size", 1.2}}, "riesiger": {{"size", 1.35}}, "riesige": {{"size", 1.35}}, "grande": {{"size", 1.2}}, "gigante": {{"size", 1.35}}, "grand": {{"size", 1.2}}, "geant": {{"size", 1.35}}, "pequena": {{"size", 0.85}},
	"slow": {{"speed", 0.8}}, "calm": {{"speed", 0.8}, {"ramp", 0.6}}, "relaxing": {{"speed", 0.8}, {"ramp", 0.5}},
	"relaxed": {{"speed", 0.8}, {"ramp", 0.5}}, "chill": {{"speed", 0.8}, {"ramp", 0.6}}, "langsam": {{"speed", 0.8}},
	"peaceful": {{"speed", 0.8}},
	"hard":     {{"density", 1.2}, {"ramp", 1.4}}, "difficult": {{"density", 1.2}, {"ramp", 1.4}}, "challenging": {{"density",
		1.15}, {"ramp", 1.3}}, "brutal": {{"density", 1.3}, {"ramp", 1.7}, {"speed", 1.15}}, "schwer": {{"density", 1.2},
		{"ramp", 1.4}},
	"easy": {{"density", 0.85}, {"ramp", 0.6}, {"speed", 0.92}}, "simple": {{"ramp", 0.8}}, "kids": {{"density", 0.85},
		{"ramp", 0.5}, {"speed", 0.88}}, "children": {{"density", 0.85}, {"ramp", 0.5}, {"speed", 0.88}},
	"toddler": {{"density", 0.75}, {"ramp", 0.3}, {"speed", 0.8}}, "leicht": {{"density", 0.85}, {"ramp", 0.6}},
	"big": {{"size", 1.2}}, "giant": {{"size", 1.35}}, "huge": {{"size", 1.35}}, "fat": {{"size", 1.25}},
	"chubby": {{"size", 1.15}}, "small": {{"size", 0.85}}, "tiny": {{"size", 0.72}}, "little": {{"size", 0.85}},
	"mini": {{"size", 0.75}}, "klein": {{"size", 0.85}}, "kleiner": {{"size", 0.85}}, "kleine": {{"size", 0.85}},
	"petit": {{"size", 0.85}}, "pequeno": {{"size", 0.85}}, "gross": {{"size", 1.2}},
	"floaty": {{"gravity", 0.7}}, "floating": {{"gravity", 0.8}}, "heavy": {{"gravity", 1.25}}, "light": {{"gravity", 0.85}},
}

// verbs whose object has a role.
var (
	avoidWords = set("avoid", "avoids", "avoiding", "dodge", "dodges", "dodging", "escape", "escapes", "escaping",
		"without", "evade", "against", "from", "beware", "vermeide", "vermeiden", "ausweichen", "weicht", "weiche", "ohne", "gegen", "vor", "evite", "eviter", "esquive", "evita", "esquiva", "contra", "contre", "over", "past", "ueber", "sobre")
	collectWords = set("collect", "collects", "collecting", "eat", "eats", "eating", "catch", "catches", "catching",
		"grab", "grabs", "gather", "gathers", "get", "pick", "whack", "pop", "hit", "smash", "sammelt", "sammle", "fangt",
		"faengt", "fang", "fange", "sammeln", "frisst", "isst", "nimm", "attrape", "collecte", "ramasse", "mange", "recoge", "atrapa", "come", "coge", "for")
	shootWords = set("shoot", "shoots", "shooting", "blast", "blasts", "fire", "fires", "aim", "defend", "against",
		"destroy", "destroys", "schiesst", "schiesse", "zerstoere", "dispara", "destruye", "tire", "detruis")
	companions = set("with", "as", "using", "play", "mit", "als", "avec", "con")
	scenic     = set("planet", "moon") // scenery, unless a verb is about them
	denials    = set("not", "nicht", "pas", "never", "don't", "dont")
	negations  = set("nie", "jamais", "nunca", "ni", "keinen", "ningun", "aucun", "aucune", "no", "not", "without", "never", "kein", "keine", "ohne", "sans", "sin", "senza", "dont", "don't", "nicht")
)

// plain are words that say nothing about the game; they are not unmet.
var plain = set("a", "an", "the", "and", "or", "of", "in", "on", "at", "to", "with", "by", "is", "are", "be", "that",
	"this", "it", "its", "his", "her", "their", "where", "who", "which", "while", "as", "you", "your", "i", "me", "my",
	"we", "us", "our", "please", "make", "create", "want", "would", "like", "need", "game", "games", "short", "about",
	"play", "player", "players", "playing", "must", "can", "should", "has", "have", "having", "some", "one", "button",
	"tap", "taps", "tapping", "touch", "click", "simple", "fun", "cool", "nice", "new", "lets", "let", "up", "down", "into",
	"out", "off", "between", "when", "then", "as", "long", "possible", "very", "really", "so", "many", "much", "more",
	"most", "all", "each", "every", "time", "score", "points", "point", "high", "mobile", "browser", "web", "casual",
	"arcade", "minigame", "style", "themed", "theme", "set", "scene", "world", "land", "stay", "alive", "survive", "keep",
	"going", "move", "moves", "moving", "left", "right", "across", "along", "through", "from", "for", "around", "over",
	"under", "past", "do", "does", "just", "only", "but", "if", "them", "they", "he", "she", "there", "will", "be", "go",
	"goes", "bring", "using", "use", "via", "quickly", "screen", "side", "top", "bottom", "back", "forth", "other",
	"another", "different", "lot", "lots", "end", "lose", "win", "start", "level", "hypercasual", "design", "generate",
	"develop", "called", "named", "titled", "user", "idea", "color", "colors", "colour", "colours", "palette", "background",
	"donde", "sobre", "jeden", "viele", "muy", "tres", "hyper", "clone", "inspired", "similar", "version", "something",
	"kind", "type", "sort", "run", "reach", "becomes", "become", "gradually", "over", "increasing", "player's", "controls",
	"control", "controlled", "press", "pressing", "button", "single", "goal", "objective", "tries", "try", "trying", "full",
	"filled", "big", "appear", "appears", "come", "comes", "coming", "falls", "way", "own", "look", "looks", "feel",
	"feels", "portrait", "restart", "instant", "visible", "hero", "character", "hungry", "brave", "angry", "funny", "crazy",
	"silly", "young", "old", "lonely", "magic", "magical", "pretty", "lovely", "beautiful", "amazing", "addictive",
	"exciting", "endless", "infinite", "classic", "lost", "sleepy", "friendly", "baby", "wild", "great", "good", "bad",
	"evil", "based", "rendered", "drawn", "pass", "passes", "hunted", "hunt", "hunts", "take", "takes", "taking", "chased", "chase", "chases", "lives", "against", "until", "before", "after", "through", "reaching", "passing", "help", "helps", "him", "her", "simply", "again", "obstacles", "obstacle", "things", "items", "objects", "being", "any", "get",
	"gets", "getting", "dont", "don't", "not", "no", "without", "never",
	"ein", "eine", "einen", "einem", "einer", "der", "die", "das", "den", "dem", "und", "oder", "mit", "im", "in", "ist",
	"spiel", "bitte", "mach", "mache", "wo", "man", "durch", "ueber", "von", "zu", "auf", "aus", "ich", "du", "es", "sie",
	"er", "fuer", "am", "an", "einfaches", "kurzes",
	"un", "une", "le", "la", "les", "des", "du", "de", "et", "ou", "avec", "dans", "jeu", "qui", "est", "pour", "sur",
	"fais", "moi", "el", "los", "las", "una", "y", "o", "con", "en", "juego", "que", "es", "para", "por", "haz", "il", "lo",
	"gli", "i", "e", "gioco", "che", "per", "di", "fammi", "al", "del", "au", "aux",
	"soll", "wird", "werden", "werde", "muss", "muessen", "kann", "koennen", "dabei", "ueber", "unter", "nach", "beim", "zum", "zur", "ins", "vom", "als", "wie", "wenn", "dass", "sich", "sein", "seine", "ihre", "ihm",
	"sie", "wir", "uns", "mir", "dir", "was", "wer", "hat", "haben", "gibt", "mehr", "ohne", "nur", "auch", "aber", "sehr", "ganz", "alle", "alles", "kleines", "neues", "spielt", "spielen", "punkte", "ende", "am", "dann", "von", "bis", "tippe", "tippen", "will", "moechte", "hilf", "hilft", "ihn", "erreicht",
	"haz", "hazme", "quiero", "hacer", "debe", "deben", "puede", "pueden", "cada", "todo", "toda", "todos", "todas", "mientras", "hasta", "desde", "entre", "como", "cuando", "donde", "su", "sus", "se", "si", "ser", "tiene", "hay", "pero", "muy", "final", "puntos", "toca", "tocar", "corto", "corta", "nuevo", "nueva", "sin", "evita", "a", "ni", "mi", "lleno", "llena", "va",
	"je", "veux", "voudrais", "creer", "cree", "doit", "doivent", "peut", "peuvent", "chaque", "tout", "toute", "tous", "toutes", "pendant", "jusque", "entre", "comme", "quand", "son", "sa", "ses", "se", "si", "etre", "avoir", "il", "elle", "ils", "mais", "tres", "fin", "points", "touche", "toucher", "petit", "petite", "nouveau", "nouvelle", "sans", "evite", "ni", "mon", "plein", "pleine", "ne", "pas", "va", "ou", "ce", "cette")

func set(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}
