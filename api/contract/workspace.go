package contract

import (
	"fmt"
	"time"
)

// Paths of a project's game as people edit it: the list of its files, one of them,
// its history, and the way back. An engine without them can't be edited by hand.
const (
	PathWorkspace = "/internal/workspace"
	PathFile      = PathWorkspace + "/file"    // ?path=, ?rev=
	PathRevisions = PathWorkspace + "/revs"    // and /revs/{rev}/zip, /revs/{rev}/project, /revs/{rev}/keep
	PathDiff      = PathWorkspace + "/diff"    // ?from=, ?to=
	PathRestore   = PathWorkspace + "/restore" // a RestoreRequest
	PathImport    = PathWorkspace + "/import"  // ?from=; the ZIP of a /revs/{rev}/project, into an empty project
	PathSearch    = PathWorkspace + "/search"  // ?q=
	PathCheck     = PathWorkspace + "/check"   // begins a Check of the newest revision
	PathMend      = PathWorkspace + "/mend"    // mends without a model: Saved
	PathLock      = PathWorkspace + "/lock"    // ?path=; PUT, DELETE: jobs leave the file as it is
	PathQueue     = "/internal/queue"          // a Queue
)

// RevBuilt, in place of a revision's number, is the game as the running job built it last.
const RevBuilt = "built"

// MaxEdit bounds one file that is saved by hand, in bytes.
const MaxEdit = 1 << 20

// MaxImport bounds the ZIP of a project, in bytes.
const MaxImport = 64 << 20

// Workspace is a project's game as it is now.
type Workspace struct {
	Head    int             `json:"head"`              // the newest revision, 0 for none
	Running string          `json:"running,omitempty"` // the job that works on it
	Queued  []string        `json:"queued,omitempty"`  // the jobs that wait, in their order
	Files   []WorkspaceFile `json:"files"`             // sorted by path
	Check   *Check          `json:"check,omitempty"`   // the last one, or that which is under way
}

// Check is what was found of a revision that was played without a model.
type Check struct {
	Rev     int      `json:"rev"`
	Running bool     `json:"running,omitempty"`
	OK      bool     `json:"ok,omitempty"`      // nothing speaks against it
	Against []string `json:"against,omitempty"` // what does
}

// Found are the lines of a game's files that hold a text.
type Found struct {
	Lines []FoundLine `json:"lines"` // at most MaxFound, by path and line
	More  bool        `json:"more,omitempty"`
}

// FoundLine is one of them.
type FoundLine struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Text string `json:"text"` // of the line, perhaps cut off
}

// MaxFound bounds the lines that a search returns.
const MaxFound = 200

// WorkspaceFile is one file of a game.
type WorkspaceFile struct {
	Path   string `json:"path"` // in the game's folder
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	Made   bool   `json:"made,omitempty"`   // of the sources: it can't be saved
	Locked bool   `json:"locked,omitempty"` // jobs leave it as it is
}

// Revision is one state of a project's files. None is ever changed.
type Revision struct {
	ID      int       `json:"id"`
	Kind    string    `json:"kind"`         // generated, authored, draft, restore or import
	Of      int       `json:"of,omitempty"` // whose files a restore brought back
	Job     string    `json:"job,omitempty"`
	Author  string    `json:"author,omitempty"`
	Message string    `json:"message,omitempty"`
	Time    time.Time `json:"time"`
	// Proven: it was played without a model, and nothing spoke against it. Unproven: nobody
	// has played it. Of others the kind says it.
	Proven   bool `json:"proven,omitempty"`
	Unproven bool `json:"unproven,omitempty"`

	Kept time.Time `json:"kept,omitzero"` // until then at least
}

// KeepRequest has a revision be kept until a time at least. The zero time ends that.
type KeepRequest struct {
	Until time.Time `json:"until"`
}

// AuthorUser is the author of what a person saved or restored.
const AuthorUser = "user"

// Revisions is a project's history, the newest first.
type Revisions struct {
	Revisions []Revision `json:"revisions"`
}

// RestoreRequest takes the project back to a revision, which makes a new one.
type RestoreRequest struct {
	Rev  int `json:"rev"`
	Head int `json:"head"` // what the asker takes for the newest revision
}

// Queue is the order in which the waiting jobs are to run: each of them once.
type Queue struct {
	Jobs []string `json:"jobs"`
}

// Diff is how two revisions of a game differ.
type Diff struct {
	Files []FileDiff `json:"files"` // sorted by path
}

// FileDiff is how one file differs.
type FileDiff struct {
	Path string `json:"path"`
	Op   string `json:"op"`             // added, deleted or changed
	Text string `json:"text,omitempty"` // a unified diff; none for what is no text, or long
	Made bool   `json:"made,omitempty"` // of the sources
}

// Saved is the answer to what changed the game.
type Saved struct {
	Head     int       `json:"head"`
	SHA256   string    `json:"sha256,omitempty"` // of the file that was saved
	Problems []Problem `json:"problems"`         // that the game has now
	Later    bool      `json:"later,omitempty"`  // it joins the game when the job has ended
	Mended   []string  `json:"mended,omitempty"` // what was, without a model
}

// Problem is what keeps a game from being built, or is wrong with it.
type Problem struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"` // from 1; 0 for the whole file
	Text string `json:"text"`
}

// String says where the problem is and what it is.
func (p Problem) String() string {
	if p.Line == 0 {
		return p.File + ": " + p.Text
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Text)
}

// Conflict is the 412 of a file that is another one than its editor began with.
type Conflict struct {
	Error  string `json:"error"`
	Head   int    `json:"head"`
	SHA256 string `json:"sha256"` // "" for a file that is not there
}
