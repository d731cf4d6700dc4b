package contract

import (
	"path"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
)

// CheckSkills returns the 400 of skills that can't stand side by side on every
// disk: two keys or two files that differ in capitals or in the form of their
// characters alone, the same file twice, or a file where another one needs a
// folder. The same key again is no clash: its last skill counts.
func CheckSkills(skills []api.Skill) error {
	keys := map[string]string{}
	for i, skill := range skills {
		if other, ok := keys[Fold(skill.Key)]; ok && other != skill.Key {
			return answers.BadRequest("skills[%d].key and an earlier one, %s, differ only in capitals.", i, other)
		}
		keys[Fold(skill.Key)] = skill.Key
		if err := checkFiles(i, skill.Files); err != nil {
			return err
		}
	}
	return nil
}

func checkFiles(i int, list []api.SkillFile) error {
	files, dirs := map[string]bool{}, map[string]bool{}
	for _, f := range list {
		name := Fold(f.Path)
		if files[name] {
			return answers.BadRequest("skills[%d].files has %s more than once.", i, f.Path)
		}
		files[name] = true
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			dirs[dir] = true
		}
	}
	for dir := range dirs {
		if files[dir] {
			return answers.BadRequest("skills[%d].files uses %s as a file and as a folder.", i, dir)
		}
	}
	return nil
}

// Fold returns what all names have in common that some disk takes for one:
// Unicode's canonical caseless matching.
func Fold(name string) string {
	return norm.NFD.String(cases.Fold().String(norm.NFD.String(name)))
}
