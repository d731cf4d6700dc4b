package door_test

import (
	"slices"
	"testing"
)

// exempt are the ways to users' data that no decision is made on by design, and why. Each
// is a function of a folder.
var exempt = []struct{ folder, function, why string }{
	{"sidecar/play", "Play.page", "the page of a published game, for everybody"},
	{"sidecar/play", "Play.hostScript", "a part of that page"},
	{"sidecar/play", "Play.picture", "the picture of a published game, for everybody"},
	{"sidecar/play", "Play.file", "the files of a published game, for everybody"},
	{"sidecar/play", "Play.report", "a player's word on a published game"},
	{"sidecar/play", "Play.consent", "what a player agreed to, in the player's own cookie"},
	{"sidecar/play", "Play.renew", "another token for a player of a published game, by that player's cookie"},
	{"sidecar/play", "Play.forget", "a player's own data, by a secret that the player's page has"},
	{"sidecar/play", "Play.batch", "what a game counts, by the game's own key (pk-…)"},
	{"sidecar/play", "Play.score", "the same of a score"},
	{"sidecar/play", "Play.board", "the board of a published game, for everybody"},
	{"sidecar/play", "Play.health", "a game's look at whether its key is good"},
	{"sidecar/webhooks", "Sender.deliver", "asks by sidecar/service, as the project's owner: TestWhatTheOwnerMayNotReadIsNotPosted"},
	{"caddymodule/gateway/studio", "Studio.Live", "a file of a preview: the console decided on its code, TestPreviewEndsWithThePermission"},
	{"caddymodule/gateway", "Previews.Serve", "the same of a job's game"},
	{"caddymodule/gateway", "Previews.ServeGame", "a file of a published game, which sidecar/play asks to be served"},
	{"caddymodule/gateway", "Previews.ServePicture", "the picture of one"},
	{"caddymodule/gateway", "Auth.identifyReader", "opens nothing but by a stream token, and decides on its key"},
}

func TestWhatNeedsNoDecisionIsStillThere(t *testing.T) {
	packages := map[string]*parsed{}
	for _, e := range exempt {
		if packages[e.folder] == nil {
			packages[e.folder] = parse(t, e.folder)
		}
		if !slices.ContainsFunc(packages[e.folder].functions, func(f function) bool { return f.full() == e.function }) {
			t.Errorf("%s has no %s any more", e.folder, e.function)
		}
	}
	for _, r := range registered(packages["sidecar/play"]) {
		served := func(e struct{ folder, function, why string }) bool {
			return e.folder == "sidecar/play" && "p."+e.function[len("Play."):] == r.handler
		}
		known := slices.ContainsFunc(exempt, served)
		if !known && !slices.Contains(playOwn, r.handler) {
			t.Errorf("sidecar/play serves %s by %s: say why it needs no decision", r.pattern, r.handler)
		}
	}
}

// playOwn are the handlers of sidecar/play that have no data, or are other forms of those above.
var playOwn = []string{"p.static(file)", "preflight", "p.formerBatch", "p.formerBoard"}
