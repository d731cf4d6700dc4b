package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/svc-games/svc/engine-proxy/driver/process/confine"
	"github.com/svc-games/svc/engine-proxy/driver/process/shim"
)

// checkWalls says what shuts engines in on this machine. docs/engine-safety.md
// has a table of what each wall keeps away.
func checkWalls(ctx context.Context, beside string) Check {
	k := Check{Name: "engine walls", OK: true}
	var stand, missing, advice []string
	note := func(stands bool, wall, why string) {
		if stands {
			stand = append(stand, wall)
			return
		}
		k.OK = false
		missing, advice = append(missing, wall), append(advice, why)
	}
	found := confine.Look()
	right, err := shim.Try(ctx, filepath.Join(beside, "svc-shim"), os.TempDir())
	own := "a root and namespaces of their own"
	if right != confine.NoRight {
		own += " (by " + string(right) + ")"
	}
	why := "run the service as root, or allow user namespaces"
	if err != nil {
		why += fmt.Sprintf(" (%v)", err)
	}
	note(right != confine.NoRight, own, why)
	// In a root of its own an engine reaches no file of others, whoever it runs as.
	if found.Users || right == confine.NoRight {
		note(found.Users, "users of their own", "run the service as root")
	}
	note(found.Landlock >= confine.LandlockWhole, fmt.Sprintf("Landlock (version %d)", found.Landlock), "use Linux 6.12 or newer, with Landlock")
	note(found.Seccomp, "a list of system calls", "use Linux 5.6 or newer on amd64 or arm64")
	k.Found = "engines get " + strings.Join(stand, ", ")
	if len(stand) == 0 {
		k.Found = "engines are not isolated"
	}
	if !k.OK {
		k.Found += "; missing: " + strings.Join(missing, ", ")
		k.Advice = strings.Join(advice, "; ")
	}
	return k
}
