package agent

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen/author"
	"github.com/svc-games/svc/engine/gen/compile"
)

// Bounds of what a model may write.
const (
	maxFile    = 64 << 10 // bytes of one file
	maxFiles   = 200
	maxSources = 1 << 20 // bytes of all files that can be written, together
)

// Places of a game.
const (
	sourceFolder = "src/"
	skillFolder  = "skills/"
	dataFile     = "src/game.json"
)

// fixed are sources that a model can read and not write: what joins a game to
// its page and to those who judge it, and what other tools change.
var fixed = map[string]string{
	dataFile:            "use set_tuning for the tunables in it",
	compile.Entry:       "the mechanic that it names is what is tested; change that one",
	"src/core/boot.js":  "it joins the game to its page",
	"src/core/field.js": "the size of the field is given",
	"src/core/hook.js":  "it shows the game's state to the playtest",
}

// namePattern is what a path may look like; sourcePattern one that can be
// written.
var (
	namePattern   = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]*(?:/[A-Za-z0-9_][A-Za-z0-9_.-]*){0,5}$`)
	sourcePattern = regexp.MustCompile(`^(?:src/.*\.(?:js|ts|json)|test/player\.js|checks/[A-Za-z0-9_-]+\.json)$`)
)

// sources are the files of a game as the tools see them: a map in memory, so
// that no path can lead anywhere else. Skills can be read beside them.
type sources struct {
	files    compile.Files
	skills   map[string][]byte
	revision int // counts the changes
}

func newSources(game compile.Files, skills []api.Skill) *sources {
	s := &sources{files: maps.Clone(game), skills: map[string][]byte{}}
	delete(s.files, compile.Script) // made anew by each check
	for _, skill := range skills {
		for _, f := range skill.Files {
			s.skills[skillFolder+skill.Key+"/"+f.Path] = []byte(f.Content)
		}
	}
	return s
}

// copy returns the files, for a verifier that adds to them.
func (s *sources) copy() compile.Files { return maps.Clone(s.files) }

// names returns the readable files below a folder, sorted.
func (s *sources) names(folder string) []string {
	folder = strings.TrimSuffix(strings.TrimPrefix(folder, "./"), "/")
	var out []string
	for _, list := range []compile.Files{s.files, s.skills} {
		for name := range list {
			if isText(name) && (folder == "" || folder == "." || strings.HasPrefix(name, folder+"/")) {
				out = append(out, name)
			}
		}
	}
	slices.Sort(out)
	return out
}

// isText reports whether a file is one that people write. Frameworks, pictures
// and sounds are not.
func isText(name string) bool {
	return !strings.HasSuffix(name, ".min.js") && slices.Contains([]string{".js", ".ts", ".json", ".html", ".txt", ".md", ".css", ".glsl", ".frag", ".vert"}, path.Ext(name)) &&
		!strings.HasPrefix(name, "licenses/")
}

// read returns a file.
func (s *sources) read(name string) ([]byte, error) {
	name = strings.TrimPrefix(name, "./")
	data, ok := s.files[name]
	if !ok {
		data, ok = s.skills[name]
	}
	if !ok || !isText(name) {
		return nil, fmt.Errorf("there is no file %q; list_files shows what there is", author.Clip(name, 200))
	}
	return data, nil
}

// write makes content that of a file, if a model may write it.
func (s *sources) write(name, content string) error {
	name = strings.TrimPrefix(name, "./")
	if err := writable(name); err != nil {
		return err
	}
	if len(content) > maxFile {
		return fmt.Errorf("%s would be %d bytes; a file has at most %d", name, len(content), maxFile)
	}
	if !utf8.ValidString(content) || strings.ContainsRune(content, 0) {
		return fmt.Errorf("%s would be no text", name)
	}
	if err := s.room(name, len(content)); err != nil {
		return err
	}
	s.set(name, []byte(content))
	return nil
}

// set replaces a file. The same content again is no change.
func (s *sources) set(name string, data []byte) {
	if old, ok := s.files[name]; ok && string(old) == string(data) {
		return
	}
	s.files[name] = data
	s.revision++
}

// writable says why a path can't be written; nil when it can.
func writable(name string) error {
	shown := author.Clip(name, 200)
	if why, ok := fixed[name]; ok {
		return fmt.Errorf("%s can't be written: %s", shown, why)
	}
	switch {
	case !namePattern.MatchString(name), strings.Contains(name, ".."), !api.CleanPath(name):
		return fmt.Errorf("%q is no path of the game: letters, digits, _, - and . between at most five /", shown)
	case !sourcePattern.MatchString(name):
		return fmt.Errorf("%q can't be written: only .js, .ts and .json files in %s, %s and checks/*.json can", shown, sourceFolder, compile.PlayerFile)
	}
	return nil
}

// room says whether there is any for a file of that size.
func (s *sources) room(name string, size int) error {
	files, bytes := 1, size
	for other, data := range s.files {
		if !strings.HasPrefix(other, sourceFolder) || other == name {
			continue
		}
		if strings.EqualFold(other, name) {
			return fmt.Errorf("%s and %s differ only in capitals, which not every disk can tell apart", name, other)
		}
		if strings.HasPrefix(other, name+"/") || strings.HasPrefix(name, other+"/") {
			return fmt.Errorf("%s and %s can't both be there", name, other)
		}
		files, bytes = files+1, bytes+len(data)
	}
	switch {
	case files > maxFiles:
		return fmt.Errorf("the game has %d source files already", files-1)
	case bytes > maxSources:
		return fmt.Errorf("the sources would be %d bytes; they have at most %d together", bytes, maxSources)
	}
	return nil
}
