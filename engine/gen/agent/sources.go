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
)

// namePattern is what a path may look like; sourcePattern one that can be
// written.
var (
	namePattern   = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]*(?:/[A-Za-z0-9_][A-Za-z0-9_.-]*){0,5}$`)
	sourcePattern = regexp.MustCompile(`^(?:src/.*\.(?:js|ts|json)|test/player\.js|checks/[A-Za-z0-9_-]+\.json|NOTES\.md)$`)
)

// sources are the files of a game as the tools see them: a map in memory, so
// that no path can lead anywhere else. Skills can be read beside them.
type sources struct {
	files    compile.Files
	skills   map[string][]byte
	fixed    map[string]string // files and folders that are not the model's, and why
	revision int               // counts the changes
}

func newSources(game compile.Files, fixed map[string]string, skills []api.Skill) *sources {
	s := &sources{files: maps.Clone(game), skills: map[string][]byte{}, fixed: fixed}
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

// names returns the readable files, sorted.
func (s *sources) names() []string {
	var out []string
	for _, list := range []compile.Files{s.files, s.skills} {
		for name := range list {
			if isText(name) {
				out = append(out, name)
			}
		}
	}
	slices.Sort(out)
	return out
}

// tree lists the readable files of a folder, "" for all, and the assets, with their
// sizes.
func (s *sources) tree(folder string) string {
	names := s.names()
	for name := range s.files {
		if strings.HasPrefix(name, compile.AssetsFolder+"/") && !isText(name) { // it can be imported, and not read
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var b strings.Builder
	for _, name := range names {
		if !strings.HasPrefix(name, folder) {
			continue
		}
		data, inGame := s.files[name]
		if !inGame {
			data = s.skills[name]
		}
		fmt.Fprintf(&b, "%s %d\n", name, len(data))
	}
	return b.String()
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
	if err := s.writable(name); err != nil {
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

// free says why an asset of any kind can't have a name; nil when it can.
func (s *sources) free(stem string) error {
	for place, why := range s.fixed {
		if strings.HasPrefix(place, stem+".") {
			return fmt.Errorf("%s can't be replaced: %s", place, why)
		}
	}
	return nil
}

// remove deletes a file that a model may write.
func (s *sources) remove(name string) error {
	name = strings.TrimPrefix(name, "./")
	if err := s.writable(name); err != nil {
		return err
	}
	if _, there := s.files[name]; !there {
		return fmt.Errorf("there is no file %q", author.Clip(name, 200))
	}
	delete(s.files, name)
	s.revision++
	return nil
}

// writable says why a path can't be written; nil when it can.
func (s *sources) writable(name string) error {
	shown := author.Clip(name, 200)
	for place, why := range s.fixed {
		if name == place || strings.HasSuffix(place, "/") && strings.HasPrefix(strings.ToLower(name), place) {
			return fmt.Errorf("%s can't be written: %s", shown, why)
		}
	}
	switch {
	case !namePattern.MatchString(name), strings.Contains(name, ".."), !api.CleanPath(name):
		return fmt.Errorf("%q is no path of the game: letters, digits, _, - and . between at most five /", shown)
	case !sourcePattern.MatchString(name):
		return fmt.Errorf("%q can't be written: only .js, .ts and .json files in %s, %s, checks/*.json and %s can", shown, sourceFolder, compile.PlayerFile, notesFile)
	}
	return nil
}

// room says whether there is any for a file of that size.
func (s *sources) room(name string, size int) error {
	files, bytes := 1, size
	for other, data := range s.files {
		if other == name || !strings.HasPrefix(other, sourceFolder) && !sourcePattern.MatchString(other) {
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
