package requests

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
)

var skillKeyPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// ParseGenerateRequest reads and checks the body of POST /v1/generate. Its
// error is an *answers.Error with status 400 that names the field.
func ParseGenerateRequest(body []byte) (api.GenerateRequest, error) {
	var req api.GenerateRequest
	err := decodeObject(body, "", members{
		"projectId": text(&req.ProjectID, "projectId", 0, 100),
		"prompt":    text(&req.Prompt, "prompt", 0, api.MaxPrompt),
		"instructions": func(raw json.RawMessage) error {
			req.Instructions = new(string)
			return bytesText(req.Instructions, "instructions", api.MaxInstructions)(raw)
		},
		"context": func(raw json.RawMessage) error {
			return decodeArray(raw, "context", api.MaxContextBlocks, func(i int, raw json.RawMessage) error {
				b, err := parseContextBlock(raw, fmt.Sprintf("context[%d]", i))
				req.Context = append(req.Context, b)
				return err
			})
		},
		"skills": func(raw json.RawMessage) error {
			return decodeArray(raw, "skills", api.MaxSkills, func(i int, raw json.RawMessage) error {
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
		return api.GenerateRequest{}, err
	}
	if !api.ValidProjectID(req.ProjectID) {
		return api.GenerateRequest{}, BadProjectID(req.ProjectID)
	}
	if strings.TrimSpace(req.Prompt) == "" {
		return api.GenerateRequest{}, answers.BadRequest("prompt is required and must not be empty.")
	}
	if total, largest, size := parts(req); total > api.MaxParts {
		return api.GenerateRequest{}, answers.BadRequest("prompt, instructions, context and skills must have at most %d bytes together; they have %d, of which the largest part, %s, has %d.",
			api.MaxParts, total, largest, size)
	}
	return req, nil
}

// parts returns how many bytes the texts of a request have, and which has most of them.
func parts(req api.GenerateRequest) (total int, largest string, size int) {
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

func parseContextBlock(raw json.RawMessage, at string) (api.ContextBlock, error) {
	var b api.ContextBlock
	err := decodeObject(raw, at, members{
		"name":    text(&b.Name, at+".name", 0, api.MaxContextName),
		"content": bytesText(&b.Content, at+".content", api.MaxContext),
	})
	return b, err
}

func parseSkill(raw json.RawMessage, at string) (api.Skill, error) {
	var s api.Skill
	err := decodeObject(raw, at, members{
		"key":    text(&s.Key, at+".key", 0, 100),
		"title":  text(&s.Title, at+".title", 0, api.MaxSkillTitle),
		"prompt": text(&s.Prompt, at+".prompt", 0, api.MaxPrompt),
		"engine": oneOf(&s.Engine, at+".engine", "phaser", "three", "pixi"),
		"mechanics": func(raw json.RawMessage) error {
			return decodeArray(raw, at+".mechanics", api.MaxMechanics, func(i int, raw json.RawMessage) error {
				var tag string
				err := text(&tag, fmt.Sprintf("%s.mechanics[%d]", at, i), 1, 100)(raw)
				s.Mechanics = append(s.Mechanics, tag)
				return err
			})
		},
		"files": func(raw json.RawMessage) error {
			return decodeArray(raw, at+".files", api.MaxSkillFiles, func(i int, raw json.RawMessage) error {
				f, err := parseSkillFile(raw, fmt.Sprintf("%s.files[%d]", at, i))
				s.Files = append(s.Files, f)
				return err
			})
		},
	})
	if err != nil {
		return api.Skill{}, err
	}
	if !skillKeyPattern.MatchString(s.Key) || !api.CleanPath(s.Key) {
		return api.Skill{}, answers.BadRequest("%s.key is required: up to 100 letters, digits, dots, dashes and underscores, starting with a letter or digit, not ending with a dot, and not a reserved device name.", at)
	}
	if s.Title == "" {
		return api.Skill{}, answers.BadRequest("%s.title is required.", at)
	}
	return s, nil
}

func parseSkillFile(raw json.RawMessage, at string) (api.SkillFile, error) {
	var f api.SkillFile
	err := decodeObject(raw, at, members{
		"path":    bytesText(&f.Path, at+".path", api.MaxPath),
		"content": bytesText(&f.Content, at+".content", api.MaxSkillFile),
	})
	if err != nil {
		return api.SkillFile{}, err
	}
	if !api.CleanPath(f.Path) {
		return api.SkillFile{}, answers.BadRequest("%s.path must be a relative path with forward slashes, without dot segments, hidden parts and reserved device names.", at)
	}
	return f, nil
}

func parseSettings(raw json.RawMessage, s *api.Settings) error {
	return decodeObject(raw, "settings", members{
		"gameType":       oneOf(&s.GameType, "settings.gameType", api.GameShort, api.GamePlatform),
		"model":          text(&s.Model, "settings.model", 0, api.MaxModel),
		"reasoningLevel": oneOf(&s.ReasoningLevel, "settings.reasoningLevel", api.ReasoningLow, api.ReasoningMedium, api.ReasoningHigh),
		"dimensionMode":  oneOf(&s.DimensionMode, "settings.dimensionMode", api.Dimension2D, api.Dimension3D),
		"aiImages":       boolean(&s.AIImages, "settings.aiImages"),
		"aiAudio":        boolean(&s.AIAudio, "settings.aiAudio"),
		"visualQaActive": boolean(&s.VisualQAActive, "settings.visualQaActive"),
		"chatMode":       oneOf(&s.ChatMode, "settings.chatMode", api.ChatAgent, api.ChatPlan),
	})
}
