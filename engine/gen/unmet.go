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

// first are the wishes that come before all others: the language and the kind of
// game that there are not.
func first(r brief.Reading, s spec.Spec) (unmet []string) {
	if r.Stranger != "" {
		unmet = append(unmet, r.Stranger+": this language is not there; the texts are in "+catalog.LanguageNames[s.Lang])
	}
	if r.Missing != "" {
		unmet = append(unmet, r.Missing+": there is no such game here; this is "+brief.Article(s.Mechanic+" game"))
	}
	return unmet
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
