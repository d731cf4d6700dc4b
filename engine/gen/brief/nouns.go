package brief

// figure is how a noun looks in each role that it can play. A noun without a
// hero's body can't be the hero, and so on.
type figure struct {
	body     string   // hero: a body of the kit
	features []string // hero: features of the kit
	color    string   // hero: usual colour
	color2   string   // hero: second colour, "" for a lighter one
	hazard   string   // hazard: a painter of the kit
	pickup   string   // pickup: a painter of the kit
	tone     string   // hazard or pickup: usual colour
	theme    string   // where it is at home
	hostile  bool     // a being that is avoided as well
}

func being(body, color, color2, theme string, features ...string) figure {
	return figure{body: body, features: features, color: color, color2: color2, theme: theme}
}

func danger(art, tone, theme string) figure { return figure{hazard: art, tone: tone, theme: theme} }
func treat(art, tone, theme string) figure  { return figure{pickup: art, tone: tone, theme: theme} }

// also adds the look as a hazard to a being.
func (f figure) also(hazard string) figure {
	f.hazard, f.tone = hazard, f.color
	return f
}

// foe makes a being one that is avoided as well.
func (f figure) foe() figure {
	f.hostile = true
	return f
}

// eaten adds the look as a pickup.
func (f figure) eaten(pickup string) figure {
	f.pickup, f.tone = pickup, f.color
	return f
}

