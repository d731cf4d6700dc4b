package embedded

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/svc-games/svc/block"
	"github.com/svc-games/svc/caddymodule"
	"github.com/svc-games/svc/engine-proxy/egress"
)

// Egress says which models engines may call.
type Egress struct {
	// How many calls one engine may have under way. Default: 4.
	Concurrency int `json:"concurrency,omitempty"`

	// The model of jobs that name none: one that writes, or embedded. Default: the
	// first that writes.
	Default string `json:"default,omitempty"`

	// The services, and their models.
	Endpoints []EgressEndpoint `json:"endpoints,omitempty"`

	// The model that looks at pictures of finished games. Default: the one that made
	// them, where that has vision.
	Eyes string `json:"eyes,omitempty"`

	// The largest request of an engine, in bytes. Default: 16 MiB.
	MaxBody int64 `json:"max_body,omitempty"`

	// The most tokens that one call may have a model write that has no max_output.
	// Default: 8192.
	MaxTokens int64 `json:"max_tokens,omitempty"`

	// How long a stream may stand still once the model writes. Default: 90s.
	Stall caddy.Duration `json:"stall,omitempty"`

	// How long one call may take. Default: 15m.
	Timeout caddy.Duration `json:"timeout,omitempty"`
}

// EgressEndpoint is a service that speaks a protocol of models. A model stands in one only.
type EgressEndpoint struct {
	// How the credential is shown: bearer, or in the way of the protocol. Default: the
	// latter.
	Auth string `json:"auth,omitempty"`

	// The models for chat completions.
	Chat []string `json:"chat,omitempty"`

	// The models for pictures.
	Images []string `json:"images,omitempty"`

	// The credential as a placeholder, {env.NAME}, so that it is in no
	// configuration.
	Key string `json:"key,omitempty"`

	// The file with the credential. It is read for each call.
	KeyFile string `json:"key_file,omitempty"`

	// Models with what they can do. The other lists name those of which nothing is
	// said.
	Models []EgressModel `json:"models,omitempty"`

	// The models for speech.
	Speech []string `json:"speech,omitempty"`

	// The base address, the part before /chat/completions. A key travels over
	// https only, or on this machine.
	URL string `json:"url"`
}

// Caddyfile implements caddymodule.Configurable. Syntax:
//
//	egress {
//	    endpoint <URL> {
//	        ...
//	    }
//	    default      <model>
//	    eyes         <model>
//	    max_tokens   <number>
//	    max_body     <size>
//	    timeout      <duration>
//	    stall        <duration>
//	    concurrency  <number>
//	}
func (e *Egress) Caddyfile() block.Options {
	return block.Options{
		{Name: "endpoint", Form: "<URL>", Repeats: true, Read: e.readEndpoint, Default: "required",
			Meaning: "base address of a service, the part before `/chat/completions`, `/responses` or `/messages`; there may be several. " +
				"A key travels over `https://`, or to this machine"},
		{Name: "default", Form: "<model>", Read: block.Text(&e.Default), Default: "the first",
			Meaning: "the model of jobs whose project has no `settings.model`: a model that writes, or `embedded` for none"},
		{Name: "eyes", Form: "<model>", Read: block.Text(&e.Eyes), Default: "the author",
			Meaning: "the model that looks at pictures of finished games where `visualQaActive` is on; it must have `vision`"},
		{Name: "max_tokens", Form: "<number>", Read: block.Count(&e.MaxTokens), Default: "`8192`",
			Meaning: "most output tokens of a call to a model without `max_output`, whatever the engine asks for"},
		{Name: "max_body", Form: "<size>", Read: block.Size(&e.MaxBody), Default: "`16MiB`", Meaning: "largest request"},
		{Name: "timeout", Form: "<duration>", Read: caddymodule.Duration(&e.Timeout), Default: "`15m`", Meaning: "how long a call may take"},
		{Name: "stall", Form: "<duration>", Read: caddymodule.Duration(&e.Stall), Default: "`90s`", Meaning: "how long a stream may pause once the model writes"},
		{Name: "concurrency", Form: "<number>", Read: block.Count(&e.Concurrency), Default: "`4`", Meaning: "how many calls one engine may make at a time"},
	}
}

