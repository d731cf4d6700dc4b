package gen

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen/playtest"
	"github.com/svc-games/svc/engine/gen/sim"
	"github.com/svc-games/svc/engine/gen/spec"
)

// critic is a player whose playtests find what they were told to, one report
// after the other.
type critic struct {
	reports []playtest.Report
	errs    map[int]error   // by the number of the playtest, from 0
	played  []playtest.Game // what it was given
}

func (c *critic) Warm()  {}
func (c *critic) Close() {}

func (c *critic) Play(_ context.Context, g playtest.Game) (playtest.Report, error) {
	n := len(c.played)
	c.played = append(c.played, g)
	return c.reports[min(n, len(c.reports)-1)], c.errs[n]
}

// found is a report of failed checks: a rule blocks when "!" is before it.
func found(rules ...string) playtest.Report {
	var r playtest.Report
	for _, rule := range rules {
		name, blocking := strings.CutPrefix(rule, "!")
		r.Checks = append(r.Checks, playtest.Check{Rule: name, Blocking: blocking, Note: "as told"})
	}
	return r
}

func judgedBy(c *critic) Generator {
	return &embedded{frameworks: standIns(), simulate: unplayed, strangers: sim.Here{}, browser: c}
}

// strategies are those of the fixes that were applied.
func strategies(rep *recorder) []string {
	var out []string
	for _, e := range rep.of(api.EventFixApplied) {
		s, _ := e.Members["strategy"].(string)
		out = append(out, s)
	}
	return out
}

const longFrog = "A big frog jumps, called \"The Very Long Story Of A Frog\""

func TestLastRevisionThatPassedIsDelivered(t *testing.T) {
	for name, c := range map[string]struct {
		reports []playtest.Report
		errs    map[int]error
		want    int // number of the playtest whose revision comes out
	}{
		"fixes that break it are undone":             {[]playtest.Report{found("V01", "V03", "P15"), found("!G02", "V03", "P15"), found("!G02", "P15")}, nil, 0},
		"a fix that helps is kept, what follows not": {[]playtest.Report{found("V01", "V03"), found("V03"), found("!G03")}, nil, 1},
		"a fix that does not help is undone":         {[]playtest.Report{found("V01"), found("V03"), found("P16")}, nil, 0},
		"a browser that breaks off in a fix":         {[]playtest.Report{found("V03"), found()}, map[int]error{1: errors.New("the tab crashed")}, 0},
		"a machine that is slow meanwhile":           {[]playtest.Report{found("V03"), found("P04")}, nil, 1},
		"a fix that makes it pass":                   {[]playtest.Report{found("!G03", "V01"), found("V01")}, nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			critic := &critic{reports: c.reports, errs: c.errs}
			p := newProject(t, judgedBy(critic))
			result, rep := p.run(longFrog)
			if !result.Changed || len(critic.played) <= c.want {
				t.Fatalf("after %d playtests: %+v", len(critic.played), result)
			}
			for file, content := range critic.played[c.want].Files {
				if p.files()["game/"+file] != string(content) {
					t.Errorf("%s is not that of playtest %d", file, c.want)
				}
			}
			undone := c.want < len(critic.played)-1
			if slices.Contains(strategies(rep), "revert") != undone {
				t.Errorf("fixes %q after %d playtests", strategies(rep), len(critic.played))
			}
			if mended := strings.Contains(result.Summary, "After the playtest I changed"); mended != (c.want > 0) {
				t.Errorf("the summary: %s", result.Summary)
			}
			if len(rep.of(api.EventWarning)) > 0 {
				t.Errorf("warnings %v", rep.of(api.EventWarning))
			}
		})
	}
}

func TestLastReportIsThatOfTheRevisionThatIsDelivered(t *testing.T) {
	for name, reports := range map[string][]playtest.Report{
		"a fix that breaks it":   {found("V03"), found("!G02", "V03")},
		"a fix that helps":       {found("V01", "V03"), found("V03")},
		"nothing to fix":         {found()},
		"a fix that changes not": {found("V03"), found("V03")},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProject(t, judgedBy(&critic{reports: reports}))
			_, rep := p.run(longFrog)
			last := rep.of(api.EventPlaytestResult)
			if got := last[len(last)-1].Members; got["ok"] != true || got["tier"] != "browser" {
				t.Errorf("the last report: %v", got)
			}
		})
	}
}

func TestFixesOfAMechanicThatIsGivenUpAreUndone(t *testing.T) {
	critic := &critic{reports: []playtest.Report{found("!G03", "V03"), found("!G06"), found()}}
	p := newProject(t, judgedBy(critic))
	_, rep := p.run(longFrog)
	look, _ := p.spec()["look"].(map[string]any)
	if want := []string{"spec", "mechanic"}; !slices.Equal(strategies(rep), want) {
		t.Fatalf("fixes %q, want %q", strategies(rep), want)
	}
	if p.spec()["renderer"] != "phaser" || look["mood"] == "dark" {
		t.Errorf("the game is drawn by %v, its mood is %v", p.spec()["renderer"], look["mood"])
	}
}

