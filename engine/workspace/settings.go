package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/disk"
	"github.com/svc-games/svc/engine/swap"
)

// maxSettings bounds the file of the settings, in bytes.
const maxSettings = 64 << 10

// Defaults returns the settings of a project that never sent any. They name no model:
// the default is the operator's.
func Defaults() api.Settings {
	return api.Settings{
		GameType:       api.GameShort,
		ReasoningLevel: api.ReasoningMedium,
		DimensionMode:  api.Dimension2D,
		AIImages:       new(bool),
		AIAudio:        new(bool),
		VisualQAActive: new(bool),
		ChatMode:       api.ChatAgent,
	}
}

// mergeSettings returns what holds once the fields that are set in sent are
// stored, and the change that stores them. Only what was ever sent is stored, so that a project follows a default
// it never chose against.
func (w *Workspace) mergeSettings(sent api.Settings) (api.Settings, []swap.Change, error) {
	stored, err := w.storedSettings()
	if err != nil {
		return api.Settings{}, nil, err
	}
	var changes []swap.Change
	if sent != (api.Settings{}) {
		stored = overlay(stored, sent)
		data, err := json.MarshalIndent(stored, "", "  ")
		if err != nil {
			return api.Settings{}, nil, fmt.Errorf("encoding settings: %w", err)
		}
		changes = append(changes, swap.Change{Name: settingsFile, Data: append(data, '\n')})
	}
	return overlay(Defaults(), stored), changes, nil
}

// Settings returns what holds for a request that sends some.
func (w *Workspace) Settings(sent api.Settings) (api.Settings, error) {
	settings, _, err := w.mergeSettings(sent)
	return settings, err
}

func (w *Workspace) storedSettings() (api.Settings, error) {
	var stored api.Settings
	data, err := disk.Read(w.root, settingsFile, maxSettings)
	if errors.Is(err, fs.ErrNotExist) {
		return stored, nil
	}
	if err != nil {
		return stored, err
	}
	if err := json.Unmarshal(data, &stored); err != nil {
		return stored, fmt.Errorf("decoding settings: %w", err)
	}
	return stored, nil
}

// overlay returns base with the fields that are set in top.
func overlay(base, top api.Settings) api.Settings {
	set(&base.GameType, top.GameType)
	set(&base.Model, top.Model)
	set(&base.ReasoningLevel, top.ReasoningLevel)
	set(&base.DimensionMode, top.DimensionMode)
	set(&base.AIImages, top.AIImages)
	set(&base.AIAudio, top.AIAudio)
	set(&base.VisualQAActive, top.VisualQAActive)
	set(&base.ChatMode, top.ChatMode)
	return base
}

func set[T comparable](field *T, value T) {
	var unset T
	if value != unset {
		*field = value
	}
}
