package model

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// What a model is for, as the list of models says.
const (
	UseChat   = "chat"
	UseImages = "images"
	UseSpeech = "speech"
)

// How a model is asked to reason, and how it keeps what it has read.
const (
	ReasoningNone     = "none"
	ReasoningEffort   = "effort"
	ReasoningBudget   = "budget"
	ReasoningAdaptive = "adaptive"

	CacheMarks = "marks"
)

// leastContext is how many tokens a model must be able to hold that works with
// tools: what it is told of the game and the tools is a third of it.
const leastContext = 16 << 10

// usualContext is how many tokens are room enough for most games.
const usualContext = 32 << 10

// Offer is a model that can be asked, and what is known of it. What is not told
// is unknown.
type Offer struct {
	Name       string  `json:"id"`
	Use        string  `json:"use"`
	Default    bool    `json:"default"`  // jobs that name no model are its
	Protocol   string  `json:"protocol"` // the wire; "" is chat, of an egress that knows no other
	Context    int     `json:"context"`  // tokens read and written together
	MaxOutput  int     `json:"max_output"`
	Vision     bool    `json:"vision"`
	Reasoning  string  `json:"reasoning"`
	Cache      string  `json:"cache"`
	FirstToken float64 `json:"first_token"` // seconds until it comes, at most
	// Fallback are asked where a request names none.
	Fallback []string `json:"fallback"`
	Eyes     bool     `json:"eyes"` // it looks at games, whoever made them
	// TIKPerJob are whole TIK that its answers to one author may cost, by reasoning
	// level; 0 is no bound.
	TIKPerJob map[string]int64 `json:"tik_per_job"`
	Price     Price            `json:"price"` // zero: not told
}

// Price is what a million tokens cost, in TIK.
type Price struct {
	Input      int64 `json:"input"`
	Cached     int64 `json:"cached"`
	CacheWrite int64 `json:"cacheWrite"`
	Output     int64 `json:"output"`
}

// Of is what an answer took, in millionths of a TIK.
func (p Price) Of(u Usage) int64 {
	return int64(u.Input)*p.Input + int64(u.Cached)*p.Cached + int64(u.CacheWrite)*p.CacheWrite + int64(u.Output)*p.Output
}

// codec returns how the model's wire is spoken.
func (o Offer) codec() (codec, error) {
	if o.Protocol == "" {
		return codecs[ProtocolChat], nil
	}
	c, known := codecs[o.Protocol]
	if !known {
		return codec{}, fmt.Errorf("%w: the engine does not support the model's protocol", ErrRefused)
	}
	return c, nil
}

// fits refuses a request that the model certainly has no room for. Servers that
// have not, pass over the beginning of it in silence.
func (o Offer) fits(r Request) error {
	if len(r.Tools) == 0 {
		return nil
	}
	return Fits(o.Context)
}

// Fits returns the refusal of a model that holds too few tokens for any conversation with
// tools; 0 is not known.
func Fits(context int) error {
	if context > 0 && context < leastContext {
		return &Refusal{Status: http.StatusBadRequest, Reason: reasonSmall, Context: context}
	}
	return nil
}

// Missed is the error of a server that reads so many tokens of a conversation and no more,
// however long it becomes.
func Missed(read int) error {
	if read < leastContext {
		return &Refusal{Status: http.StatusBadRequest, Reason: reasonSmall, Context: read, paid: true}
	}
	return &Refusal{Status: http.StatusBadRequest, Reason: reasonOverflow, Context: read, paid: true}
}

// most is how much the model may write.
func (o Offer) most(wanted int) int {
	if o.MaxOutput > 0 && wanted > 0 {
		return min(wanted, o.MaxOutput)
	}
	return wanted
}

// first is how long it may take to its first token.
func (o Offer) first(usual time.Duration) time.Duration {
	if o.FirstToken > 0 {
		return time.Duration(o.FirstToken * float64(time.Second))
	}
	return usual
}

// offers remembers what is known of each model.
type offers struct {
	mu   sync.Mutex // guards list
	list map[string]Offer
}

func (o *offers) set(list []Offer) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.list = map[string]Offer{}
	for _, offer := range list {
		if offer.Use == UseChat {
			o.list[offer.Name] = offer
		}
	}
}

func (o *offers) of(model string) Offer {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.list[model]
}

// Offers returns the models that can be asked, the operator's first choice
// first.
func (c *Client) Offers(ctx context.Context) ([]Offer, error) {
	var list struct {
		Data []Offer `json:"data"`
	}
	err := c.retry(ctx, func(ctx context.Context) error {
		resp, err := c.send(ctx, http.MethodGet, "/v1/models", nil)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if err := json.NewDecoder(io.LimitReader(resp.Body, maxText)).Decode(&list); err != nil {
			return fmt.Errorf("reading the list of models: %w", err)
		}
		return nil
	})
	if err == nil {
		c.offers.set(list.Data)
	}
	return list.Data, err
}

// Chats returns the models that can be talked to, the operator's first choice
// first.
func (c *Client) Chats(ctx context.Context) ([]string, error) {
	offers, err := c.Offers(ctx)
	var names []string
	for _, o := range offers {
		if o.Use == UseChat {
			names = append(names, o.Name)
		}
	}
	return names, err
}
