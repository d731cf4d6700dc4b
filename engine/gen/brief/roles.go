package brief

// Words that say who someone is.
var (
	// threats are what many do to the hero; pursuits do it to someone whom they name.
	threats  = listed("attack attacking come coming invade invading chase chasing hunt hunting angry kommen greifen jagen verfolgen vienen atacan persiguen enfadados viennent attaquent poursuivent chassent")
	pursuits = listed("catch get eat bite see")
	someone  = listed("him her me you us them it")
	// between stands between a figure and what it does.
	between = listed("that who which will want wants try to are die que qui wollen quieren veulent sind son sont")
	// corrections begin what is otherwise than it was said, by a figure of which there
	// is one.
	corrections = listed("but aber sondern pero sino mais")
	ones        = listed("a an ein eine einem einen einer un una une")
	being       = listed("it is it's its with as the hero player es ist mit held heldin der die con el la heroe c'est est avec le heros")
	instead     = listed("instead stattdessen")
)

// castAs is the role of the figure at i: the one that a verb gave, unless what is said
// of it itself gives another. again tells that it replaces a hero.
func (r *Reading) castAs(tokens []token, i int, f figure, given string) (role string, again bool) {
	switch {
	case tokens[i].negated:
	case r.threatens(tokens, i):
		return "hazard", false
	case given == "" && f.body != "" && r.corrects(tokens, i):
		return "hero", true
	}
	return given, false
}

// threatens: "the owls catch him", "zombies that attack".
func (r *Reading) threatens(tokens []token, i int) bool {
	for k := i + 1; k < min(i+4, len(tokens)) && !tokens[k].startsClause; k++ {
		switch word := tokens[k].word; {
		case threats[word]:
			return true
		case pursuits[word]:
			return k+1 < len(tokens) && someone[tokens[k+1].word]
		case !between[word]:
			return false
		}
	}
	return false
}

// corrects: "but it is a hedgehog", "with a train instead".
func (r *Reading) corrects(tokens []token, i int) bool {
	if i+1 < len(tokens) && instead[tokens[i+1].word] {
		return true
	}
	one := false
	for k := i - 1; k >= max(0, i-5); k-- {
		switch word := tokens[k].word; {
		case corrections[word]:
			return one
		case ones[word]:
			one = true
		case !being[word] && len(r.words.nudges(word)) == 0:
			return false
		}
	}
	return false
}
