package driver

import (
	"encoding/json"
	"strconv"
)

// Incarnation is one start of one project's engine; it is never reused.
type Incarnation struct {
	ProjectID  string
	Generation uint64 // grows with every start and is on disk before it
	InstanceID string // the engine echoes it in every answer
}

// SocketName is what the Unix socket of this start is called, and that of no other start
// of the project: who connects by it reaches this instance or nobody.
func (i Incarnation) SocketName() string {
	return "e" + strconv.FormatUint(i.Generation, 10) + ".sock"
}

// Handle names a running instance to its driver. It is opaque to everyone
// else, is kept in the journal as it is, and is enough to find the instance
// again after a restart.
type Handle struct {
	Driver string          `json:"driver"`
	Data   json.RawMessage `json:"data"`
}

// IsZero reports whether the handle names nothing.
func (h Handle) IsZero() bool { return h.Driver == "" }

// Spec is what to run. The directories exist and are the project's alone; the
// driver gives the engine's user what is to be the engine's. An engine that
// runs elsewhere gets Remote instead of the paths that say so.
type Spec struct {
	Incarnation
	OwnerID string // whose project it is
	// Volume is the project's volume, the only lasting state it may write. To a
	// Remote driver it is a name, and no folder of this machine. "" is for an engine of
	// no project that plays runs of players again (--replays): it leaves nothing behind.
	Volume     string
	RuntimeDir string // the engine's other directory: its sockets, token and scratch space; "" with Remote
	StateDir   string // the driver's notes and the log; never in an engine's reach
	Socket     string // Unix socket on which the engine is to listen, by its SocketName; no earlier one is left; "" with Remote
	TokenFile  string // holds the instance's bearer token; "" with Remote
	Egress     string // Unix socket behind which the engine finds models; "" when there are none, and with Remote
	// Remote is set for a Remote driver, and for no other.
	Remote *RemoteSpec
}

// Limits bound what one engine may use. Zero fields get the driver's defaults.
type Limits struct {
	Memory int64 // bytes
	CPU    int64 // thousandths of a core
	PIDs   int64 // processes and threads
	Files  int64 // open files of one process
	// Volume is the most bytes that a project's volume may hold. The engine
	// keeps to it: it gets --volume-bytes, unless this is zero.
	Volume int64
}