func (e *Egress) readEndpoint(c *block.Cursor) error {
	var at EgressEndpoint
	err := c.ArgAndBlock(&at.URL, at.Caddyfile())
	e.Endpoints = append(e.Endpoints, at)
	return err
}

// Caddyfile implements caddymodule.Configurable. Syntax:
//
//	endpoint <URL> {
//	    key_file  <path>
//	    key       {env.<NAME>}
//	    auth      bearer
//	    chat      <models...>
//	    images    <models...>
//	    speech    <models...>
//	    model     <name> {
//	        ...
//	    }
//	}
func (at *EgressEndpoint) Caddyfile() block.Options {
	const models = "the names of models"
	return block.Options{
		{Name: "key_file", Form: "<path>", Read: block.Text(&at.KeyFile), Default: "none",
			Meaning: "file with the credential; it is read for each call, so a new credential needs no restart"},
		{Name: "key", Form: "{env.<NAME>}", Read: block.Text(&at.Key), Default: "none",
			Meaning: "the credential as a placeholder, `{env.NAME}`; a literal credential is refused"},
		{Name: "auth", Form: "bearer", Read: block.Text(&at.Auth), Default: "by protocol",
			Meaning: "shows the credential as a Bearer token by the protocol `messages` too, as Ollama's cloud wants it; otherwise it is `x-api-key` there"},
		{Name: "chat", Form: "<models...>", Read: block.List(&at.Chat, models), Default: "none",
			Meaning: "names of the models that write, as the provider calls them. All others are refused, and each needs its prices"},
		{Name: "images", Form: "<models...>", Read: block.List(&at.Images, models), Default: "none",
			Meaning: "names of the models for pictures, likewise. The first one is used"},
		{Name: "speech", Form: "<models...>", Read: block.List(&at.Speech, models), Default: "none",
			Meaning: "names of the models for sounds, likewise. The first makes them: it must be a model that makes the sound which its `input` describes, " +
				"since one that reads aloud would read the description"},
		{Name: "model", Form: "<name>", Repeats: true, Read: at.readModel, Default: "none",
			Meaning: "a model and its abilities, instead of its name in a list; `svc doctor models` prints them"},
	}
}

func (at *EgressEndpoint) readModel(c *block.Cursor) error {
	var m EgressModel
	err := c.ArgAndBlock(&m.Name, m.Caddyfile())
	at.Models = append(at.Models, m)
	return err
}

// config returns what package egress goes by.
func (e *Egress) config() egress.Config {
	c := egress.Config{
		Default: e.Default, Eyes: e.Eyes, MaxTokens: e.MaxTokens, MaxBody: e.MaxBody, Timeout: time.Duration(e.Timeout), Stall: time.Duration(e.Stall),
		Concurrency: e.Concurrency,
	}
	for _, at := range e.Endpoints {
		c.Endpoints = append(c.Endpoints, egress.Endpoint{
			URL: at.URL, KeyFile: at.KeyFile, Key: at.Key, Auth: at.Auth, Chat: at.Chat, Images: at.Images, Speech: at.Speech, Models: models(at.Models),
		})
	}
	return c
}

// validate checks the options, the keys still being placeholders.
func (e *Egress) validate() error {
	for _, at := range e.Endpoints {
		if at.Key != "" && !(strings.HasPrefix(at.Key, "{") && strings.HasSuffix(at.Key, "}")) {
			return errors.New("engines: egress: key must be a placeholder like {env.NAME}, or the key in a file that key_file names")
		}
	}
	if err := e.config().Validate(); err != nil {
		return fmt.Errorf("engines: %w", err)
	}
	return nil
}

// egressConfig returns which models engines may call, nil for none.
func (e *Engines) egressConfig() (*egress.Config, error) {
	if e.Egress != nil {
		config := e.Egress.config()
		for i := range config.Endpoints {
			at := &config.Endpoints[i]
			name := at.Key
			if at.Key = caddy.NewReplacer().ReplaceKnown(name, ""); name != "" && (at.Key == "" || at.Key == name) {
				return nil, fmt.Errorf("egress: the key %s has no value", name)
			}
		}
		return &config, nil
	}
	path := cmp.Or(e.EgressFile, os.Getenv("SVC_EGRESS"))
	if path == "" {
		return nil, nil
	}
	config, err := egress.ReadConfig(path)
	return &config, err
}