func TestTunablesThatAFixChangedAreSimulatedAgain(t *testing.T) {
	for name, c := range map[string]struct {
		found string
		want  int // simulations
	}{"the size of the hero": {"V01", 2}, "the scene": {"V03", 1}} {
		critic := &critic{reports: []playtest.Report{found(c.found), found()}}
		g := judgedBy(critic).(*embedded)
		var sizes []float64
		g.simulate = func(_ context.Context, _ Reporter, s *spec.Spec, _ effort) ([]string, error) {
			sizes = append(sizes, s.Play.Size)
			return nil, nil
		}
		newProject(t, g).run(longFrog)
		if len(sizes) != c.want || len(sizes) > 1 && sizes[1] != 1 {
			t.Errorf("%s: simulated with the sizes %v", name, sizes)
		}
	}
}

func TestTunablesThatNoLongerPassTheSimulationAreUndone(t *testing.T) {
	critic := &critic{reports: []playtest.Report{found("V01"), found()}}
	g := judgedBy(critic).(*embedded)
	g.simulate = func(_ context.Context, _ Reporter, s *spec.Spec, _ effort) ([]string, error) {
		if s.Play.Size == 1 {
			return nil, &unplayableError{why: "skill hardly pays"}
		}
		return nil, nil
	}
	p := newProject(t, g)
	result, rep := p.run(longFrog)
	if len(critic.played) != 1 || !result.Changed || !slices.Equal(strategies(rep), []string{"spec", "revert"}) {
		t.Errorf("%d playtests, fixes %q, %+v", len(critic.played), strategies(rep), result)
	}
}

// impatient ends the job in its second playtest.
type impatient struct {
	critic
	end context.CancelFunc
}

func (i *impatient) Play(ctx context.Context, g playtest.Game) (playtest.Report, error) {
	if len(i.played) == 1 {
		i.end()
		return playtest.Report{}, ctx.Err()
	}
	return i.critic.Play(ctx, g)
}

func TestGameThatPassedIsKeptWhileFixesAreTried(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	i := &impatient{critic: critic{reports: []playtest.Report{found("V03")}}, end: cancel}
	g := judgedBy(&i.critic).(*embedded)
	g.browser = i
	p := newProject(t, g)
	req := Request{JobID: "job_1", ProjectID: p.id, Workspace: p.root, Prompt: longFrog}
	if _, err := g.Generate(ctx, req, &recorder{}); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if changed, err := SettleDraft(p.root, newDelivery(req).change, req.JobID, true); !changed || err != nil {
		t.Fatalf("the draft: changed %v, %v", changed, err)
	}
	for file, content := range i.played[0].Files {
		if p.files()["game/"+file] != string(content) {
			t.Errorf("%s is not that of the game that passed", file)
		}
	}
}

func TestPicturesAreThoseOfTheLastPlaytest(t *testing.T) {
	pictured := func(moments ...string) playtest.Report {
		r := found()
		for _, m := range moments {
			r.Shots = append(r.Shots, playtest.Shot{Moment: m, JPEG: []byte(m)})
		}
		return r
	}
	c := &critic{reports: []playtest.Report{pictured("ready", "mid", "over"), pictured("mid")}}
	p := newProject(t, judgedBy(c))
	p.run(longFrog)
	const former = ".svc/playtest/mid.jpg"
	if err := p.root.MkdirAll(".svc/playtest", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := p.root.WriteFile(former, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.run("make it pink")
	files := p.files()
	if files["game/playtest/mid.jpg"] == "" || files["game/playtest/ready.jpg"]+files["game/playtest/over.jpg"]+files[former] != "" {
		t.Errorf("there are pictures of a game that is gone: %v", slices.Sorted(maps.Keys(files)))
	}
}

func TestGameWithoutFaultsIsPlayedOnceAndNotTouched(t *testing.T) {
	critic := &critic{reports: []playtest.Report{found()}}
	_, rep := newProject(t, judgedBy(critic)).run(longFrog)
	if len(critic.played) != 1 || len(rep.of(api.EventFixApplied)) != 0 {
		t.Errorf("%d playtests, fixes %v", len(critic.played), rep.of(api.EventFixApplied))
	}
}

// A game that can't be read is found in real pictures, and comes out readable.
func TestFaultsThatTheBrowserSeesAreMended(t *testing.T) {
	g := inBrowser(t)
	for name, c := range map[string]struct {
		rule  string
		spoil func(s *spec.Spec)
	}{
		"faint texts":  {"V03", func(s *spec.Spec) { s.Palette.PanelText = s.Palette.Panel }},
		"a long title": {"P15", func(s *spec.Spec) { s.Title = strings.Repeat("W", spec.MaxTitle) }},
	} {
		t.Run(name, func(t *testing.T) {
			on := true
			p := newProject(t, g)
			req := Request{ProjectID: p.id, Prompt: briefs["dial"], Workspace: p.root, Settings: api.Settings{VisualQAActive: &on}}
			d, err := decide(t.Context(), req, nil)
			if err != nil {
				t.Fatal(err)
			}
			if d.stock, _, err = g.stockFor(t.Context(), req, &d); err != nil {
				t.Fatal(err)
			}
			c.spoil(&d.spec)
			rep := &recorder{}
			if _, err := g.attempt(t.Context(), rep, &d, effortOf(req.Settings)); err != nil {
				t.Fatal(err)
			}
			var problems []string
			for _, e := range rep.of(api.EventPlaytestResult) {
				if found, ok := e.Members["problems"].([]string); ok && e.Members["tier"] == "browser" {
					problems = append(problems, strings.Join(found, "; "))
				}
			}
			if len(problems) < 2 || !strings.Contains(problems[0], c.rule) || strings.Contains(problems[len(problems)-1], c.rule) {
				t.Errorf("the playtests found %q", problems)
			}
		})
	}
}
