package look

import "github.com/svc-games/svc/engine/gen/spec"

// Theme is a place with its scenery, colours and usual cast.
type Theme struct {
	Scene  spec.Scene
	BG     string
	BG2    string
	Far    string
	Near   string
	Ground string
	Block  string
	Accent string
	// Hero, Hazard and Pickup are nouns of the brief's lexicon that fit.
	Hero, Hazard, Pickup string
	HeroColor            string
	HazardColor          string
	PickupColor          string
}

func motes(kind, move string, count, size int) spec.Motes {
	return spec.Motes{Kind: kind, Move: move, Count: count, Size: size}
}

// Themes are all themes by name.
var Themes = map[string]Theme{
	"sky": {
		Scene: spec.Scene{Far: "hills", Near: "bushes", Orb: "sun", Clouds: true, Motes: motes("dust", "still", 8, 5)},
		BG:    "#5cc3f2", BG2: "#d7f4fb", Far: "#8fd08f", Near: "#5fb56c", Ground: "#d9b36c", Block: "#57b94c", Accent: "#ff8a3d",
		Hero: "bird", Hazard: "thundercloud", Pickup: "star", HeroColor: "#ffd23f", HazardColor: "#7b5ea7", PickupColor: "#ffb703",
	},
	"space": {
		Scene: spec.Scene{Far: "planets", Near: "craters", Orb: "none", Stars: true, Motes: motes("star", "fall", 16, 7)},
		BG:    "#130f34", BG2: "#3b1f66", Far: "#6b4bb8", Near: "#2c2156", Ground: "#4a3a80", Block: "#5b6be0", Accent: "#4de3ff",
		Hero: "rocket", Hazard: "asteroid", Pickup: "star", HeroColor: "#f4f6ff", HazardColor: "#a9785a", PickupColor: "#ffe066",
	},
	"sea": {
		Scene: spec.Scene{Far: "waves", Near: "reef", Orb: "rays", Motes: motes("bubble", "rise", 16, 16)},
		BG:    "#1fa2c9", BG2: "#0a3a6b", Far: "#157fae", Near: "#0d5488", Ground: "#d8bd7f", Block: "#e8796f", Accent: "#ffd166",
		Hero: "fish", Hazard: "shark", Pickup: "pearl", HeroColor: "#ff9f1c", HazardColor: "#6f8fa8", PickupColor: "#fff0f5",
	},
	"forest": {
		Scene: spec.Scene{Far: "mountains", Near: "trees", Orb: "sun", Motes: motes("leaf", "fall", 9, 15)},
		BG:    "#a6dcc0", BG2: "#eef5c7", Far: "#7fb8a4", Near: "#3f8f5b", Ground: "#7a5636", Block: "#8a6240", Accent: "#f77f00",
		Hero: "fox", Hazard: "log", Pickup: "acorn", HeroColor: "#f3722c", HazardColor: "#8b5e3c", PickupColor: "#e63946",
	},
	"jungle": {
		Scene: spec.Scene{Far: "bushes", Near: "trees", Orb: "rays", Motes: motes("leaf", "fall", 10, 14)},
		BG:    "#2d8f6f", BG2: "#c9e265", Far: "#2f9e63", Near: "#1c6b45", Ground: "#5b3f24", Block: "#7d5a33", Accent: "#ffca3a",
		Hero: "monkey", Hazard: "spider", Pickup: "banana", HeroColor: "#b5763f", HazardColor: "#8e3b8a", PickupColor: "#ffdd45",
	},
	"candy": {
		Scene: spec.Scene{Far: "candy", Near: "hills", Orb: "none", Clouds: true, Motes: motes("sprinkle", "fall", 14, 11)},
		BG:    "#ffb8de", BG2: "#fff0c9", Far: "#f78fc0", Near: "#b48cf2", Ground: "#c98a5b", Block: "#ff7bac", Accent: "#ff4d8d",
		Hero: "cupcake", Hazard: "spikeball", Pickup: "candy", HeroColor: "#7fd8f7", HazardColor: "#7d4bb5", PickupColor: "#ff4f79",
	},
	"city": {
		Scene: spec.Scene{Far: "city", Near: "city", Orb: "sun", Motes: motes("dust", "still", 6, 5)},
		BG:    "#f9a66c", BG2: "#ffe3b3", Far: "#c98a8a", Near: "#6a5c82", Ground: "#4a4a5a", Block: "#8d6a9f", Accent: "#ef476f",
		Hero: "car", Hazard: "cone", Pickup: "coin", HeroColor: "#2fb8ac", HazardColor: "#f4511e", PickupColor: "#ffd23f",
	},
	"night": {
		Scene: spec.Scene{Far: "hills", Near: "graves", Orb: "moon", Stars: true, Motes: motes("dust", "rise", 12, 6)},
		BG:    "#1b1b3a", BG2: "#553d7a", Far: "#3f3466", Near: "#251d42", Ground: "#2c2440", Block: "#5f4b8b", Accent: "#ff9f1c",
		Hero: "ghost", Hazard: "bat", Pickup: "candy", HeroColor: "#f1f5ff", HazardColor: "#9d4edd", PickupColor: "#ff8c42",
	},
	"desert": {
		Scene: spec.Scene{Far: "mountains", Near: "dunes", Orb: "sun", Motes: motes("dust", "still", 12, 5)},
		BG:    "#f7b267", BG2: "#fff0c4", Far: "#e08e5b", Near: "#e9b872", Ground: "#c98b4b", Block: "#b5654a", Accent: "#2a9d8f",
		Hero: "camel", Hazard: "cactus", Pickup: "gem", HeroColor: "#b07d4f", HazardColor: "#3f9b54", PickupColor: "#26c6da",
	},
	"winter": {
		Scene: spec.Scene{Far: "mountains", Near: "snow", Orb: "none", Clouds: true, Motes: motes("snow", "fall", 30, 9)},
		BG:    "#6fb1e8", BG2: "#e6f4ff", Far: "#9fc3e6", Near: "#4f8aa8", Ground: "#f2f9ff", Block: "#86c5ea", Accent: "#e63946",
		Hero: "penguin", Hazard: "snowman", Pickup: "fish", HeroColor: "#33415c", HazardColor: "#8ecae6", PickupColor: "#ff8fa3",
	},
	"farm": {
		Scene: spec.Scene{Far: "hills", Near: "hills", Orb: "sun", Clouds: true, Motes: motes("petal", "fall", 8, 12)},
		BG:    "#7fd1f5", BG2: "#f7fbe1", Far: "#a5d86e", Near: "#76bb52", Ground: "#8f6238", Block: "#c0563f", Accent: "#e4572e",
		Hero: "chicken", Hazard: "rock", Pickup: "carrot", HeroColor: "#fffaf0", HazardColor: "#8d8d9b", PickupColor: "#ff8c2e",
	},
	"volcano": {
		Scene: spec.Scene{Far: "mountains", Near: "craters", Orb: "none", Motes: motes("ember", "rise", 22, 8)},
		BG:    "#3a0d14", BG2: "#d1495b", Far: "#6b1f2a", Near: "#2b1017", Ground: "#3d1a1f", Block: "#7a2e2e", Accent: "#ffb703",
		Hero: "dragon", Hazard: "fireball", Pickup: "gem", HeroColor: "#43c59e", HazardColor: "#ff6b35", PickupColor: "#ffe66d",
	},
	"neon": {
		Scene: spec.Scene{Far: "city", Near: "grid", Orb: "moon", Stars: true, Motes: motes("star", "rise", 12, 8)},
		BG:    "#0d0221", BG2: "#3d0a5c", Far: "#261447", Near: "#ff3cac", Ground: "#1a0b38", Block: "#2de2e6", Accent: "#f6f930",
		Hero: "robot", Hazard: "laser", Pickup: "bolt", HeroColor: "#2de2e6", HazardColor: "#ff3864", PickupColor: "#f6f930",
	},
}