// figures are the nouns that can be seen in a game, in the singular.
var figures = map[string]figure{
	"bird":       being("round", "#ffd23f", "", "sky", "tail", "beak", "crest", "wing"),
	"duck":       being("duck", "#ffdd45", "#f4a300", "farm", "wing"),
	"chicken":    being("chicken", "#fffaf0", "#ffe0b3", "farm", "wing"),
	"chick":      being("round", "#ffe14d", "#ffb703", "farm", "beak", "wing", "feet"),
	"owl":        being("owl", "#a9744f", "#f2dcb6", "night", "wing"),
	"parrot":     being("parrot", "#e63946", "#2a9df4", "jungle", "wing"),
	"eagle":      being("eagle", "#7a4a22", "#ffffff", "sky", "wing"),
	"penguin":    being("penguin", "#33415c", "#f8fbff", "winter"),
	"bat":        being("round", "#6a4c93", "#3d2b5c", "night", "batwing", "catears", "fangs").also("bat"),
	"bee":        being("bee", "#ffc300", "#dff4ff", "farm", "wing"),
	"butterfly":  being("egg", "#7b4fd0", "#ff8fc7", "farm", "butterfly", "antenna"),
	"ladybug":    being("ladybug", "#e63946", "#2a2233", "farm").foe(),
	"dragon":     being("dragon", "#43c59e", "#ffb703", "volcano"),
	"dinosaur":   being("dinosaur", "#6ab04c", "#f9d56e", "jungle"),
	"fairy":      being("fairy", "#ffb3d1", "#c8f0ff", "forest"),
	"fish":       being("fish", "#ff9f1c", "#ffd166", "sea").eaten("fish"),
	"goldfish":   being("fish", "#ff7f11", "#ffd166", "sea").eaten("fish"),
	"dolphin":    being("dolphin", "#4aa8d8", "#9ad4f0", "sea"),
	"whale":      being("whale", "#3f72af", "#8fb8e0", "sea"),
	"shark":      being("shark", "#7c93a8", "#b8c8d6", "sea").foe(),
	"octopus":    being("octopus", "#c86bd8", "#e8b8f0", "sea"),
	"jellyfish":  being("ghost", "#ff9ad5", "#ffd1ec", "sea").also("jelly"),
	"spider":     being("spider", "#8e3b8a", "#d8a0d8", "night").foe(),
	"crocodile":  being("crocodile", "#5fa045", "#cfe08a", "jungle").foe(),
	"queen":      being("queen", "#ffd9c0", "#c77dff", "candy"),
	"farmer":     being("farmer", "#ffcfa0", "#3b5b8f", "farm"),
	"police":     being("police", "#2f4a8f", "#ffffff", "city").foe(),
	"firetruck":  being("firetruck", "#e63946", "#ffffff", "city"),
	"tank":       being("tank", "#6b8f3f", "#ffffff", "desert").foe(),
	"train":      being("train", "#e63946", "#ffd23f", "desert"),
	"tractor":    being("tractor", "#3fa34d", "#ffd23f", "farm"),
	"ship":       being("ship", "#9a6540", "#ffd166", "sea"),
	"helicopter": being("helicopter", "#e63946", "#ffd166", "sky"),
	"bike":       being("bike", "#2a9df4", "#ffd166", "city"),
	"motorbike":  being("motorbike", "#e63946", "#ffd166", "city"),
	"crab":       being("crab", "#e8553c", "#ffb199", "sea"),
	"turtle":     being("turtle", "#7bc950", "#4b8f3a", "sea"),
	"submarine":  being("submarine", "#ffd23f", "#e76f51", "sea"),
	"mermaid":    being("mermaid", "#ffcfa8", "#3fc1b0", "sea"),
	"cat":        being("cat", "#f4a259", "#ffd9b8", "city"),
	"kitten":     being("cat", "#b8b8c8", "#ffd3dc", "city"),
	"dog":        being("dog", "#c98b52", "#f6dfc2", "city"),
	"puppy":      being("dog", "#d9a066", "#fff0d9", "city"),
	"fox":        being("fox", "#f3722c", "#fff1e0", "forest"),
	"wolf":       being("wolf", "#7d8597", "#dee2e6", "forest"),
	"rabbit":     being("rabbit", "#f1e9e4", "#ffb3c6", "farm"),
	"bunny":      being("rabbit", "#fbeff2", "#ffb3c6", "farm"),
	"bear":       being("bear", "#9c6b42", "#e8c9a0", "forest"),
	"panda":      being("panda", "#fbfbfb", "#2a2233", "jungle"),
	"koala":      being("koala", "#a3acb8", "#e6ebf0", "jungle"),
	"mouse":      being("mouse", "#b6b6c3", "#ffc2d1", "farm"),
	"hamster":    being("hamster", "#f2b872", "#fff0da", "farm"),
	"squirrel":   being("squirrel", "#c2703d", "#ffe0c0", "forest"),
	"hedgehog":   being("round", "#b08968", "#7f5539", "forest", "mane", "muzzle"),
	"frog":       being("frog", "#6cc551", "#c5ef9f", "jungle"),
	"pig":        being("pig", "#ffa6c1", "#ff7aa2", "farm"),
	"cow":        being("cow", "#fdfdfd", "#e8a0a8", "farm"),
	"sheep":      being("sheep", "#fdfaf5", "#e8e0d8", "farm"),
	"horse":      being("horse", "#a5673f", "#f0d0b0", "farm"),
	"unicorn":    being("unicorn", "#fdf4ff", "#ff9de2", "candy"),
	"monkey":     being("monkey", "#b5763f", "#f5cfa0", "jungle"),
	"gorilla":    being("monkey", "#5b5b6b", "#c9c0b8", "jungle", "notail"),
	"lion":       being("lion", "#f4b942", "#b5651d", "jungle"),
	"tiger":      being("tiger", "#f79824", "#fff3e0", "jungle"),
	"elephant":   being("elephant", "#9fb0c3", "#f3c1d0", "jungle"),
	"camel":      being("camel", "#c79a5b", "#f0d6a8", "desert"),
	"snail":      being("snail", "#e9b872", "#b5764f", "forest"),
	"snake":      being("snake", "#6ab04c", "#d9f2a0", "jungle").foe(),
	"ghost":      being("ghost", "#f1f5ff", "#c9d3f5", "night").also("ghost"),
	"witch":      being("witch", "#9fdc8a", "#5b3a8c", "night"),
	"wizard":     being("wizard", "#ffd9b0", "#4a4fc4", "night"),
	"vampire":    being("vampire", "#f0e6f2", "#7d1d3f", "night"),
	"zombie":     being("zombie", "#8fbf6a", "#5b7f45", "night").foe(),
	"skeleton":   being("skeleton", "#f8f8f2", "#d0d0c8", "night").foe(),
	"pumpkin":    being("round", "#ff8c2e", "#ffb56b", "night", "leaf", "pumpkin", "fangs").also("bomb"),
	"monster":    being("blob", "#9b5de5", "#f15bb5", "night", "horns", "oneeye", "fangs").foe(),
	"alien":      being("alien", "#7ae582", "#c8ffd0", "space").also("invader"),
	"astronaut":  being("astronaut", "#f4f6ff", "#4de3ff", "space"),
	"robot":      being("robot", "#8ea9c9", "#ff5d73", "neon"),
	"rocket":     being("rocket", "#f4f6ff", "#ef476f", "space"),
	"spaceship":  being("rocket", "#dbe7ff", "#4d7cfe", "space"),
	"ufo":        being("ufo", "#9aa8ff", "#ffe066", "space"),
	"plane":      being("plane", "#f94144", "#ffd166", "sky"),
	"car":        being("car", "#e63946", "#ffffff", "city").foe(),
	"taxi":       being("taxi", "#ffca3a", "#2a2233", "city"),
	"truck":      being("truck", "#3a86ff", "#ffffff", "city").foe(),
	"bus":        being("bus", "#ff9f1c", "#ffffff", "city").foe(),
	"boat":       being("boat", "#c8553d", "#ffd166", "sea"),
	"pirate":     being("pirate", "#ffcfa0", "#2a2233", "sea"),
	"ninja":      being("ninja", "#2f3146", "#f2c9a0", "city"),
	"knight":     being("knight", "#b8c4d6", "#e63946", "forest"),
	"princess":   being("princess", "#ffd9c0", "#ff8fc7", "candy"),
	"king":       being("king", "#ffd9b0", "#e63946", "candy"),
	"superhero":  being("superhero", "#3a86ff", "#ffd166", "city"),
	"santa":      being("santa", "#ffd9c4", "#ffffff", "winter"),
	"elf":        being("elf", "#ffd9b0", "#3fa34d", "winter"),
	"snowman":    being("snowman", "#ffffff", "#d6ecff", "winter").foe(),
	"reindeer":   being("reindeer", "#b07d4f", "#f2dcc0", "winter"),
	"ball":       being("round", "#ff5d5d", "#ffd166", "city"),
	"cube":       being("square", "#4cc9f0", "#b8eaff", "neon"),
	"slime":      being("blob", "#6ddf6d", "#c8ffc0", "forest"),
	"blob":       being("blob", "#7fd8f7", "#d8f6ff", "candy"),
	"cupcake":    being("cupcake", "#ff9fc9", "#d9a066", "candy"),
	"donut":      being("donut", "#ff7bac", "#e2a75f", "candy").eaten("donut"),
	"cactus":     {hazard: "cactus", tone: "#3f9b54", theme: "desert", body: "egg", features: []string{"leaf", "spots"}, color: "#4caf50"},
	"chef":       being("chef", "#ffd9b0", "#ffffff", "candy"),
	"mole":       being("egg", "#9a6b43", "#e9c39b", "farm", "belly", "muzzle").eaten("mole"),
	"kid":        being("kid", "#ffd0a8", "#3a86ff", "city"),
	"basket":     being("blob", "#c98a45", "#8f5f2a", "farm"),

	"pipe": danger("crate", "#57b94c", "sky"), "spike": danger("spike", "#8d99ae", ""), "spikeball": danger("spikeball", "#8338ec", ""),
	"mine": danger("spikeball", "#5b6478", "sea"), "rock": danger("rock", "#8d8d9b", ""), "boulder": danger("rock", "#8a7560", "desert"),
	"asteroid": danger("asteroid", "#a9785a", "space"), "meteor": danger("asteroid", "#c0583a", "space"),
	"bomb":     danger("bomb", "#3d405b", ""),
	"fireball": danger("fire", "#f4511e", "volcano"), "lava": danger("fire", "#f4511e", "volcano"), "fire": danger("fire",
		"#f4511e", "volcano"),
	"log": danger("log", "#8b5e3c", "forest"), "crate": danger("crate", "#b07d4f", "city"), "box": danger("crate", "#b07d4f", "city"),
	"cone": danger("cone", "#ff6d2e", "city"), "bug": danger("bug", "#c0392b", "forest"),
	"wasp": danger("bug", "#e9b000", "farm"), "laser": danger("laser", "#ff3864", "neon"), "icicle": danger("icicle", "#a9e2ff", "winter"),
	"thundercloud": danger("spikeball", "#7b5ea7", "sky"), "enemy": danger("ghost", "#d0326a", ""), "trap": danger("spike", "#9a8c98", ""),
	"wall": danger("crate", "#8d6a9f", "city"), "poison": danger("bomb", "#7cb518", "night"), "dynamite": danger("bomb", "#d62828", "desert"),

	"coin": treat("coin", "#ffd23f", ""), "star": treat("star", "#ffe066", "space"), "gem": treat("gem", "#26c6da", ""),
	"diamond": treat("gem", "#8be9fd", ""), "crystal": treat("gem", "#c77dff", ""), "ruby": treat("gem", "#e5383b", ""),
	"jewel": treat("gem", "#f15bb5", ""), "treasure": treat("gem", "#ffd23f", "sea"), "pearl": treat("bubble", "#ffe6f2", "sea"),
	"bubble": treat("bubble", "#bdeaff", "sea"), "heart": treat("heart", "#ff4d6d", ""), "apple": treat("apple", "#e63946", "farm"),
	"cherry": treat("apple", "#c9184a", "farm"), "strawberry": treat("apple", "#ff3b5c", "farm"), "fruit": treat("apple", "#ff6b35", "farm"),
	"egg": treat("bubble", "#fff3d6", "farm"), "banana": treat("banana", "#ffdd45", "jungle"), "carrot": treat("carrot", "#ff8c2e", "farm"),
	"candy": treat("candy", "#ff4f79", "candy"), "sweet": treat("candy", "#ff4f79", "candy"), "lollipop": treat("candy", "#c77dff", "candy"),
	"cookie": treat("cookie", "#d9a05b", "candy"), "cake": treat("donut", "#ffb3d1", "candy"), "cheese": treat("cheese", "#ffd23f", "farm"),
	"flower": treat("flower", "#ff8fc7", "farm"), "acorn": treat("acorn", "#c98a45", "forest"), "nut": treat("acorn", "#c98a45", "forest"),
	"gift": treat("gift", "#e63946", "winter"), "present": treat("gift", "#e63946", "winter"), "battery": treat("bolt", "#f6f930", "neon"),
	"bolt": treat("bolt", "#f6f930", "neon"), "lightning": treat("bolt", "#ffe14d", "sky"), "snowflake": treat("snowflake",
		"#dff4ff", "winter"),
	"balloon": treat("balloon", "#ff5d8f", "sky"), "mushroom": treat("mushroom", "#e63946", "forest"),
	"planet": treat("planet", "#f4a261", "space"),
	"target": treat("balloon", "#ff5d5d", ""), "ring": treat("donut", "#ffd23f", ""), "food": treat("apple", "#ff6b35", ""),
	"honey": treat("coin", "#ffb703", "farm"), "moon": treat("planet", "#f2f4ff", "space"), "pizza": treat("cheese", "#ffb347", "city"),
	"burger": treat("cookie", "#d98b4a", "city"), "plankton": treat("bubble", "#b8f2a0", "sea"),
}

