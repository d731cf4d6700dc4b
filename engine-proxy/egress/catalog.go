package egress

import (
	"net/http"
	"slices"
)

// use is what a model is for.
type use string

const (
	useChat   use = "chat"
	useImages use = "images"
	useSpeech use = "speech"
)

// offered is a model that engines may call.
type offered struct {
	name string
	use  use
	at   *Endpoint
}

// catalog is what engines may call, in the order of the configuration.
type catalog []offered

func (c Config) catalog() catalog {
	var all catalog
	for i := range c.Endpoints {
		at := &c.Endpoints[i]
		for _, list := range []struct {
			use   use
			names []string
		}{{useChat, at.Chat}, {useImages, at.Images}, {useSpeech, at.Speech}} {
			for _, name := range list.names {
				all = append(all, offered{name, list.use, at})
			}
		}
	}
	return all
}

// find returns the endpoint of a model that may be used so.
func (c catalog) find(name string, use use) (*Endpoint, *refusal) {
	i := slices.IndexFunc(c, func(m offered) bool { return m.name == name && m.use == use })
	if i < 0 {
		return nil, refuse(http.StatusForbidden, "model_not_allowed", "The model is not among those of /v1/models for this use.")
	}
	return c[i].at, nil
}

// listed is a model in the answer to GET /v1/models. Use is our own addition.
type listed struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	OwnedBy string `json:"owned_by"`
	Use     use    `json:"use"`
}

// serve answers GET /v1/models.
func (c catalog) serve(w http.ResponseWriter) {
	data := make([]listed, len(c))
	for i, m := range c {
		data[i] = listed{ID: m.name, Object: "model", OwnedBy: "svc", Use: m.use}
	}
	writeJSON(w, map[string]any{"object": "list", "data": data})
}

// uses say of each use which part of an endpoint's address stands for it, and
// how an engine's request is read.
var uses = map[use]struct {
	path string
	read func(e *Egress, body []byte) (*call, *refusal)
}{
	useChat:   {"/chat/completions", (*Egress).readChat},
	useImages: {"/images/generations", (*Egress).readImages},
	useSpeech: {"/audio/speech", (*Egress).readSpeech},
}

// useOf returns the use that a path of the socket stands for, "" for none.
func useOf(path string) use {
	for u, known := range uses {
		if path == "/v1"+known.path {
			return u
		}
	}
	return ""
}
