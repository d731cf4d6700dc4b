// Package play is the wire between a game that is played and the service: what the
// library svc in the game sends, and what it is answered. Bounds of it stand here alone.
package play

// Paths at the origin of games.
const (
	PathBatch        = "/g/v1/b"      // POST, a batch of events
	PathHealth       = "/g/v1/h"      // GET
	PathFormerBatch  = "/g/v1/events" // POST, of the library before there were batches
	PathFormerBoard  = "/g/v1/leaderboard"
	PathFormerHealth = "/g/v1/health"
)

// Bounds of a request. One that is larger is malformed.
const (
	MaxBody        = 64 << 10 // bytes
	MaxEvents      = 250
	MaxDefinitions = 100
	MaxFunnels     = 20
	MaxSteps       = 20
	MaxVariants    = 20
	MaxSessions    = 10      // in a request of the former library
	MaxSeq         = 1 << 20 // of an event: ten a second for a day, and more
)

// Bounds of an event. One that is larger is counted by its cause, and acknowledged.
const (
	MaxName      = 40 // characters of an event's name, or of a member's
	MaxProps     = 16
	MaxText      = 200     // characters
	MaxEventSize = 1 << 10 // bytes of its props
)

// Bounds of what is kept.
const (
	MaxStreamEvents = 300 // custom events of a stream
	MaxStreamErrors = 10  // that are counted: one in each frame says no more
	MaxPlayerEvents = 500 // custom events of a player on a day
	MaxNames        = 200 // of a game's events
)

// Times, in milliseconds.
const (
	MaxAge    = 72 * 3600 * 1000 // of an event when it arrives
	MaxStream = 12 * 3600 * 1000 // of a stream
)

// Events that the library sends by itself.
const (
	SessionStart = "session_start"
	Heartbeat    = "heartbeat"
	SessionEnd   = "session_end"
	Start        = "start"    // a run begins
	End          = "end"      // and ends
	Exposure     = "exposure" // the game read the value k = v of an experiment
)

// Essential reports whether an event is kept, and free, whatever the owner's balance.
func Essential(name string) bool {
	_, essential := essentials[name]
	return essential
}

// Cause is why an event is not kept.
type Cause string

// The causes.
const (
	CauseName        Cause = "name"         // no name, or one that is no word
	CauseProps       Cause = "props"        // too many, or with values of other kinds
	CauseSize        Cause = "size"         // too large
	CauseType        Cause = "type"         // not what the game itself declared
	CauseLate        Cause = "late"         // older than MaxAge
	CauseStreamFull  Cause = "stream_full"  // MaxStreamEvents
	CausePlayerFull  Cause = "player_full"  // MaxPlayerEvents
	CauseTooManyName Cause = "names_full"   // MaxNames
	CauseUnpaid      Cause = "unpaid"       // the owner's balance or cap is used up
	CauseMachine     Cause = "machine"      // not played by a person
	CauseOver        Cause = "stream_over"  // the stream is older than MaxStream
	CauseEssential   Cause = "session_full" // more of the library's own events than there can be
	CauseGameFull    Cause = "game_full"    // more that nobody pays for than a game may have on a day
)

// Modes of an answer.
const (
	ModeFull      = "full"
	ModeEssential = "essential" // keep to the essential events
)

// Answer is that to a batch.
type Answer struct {
	Ack   int64  `json:"ack"` // the last event that need not be sent again
	Mode  string `json:"mode"`
	Retry int    `json:"retry,omitempty"` // seconds, in ModeEssential
}

// Health is the answer of PathHealth.
type Health struct {
	OK bool `json:"ok"`
}

// Identity is what a page tells the game in its frame, or its own: who the game is
// and who plays. Nothing of it is secret: the game may read it, and forge it.
type Identity struct {
	GameID   string            `json:"gameId"`
	Key      string            `json:"key"`
	Endpoint string            `json:"endpoint"` // an origin
	Build    string            `json:"build"`    // the job whose game it is
	Player   string            `json:"player,omitempty"`
	Token    string            `json:"token,omitempty"`
	Variants map[string]string `json:"variants,omitempty"`
	Consent  string            `json:"consent,omitempty"` // one of these, "" for a player who may be named
}

// What a player who is asked said to being named. Without consent the library reports
// sessions alone, and keeps nothing on the device.
const (
	ConsentPending = "pending"
	ConsentDenied  = "denied"
)

// FramePrefix begins the name of a frame that holds an Identity.
const FramePrefix = "svc:"
