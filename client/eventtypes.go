package client

import (
	"encoding/json"

	"github.com/svc-games/svc/api"
)

// Event is an event of a job: one of the types of this file, which are told apart by a type
// switch. Types and members that come to /v1 later are no error: an event of such a type is
// Unknown, and Raw has all members.
type Event interface {
	// Raw is the event as it came, with its number and its time.
	Raw() api.Event
	event()
}

// Unknown is an event of a type, or with a form, that this version of the package does not know.
type Unknown struct{ envelope }

// JobQueued is the first event: the job is accepted.
type JobQueued struct{ envelope }

// JobStarted says that the job runs.
type JobStarted struct{ envelope }

// JobProgress says that the job's progress changed.
type JobProgress struct {
	envelope
	Stage   api.Stage `json:"stage"`
	Percent int       `json:"percent"` // 0 to 100
	Message string    `json:"message"`
}

// AssistantDelta is a piece of what the assistant is saying. The whole comes as AssistantMessage.
type AssistantDelta struct {
	envelope
	Text string `json:"text"`
}

// AssistantMessage is what the assistant said.
type AssistantMessage struct {
	envelope
	Text string `json:"text"`
}

// ToolCall says that a tool is called.
type ToolCall struct {
	envelope
	Name string         `json:"name"`
	Args map[string]any `json:"args"` // nil when there are none
}

// ToolResult is what the tool called last brought.
type ToolResult struct {
	envelope
	Name    string `json:"name"`
	OK      *bool  `json:"ok"` // nil when nothing is said of it
	Summary string `json:"summary"`
}

// FileChanged says that a file of the project was written or deleted.
type FileChanged struct {
	envelope
	Path  string `json:"path"`
	Op    string `json:"op"` // create, update or delete
	Bytes int64  `json:"bytes"`
}

// AssetCreated is a figure, picture or sound of the game.
type AssetCreated struct {
	envelope
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Source string `json:"source"` // placeholder, procedural or model
	Noun   string `json:"noun"`   // of a figure that the game paints itself
	Path   string `json:"path"`   // of one that is a file
}

// BuildResult says that the game was built.
type BuildResult struct {
	envelope
	OK         bool           `json:"ok"`
	DurationMS int64          `json:"durationMs"`
	Bytes      int64          `json:"bytes"`
	Problems   []BuildProblem `json:"problems"`
}

// BuildProblem is why a game could not be built.
type BuildProblem struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

// AuditResult says that the files were checked.
type AuditResult struct {
	envelope
	OK       bool      `json:"ok"`
	Findings []Finding `json:"findings"`
}

// Finding is what a check of the files found.
type Finding struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"` // block, with which a game is not delivered, or warn
	File     string `json:"file"`
	Message  string `json:"message"`
}

// PlaytestResult says that the game was played by the service.
type PlaytestResult struct {
	envelope
	OK             bool             `json:"ok"`
	Tier           string           `json:"tier"`     // browser, or sim without one
	Policies       map[string]Trial `json:"policies"` // by way of playing
	SkillRatio     float64          `json:"skillRatio"`
	IdleEndSeconds float64          `json:"idleEndSeconds"`
	BestScore      float64          `json:"bestScore"`
	BestRunSeconds float64          `json:"bestRunSeconds"`
	Problems       []string         `json:"problems"`
	Checks         int              `json:"checks"`
	ReadyMS        int64            `json:"readyMs"`
	Shots          int              `json:"shots"`
	Rules          []string         `json:"rules"`    // those of the judge that the game breaks
	Pictures       []string         `json:"pictures"` // by their names in the ZIP of the job
	DurationMS     int64            `json:"durationMs"`
}

// Trial is how one way of playing went.
type Trial struct {
	Score   float64 `json:"score"`
	Seconds float64 `json:"seconds"`
	Outcome string  `json:"outcome"` // win, lose, or "" when the time was up
}

