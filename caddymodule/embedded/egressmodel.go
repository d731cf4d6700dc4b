package embedded

import (
	"strconv"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/svc-games/svc/block"
	"github.com/svc-games/svc/caddymodule"
	"github.com/svc-games/svc/engine-proxy/egress"
)

// EgressModel is a model with what it can do. What is not given is not known, and
// engines take the least for granted.
type EgressModel struct {
	// How it keeps the beginning of a request: auto, marks or none.
	Cache string `json:"cache,omitempty"`

	// How many tokens it reads and writes together.
	Context int64 `json:"context,omitempty"`

	// The models that are asked, one after the other, while this one does not answer.
	Fallback []string `json:"fallback,omitempty"`

	// How long it may take until it writes something. Default: 5m.
	FirstToken caddy.Duration `json:"first_token,omitempty"`

	// How many tokens it writes at most. Default: max_tokens of the egress.
	MaxOutput int64 `json:"max_output,omitempty"`

	// The model's name, as the provider calls it.
	Name string `json:"name"`

	// It calls several tools at once.
	Parallel bool `json:"parallel,omitempty"`

	// How it is asked: chat, responses or messages. Default: chat.
	Protocol string `json:"protocol,omitempty"`

	// How it is told to think: none, effort, budget or adaptive.
	Reasoning string `json:"reasoning,omitempty"`

	// What its answers to one author may cost, in whole TIK for each reasoning level.
	// Default: what the balance allows.
	TIKPerJob *egress.PerLevel `json:"tik_per_job,omitempty"`

	// What it is for: chat, images or speech. Default: chat.
	Use string `json:"use,omitempty"`

	// It reads pictures.
	Vision bool `json:"vision,omitempty"`
}

// Caddyfile implements caddymodule.Configurable. Syntax:
//
//	model <name> {
//	    protocol     chat|responses|messages
//	    use          chat|images|speech
//	    context      <number>
//	    max_output   <number>
//	    vision
//	    reasoning    none|effort|budget|adaptive
//	    cache        auto|marks|none
//	    parallel
//	    first_token  <duration>
//	    fallback     <models...>
//	    tik_per_job  <low> <medium> <high>
//	}
func (m *EgressModel) Caddyfile() block.Options {
	return block.Options{
		{Name: "protocol", Form: "chat|responses|messages", Read: block.Text(&m.Protocol), Default: "`chat`",
			Meaning: "how the model is asked: Chat Completions, Responses, or Anthropic's Messages, which shows the key as `x-api-key`"},
		{Name: "use", Form: "chat|images|speech", Read: block.Text(&m.Use), Default: "`chat`", Meaning: "what the model is for; the following options are of `chat` alone"},
		{Name: "context", Form: "<number>", Read: block.Count(&m.Context), Default: "not known", Meaning: "size of its context: input and output tokens together"},
		{Name: "max_output", Form: "<number>", Read: block.Count(&m.MaxOutput), Default: "`max_tokens`", Meaning: "most output tokens of a call"},
		{Name: "vision", Read: block.Flag(&m.Vision), Default: "not known", Meaning: "it accepts pictures"},
		{Name: "reasoning", Form: "none|effort|budget|adaptive", Read: block.Text(&m.Reasoning), Default: "not known",
			Meaning: "how its reasoning is set: not at all, by a word, by a number of tokens, or it decides by itself"},
		{Name: "cache", Form: "auto|marks|none", Read: block.Text(&m.Cache), Default: "not known", Meaning: "how it caches the beginning of a request: by itself, at marks, or not"},
		{Name: "parallel", Read: block.Flag(&m.Parallel), Default: "not known", Meaning: "it can call several tools at once"},
		{Name: "first_token", Form: "<duration>", Read: caddymodule.Duration(&m.FirstToken), Default: "`5m`",
			Meaning: "how long a stream may take until the model writes something; `stall` holds from then on"},
		{Name: "fallback", Form: "<models...>", Read: block.List(&m.Fallback, "the names of models"), Default: "none",
			Meaning: "models to ask in turn while this one does not answer; each at its own price"},
		{Name: "tik_per_job", Form: "<low> <medium> <high>", Read: m.readTIK, Default: "what the balance allows",
			Meaning: "whole TIK that its answers to one author may cost at each `reasoningLevel`, 0 for no bound; at 85 % the author is told to finish, " +
				"at the end the last revision that passed is the game"},
	}
}

// readTIK reads a number for each reasoning level.
func (m *EgressModel) readTIK(c *block.Cursor) error {
	args, levels := c.Args(), [3]int64{}
	if len(args) != len(levels) {
		return c.Errorf(" takes three numbers of TIK: of low, medium and high")
	}
	for i, arg := range args {
		n, err := strconv.ParseInt(arg, 10, 64)
		if err != nil {
			return c.Errorf(": %q is not a whole number of TIK", arg)
		}
		levels[i] = n
	}
	m.TIKPerJob = &egress.PerLevel{Low: levels[0], Medium: levels[1], High: levels[2]}
	return nil
}

// models are what package egress goes by.
func models(list []EgressModel) []egress.Model {
	var out []egress.Model
	for _, m := range list {
		out = append(out, egress.Model{
			Name: m.Name, Use: egress.Use(m.Use), FirstToken: time.Duration(m.FirstToken), Fallback: m.Fallback, TIKPerJob: m.TIKPerJob,
			Abilities: egress.Abilities{
				Protocol: egress.Protocol(m.Protocol), Context: m.Context, MaxOutput: m.MaxOutput,
				Vision: m.Vision, Parallel: m.Parallel, Reasoning: m.Reasoning, Cache: m.Cache,
			},
		})
	}
	return out
}

// Interface guards
var _ caddymodule.Configurable = (*EgressModel)(nil)
