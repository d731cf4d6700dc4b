package egress

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/svc-games/svc/api"
)

// Use is what a model is for.
type Use string

// The uses.
const (
	useChat   Use = "chat"
	useImages Use = "images"
	useSpeech Use = "speech"
)

// Protocol is how a model that writes is asked.
type Protocol string

// The protocols.
const (
	ProtocolChat      Protocol = "chat"      // Chat Completions
	ProtocolResponses Protocol = "responses" // Responses
	ProtocolMessages  Protocol = "messages"  // Anthropic's Messages
)

// What the members of Abilities may be.
var (
	protocols  = []string{string(ProtocolChat), string(ProtocolResponses), string(ProtocolMessages)}
	useNames   = []string{string(useChat), string(useImages), string(useSpeech)}
	reasonings = []string{"none", "effort", "budget", "adaptive"}
	caches     = []string{"auto", "marks", "none"}
)

// Model is one of an endpoint's, with what it can do.
type Model struct {
	Name string `json:"name"`
	Use  Use    `json:"use,omitempty"` // default: chat
	Abilities
	// FirstToken is how long it may take until it writes something; default 5 min.
	FirstToken time.Duration `json:"first_token,omitempty"`
	// Fallback are the models that are asked, one after the other, while this one
	// does not answer.
	Fallback []string `json:"fallback,omitempty"`
	// TIKPerJob is what its answers to one author may cost; default: what the balance
	// allows.
	TIKPerJob *PerLevel `json:"tik_per_job,omitempty"`
}

// PerLevel are whole TIK for each reasoning level; 0 is no bound.
type PerLevel struct {
	Low    int64 `json:"low,omitempty"`
	Medium int64 `json:"medium,omitempty"`
	High   int64 `json:"high,omitempty"`
}

// maxPerLevel is the most that a bound may be, so that millionths of it can be counted.
const maxPerLevel = 1_000_000_000

func (l *PerLevel) valid() bool {
	return l == nil || min(l.Low, l.Medium, l.High) >= 0 && max(l.Low, l.Medium, l.High) <= maxPerLevel
}

// Abilities are what engines are told of a model. Zero is not known: an engine
// takes the least for granted then. Svc doctor models finds them out.
type Abilities struct {
	Protocol Protocol `json:"protocol,omitempty"` // default: chat
	// Context is how many tokens it reads and writes together, MaxOutput how many
	// it writes at most.
	Context   int64 `json:"context,omitempty"`
	MaxOutput int64 `json:"max_output,omitempty"`
	// Vision: it accepts pictures. Parallel: it can call several tools at once.
	Vision   bool `json:"vision,omitempty"`
	Parallel bool `json:"parallel,omitempty"`
	// Reasoning is how it is told to think: none, effort, budget or adaptive.
	Reasoning string `json:"reasoning,omitempty"`
	// Cache is how it keeps the beginning of a request: auto, marks or none.
	Cache string `json:"cache,omitempty"`
}

func (m Model) use() Use {
	if m.Use == "" {
		return useChat
	}
	return m.Use
}

func (m Model) protocol() Protocol {
	if m.Protocol == "" {
		return ProtocolChat
	}
	return m.Protocol
}

// check refuses what is none of the values that are known, and says which are.
func (m Model) check() error {
	for _, member := range []struct {
		name, value string
		known       []string
	}{
		{"use", string(m.Use), useNames}, {"protocol", string(m.Protocol), protocols},
		{"reasoning", m.Reasoning, reasonings}, {"cache", m.Cache, caches},
	} {
		if member.value != "" && !slices.Contains(member.known, member.value) {
			return fmt.Errorf("the model %s: %s can't be %q: it is one of %s", m.Name, member.name, member.value, strings.Join(member.known, ", "))
		}
	}
	switch {
	case !modelName.MatchString(m.Name), m.Name == api.ModelEmbedded:
		return fmt.Errorf("%q can't be the name of a model", m.Name)
	case m.use() != useChat && (m.Abilities != Abilities{} || m.TIKPerJob != nil):
		return fmt.Errorf("the model %s: only models of the use chat have abilities", m.Name)
	case m.Context < 0 || m.MaxOutput < 0 || m.FirstToken < 0:
		return fmt.Errorf("the model %s: numbers must not be negative", m.Name)
	case !m.TIKPerJob.valid():
		return fmt.Errorf("the model %s: tik_per_job has whole TIK for low, medium and high, from 0 to %d", m.Name, int64(maxPerLevel))
	case m.Context > 0 && m.MaxOutput > m.Context:
		return fmt.Errorf("the model %s: max_output is more than context", m.Name)
	}
	return nil
}

// members are the names in a configuration file.
var members = []string{
	"name", "protocol", "use", "context", "max_output", "vision", "reasoning", "cache", "parallel", "first_token", "fallback", "tik_per_job",
}

// UnmarshalJSON reads a model of a configuration file.
func (m *Model) UnmarshalJSON(raw []byte) error {
	type plain Model
	var file struct {
		plain
		FirstToken duration `json:"first_token"`
	}
	if err := strictly(raw, &file); err != nil {
		var named map[string]json.RawMessage
		if json.Unmarshal(raw, &named) != nil {
			return fmt.Errorf("a model is an object of %s", strings.Join(members, ", "))
		}
		for name := range named {
			if !slices.Contains(members, name) {
				return fmt.Errorf("a model has no member %q: it has %s", name, strings.Join(members, ", "))
			}
		}
		return err
	}
	*m = Model(file.plain)
	m.FirstToken = time.Duration(file.FirstToken)
	return nil
}

// models are all of an endpoint: those of the lists have no abilities.
func (at Endpoint) models() []Model {
	var all []Model
	for _, list := range []struct {
		use   Use
		names []string
	}{{"", at.Chat}, {useImages, at.Images}, {useSpeech, at.Speech}} {
		for _, name := range list.names {
			all = append(all, Model{Name: name, Use: list.use})
		}
	}
	return append(all, at.Models...)
}
