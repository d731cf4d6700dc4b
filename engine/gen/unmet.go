package gen

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen/brief"
	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/spec"
)

// lacks begins what a game's README says of wishes that it does not fulfil.
const lacks = "\nAsked for, but not in this game:\n"

// withUnmet returns the files with the wishes that the game does not fulfil in its
// README, in the place of those of an earlier job.
func withUnmet(files compile.Files, unmet []string) compile.Files {
	out := maps.Clone(files)
	if readme, ok := files[compile.Readme]; ok {
		text, _, _ := bytes.Cut(readme, []byte(lacks))
		if len(unmet) > 0 {
			text = append(bytes.Clone(text), lacks+"- "+strings.Join(unmet, "\n- ")+"\n"...)
		}
		out[compile.Readme] = text
	}
	if manifest, err := stamped(files[compile.Manifest], unmet); err == nil {
		out[compile.Manifest] = manifest
	}
	return out
}

// stamped returns a game's manifest with other unmet wishes and is otherwise as it was.
// One that says nothing of svc is someone's own: an error.
func stamped(manifest []byte, unmet []string) ([]byte, error) {
	wishes := []api.Unmet{}
	for _, wish := range unmet {
		wishes = append(wishes, Wish(wish))
	}
	list, err := compile.JSON(wishes, "    ")
	if err != nil {
		return nil, err
	}
	about, end, err := member(manifest, "svc")
	if err != nil {
		return nil, err
	}
	from, to, err := member(manifest[about:end], "unmet")
	if err != nil {
		return nil, err
	}
	return slices.Concat(manifest[:about+from], list, manifest[about+to:]), nil
}

// Wish is an unmet wish as others read it: what was asked for, and why it is not there.
func Wish(text string) api.Unmet {
	phrase, why, _ := strings.Cut(text, ": ")
	return api.Unmet{Phrase: phrase, Why: why}
}

// ofKind are the unmet wishes that follow from the kind of game that it is: those that
// come before all others, and those that come last.
func (d *decision) ofKind() (before, after []string) {
	game := brief.Article(d.spec.Mechanic + " game")
	for _, kind := range d.failed {
		before = append(before, kind+": it could not be made playable; this is "+game)
	}
	before = append(before, first(d.reading, d.spec, d.order, d.failed)...)
	after = append(beyond(d.reading, d.spec, d.order), unseen(d.reading, d.spec)...)
	if len(d.failed) > 0 && !d.reading.Content.Empty() && len(d.spec.Content) == 0 {
		after = append(after, "the list: "+game+" takes none")
	}
	return before, after
}

// first are the wishes that come before all others: the language and the kind of
// game that there are not. What is said of those that failed is not said again.
func first(r brief.Reading, s spec.Spec, o brief.Order, failed []string) (unmet []string) {
	game := brief.Article(s.Mechanic + " game")
	if r.Stranger != "" {
		unmet = append(unmet, r.Stranger+": this language is not there; the texts are in "+catalog.LanguageNames[s.Lang])
	}
	if r.Missing != "" {
		unmet = append(unmet, r.Missing+": there is no such game here; this is "+game)
	}
	flat := ""
	if o.Solid && r.Missing == "" {
		flat = flatKind(r, s)
	}
	if flat != "" && !slices.Contains(failed, flat) {
		unmet = append(unmet, flat+": it needs settings.dimensionMode 2d, so this is "+game)
	}
	said := append([]string{flat, s.Mechanic}, failed...)
	for _, g := range r.Games {
		if !slices.ContainsFunc(g.Kinds, func(kind string) bool { return slices.Contains(said, kind) || brief.Akin(kind, s.Mechanic) }) {
			unmet = append(unmet, g.Name+": a game is of one kind; this is "+game)
		}
	}
	return unmet
}

// flatKind is the kind that was named and that there is in 2D alone, "" if none was, or
// the game is it.
func flatKind(r brief.Reading, s spec.Spec) string {
	best, weight := "", 0.0
	for _, name := range catalog.Names() {
		if w := r.Mechanics[name]; w > weight {
			best, weight = name, w
		}
	}
	if weight < catalog.Named || catalog.Mechanics[best].Solid || best == s.Mechanic || brief.Akin(best, s.Mechanic) {
		return ""
	}
	return best
}

// unseen returns what was understood and that the game, as it was built, does not
// show.
func unseen(r brief.Reading, s spec.Spec) (unmet []string) {
	m := catalog.Mechanics[s.Mechanic]
	for _, place := range r.Places {
		if !slices.Contains([]string{s.Scene.Far, s.Scene.Near}, place) && !slices.Contains(m.Shows, place) {
			unmet = append(unmet, place+": the scenery shows none")
		}
	}
	shown := catalog.Figures(s.Mechanic)
	for _, part := range [][2]string{{"hero", r.Hero}, {"hazard", r.Hazard}, {"pickup", r.Pickup}} {
		if part[1] != "" && !slices.Contains(shown, part[0]) && !slices.Contains(r.OfName, part[1]) {
			unmet = append(unmet, part[1]+": "+brief.Article(s.Mechanic+" game")+" shows none")
		}
	}
	if f := brief.BodyOf(r.Hero); slices.Contains(m.Carries, f) {
		unmet = append(unmet, r.Hero+": "+brief.Article(s.Mechanic+" game")+" shows it in a vehicle of its own")
	}
	if r.Rules.Versus && !catalog.Shared(s.Mechanic) {
		unmet = append(unmet, "against each other: in "+brief.Article(s.Mechanic+" game")+" two play one after the other, for the better score")
	}
	for _, noun := range r.Idle {
		if !s.Cast.Has(noun) {
			unmet = append(unmet, noun+": it has no part in this game")
		}
	}
	if r.Rules.Levels > 1 && !m.HasLevels(s.Play.Duration) {
		unmet = append(unmet, fmt.Sprintf("%d levels: %s has one", r.Rules.Levels, brief.Article(s.Mechanic+" game")))
	}
	return unmet
}
