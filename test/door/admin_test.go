package door_test

import (
	"slices"
	"strings"
	"testing"
)

// adminsOwn are the addresses of the admin API that are decided on by no policy, and why.
var adminsOwn = map[string]string{
	"/policy":        "a policy that lets nobody in must be mendable",
	"/engines/owner": "says which process has the engines, and no user's data",
	"/":              "there is no such address",
}

func TestEveryAddressOfTheAdminAPIWithUsersDataAsksForADecision(t *testing.T) {
	found, exempt := 0, map[string]bool{}
	for _, r := range registered(parse(t, "sidecar/admin")) {
		method, path, ok := strings.Cut(r.pattern, " ")
		if !ok {
			path = method
		}
		if strings.HasPrefix(path, "/policy") && path != "/policy/decisions" { // which has facts of users
			path = "/policy"
		}
		wrapped := []string{"s.change(", "changeOf(s, "}
		if method == "GET" {
			wrapped = []string{"s.read("}
		}
		switch _, own := adminsOwn[path]; {
		case own:
			exempt[path] = true
		case !slices.ContainsFunc(wrapped, func(w string) bool { return strings.HasPrefix(r.handler, w) }):
			t.Errorf("%s is served by %s, without %s…)", r.pattern, r.handler, wrapped)
		default:
			found++
		}
	}
	if found < 15 {
		t.Errorf("only %d addresses", found)
	}
	for path := range adminsOwn {
		if !exempt[path] {
			t.Errorf("%s is served no longer", path)
		}
	}
}
