package commands

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/svc-games/svc/api"
)

// settingNames are the settings, in the order of the specification.
var settingNames = []string{"gameType", "model", "reasoningLevel", "dimensionMode", "aiImages", "aiAudio", "visualQaActive", "chatMode"}

// settingValues are what settings may be that have few values.
var settingValues = map[string][]string{
	"gameType": {string(api.GameShort), string(api.GamePlatform)}, "dimensionMode": {string(api.Dimension2D), string(api.Dimension3D)},
	"reasoningLevel": {string(api.ReasoningLow), string(api.ReasoningMedium), string(api.ReasoningHigh)},
	"chatMode":       {string(api.ChatAgent), string(api.ChatPlan)},
	"aiImages":       {"true", "false"}, "aiAudio": {"true", "false"}, "visualQaActive": {"true", "false"},
}

// parseSettings reads NAME=VALUE pairs into the settings of a job. The values
// of enumerations are left to the service, which knows them.
func parseSettings(pairs []string) (api.Settings, error) {
	var s api.Settings
	texts := map[string]*string{
		"gameType": (*string)(&s.GameType), "model": &s.Model, "reasoningLevel": (*string)(&s.ReasoningLevel),
		"dimensionMode": (*string)(&s.DimensionMode), "chatMode": (*string)(&s.ChatMode),
	}
	switches := map[string]**bool{"aiImages": &s.AIImages, "aiAudio": &s.AIAudio, "visualQaActive": &s.VisualQAActive}
	for _, pair := range pairs {
		name, value, found := strings.Cut(pair, "=")
		if !found || value == "" {
			return s, fmt.Errorf("setting %q is not of the form NAME=VALUE", pair)
		}
		if text := texts[name]; text != nil {
			*text = value
			continue
		}
		on, err := strconv.ParseBool(value)
		switch to := switches[name]; {
		case to == nil:
			return s, fmt.Errorf("there is no setting %q; the settings are %s", name, strings.Join(settingNames, ", "))
		case err != nil:
			return s, fmt.Errorf("setting %s must be true or false, not %q", name, value)
		default:
			*to = &on
		}
	}
	return s, nil
}
