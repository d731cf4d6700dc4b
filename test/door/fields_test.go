package door_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// owner is a type that has fields.
type owner struct {
	folder, name string
	rules        rules
	plain        map[string]string // the fields without users' data, and why
}

// looked are the types whose fields are followed, with their fields that have no users' data
// and why that is so. One that is new must be said to be of either kind.
var looked = []owner{
	{"sidecar/console", "Parts", consoleRules, map[string]string{
		"Access": "decides", "Basis": "names what decisions rest on", "Logger": "writes", "Now": "is the clock",
	}},
	{"sidecar/console", "Console", consoleRules, map[string]string{
		"Parts": "is looked at by itself", "options": "is what was configured", "pages": "is templates", "attempt": "counts attempts to sign in",
		"oidc": "asks the provider who signs in", "streams": "knows what open streams were decided on", "handler": "is the routes",
	}},
	{"caddymodule/gateway/studio", "Studio", studioRules, map[string]string{
		"Parts": "is looked at by itself", "pages": "is templates", "routes": "are addresses", "uploads": "is a bound",
	}},
	{"caddymodule/gateway/studio", "Parts", studioRules, map[string]string{
		"Models": "are no user's", "Access": "decides", "Previews": "is handed jobs of a list that was decided on", "Answers": "is room in memory",
		"Rates": "counts requests", "Rate": "is a number", "Editor": "is a folder of the program", "Logger": "writes",
	}},
	{"caddymodule/gateway", "Access", gatewayRules, map[string]string{
		"Routes": "are addresses", "Models": "are no user's", "MaxBody": "is a number", "Bodies": "is room in memory", "Decided": "is told",
	}},
	{"caddymodule/gateway", "Projects", gatewayRules, nil},
	{"caddymodule/gateway", "EngineEvents", gatewayRules, nil},
	{"caddymodule/gateway", "Locator", gatewayRules, map[string]string{
		"Models": "are no user's", "Hold": "is a time", "RetryAfter": "is a time", "Now": "is the clock", "Request": "says who asks",
		"Streams": "are connections", "Stall": "is a time",
		"Jobs": "is filled by EngineEvents, for readers that Locator.events let in", "Waited": "is told",
		"Gate": "pauses", "Ended": "is told", "StreamBroken": "is told",
	}},
	{"caddymodule/gateway", "Submitter", gatewayRules, map[string]string{
		"Routes": "are addresses", "RetryAfter": "is a time", "Timeout": "is a time", "Deadline": "is a time", "Now": "is the clock",
		"Outcome": "is told", "Logger": "writes",
	}},
}

// TestEachFieldOfAHandlerIsKnown: data that come by a field which no list has would be
// followed by no test of this package.
func TestEachFieldOfAHandlerIsKnown(t *testing.T) {
	packages := map[string]*parsed{}
	for _, o := range looked {
		if packages[o.folder] == nil {
			packages[o.folder] = parse(t, o.folder)
		}
		for _, wrong := range packages[o.folder].unknownFields(o.name, o.rules.fields, o.plain) {
			t.Error(o.folder + ": " + wrong)
		}
	}
	// A type that is not among them, with what has the data.
	for folder, p := range packages {
		for of, fields := range p.structs {
			for name, kind := range fields {
				data := strings.Contains(kind, "sidecar.Service") || strings.Contains(kind, "engineproxy.Engines")
				known := slices.ContainsFunc(looked, func(o owner) bool { return o.folder == folder && o.name == of })
				if data && !known && unfollowed[of] == "" {
					t.Errorf("%s: %s.%s is a way to users' data that no test follows", folder, of, name)
				}
			}
		}
	}
}

// unfollowed are the types that have the sidecar or the engines for something else, and why.
var unfollowed = map[string]string{
	"Auth": "identifies keys", "Rechecks": "decides again on open streams", "Models": "lists what jobs may name, which is no user's data",
}

// unknownFields says which fields of a struct are neither among the data nor among the plain
// ones, and which of the plain ones are none.
func (p *parsed) unknownFields(of string, data []string, plain map[string]string) (wrong []string) {
	fields := p.structs[of]
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if _, is := plain[name]; !is && !slices.Contains(data, name) {
			wrong = append(wrong, of+"."+name+" is new: say whether it has users' data")
		}
	}
	for name := range plain {
		if _, is := fields[name]; !is {
			wrong = append(wrong, of+"."+name+" is there no longer")
		}
	}
	return wrong
}

func TestAFieldThatIsNewIsFound(t *testing.T) {
	p := &parsed{structs: map[string]map[string]string{"Parts": {"Keys": "*keys.Registry", "Now": "func() time.Time", "Secrets": "*store.Store"}}}
	want := []string{"Parts.Secrets is new: say whether it has users' data"}
	if got := p.unknownFields("Parts", consoleRules.fields, map[string]string{"Now": "is the clock"}); !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}
