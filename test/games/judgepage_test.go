package games

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// of returns the verdicts of some parts.
func of(all []verdict, parts ...string) (out []verdict) {
	for _, v := range all {
		if slices.Contains(parts, v.Part) {
			out = append(out, v)
		}
	}
	return out
}

// among are those of some verdicts that are so.
func among(all []verdict, is func(verdict) bool) (out []verdict) {
	for _, v := range all {
		if is(v) {
			out = append(out, v)
		}
	}
	return out
}

// flakes are the verdicts on a game that are another than the first.
func flakes(all []verdict) []verdict {
	first := map[string]string{}
	return among(of(all, partHand, partAgain), func(v verdict) bool {
		said := fmt.Sprint(v.Blocked, v.Rules)
		was, again := first[v.Game]
		if !again {
			first[v.Game] = said
		}
		return again && was != said
	})
}

// bounds are what the judge is held to, and what it does.
func bounds(all []verdict) []goal {
	good := of(all, partStock, partHand)
	blocked := among(good, func(v verdict) bool { return v.Blocked })
	mutants := of(all, partMutant)
	named := among(mutants, func(v verdict) bool { return v.Named })
	again, other := of(all, partAgain), flakes(all)
	out := []goal{
		{"good games that are blocked", "0 of 60 or more", fmt.Sprintf("%d of %d", len(blocked), len(good)), len(blocked) == 0 && len(good) >= 60},
		{"mutants that are named", "9 of 10", fmt.Sprintf("%d of %d", len(named), len(mutants)), len(mutants) > 0 && len(named)*10 >= len(mutants)*9},
		{"verdicts that are another than the one before", "0", fmt.Sprintf("%d of %d", len(other), len(again)), len(again) > 0 && len(other) == 0},
	}
	median := func(what string, limit int, of []verdict) {
		var all []float64
		for _, v := range of {
			all = append(all, v.Seconds)
		}
		slices.Sort(all)
		if n := len(all); n > 0 {
			out = append(out, goal{what, fmt.Sprintf("%d s", limit), fmt.Sprintf("median %.2f s, slowest %.2f s", all[n/2], all[n-1]), all[n/2] <= float64(limit)})
		}
	}
	median("a game of the embedded generator, made and judged", 6, of(all, partStock))
	median("the judge, of a game that is written by hand", 12, of(all, partHand, partAgain))
	return out
}

func judgePage(all []verdict) string {
	var b strings.Builder
	b.WriteString("# What the judge is held to\n\nWritten by `make judge`: it judges good games, games that are broken in one way each, and the same games again.\n")
	fmt.Fprintf(&b, "Machine: %d cores, no graphics card, %s/%s; the load was %s at the end, this run's own included.\n\n", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, load())
	writeGoals(&b, bounds(all))
	b.WriteString("\nThe good games are one of each kind of the embedded generator, from its first brief in `corpus/`, and those of `engine/gen/playtest/corpus`, which know no kit of ours.\n")
	list := func(title string, all []verdict) {
		if len(all) == 0 {
			return
		}
		fmt.Fprintf(&b, "\n## %s\n\n| game | fault | said |\n|---|---|---|\n", title)
		for _, v := range all {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", v.Game, v.Mutation, plain(v.Said))
		}
	}
	list("Good games that are blocked", among(of(all, partStock, partHand), func(v verdict) bool { return v.Blocked }))
	list("Mutants that are not named", among(of(all, partMutant), func(v verdict) bool { return !v.Named }))
	list("Verdicts that are another", flakes(all))
	b.WriteString("\n## Mutants by what is broken\n\n| fault | named |\n|---|---|\n")
	made, named := map[string]int{}, map[string]int{}
	for _, v := range of(all, partMutant) {
		made[v.Mutation]++
		if v.Named {
			named[v.Mutation]++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(made)) {
		fmt.Fprintf(&b, "| %s | %d of %d |\n", name, named[name], made[name])
	}
	b.WriteString("\n## Good games\n\n| game | of | s | noticed |\n|---|---|---|---|\n")
	for _, v := range of(all, partStock, partHand) {
		fmt.Fprintf(&b, "| %s | %s | %.1f | %s |\n", v.Game, map[string]string{partStock: "the generator", partHand: "hand"}[v.Part], v.Seconds, plain(v.Said))
	}
	return b.String()
}

func TestPageOfTheJudgeSaysWhatIsNotKept(t *testing.T) {
	var all []verdict
	for i := range 61 {
		all = append(all, verdict{Part: partStock, Game: fmt.Sprint(i), Seconds: 3})
	}
	all = append(all, verdict{Part: partHand, Game: "quiz", Seconds: 4}, verdict{Part: partMutant, Game: "quiz", Mutation: "input dead", Named: true, Blocked: true}, verdict{Part: partAgain, Game: "quiz", Round: 1})
	for name, c := range map[string]struct {
		spoil func([]verdict) []verdict
		not   int // of how many goals
	}{
		"all is kept":        {func(all []verdict) []verdict { return all }, 0},
		"too few good games": {func(all []verdict) []verdict { return all[5:] }, 1},
		"one is blocked":     {func(all []verdict) []verdict { all[3].Blocked = true; return all }, 1},
		"one is not named":   {func(all []verdict) []verdict { all[62].Named = false; return all }, 1},
		"one is another":     {func(all []verdict) []verdict { all[63].Rules = []string{"G05"}; return all }, 1},
		"half are slow": {func(all []verdict) []verdict {
			for i := range 40 {
				all[i].Seconds = 7
			}
			return all
		}, 1},
	} {
		not := 0
		for _, g := range bounds(c.spoil(slices.Clone(all))) {
			if !g.reached {
				not++
			}
		}
		if not != c.not {
			t.Errorf("%s: %d goals are not reached: %+v", name, not, bounds(c.spoil(slices.Clone(all))))
		}
	}
}
