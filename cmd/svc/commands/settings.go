package commands

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/svc-games/svc/api"
)

// parseSettings reads NAME=VALUE pairs into the settings of a job. The values
// of enumerations are left to the service, which knows them.
func parseSettings(pairs []string) (api.Settings, error) {
	var s api.Settings
	for _, pair := range pairs {
		name, value, found := strings.Cut(pair, "=")
		if !found || value == "" {
			return s, fmt.Errorf("setting %q is not of the form NAME=VALUE", pair)
		}
		switch name {
		case "gameType":
			s.GameType = api.GameType(value)
		case "model":
			s.Model = value
		case "reasoningLevel":
			s.ReasoningLevel = api.ReasoningLevel(value)
		case "dimensionMode":
			s.DimensionMode = api.DimensionMode(value)
		case "chatMode":
			s.ChatMode = api.ChatMode(value)
		case "aiImages", "aiAudio", "visualQaActive":
			on, err := strconv.ParseBool(value)
			if err != nil {
				return s, fmt.Errorf("setting %s must be true or false, not %q", name, value)
			}
			switch name {
			case "aiImages":
				s.AIImages = &on
			case "aiAudio":
				s.AIAudio = &on
			case "visualQaActive":
				s.VisualQAActive = &on
			}
		default:
			return s, fmt.Errorf("there is no setting %q; the settings are gameType, model, reasoningLevel, "+
				"dimensionMode, aiImages, aiAudio, visualQaActive, chatMode", name)
		}
	}
	return s, nil
}
