package contract_test

import (
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
)

func TestSkillFilesThatClashOnSomeDiskAreRefused(t *testing.T) {
	for what, tc := range map[string]struct {
		paths []string
		ok    bool
	}{
		"apart":                        {[]string{"a", "b", "c/a", "é.js", "e.js", "ss.js"}, true},
		"the same":                     {[]string{"a", "a"}, false},
		"in capitals":                  {[]string{"Sprite.png", "sprite.PNG"}, false},
		"in foreign capitals":          {[]string{"Ωmega.js", "ωMEGA.js"}, false},
		"in capitals of another form":  {[]string{"straße.js", "STRASSE.js"}, false},
		"composed and decomposed":      {[]string{"caf\u00e9.js", "cafe\u0301.js"}, false},
		"composed, and in capitals":    {[]string{"CAF\u00c9.js", "cafe\u0301.js"}, false},
		"marks in another order":       {[]string{"a\u0323\u0307.js", "a\u0307\u0323.js"}, false},
		"one sign with two codes":      {[]string{"\u212b.js", "\u00c5.js"}, false},
		"a folder and a file":          {[]string{"lib", "lib/x.js"}, false},
		"a folder in other capitals":   {[]string{"lib/x/y.js", "LIB/X"}, false},
		"a folder in another form":     {[]string{"\u00e9/x.js", "e\u0301"}, false},
		"a deep folder and a file":     {[]string{"a/b/c/d.js", "A/b"}, false},
		"siblings that begin the same": {[]string{"lib", "lib.js", "lib2/x.js"}, true},
	} {
		skill := api.Skill{Key: "k", Title: "t"}
		for _, p := range tc.paths {
			skill.Files = append(skill.Files, api.SkillFile{Path: p})
		}
		if err := contract.CheckSkills([]api.Skill{skill}); (err == nil) != tc.ok {
			t.Errorf("%s: %q: %v", what, tc.paths, err)
		}
	}
}

func TestSkillsWhoseKeysDifferInCapitalsAloneAreRefused(t *testing.T) {
	for _, tc := range []struct {
		keys []string
		ok   bool
	}{
		{[]string{"jump", "run"}, true},
		{[]string{"jump", "jump"}, true}, // the last one counts
		{[]string{"jump", "run", "Jump"}, false},
	} {
		var skills []api.Skill
		for _, key := range tc.keys {
			skills = append(skills, api.Skill{Key: key, Title: "t"})
		}
		if err := contract.CheckSkills(skills); (err == nil) != tc.ok {
			t.Errorf("%q: %v", tc.keys, err)
		}
	}
}
