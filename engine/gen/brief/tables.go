package brief

import (
	"slices"
	"strconv"

	"github.com/svc-games/svc/engine/gen/catalog"
)

// tableContent is what a game of sums takes: the times tables that it asks.
const tableContent = "tables"

const mostTable = 20

// Words of a list of times tables: those that name them, that join two, that span from one
// to the next.
var (
	tableWords = listed("times timestable timestables table tables reihe reihen einmaleins malreihen mal tabla tablas multiplication multiplicar dividing divided division teilen geteilt dividir")
	tableJoins = listed("and und y et the die der del de la las du des les mit von tabla table tables reihe times")
	tableSpans = listed("to bis al a through until jusqu'a hasta")
)

// tablesApart is how many words are between the name and the first number, at most.
const tablesApart = 3

// readTables takes the times tables of a text that names several: "the 7 and 8 times
// tables", "tablas del 2 al 5".
func (r *Reading) readTables(tokens []token) {
	if catalog.Mechanics[heaviest(r.Mechanics)].Content != tableContent {
		return
	}
	for i := range tokens {
		if !isTable(tokens[i]) {
			continue
		}
		list, from, to := tableList(tokens, i)
		if len(list) < 2 || !nearTables(tokens, from, to) || to < len(tokens) && r.words.means["count"][tokens[to].singular] != "" {
			continue
		}
		r.Content.Tables = list
		for j := from; j < to; j++ {
			tokens[j].known, tokens[j].tuned = true, true
		}
		r.because(joined(tokens[from:to]), "the tables")
		return
	}
}

func isTable(t token) bool { return t.number > 1 && t.number <= mostTable }

// tableList is the list of numbers that begins at a word, in their order, and where it
// begins and ends.
func tableList(tokens []token, i int) (list []string, from, to int) {
	from, to = i, i+1
	numbers := []int{tokens[i].number}
	span := false
	for j := i + 1; j < len(tokens) && (isTable(tokens[j]) || joinsTables(tokens, j, to)); j++ {
		t := tokens[j]
		switch {
		case isTable(t):
			low := numbers[len(numbers)-1]
			for n := low + 1; span && n < t.number; n++ {
				numbers = append(numbers, n)
			}
			numbers, span, to = append(numbers, t.number), false, j+1
		case tableSpans[t.word]:
			span = true
		}
	}
	slices.Sort(numbers)
	for _, n := range slices.Compact(numbers) {
		list = append(list, strconv.Itoa(n))
	}
	return list, from, to
}

// joinsTables reports whether a word joins the numbers of a list that ends at to.
func joinsTables(tokens []token, j, to int) bool {
	t := tokens[j]
	if spans := tableSpans[t.word] && j == to && j+1 < len(tokens) && isTable(tokens[j+1]); spans {
		return !t.startsClause
	}
	return !t.opens && j-to < tablesApart && tableJoins[t.word]
}

// nearTables reports whether a list of numbers stands beside a word for tables.
func nearTables(tokens []token, from, to int) bool {
	near := tokens[max(0, from-tablesApart):min(len(tokens), to+tablesApart)]
	return slices.ContainsFunc(near, func(t token) bool { return tableWords[t.word] || tableWords[t.singular] })
}
