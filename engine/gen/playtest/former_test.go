package playtest

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// formerGames returns the games of a data folder as 84ec793 left it, by project.
func formerGames(t *testing.T) map[string]map[string][]byte {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "..", "test", "e2e", "testdata", "former", "84ec793.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	raw, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	games := map[string]map[string][]byte{}
	for archive := tar.NewReader(raw); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return games
		}
		if err != nil {
			t.Fatal(err)
		}
		project, name, ours := strings.Cut(strings.TrimPrefix(h.Name, "./projects/"), "/workspace/game/")
		if !ours || h.Typeflag != tar.TypeReg {
			continue
		}
		data, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		if games[project] == nil {
			games[project] = map[string][]byte{}
		}
		games[project][name] = data
	}
}

// They know no svc.expose and ship no player.
func TestGamesOfAFormerReleaseAreJudgedLikeAllOthers(t *testing.T) {
	b := testBrowser(t)
	for project, files := range formerGames(t) {
		r := playGame(t, b, Game{Files: files, Trusted: true})
		if !r.OK() || r.Score < 3 {
			t.Errorf("%s: score %v, %s", project, r.Score, r)
		}
	}
}
