package api

import (
	"encoding/json"
	"fmt"
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

// LearnedPrefix begins the keys of skills that successful runs made.
const LearnedPrefix = "auto-"

// Learned reports whether a successful run made the skill.
func (s Skill) Learned() bool { return strings.HasPrefix(s.Key, LearnedPrefix) }

// Size is how many bytes a skill's texts have.
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

var skillKeyPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// ParseGenerateRequest reads and checks the body of POST /v1/generate. Its
// error is an *Error with status 400 that names the field.
func ParseGenerateRequest(body []byte) (GenerateRequest, error) {
	var req GenerateRequest
	err := decodeObject(body, "", members{
		"projectId": text(&req.ProjectID, "projectId", 0, 100),
		"prompt":    text(&req.Prompt, "prompt", 0, MaxPrompt),
		"instructions": func(raw json.RawMessage) error {
			req.Instructions = new(string)
			return bytesText(req.Instructions, "instructions", MaxInstructions)(raw)
		},
		"context": func(raw json.RawMessage) error {
			return decodeArray(raw, "context", MaxContextBlocks, func(i int, raw json.RawMessage) error {
				b, err := parseContextBlock(raw, fmt.Sprintf("context[%d]", i))
				req.Context = append(req.Context, b)
				return err
			})
		},
		"skills": func(raw json.RawMessage) error {
			return decodeArray(raw, "skills", MaxSkills, func(i int, raw json.RawMessage) error {
				s, err := parseSkill(raw, fmt.Sprintf("skills[%d]", i))
				req.Skills = append(req.Skills, s)
				return err
			})
		},
		"settings": func(raw json.RawMessage) error { return parseSettings(raw, &req.Settings) },
		"webhook": func(raw json.RawMessage) error {
			hook, err := parseHook(raw, "webhook")
			req.Webhook = &hook
			return err
		},
	})
	if err != nil {
		return GenerateRequest{}, err
	}
	if err := CheckProjectID(req.ProjectID); err != nil {
		return GenerateRequest{}, err
	}
	if strings.TrimSpace(req.Prompt) == "" {
		return GenerateRequest{}, BadRequest("prompt is required and must not be empty.")
	}
	if total, largest, size := parts(req); total > MaxParts {
		return GenerateRequest{}, BadRequest("prompt, instructions, context and skills must have at most %d bytes together; they have %d, of which the largest part, %s, has %d.",
			MaxParts, total, largest, size)
	}
	return req, nil
}

// parts returns how many bytes the texts of a request have, and which has most of them.
func parts(req GenerateRequest) (total int, largest string, size int) {
	add := func(at string, n int) {
		if total += n; n > size {
			largest, size = at, n
		}
	}
	add("prompt", len(req.Prompt))
	if req.Instructions != nil {
		add("instructions", len(*req.Instructions))
	}
	for i, c := range req.Context {
		add(fmt.Sprintf("context[%d].content", i), len(c.Content))
	}
	for i, s := range req.Skills {
		add(fmt.Sprintf("skills[%d]", i), s.Size())
	}
	return total, largest, size
}

func parseContextBlock(raw json.RawMessage, at string) (ContextBlock, error) {
	var b ContextBlock
	err := decodeObject(raw, at, members{
		"name":    text(&b.Name, at+".name", 0, MaxContextName),
		"content": bytesText(&b.Content, at+".content", MaxContext),
	})
	return b, err
}

func parseSkill(raw json.RawMessage, at string) (Skill, error) {
	var s Skill
	err := decodeObject(raw, at, members{
		"key":    text(&s.Key, at+".key", 0, 100),
		"title":  text(&s.Title, at+".title", 0, MaxSkillTitle),
		"prompt": text(&s.Prompt, at+".prompt", 0, MaxPrompt),
		"engine": oneOf(&s.Engine, at+".engine", "phaser", "three", "pixi"),
		"mechanics": func(raw json.RawMessage) error {
			return decodeArray(raw, at+".mechanics", MaxMechanics, func(i int, raw json.RawMessage) error {
				var tag string
				err := text(&tag, fmt.Sprintf("%s.mechanics[%d]", at, i), 1, 100)(raw)
				s.Mechanics = append(s.Mechanics, tag)
				return err
			})
		},
		"files": func(raw json.RawMessage) error {
			return decodeArray(raw, at+".files", MaxSkillFiles, func(i int, raw json.RawMessage) error {
				f, err := parseSkillFile(raw, fmt.Sprintf("%s.files[%d]", at, i))
				s.Files = append(s.Files, f)
				return err
			})
		},
	})
	if err != nil {
		return Skill{}, err
	}
	if !skillKeyPattern.MatchString(s.Key) || !CleanPath(s.Key) {
		return Skill{}, BadRequest("%s.key is required: up to 100 letters, digits, dots, dashes and underscores, starting with a letter or digit, not ending with a dot, and not a reserved device name.", at)
	}
	if s.Title == "" {
		return Skill{}, BadRequest("%s.title is required.", at)
	}
	return s, nil
}

func parseSkillFile(raw json.RawMessage, at string) (SkillFile, error) {
	var f SkillFile
	err := decodeObject(raw, at, members{
		"path":    bytesText(&f.Path, at+".path", MaxPath),
		"content": bytesText(&f.Content, at+".content", MaxSkillFile),
	})
	if err != nil {
		return SkillFile{}, err
	}
	if !CleanPath(f.Path) {
		return SkillFile{}, BadRequest("%s.path must be a relative path with forward slashes, without dot segments, hidden parts and reserved device names.", at)
	}
	return f, nil
}

func parseSettings(raw json.RawMessage, s *Settings) error {
	return decodeObject(raw, "settings", members{
		"gameType":       oneOf(&s.GameType, "settings.gameType", GameShort, GamePlatform),
		"model":          text(&s.Model, "settings.model", 0, MaxModel),
		"reasoningLevel": oneOf(&s.ReasoningLevel, "settings.reasoningLevel", ReasoningLow, ReasoningMedium, ReasoningHigh),
		"dimensionMode":  oneOf(&s.DimensionMode, "settings.dimensionMode", Dimension2D, Dimension3D),
		"aiImages":       boolean(&s.AIImages, "settings.aiImages"),
		"aiAudio":        boolean(&s.AIAudio, "settings.aiAudio"),
		"visualQaActive": boolean(&s.VisualQAActive, "settings.visualQaActive"),
		"chatMode":       oneOf(&s.ChatMode, "settings.chatMode", ChatAgent, ChatPlan),
	})
}

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
