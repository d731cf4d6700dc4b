// Package doctor checks whether the service can run on this machine, and whether what it
// keeps is in order. It reads the environment as the service does.
package doctor

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/svc-games/svc/peer/disk"
)

// Check is one question and its answer.
type Check struct {
	Name     string `json:"name"`
	Required bool   `json:"required"`
	OK       bool   `json:"ok"`
	Found    string `json:"found"`
	Advice   string `json:"advice,omitempty"` // what to do; set when OK is false
}

// String returns a check as one line.
func (k Check) String() string {
	mark := "ok  "
	switch {
	case !k.OK && k.Required:
		mark = "FAIL"
	case !k.OK:
		mark = "no  "
	}
	line := fmt.Sprintf("%s  %s: %s", mark, k.Name, k.Found)
	if k.Advice != "" {
		line += "; " + k.Advice
	}
	return line
}

// Time bounds the checks of the machine, all together, and again the look at PostgreSQL.
// The check of the ledger, which comes after it, has a bound of its own.
const Time = 10 * time.Second

// Machine checks what the service needs here: the data directory, room on its disk, the
// parts and engines, the address, and a browser. Programs is the folder of svc-engine and
// svc-shim.
func Machine(ctx context.Context, dataDir, programs string) []Check {
	checks := []Check{checkDataDir(dataDir), checkDisk(dataDir, disk.Free)}
	checks = append(checks, partChecks(ctx, dataDir, programs)...)
	return append(checks, checkAddress(ctx, cmp.Or(os.Getenv("SVC_ADDRESS"), DefaultAddress), answerTime), checkChromium())
}

// OneLine is an error's text without line breaks: pgx reports each address that it
// tried in a line of its own.
func OneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
