package api

import (
	"io/fs"
	"path"
	"regexp"
	"strings"
	"unicode"
)

// Bounds of a generation request.
const (
	MaxPrompt        = 32_000    // characters
	MaxInstructions  = 64 << 10  // bytes
	MaxContextBlocks = 64        //
	MaxContextName   = 200       // characters
	MaxContext       = 256 << 10 // bytes a block
	MaxSkills        = 32        //
	MaxSkillFiles    = 64        // files a skill
	MaxSkillFile     = 256 << 10 // bytes a file
	MaxSkillTitle    = 200       // characters
	MaxMechanics     = 32        // tags a skill
	MaxModel         = 200       // characters
	MaxPath          = 200       // bytes of a file's path in a skill
	MaxParts         = 512 << 10 // bytes of all texts together, which the maker gets as they are
)

// GameType is the framing of the game.
type GameType string

// The game types.
const (
	GameShort    GameType = "svc-short"
	GamePlatform GameType = "platform"
)

// ReasoningLevel trades speed and cost for quality.
type ReasoningLevel string

// The reasoning levels.
const (
	ReasoningLow    ReasoningLevel = "low"
	ReasoningMedium ReasoningLevel = "medium"
	ReasoningHigh   ReasoningLevel = "high"
)

// DimensionMode chooses a 2D or 3D framework.
type DimensionMode string

// The dimension modes.
const (
	Dimension2D DimensionMode = "2d"
	Dimension3D DimensionMode = "3d"
)

// ChatMode says whether a job builds or plans.
type ChatMode string

// The chat modes.
const (
	ChatAgent ChatMode = "agent"
	ChatPlan  ChatMode = "plan"
)

// GenerateRequest is the body of POST /v1/generate.
type GenerateRequest struct {
	ProjectID string `json:"projectId"`
	Prompt    string `json:"prompt"`
	// Instructions is nil when the request leaves the stored text unchanged.
	Instructions *string        `json:"instructions,omitempty"`
	Context      []ContextBlock `json:"context,omitempty"`
	Skills       []Skill        `json:"skills,omitempty"`
	Settings     Settings       `json:"settings,omitzero"`
	// Webhook is where this job's end is posted to instead of to the project's webhook,
	// which there must be; nil for there.
	Webhook *WebhookRequest `json:"webhook,omitempty"`
}

// ContextBlock is text for one job's prompt only.
type ContextBlock struct {
	Name    string `json:"name"`
	Content string `json:"content"`
}

// Skill is reusable, proven code.
type Skill struct {
	Key       string      `json:"key"`
	Title     string      `json:"title"`
	Prompt    string      `json:"prompt,omitempty"`
	Mechanics []string    `json:"mechanics,omitempty"`
	Engine    string      `json:"engine,omitempty"`
	Files     []SkillFile `json:"files,omitempty"`
}

// Size is how many bytes a skill's texts have: of MaxParts, with all else.
func (s Skill) Size() int {
	n := len(s.Prompt)
	for _, f := range s.Files {
		n += len(f.Content)
	}
	return n
}

// SkillFile is one file of a skill.
type SkillFile struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

// Settings are a project's engine options. An empty or nil field leaves the
// stored value unchanged.
type Settings struct {
	GameType       GameType       `json:"gameType,omitempty"`
	Model          string         `json:"model,omitempty"`
	ReasoningLevel ReasoningLevel `json:"reasoningLevel,omitempty"`
	DimensionMode  DimensionMode  `json:"dimensionMode,omitempty"`
	AIImages       *bool          `json:"aiImages,omitempty"`
	AIAudio        *bool          `json:"aiAudio,omitempty"`
	VisualQAActive *bool          `json:"visualQaActive,omitempty"`
	ChatMode       ChatMode       `json:"chatMode,omitempty"`
}

// ModelEmbedded as settings.model is the generator without a model, the
// default where the operator has none.
const ModelEmbedded = "embedded"

// devicePattern matches a part of a path that some systems take for a device.
var devicePattern = regexp.MustCompile(`(?i)(?:^|/)(?:con|prn|aux|nul|conin\$|conout\$|clock\$|(?:com|lpt)[0-9¹²³]) *(?:\.|/|$)`)

// CleanPath reports whether p is a relative path inside a project, and the
// same file on every system: forward slashes, no dot segments, no control
// characters and none that can't be seen, no drive, no device, no hidden part,
// none that ends with a dot or a space.
func CleanPath(p string) bool {
	if p == "" || p == "." || !fs.ValidPath(p) || path.Clean(p) != p || strings.ContainsAny(p, "\\:") || devicePattern.MatchString(p) {
		return false
	}
	for _, r := range p {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return false
		}
	}
	for part := range strings.SplitSeq(p, "/") {
		if strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".") || strings.HasSuffix(part, " ") {
			return false
		}
	}
	return true
}
