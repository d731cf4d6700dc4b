package brief

import "strings"

func capital(word string) string {
	first := []rune(word)
	return strings.ToUpper(string(first[:1])) + string(first[1:])
}

// plurals are those that follow no rule.
var plurals = map[string]string{
	"cactus": "cacti", "cheese": "cheese", "elf": "elves", "mouse": "mice", "snowman": "snowmen", "wolf": "wolves",
	"dynamite": "dynamite", "fire": "fire", "fish": "fish", "food": "food", "fruit": "fruit", "goldfish": "goldfish", "honey": "honey",
	"jellyfish": "jellyfish", "lava": "lava", "lightning": "lightning", "plankton": "plankton", "poison": "poison", "reindeer": "reindeer",
	"sheep": "sheep", "treasure": "treasure",
}

func plural(noun string) string {
	switch {
	case plurals[noun] != "":
		return plurals[noun]
	case strings.HasSuffix(noun, "y") && !strings.HasSuffix(noun, "ey") && !strings.HasSuffix(noun, "ay"):
		return noun[:len(noun)-1] + "ies"
	case strings.HasSuffix(noun, "s") || strings.HasSuffix(noun, "x") || strings.HasSuffix(noun, "ch") || strings.HasSuffix(noun, "sh"):
		return noun + "es"
	}
	return noun + "s"
}

// Article puts "a" or "an" before a word.
func Article(word string) string {
	if word != "" && strings.ContainsRune("aeiouAEIOU", rune(word[0])) && !strings.HasPrefix(word, "uni") && !strings.HasPrefix(word, "ufo") {
		return "an " + word
	}
	return "a " + word
}
