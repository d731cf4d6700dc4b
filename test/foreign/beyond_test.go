package foreign

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// wrong is a value of which the part that is called name is past a bound.
type wrong struct {
	name    string
	value   any
	fits    bool // just not, that is
	address bool // it stands in the path: such a thing may also just not be there
}

// readKeywords are those of a schema that values past a bound are made of, or that bound
// nothing; openapi.Read closes schemas by the last one, which the service does not.
var readKeywords = []string{
	"allOf", "default", "description", "enum", "example", "format", "items", "maxItems", "maxLength", "maximum", "minItems", "minLength", "minimum",
	"pattern", "properties", "required", "type", "unevaluatedProperties",
}

// unread returns the keywords of a schema for which there would be no value past a bound.
func unread(s *openapi3.Schema) (keywords []string) {
	written, err := s.MarshalYAML()
	if err != nil {
		return []string{err.Error()}
	}
	for _, keyword := range sortedKeys(written.(map[string]any)) {
		if !slices.Contains(readKeywords, keyword) || keyword == "allOf" && len(s.AllOf) != 1 {
			keywords = append(keywords, keyword)
		}
	}
	return keywords
}

// beyond makes a value for each bound of a schema, and of what is in it: past that bound
// alone, but for a text that is too long for a pattern too.
func (v *strict) beyond(name string, ref *openapi3.SchemaRef) (all []wrong) {
	v.Helper()
	s := ref.Value
	if keywords := unread(s); len(keywords) > 0 {
		v.Errorf("no value is made that is past %v of %s", keywords, name)
	}
	add := func(value any) { all = append(all, wrong{name: name, value: value}) }
	switch {
	case len(s.AllOf) > 0:
		return v.beyond(name, s.AllOf[0])
	case len(s.Enum) > 0:
		if s.Type.Includes("string") {
			add(v.letters(9))
		}
	case s.Type.Includes("object"):
		for _, member := range sortedKeys(s.Properties) {
			for _, w := range v.beyond(member, s.Properties[member]) {
				whole := v.least(ref).(map[string]any)
				whole[member] = w.value
				w.value = whole
				all = append(all, w)
			}
		}
	case s.Type.Includes("array"):
		if s.MaxItems != nil {
			add(v.list(s, *s.MaxItems+1))
		}
		if s.MinItems > 0 {
			add(v.list(s, s.MinItems-1))
		}
		for _, w := range v.beyond(name, s.Items) {
			list := v.list(s, max(s.MinItems, 1))
			list[0] = w.value
			w.value = list
			all = append(all, w)
		}
	case s.Type.Includes("string"):
		all = v.beyondText(name, s)
	default:
		if s.Min != nil {
			add(*s.Min - 1)
		}
		if s.Max != nil {
			add(*s.Max + 1)
		}
	}
	return all
}

func (v *values) beyondText(name string, s *openapi3.Schema) (all []wrong) {
	fits := v.text(s)
	if s.MaxLength != nil {
		last := v.letters(1)
		if s.Pattern != "" && regexp.MustCompile(s.Pattern).MatchString(fits) {
			last = fits[len(fits)-1:]
			fits += strings.Repeat(last, int(*s.MaxLength)-len(fits))
			all = append(all, wrong{name: name, value: fits, fits: true})
		}
		all = append(all, wrong{name: name, value: fits + strings.Repeat(last, int(*s.MaxLength)+1-len(fits))})
	}
	if s.MinLength > 0 {
		all = append(all, wrong{name: name, value: ""})
	}
	if s.Pattern != "" {
		all = append(all, wrong{name: name, value: "é"})
	}
	return all
}

// least makes a value that fits, without what may be absent.
func (v *values) least(ref *openapi3.SchemaRef) any {
	s := ref.Value
	switch {
	case s.Type.Includes("object"):
		made := map[string]any{}
		for _, name := range s.Required {
			made[name] = v.least(s.Properties[name])
		}
		return made
	case s.Type.Includes("array"):
		return v.list(s, s.MinItems)
	case s.Example != nil:
		return s.Example
	}
	return v.fit(ref)
}

func (v *values) list(s *openapi3.Schema, n uint64) []any {
	list := make([]any, n)
	for i := range list {
		list[i] = v.least(s.Items)
	}
	return list
}

// TestKeywordsThatNoBoundIsMadeOfAreNamed: no part of a schema is passed over unseen.
func TestKeywordsThatNoBoundIsMadeOfAreNamed(t *testing.T) {
	text := openapi3.NewStringSchema
	for want, s := range map[string]*openapi3.Schema{
		"[]":                            text().WithMinLength(1).WithMaxLength(9).WithPattern("^a*$"),
		"[oneOf]":                       openapi3.NewOneOfSchema(text(), openapi3.NewBoolSchema()),
		"[anyOf]":                       openapi3.NewAnyOfSchema(text()),
		"[allOf]":                       openapi3.NewAllOfSchema(text(), text()),
		"[additionalProperties]":        openapi3.NewObjectSchema().WithAdditionalProperties(text()),
		"[maxProperties uniqueItems]":   openapi3.NewObjectSchema().WithMaxProperties(2).WithUniqueItems(true),
		"[exclusiveMaximum multipleOf]": {ExclusiveMax: openapi3.ExclusiveBound{Value: openapi3.Ptr(9.0)}, MultipleOf: openapi3.Ptr(2.0)},
	} {
		if got := fmt.Sprint(unread(s)); got != want {
			t.Errorf("unread are %s, want %s", got, want)
		}
	}
}