// synonyms maps other words to nouns above; also from other languages.
var synonyms = map[string]string{
	"birdie": "bird", "vogel": "bird", "oiseau": "bird", "pajaro": "bird", "uccello": "bird", "sparrow": "bird", "pigeon": "bird",
	"fisch": "fish", "poisson": "fish", "pez": "fish", "pesce": "fish", "katze": "cat", "chat": "cat", "gato": "cat",
	"gatto": "cat", "kitty": "kitten",
	"hund": "dog", "chien": "dog", "perro": "dog", "cane": "dog", "ente": "duck", "canard": "duck", "pato": "duck",
	"frosch": "frog", "rana": "frog", "grenouille": "frog",
	"hase": "rabbit", "lapin": "rabbit", "conejo": "rabbit", "coniglio": "rabbit", "rakete": "rocket", "fusee": "rocket",
	"cohete": "rocket", "razzo": "rocket",
	"auto": "car", "voiture": "car", "coche": "car", "macchina": "car", "racecar": "car", "roboter": "robot",
	"drache": "dragon", "drago": "dragon", "dino": "dinosaur", "trex": "dinosaur",
	"geist": "ghost", "fantome": "ghost", "fantasma": "ghost", "pinguin": "penguin", "pinguino": "penguin", "biene": "bee",
	"abeille": "bee", "abeja": "bee",
	"stern": "star", "etoile": "star", "estrella": "star", "stella": "star", "muenze": "coin", "moneda": "coin",
	"piece": "coin", "apfel": "apple", "pomme": "apple", "manzana": "apple",
	"spaceman": "astronaut", "starship": "spaceship", "airplane": "plane", "aeroplane": "plane",
	"jet": "plane", "sailboat": "boat", "saucer": "ufo",
	"vehicle": "car", "kart": "car", "van": "truck", "sub": "submarine", "squid": "octopus", "spacecraft": "spaceship",
	"lamb": "sheep", "pony": "horse", "ape": "gorilla",
	"tomato": "apple", "orange": "fruit", "berry": "cherry", "cloud": "thundercloud", "obstacle": "rock", "stone": "rock",
	"barrel": "crate", "thorn": "spike", "needle": "spike",
	"bonbon": "candy", "doughnut": "donut", "muffin": "cupcake", "icecream": "cupcake", "gold": "coin", "money": "coin",
	"jelly": "jellyfish", "missile": "fireball", "comet": "meteor",
	"mice": "mouse", "wolves": "wolf", "fishes": "fish", "cherries": "cherry", "strawberries": "strawberry",
	"candies": "candy", "bunnies": "bunny", "puppies": "puppy", "butterflies": "butterfly",
	"enemies": "enemy", "snowboarder": "kid", "skier": "kid", "surfer": "kid", "skater": "kid", "boy": "kid",
	"girl": "kid", "child": "kid", "man": "kid", "woman": "kid", "person": "kid", "rocher": "rock", "fels": "rock",
	"felsen": "rock", "roca": "rock", "caja": "box", "kiste": "box", "caisse": "box", "tree": "log", "traffic": "truck",
	"batteries": "battery", "berries": "cherry", "cacti": "cactus", "wolfs": "wolf", "foxes": "fox", "boxes": "box",
	"witches": "witch", "lightnings": "lightning",
	"insect": "bug", "beetle": "ladybug", "pilz": "mushroom", "ballon": "balloon", "luftballon": "balloon",
	"karotte": "carrot", "maus": "mouse", "souris": "mouse", "einhorn": "unicorn", "licorne": "unicorn",
	"weihnachtsmann": "santa", "schneemann": "snowman", "schaf": "sheep", "affe": "monkey", "singe": "monkey",
	"mono": "monkey", "baer": "bear", "ours": "bear", "oso": "bear", "fuchs": "fox", "renard": "fox", "zorro": "fox",
}
