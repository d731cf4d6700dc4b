package commands

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/exact"
)

// Bounds of a file of briefs.
const (
	maxBatch     = 10_000  // lines
	maxBatchLine = 2 << 20 // bytes, more than the service takes
)

// batchLine is one line of a file of briefs.
type batchLine struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	api.GenerateRequest

	number int
	sum    string // SHA-256 of what is asked for
}

// batchID is what a line, and its folder, may be called.
var batchID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// readBatch reads and checks all lines, so that none is submitted of a file that is wrong.
func readBatch(stdin io.Reader, file string) ([]batchLine, error) {
	from := stdin
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, fmt.Errorf("reading briefs: %w", err)
		}
		defer f.Close()
		from = f
	}
	var lines []batchLine
	ids := map[string]int{} // by what some systems take for the same folder
	scan := bufio.NewScanner(from)
	scan.Buffer(nil, maxBatchLine)
	for number := 1; scan.Scan(); number++ {
		if len(bytes.TrimSpace(scan.Bytes())) == 0 {
			continue
		}
		line, err := parseBatchLine(scan.Bytes(), number)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, number, err)
		}
		folder := strings.ToLower(line.ID)
		if other, twice := ids[folder]; twice {
			return nil, fmt.Errorf("%s:%d: id %q is already used on line %d", file, number, line.ID, other)
		}
		ids[folder] = number
		if lines = append(lines, line); len(lines) > maxBatch {
			return nil, fmt.Errorf("%s: more than %d briefs", file, maxBatch)
		}
	}
	if err := scan.Err(); err != nil {
		return nil, fmt.Errorf("reading briefs: %w", err)
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("%s: the file has no briefs", file)
	}
	return lines, nil
}

func parseBatchLine(text []byte, number int) (batchLine, error) {
	line := batchLine{number: number}
	if err := exact.Decode(bytes.NewReader(text), &line); err != nil {
		return line, err
	}
	line.ID = cmp.Or(line.ID, strconv.Itoa(number))
	if !batchID.MatchString(line.ID) {
		return line, fmt.Errorf("id %q can't name a folder: want at most 64 letters, digits or . _ -, beginning with a letter or digit", line.ID)
	}
	if strings.TrimSpace(line.Prompt) == "" {
		return line, errors.New("it has no prompt")
	}
	if err := checkGiven(line.ProjectID); err != nil {
		return line, err
	}
	asked, err := json.Marshal(line.GenerateRequest)
	if err != nil {
		return line, err
	}
	sum := sha256.Sum256(asked)
	line.sum = hex.EncodeToString(sum[:])
	return line, nil
}
