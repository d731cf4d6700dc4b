package egress

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"time"

	"github.com/svc-games/svc/api/contract"
)

// Defaults of Config.
const (
	DefaultMaxTokens   = 8192
	DefaultMaxBody     = 16 << 20
	DefaultTimeout     = 15 * time.Minute
	DefaultStall       = 90 * time.Second
	DefaultFirstToken  = 5 * time.Minute
	DefaultConcurrency = 4
)

// Config says what engines find behind their sockets.
type Config struct {
	Endpoints []Endpoint
	// Default is the model of jobs that name none: one that writes, or embedded.
	// Without it, it is the first that writes.
	Default string
	// Eyes is the model that looks at pictures of finished games. Without it, it is
	// the one that made them, where that has vision.
	Eyes string
	// MaxTokens is the most that one call may have a model write that has no
	// ceiling of its own.
	MaxTokens int64
	// MaxBody is the largest request, in bytes.
	MaxBody int64
	// Timeout is how long one call may take.
	Timeout time.Duration
	// Stall is how long a stream may stand still once something was written.
	Stall time.Duration
	// Concurrency is how many calls one engine may have under way.
	Concurrency int
	// Record is a folder in which what models are asked and answer is kept, to be
	// played again; "" keeps nothing.
	Record string
	// File is what the configuration was read from, which is read again when it has
	// changed; "" when it stands nowhere else.
	File string
}

// Endpoint is a service that speaks one or more of the protocols. A model's name is the same for
// engine, price list and provider, and stands in one endpoint only.
type Endpoint struct {
	// URL is the base address, the part before /chat/completions.
	URL string `json:"url"`
	// KeyFile holds the credential. It is read for each call, so that a new
	// one needs no restart.
	KeyFile string `json:"key_file"`
	// Key is the credential itself, in place of KeyFile. Both may be empty.
	Key string `json:"-"`
	// Auth is how the credential is shown: default, in the way of the protocol, or
	// bearer by each of them.
	Auth string `json:"auth"`
	// Models are its models, with what they can do. Chat, Images and Speech name
	// those of which nothing is said: for chat completions, pictures and speech.
	Models []Model  `json:"models"`
	Chat   []string `json:"chat"`
	Images []string `json:"images"`
	Speech []string `json:"speech"`
}

func (c Config) withDefaults() Config {
	c.MaxTokens = cmp.Or(c.MaxTokens, DefaultMaxTokens)
	c.MaxBody = cmp.Or(c.MaxBody, DefaultMaxBody)
	c.Timeout = cmp.Or(c.Timeout, DefaultTimeout)
	c.Stall = cmp.Or(c.Stall, DefaultStall)
	c.Concurrency = cmp.Or(c.Concurrency, DefaultConcurrency)
	return c
}

var modelName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,119}$`)

// Validate refuses what can't work, or would carry a credential in the clear.
// It reads no file; zero stands for a default.
func (c Config) Validate() error {
	if len(c.Endpoints) == 0 {
		return errors.New("egress: no endpoint is given")
	}
	if c.MaxTokens < 0 || c.MaxBody < 0 || c.Timeout < 0 || c.Stall < 0 || c.Concurrency < 0 {
		return errors.New("egress: limits must not be negative")
	}
	taken := make(map[string]bool)
	for _, at := range c.Endpoints {
		if err := at.check(); err != nil {
			return fmt.Errorf("egress: endpoint %q: %w", at.shown(), err)
		}
		models := at.models()
		for _, m := range models {
			if err := m.check(); err != nil {
				return fmt.Errorf("egress: %w", err)
			}
			if taken[m.Name] {
				return fmt.Errorf("egress: the model %s is given twice", m.Name)
			}
			taken[m.Name] = true
		}
		if len(models) == 0 {
			return fmt.Errorf("egress: endpoint %q has no model", at.shown())
		}
	}
	return c.checkNamed()
}

func (at Endpoint) check() error {
	u, err := url.Parse(at.URL)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return errors.New("want a URL that begins with https:// or http://")
	case u.User != nil:
		return errors.New("the URL holds a credential: give it as key_file")
	case u.RawQuery != "" || u.Fragment != "":
		return errors.New("the URL must end with its path")
	case at.Key != "" && at.KeyFile != "":
		return errors.New("the key is given twice: as key and as key_file")
	case at.Auth != "" && at.Auth != authBearer:
		return fmt.Errorf("auth can't be %q: it is %s, or left out", at.Auth, authBearer)
	case u.Scheme == "http" && (at.Key != "" || at.KeyFile != "") && !loopback(u.Hostname()):
		return errors.New("the key would travel in the clear: use https://")
	}
	return nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// shown is the address for an error: without a credential that was put there
// by mistake.
func (at Endpoint) shown() string {
	u, err := url.Parse(at.URL)
	if err != nil {
		return "?"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// Units are the names of everything that needs a price. Those of caches need none:
// it is that of the input then.
func (c Config) Units() []string {
	var units []string
	var image, speech bool
	for _, at := range c.Endpoints {
		for _, m := range at.models() {
			switch m.use() {
			case useChat:
				units = append(units, inputUnit(m.Name), outputUnit(m.Name))
			case useImages:
				image = true
			case useSpeech:
				speech = true
			}
		}
	}
	if image {
		units = append(units, contract.UnitImage)
	}
	if speech {
		units = append(units, contract.UnitAudio)
	}
	return units
}

func inputUnit(model string) string  { return contract.UnitModel + model + ".input" }
func outputUnit(model string) string { return contract.UnitModel + model + ".output" }
func cachedUnit(model string) string { return contract.UnitModel + model + contract.UnitCached }
func cacheWriteUnit(model string) string {
	return contract.UnitModel + model + contract.UnitCacheWrite
}
