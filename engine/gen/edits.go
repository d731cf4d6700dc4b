package gen

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/svc-games/svc/engine/gen/compile"
)

// editsFile says which sources of the game are not the generator's own.
const editsFile = ".svc/edits.json"

// sources is the folder of a game that can be edited.
const sources = "src/"

// edits are sources that a model changed or added, by their path in the game.
// They outlive the jobs that follow, as long as what they began with stays the
// same.
type edits map[string]edit

type edit struct {
	// base is the checksum of the generator's own file, "" when it has none.
	base    string
	content []byte
}

// editsRecord is the form of editsFile. The contents are in the game.
type editsRecord struct {
	Version int               `json:"v"`
	Files   map[string]string `json:"files"` // path to base
}

// editsOf returns what differs between the generator's sources and a revision.
func editsOf(generated, revision compile.Files) edits {
	out := edits{}
	for name, content := range revision {
		if !strings.HasPrefix(name, sources) || name == compile.DataFile {
			continue
		}
		if own, ok := generated[name]; !ok || string(own) != string(content) {
			out[name] = edit{base: checksum(own), content: content}
		}
	}
	return out
}

// checksum of a file; "" for none.
func checksum(data []byte) string {
	if data == nil {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// names returns the paths, sorted.
func (e edits) names() []string { return slices.Sorted(maps.Keys(e)) }

// over puts the edits into generated sources. Those whose base is no longer
// what the generator writes are left out and returned.
func (e edits) over(files compile.Files) (dropped []string) {
	for _, name := range e.names() {
		if checksum(files[name]) != e[name].base {
			dropped = append(dropped, name)
			continue
		}
		files[name] = e[name].content
	}
	return dropped
}

// loadEdits reads the edits of the project's game.
func loadEdits(root *os.Root) (edits, error) {
	data, err := readOptional(root, editsFile)
	if err != nil || data == nil {
		return nil, err
	}
	var record editsRecord
	if err := json.Unmarshal(data, &record); err != nil || record.Version != 1 {
		return nil, fmt.Errorf("%s can't be read", editsFile)
	}
	out := edits{}
	for name, base := range record.Files {
		if !fs.ValidPath(name) || !strings.HasPrefix(name, sources) {
			return nil, fmt.Errorf("%s names a file that is no source", editsFile)
		}
		content, err := readOptional(root, path.Join(Deliverable, name))
		if err != nil {
			return nil, err
		}
		if content != nil {
			out[name] = edit{base: base, content: content}
		}
	}
	return out, nil
}

// saveEdits records which sources are edited. The sources themselves are part
// of the game.
func saveEdits(w *delivery, e edits) error {
	if len(e) == 0 {
		return w.remove(editsFile)
	}
	record := editsRecord{Version: 1, Files: map[string]string{}}
	for name, one := range e {
		record.Files[name] = one.base
	}
	data, err := json.MarshalIndent(record, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding %s: %w", editsFile, err)
	}
	return w.put(editsFile, append(data, '\n'))
}
