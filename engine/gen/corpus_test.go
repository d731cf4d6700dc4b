package gen

import (
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/api/requests"
	"github.com/svc-games/svc/engine/gen/spec"
	"github.com/svc-games/svc/test/games/corpus"
)

// sent is the request for a prompt of a wish in an empty project, and whether a
// client may send it.
func sent(t *testing.T, w corpus.Wish, prompt string) (Request, bool) {
	t.Helper()
	body, err := w.Body("0123456789abcdef01234567", prompt)
	if err != nil {
		t.Fatal(err)
	}
	req, err := requests.ParseGenerateRequest(body)
	if err != nil {
		return Request{}, false
	}
	return Request{
		Prompt: req.Prompt, ProjectID: "p", Context: req.Context, Skills: req.Skills, Settings: req.Settings, Workspace: newProject(t, nil).root,
	}, true
}

func TestBriefsAreUnderstood(t *testing.T) {
	briefs, err := corpus.Briefs()
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range briefs {
		req, accepted := sent(t, w, w.Prompt)
		if accepted == w.Want.Refused {
			t.Errorf("%s: accepted is %v", w.Name, accepted)
		}
		if !accepted {
			continue
		}
		d, err := decide(t.Context(), req, nil)
		if err != nil {
			t.Errorf("%s: %v", w.Name, err)
			continue
		}
		for _, fault := range w.Want.Faults(corpus.Outcome{Spec: d.spec, Unmet: d.unmet}) {
			t.Errorf("%s: %.60q: %s; unmet %q", w.Name, w.Prompt, fault, d.unmet)
		}
	}
}

// TestFollowUpsDoWhatIsMeant counts what is done of the corpus; what is not must be
// said.
func TestFollowUpsDoWhatIsMeant(t *testing.T) {
	all, err := corpus.FollowUps()
	if err != nil {
		t.Fatal(err)
	}
	done, least := 0, len(all)
	for _, w := range all {
		o := followed(t, w)
		faults := w.Want.Faults(o)
		switch {
		case len(faults) == 0:
			done++
		case len(o.Unmet) == 0 || slices.ContainsFunc(faults, func(f string) bool { return strings.Contains(f, "changed") }):
			t.Errorf("%s: %q: %q; unmet %q", w.Name, w.Prompt, faults, o.Unmet)
		default:
			t.Logf("%s: %q: %q; unmet %q", w.Name, w.Prompt, faults, o.Unmet)
		}
	}
	if done < least {
		t.Errorf("%d of %d follow-ups are done, want %d", done, len(all), least)
	}
}

// TestWordsOfPlayersDoWhatIsMeant: and nothing else, of the game that is there.
func TestWordsOfPlayersDoWhatIsMeant(t *testing.T) {
	all, err := corpus.Phrases()
	if err != nil || len(all) < 200 {
		t.Fatalf("%d phrases, %v", len(all), err)
	}
	for _, w := range all {
		o := followed(t, w)
		faults := w.Want.Faults(o)
		for _, path := range w.Want.Unasked(o) {
			faults = append(faults, path+" changed, which was not asked for")
		}
		if len(faults) > 0 {
			t.Errorf("%q, %q: %q; unmet %q", w.Brief, w.Prompt, faults, o.Unmet)
		}
	}
}

// followed decides a brief and what follows it.
func followed(t *testing.T, w corpus.Wish) (o corpus.Outcome) {
	t.Helper()
	p := newProject(t, nil)
	if p.root.Mkdir(".svc", 0o755) != nil {
		t.Fatal("no folder for the spec")
	}
	for i, prompt := range append(append([]string{w.Brief}, w.After...), w.Prompt) {
		req, _ := sent(t, w, prompt)
		o.Before, req.Workspace = o.Spec, p.root
		d, err := decide(t.Context(), req, nil)
		if err != nil {
			t.Fatalf("%s: %v", w.Name, err)
		}
		data, err := spec.Marshal(d.spec)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.spec.Check(); err != nil {
			t.Errorf("%s: %q makes no game: %v", w.Name, prompt, err)
		}
		if i == 0 || prompt != w.Prompt {
			p.write(specFile, string(data))
		}
		o.Spec, o.Unmet = d.spec, d.unmet
	}
	_, o.Restored = ReadUndo(w.Prompt)
	return o
}
