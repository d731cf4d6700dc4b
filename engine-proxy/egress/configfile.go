package egress

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/svc-games/svc/api/exact"
	"github.com/svc-games/svc/engine-proxy/internal/bounded"
)

// maxConfigFile bounds, in bytes, the file of a configuration.
const maxConfigFile = 1 << 20

// fileConfig is a Config as it stands in a file.
type fileConfig struct {
	Endpoints   []Endpoint `json:"endpoints"`
	Default     string     `json:"default"`
	Eyes        string     `json:"eyes"`
	MaxTokens   int64      `json:"max_tokens"`
	MaxBody     int64      `json:"max_body"`
	Timeout     duration   `json:"timeout"`
	Stall       duration   `json:"stall"`
	Concurrency int        `json:"concurrency"`
	Record      string     `json:"record"`
}

// duration is written as in "5m".
type duration time.Duration

// UnmarshalText reads a duration of Go.
func (d *duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	*d = duration(v)
	return err
}

// ReadConfig reads a configuration from a file: one JSON object. The paths of
// key files, and that of record, are relative to its folder.
func ReadConfig(path string) (Config, error) {
	raw, err := readBounded(path)
	if err != nil {
		return Config{}, fmt.Errorf("reading egress configuration: %w", err)
	}
	var f fileConfig
	if err := exact.Decode(bytes.NewReader(raw), &f); err != nil {
		return Config{}, fmt.Errorf("reading egress configuration %s: %w", path, err)
	}
	c := Config{
		Endpoints: f.Endpoints, Default: f.Default, Eyes: f.Eyes, MaxTokens: f.MaxTokens, MaxBody: f.MaxBody, Timeout: time.Duration(f.Timeout), Stall: time.Duration(f.Stall),
		Concurrency: f.Concurrency, Record: f.Record, File: path,
	}
	if c.Record != "" && !filepath.IsAbs(c.Record) {
		c.Record = filepath.Join(filepath.Dir(path), c.Record)
	}
	for i := range c.Endpoints {
		if file := &c.Endpoints[i].KeyFile; *file != "" && !filepath.IsAbs(*file) {
			*file = filepath.Join(filepath.Dir(path), *file)
		}
	}
	return c, c.Validate()
}

func readBounded(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(bounded.Reader(file, maxConfigFile, fmt.Errorf("%s is larger than %d bytes", path, maxConfigFile)))
}
