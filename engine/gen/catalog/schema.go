package catalog

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/svc-games/svc/engine/gen/look"
	"github.com/svc-games/svc/engine/gen/spec"
)

// Schema returns the JSON Schema of a GameSpec, for those who fill one in: a
// document that follows it passes Check, but for what names go together.
func Schema() map[string]any {
	return object(reflect.TypeFor[spec.Spec](), "")
}

// bounds are the least and the most of numbers, by path.
var bounds = map[string][2]float64{
	"v":                 {spec.Version, spec.Version},
	"play.speed":        {spec.MinFactor, spec.MaxFactor},
	"play.gravity":      {spec.MinFactor, spec.MaxFactor},
	"play.density":      {spec.MinFactor, spec.MaxFactor},
	"play.size":         {spec.MinSize, spec.MaxSize},
	"play.ramp":         {0, spec.MaxRamp},
	"play.lives":        {spec.MinLives, spec.MaxLives},
	"play.duration":     {0, spec.MaxLong},
	"play.levels":       {1, spec.MaxLevels},
	"play.players":      {1, spec.MaxPlayers},
	"seed":              {0, 1<<32 - 1},
	"scene.motes.count": {0, 60},
	"scene.motes.size":  {1, 40},
}

// enums are the values that texts may have, by path.
func enums() map[string][]string {
	return map[string][]string{
		"format": {string(spec.Short), string(spec.Platform)}, "art": {string(spec.Placeholder), string(spec.Procedural)},
		"renderer": {"phaser", "pixi", "canvas", "three"}, "mechanic": Names(), "lang": Languages(),
		"theme": slices.Sorted(maps.Keys(look.Themes)), "look.mood": append([]string{""}, look.Moods...),
		"scene.orb": {"sun", "moon", "rays", "none"}, "scene.motes.move": {"rise", "fall", "still"},
	}
}

func object(t reflect.Type, at string) map[string]any {
	properties, required := map[string]any{}, []string{}
	for i := range t.NumField() {
		field := t.Field(i)
		name, option, _ := strings.Cut(field.Tag.Get("json"), ",")
		properties[name] = value(field.Type, strings.TrimPrefix(at+"."+name, "."))
		if option != "omitempty" {
			required = append(required, name)
		}
	}
	return map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}

func value(t reflect.Type, at string) map[string]any {
	switch t.Kind() {
	case reflect.Pointer:
		return value(t.Elem(), at)
	case reflect.Struct:
		return object(t, at)
	case reflect.Slice:
		return map[string]any{"type": "array", "items": value(t.Elem(), at), "maxItems": maxItems(at)}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": value(t.Elem(), at)}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.String:
		return text(at)
	}
	out := map[string]any{"type": "integer"}
	if t.Kind() == reflect.Float64 {
		out["type"] = "number"
	}
	if b, ok := bounds[at]; ok {
		out["minimum"], out["maximum"] = b[0], b[1]
	}
	return out
}

func maxItems(at string) int {
	if at == "content" {
		return spec.MaxContent
	}
	return 8
}

func text(at string) map[string]any {
	out := map[string]any{"type": "string"}
	switch {
	case enums()[at] != nil:
		out["enum"] = enums()[at]
	case strings.HasPrefix(at, "palette."), strings.HasSuffix(at, ".color"), strings.HasSuffix(at, ".color2"):
		out["pattern"] = "^#[0-9a-f]{6}$"
	case at == "title":
		out["minLength"], out["maxLength"] = 1, spec.MaxTitle
	case strings.HasPrefix(at, "text."), at == "content":
		out["minLength"], out["maxLength"] = 1, spec.MaxText
	}
	return out
}
