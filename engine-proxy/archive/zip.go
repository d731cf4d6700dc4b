package archive

import (
	"errors"
	"fmt"
	"os"

	"github.com/svc-games/svc/api/gamezip"
)

// countFiles returns how many files a game's ZIP holds. An error that is
// ErrRefused is about the ZIP.
func countFiles(path string) (int, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	files, err := gamezip.Check(f, info.Size())
	if errors.Is(err, gamezip.ErrUnsafe) {
		err = fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return files, err
}

// hasGame says whether an archived ZIP holds a game.
func hasGame(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, fmt.Errorf("opening archived files: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false, fmt.Errorf("opening archived files: %w", err)
	}
	return gamezip.HasGame(f, info.Size())
}
