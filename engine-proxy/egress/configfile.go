package egress

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// maxConfigFile bounds, in bytes, the file of a configuration.
const maxConfigFile = 1 << 20

// fileConfig is a Config as it stands in a file.
type fileConfig struct {
	Endpoints []struct {
		URL     string   `json:"url"`
		KeyFile string   `json:"key_file"`
		Chat    []string `json:"chat"`
		Images  []string `json:"images"`
		Speech  []string `json:"speech"`
	} `json:"endpoints"`
	MaxTokens   int64    `json:"max_tokens"`
	MaxBody     int64    `json:"max_body"`
	Timeout     duration `json:"timeout"`
	Stall       duration `json:"stall"`
	Concurrency int      `json:"concurrency"`
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
// key files are relative to its folder.
func ReadConfig(path string) (Config, error) {
	raw, err := readBounded(path)
	if err != nil {
		return Config{}, fmt.Errorf("reading egress configuration: %w", err)
	}
	var f fileConfig
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&f); err != nil {
		return Config{}, fmt.Errorf("reading egress configuration %s: %w", path, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Config{}, fmt.Errorf("reading egress configuration %s: there is data after the object", path)
	}
	c := Config{
		MaxTokens: f.MaxTokens, MaxBody: f.MaxBody, Timeout: time.Duration(f.Timeout), Stall: time.Duration(f.Stall),
		Concurrency: f.Concurrency,
	}
	for _, at := range f.Endpoints {
		if at.KeyFile != "" && !filepath.IsAbs(at.KeyFile) {
			at.KeyFile = filepath.Join(filepath.Dir(path), at.KeyFile)
		}
		c.Endpoints = append(c.Endpoints, Endpoint{URL: at.URL, KeyFile: at.KeyFile, Chat: at.Chat, Images: at.Images, Speech: at.Speech})
	}
	return c, c.Validate()
}

func readBounded(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	raw, err := io.ReadAll(io.LimitReader(file, maxConfigFile+1))
	if err == nil && len(raw) > maxConfigFile {
		err = fmt.Errorf("%s is larger than %d bytes", path, maxConfigFile)
	}
	return raw, err
}
