package jobs

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path"
	"strings"

	"github.com/svc-games/svc/engine/gen"
	"github.com/svc-games/svc/engine/revs"
)

func (m *Manager) gameFiles() (game map[string][]byte, err error) {
	err = m.space.Read(func(root *os.Root) error {
		files, err := gen.Project(root)
		game = inGame(files)
		return err
	})
	return game, err
}

// inGame returns the files of the game's folder by their paths there.
func inGame(files map[string][]byte) map[string][]byte {
	game := map[string][]byte{}
	for name, data := range files {
		if inFolder, ok := strings.CutPrefix(name, gen.Deliverable+"/"); ok {
			game[inFolder] = data
		}
	}
	return game
}

func inProject(game map[string][]byte) revs.Files {
	files := revs.Files{}
	for name, data := range game {
		files[path.Join(gen.Deliverable, name)] = data
	}
	return files
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func sumIf(data []byte, there bool) string {
	if !there {
		return ""
	}
	return sumOf(data)
}
