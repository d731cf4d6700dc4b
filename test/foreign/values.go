package foreign

import (
	"math"
	"math/rand/v2"
	"path"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// values makes values of schemas: some that fit, and some that just don't.
type values struct {
	rng   *rand.Rand
	known map[string][]string // what there is, by the name of its schema: ProjectId, JobId
}

// odd are texts that parsers have fallen over.
var odd = []string{
	"", " ", "\x00", "null", "-1", "1e400", "0x10", "../..", "%2e%2e%2f", "a\r\nX-A: b", "\u202e\ufeff", "\xff\xfe", "' OR 1=1 --", "${jndi:x}",
	"__proto__", "99999999999999999999", strings.Repeat("x", 300), "𝕫", "٣", "{}", "[]",
}

func pick[T any](rng *rand.Rand, of []T) T { return of[rng.IntN(len(of))] }

// fit makes a value of a schema.
func (v *values) fit(ref *openapi3.SchemaRef) any {
	s := ref.Value
	if there := v.known[path.Base(ref.Ref)]; len(there) > 0 {
		return pick(v.rng, there)
	}
	switch {
	case s.Const != nil:
		return s.Const
	case len(s.Enum) > 0:
		return pick(v.rng, s.Enum)
	case len(s.OneOf) > 0:
		return v.fit(pick(v.rng, s.OneOf))
	case len(s.AllOf) > 0: // a name with another description
		return v.fit(s.AllOf[0])
	case s.Type.Includes("object"):
		return v.object(s)
	case s.Type.Includes("array"):
		list := make([]any, v.count(s.MinItems, s.MaxItems, 3))
		for i := range list {
			list[i] = v.fit(s.Items)
		}
		return list
	case s.Type.Includes("boolean"):
		return v.rng.IntN(2) == 0
	case s.Type.Includes("integer"), s.Type.Includes("number"):
		return v.number(s)
	}
	return v.text(s)
}

func (v *values) object(s *openapi3.Schema) map[string]any {
	made := map[string]any{}
	for _, name := range sortedKeys(s.Properties) {
		if slices.Contains(s.Required, name) || v.rng.IntN(3) == 0 {
			made[name] = v.fit(s.Properties[name])
		}
	}
	return made
}

func (v *values) number(s *openapi3.Schema) float64 {
	least, most := 0.0, 1000.0
	if s.Min != nil {
		least = *s.Min
	}
	if s.Max != nil {
		most = *s.Max
	}
	return pick(v.rng, []float64{least, most, math.Floor((least + most) / 2)})
}

func (v *values) text(s *openapi3.Schema) string {
	switch {
	case s.Format == "uri":
		return "https://hooks.invalid/" + v.letters(5) // no one has the name
	case s.Format == "date":
		return "2026-11-24"
	case s.Format == "date-time":
		return "2026-11-24T09:00:00Z"
	}
	if example, is := s.Example.(string); is && (s.Pattern != "" || v.rng.IntN(2) == 0) {
		return example
	}
	return v.letters(v.count(s.MinLength, s.MaxLength, 12))
}

// count is one that fits: the least, the most, or a few.
func (v *values) count(least uint64, most *uint64, few int) int {
	if most != nil && v.rng.IntN(8) == 0 {
		return int(*most)
	}
	n := int(least) + v.rng.IntN(few+1)
	if most != nil {
		n = min(n, int(*most))
	}
	return n
}

func (v *values) letters(n int) string {
	made := make([]byte, n)
	for i := range made {
		made[i] = byte('a' + v.rng.IntN(26))
	}
	return string(made)
}

// misfit makes a value that a schema refuses, or that is strange: one past a
// bound, or of another type.
func (v *values) misfit(ref *openapi3.SchemaRef) any {
	s := ref.Value
	past := []any{nil, true, 7.0, -1.5, 1e300, "x", []any{}, map[string]any{}, map[string]any{"a": nil}, pick(v.rng, odd)}
	if s.MaxLength != nil {
		past = append(past, v.letters(int(*s.MaxLength)+1))
	}
	if s.MaxItems != nil && s.Items != nil {
		list := make([]any, *s.MaxItems+1)
		for i := range list {
			list[i] = v.fit(s.Items)
		}
		past = append(past, list)
	}
	if s.Min != nil {
		past = append(past, *s.Min-1)
	}
	if s.Max != nil {
		past = append(past, *s.Max+1)
	}
	if s.Pattern != "" || len(s.Enum) > 0 {
		past = append(past, v.letters(6), strings.ToUpper(v.letters(6)), pick(v.rng, odd))
	}
	return pick(v.rng, past)
}

// spoil replaces, removes or adds one member somewhere in a value of a schema.
func (v *values) spoil(ref *openapi3.SchemaRef, value any) any {
	s := ref.Value
	switch value := value.(type) {
	case map[string]any:
		if len(s.Properties) == 0 || v.rng.IntN(12) == 0 {
			break
		}
		name := pick(v.rng, sortedKeys(s.Properties))
		member, there := value[name]
		switch n := v.rng.IntN(8); {
		case n == 0:
			delete(value, name)
		case n == 1:
			value[strings.ToUpper(name)] = member // another member, but for case
		case n == 2:
			value[pick(v.rng, odd)] = v.letters(3)
		case !there:
			value[name] = v.misfit(s.Properties[name])
		default:
			value[name] = v.spoil(s.Properties[name], member)
		}
		return value
	case []any:
		if len(value) == 0 || s.Items == nil || v.rng.IntN(3) == 0 {
			break
		}
		i := v.rng.IntN(len(value))
		value[i] = v.spoil(s.Items, value[i])
		return value
	}
	return v.misfit(ref)
}
