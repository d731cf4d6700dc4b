package egress

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"github.com/svc-games/svc/api"
)

// offered is a model that engines may call.
type offered struct {
	Model
	at      *Endpoint
	ceiling int64         // most output tokens of a call
	first   time.Duration // until it writes something
	stall   time.Duration // that it may stand still from then on
}

// key is the model's at its address, whatever the configuration says of it.
func (m *offered) key() [2]string { return [2]string{m.at.URL, m.Name} }

// call is one of a model that writes.
func (m *offered) call(body []byte, count *meter, of wire, live bool) *call {
	return &call{model: m.Name, of: m, body: body, limit: count.limit(), live: live, relay: relayOf(count, of, live)}
}

// catalog is what engines may call, in the order of the configuration.
type catalog []offered

func (c Config) catalog() catalog {
	var all catalog
	for i := range c.Endpoints {
		at := &c.Endpoints[i]
		for _, m := range at.models() {
			all = append(all, offered{
				Model: m, at: at, ceiling: cmp.Or(m.MaxOutput, c.MaxTokens), first: cmp.Or(m.FirstToken, DefaultFirstToken), stall: c.Stall,
			})
		}
	}
	return all
}

// find returns a model that may be used so, and asked by a protocol.
func (c catalog) find(name string, u Use, by Protocol) (*offered, *refusal) {
	i := slices.IndexFunc(c, func(m offered) bool { return m.Name == name && m.use() == u })
	if i < 0 {
		return nil, refuse(http.StatusForbidden, "model_not_allowed", "The model is not among those of /v1/models for this use.")
	}
	if m := &c[i]; u == useChat && m.protocol() != by {
		return nil, refuse(http.StatusBadRequest, "wrong_protocol", "The model is asked at /v1%s.", paths[m.protocol()])
	}
	return &c[i], nil
}

// listed is a model in the answer to GET /v1/models. All but the first three
// members are our own addition: what the configuration says of it.
type listed struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	OwnedBy string `json:"owned_by"`
	Use     Use    `json:"use"`
	Default bool   `json:"default,omitempty"` // jobs that name none are its
	Abilities
	FirstToken int64    `json:"first_token,omitempty"` // seconds
	Fallback   []string `json:"fallback,omitempty"`
	Eyes       bool     `json:"eyes,omitempty"` // it looks at games, whoever made them
	// What an author may spend, and what it spends: prices are told where a model of the
	// list has such a bound.
	TIKPerJob *PerLevel       `json:"tik_per_job,omitempty"`
	Price     *api.ModelPrice `json:"price,omitempty"`
}

// list answers GET /v1/models of an engine.
func (e *Egress) list(w http.ResponseWriter, r *http.Request) {
	now := e.follow(r.Context())
	var prices map[string]api.TIK
	if slices.ContainsFunc(now.catalog, func(m offered) bool { return m.TIKPerJob != nil }) {
		var err error
		if prices, err = e.pricesOf(r.Context(), now.catalog); err != nil {
			unavailable(err).writeTo(w)
			return
		}
	}
	now.catalog.serve(w, now.defaultModel(), now.Eyes, prices)
}

// serve answers with all models, and what those that write cost.
func (c catalog) serve(w http.ResponseWriter, standard, eyes string, prices map[string]api.TIK) {
	data := make([]listed, len(c))
	for i, m := range c {
		data[i] = listed{
			ID: m.Name, Object: "model", OwnedBy: "svc", Use: m.use(), Default: m.use() == useChat && m.Name == standard, Abilities: m.Abilities,
			FirstToken: int64(m.FirstToken / time.Second), Fallback: m.Fallback, Eyes: m.use() == useChat && m.Name == eyes,
		}
		if m.use() == useChat { // an engine that reads it may send back what a model thought
			data[i].Protocol = m.protocol()
			data[i].MaxOutput = m.ceiling // more would be lowered to it unseen
			data[i].TIKPerJob, data[i].Price = m.TIKPerJob, priceOf(m.Name, prices)
		}
	}
	writeJSON(w, map[string]any{"object": "list", "data": data})
}

// paths are the parts of an endpoint's address that stand for the protocols.
var paths = map[Protocol]string{
	ProtocolChat: "/chat/completions", ProtocolResponses: "/responses", ProtocolMessages: "/messages",
}

// route says of a path what it is for, and how an engine's request is read.
type route struct {
	path string
	use  Use
	by   Protocol // of a model that writes
	read func(e *Egress, body []byte) (*call, *refusal)
}

var routes = []route{
	{paths[ProtocolChat], useChat, ProtocolChat, (*Egress).readChat},
	{paths[ProtocolResponses], useChat, ProtocolResponses, (*Egress).readResponses},
	{paths[ProtocolMessages], useChat, ProtocolMessages, (*Egress).readMessages},
	{"/images/generations", useImages, "", (*Egress).readImages},
	{"/audio/speech", useSpeech, "", (*Egress).readSpeech},
}

// routeOf returns what a path of the socket stands for, nil for nothing.
func routeOf(path string) *route {
	for i := range routes {
		if path == "/v1"+routes[i].path {
			return &routes[i]
		}
	}
	return nil
}