// FixApplied says that the game was changed because a check failed.
type FixApplied struct {
	envelope
	Strategy string `json:"strategy"`
	Change   string `json:"change"`
	Because  string `json:"because"`
}

// Usage says that a priced step was done.
type Usage struct {
	envelope
	Units []Unit `json:"units"`
}

// Unit is an amount of counted work.
type Unit struct {
	Name     string `json:"name"`
	Quantity int64  `json:"quantity"`
}

// Warning says that something is not as it was asked for; the job goes on.
type Warning struct {
	envelope
	Code    string `json:"code"`
	Message string `json:"message"`
}

// JobCompleted is the last event of a job that ended normally. The ZIP is there.
type JobCompleted struct {
	envelope
	Status  api.JobStatus `json:"status"`
	Changed bool          `json:"changed"` // the game differs from before the job
	Unmet   []string      `json:"unmet"`   // phrases of the brief that are not in the game
	Summary string        `json:"summary"`
	Files   api.Files     `json:"files"`
}

// JobFailed is the last event of a job that failed.
type JobFailed struct {
	envelope
	Status  api.JobStatus `json:"status"`
	Changed bool          `json:"changed"`
	Unmet   []string      `json:"unmet"`
	Failure api.Failure   `json:"failure"`
	Files   *api.Files    `json:"files"` // nil when there are none
}

// JobCancelled is the last event of a job that was cancelled.
type JobCancelled struct {
	envelope
	Status  api.JobStatus `json:"status"`
	Changed bool          `json:"changed"`
	Unmet   []string      `json:"unmet"`
}

// StreamReset says that the log is sent from its start, since the number to go on after is
// not known.
type StreamReset struct {
	envelope
	Reason string `json:"reason"`
}

// envelope is what makes a type one of Event's.
type envelope struct{ raw api.Event }

func (e envelope) Raw() api.Event      { return e.raw }
func (envelope) event()                {}
func (e *envelope) keep(raw api.Event) { e.raw = raw }

// types make the event of each type.
var types = map[string]func(members []byte, raw api.Event) (Event, error){
	api.EventQueued:           as[JobQueued],
	api.EventStarted:          as[JobStarted],
	api.EventProgress:         as[JobProgress],
	api.EventAssistantDelta:   as[AssistantDelta],
	api.EventAssistantMessage: as[AssistantMessage],
	api.EventToolCall:         as[ToolCall],
	api.EventToolResult:       as[ToolResult],
	api.EventFileChanged:      as[FileChanged],
	api.EventAssetCreated:     as[AssetCreated],
	api.EventBuildResult:      as[BuildResult],
	api.EventAuditResult:      as[AuditResult],
	api.EventPlaytestResult:   as[PlaytestResult],
	api.EventFixApplied:       as[FixApplied],
	api.EventUsage:            as[Usage],
	api.EventWarning:          as[Warning],
	api.EventCompleted:        as[JobCompleted],
	api.EventFailed:           as[JobFailed],
	api.EventCancelled:        as[JobCancelled],
	api.StreamReset:           as[StreamReset],
}

func as[E Event, P interface {
	*E
	keep(raw api.Event)
}](members []byte, raw api.Event) (Event, error) {
	var e E
	if err := json.Unmarshal(members, &e); err != nil {
		return nil, err
	}
	P(&e).keep(raw)
	return e, nil
}

// Typed returns an event of Client.Events as one of the types of this package. What can't be
// read as the type it names is Unknown: no event of a later version breaks a program. Members
// that the service left out of an event that was too long are zero, and those of a last event
// that is made of the job's record, where no stream comes through, and that has none.
func Typed(raw api.Event) Event {
	if read, known := types[raw.Type]; known {
		if members, err := json.Marshal(raw.Members); err == nil {
			if event, err := read(members, raw); err == nil {
				return event
			}
		}
	}
	return Unknown{envelope{raw}}
}
