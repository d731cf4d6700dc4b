package policy

import "testing"

// TestWhatIsPreparedIsTheSameInput tries all inputs near the one that is kept as a whole.
func TestWhatIsPreparedIsTheSameInput(t *testing.T) {
	facts := func() (*Key, *Project) {
		in := admissible()
		in.Key.Scopes, in.Key.UserState = []string{ScopeFull}, UserActive
		return in.Key, in.Project
	}
	key, project := facts()
	Prepare(key, project)
	sameKey, sameProject := facts()
	other := &Project{ID: "another", OwnerID: "user-2"}
	for name, change := range map[string]func(in *Input){
		"a poll":          func(*Input) {},
		"another action":  func(in *Input) { in.Action = ActionFiles },
		"another project": func(in *Input) { in.Project = other },
		"no project":      func(in *Input) { in.Project = nil },
		"no key":          func(in *Input) { in.Key = nil },
		"with usage": func(in *Input) {
			in.Usage = &Usage{JobsToday: 511, JobsThisMonth: 512, RunningJobs: -1, TIKThisMonth: 2_500_000}
		},
		"with a user":   func(in *Input) { in.User = &User{ID: "user-1", Via: ViaConsole} },
		"with a target": func(in *Input) { in.Target = &Target{UserID: "user-2"} },
		"of a request":  func(in *Input) { in.Request = &Request{Method: "GET"} },
		"on all facts": func(in *Input) {
			*in = Input{Action: ActionGenerate, Key: in.Key, Project: in.Project, Usage: &Usage{}, Request: &Request{}}
		},
		"with a key's copy": func(in *Input) { copied := *in.Key; in.Key = &copied },
	} {
		got := Input{Action: ActionStatus, Key: key, Project: project}
		want := Input{Action: ActionStatus, Key: sameKey, Project: sameProject}
		change(&got)
		change(&want)
		if got.Value().Compare(want.Value()) != 0 || got.Value().Hash() != want.Value().Hash() {
			t.Errorf("%s: got %v, want %v", name, got.Value(), want.Value())
		}
	}
	Prepare(nil, project)
	Prepare(key, nil)
	if in := (Input{Action: ActionStatus, Key: key}); in.Value().Compare(Input{Action: ActionStatus, Key: sameKey}.Value()) != 0 {
		t.Errorf("a key without a project: %v", in.Value())
	}
}
