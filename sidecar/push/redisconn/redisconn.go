// Package redisconn makes clients of a Redis server that nothing depends on:
// one that fails fast, says nothing by itself and never shows its URL.
package redisconn

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/svc-games/svc/peer/secret"
)

// ErrURL is returned for an address that is no URL of a Redis server. It doesn't
// repeat the address, which may hold a password.
var ErrURL = errors.New("not a URL like redis://host:6379/0, rediss://host:6379/0 or unix:///run/redis.sock")

// Check refuses an address that is no URL of a Redis server; "" is none.
func Check(url string) error {
	if url == "" {
		return nil
	}
	_, err := parse(url)
	return err
}

// parse returns how the server at a URL is reached. A file of its password is read by each
// new connection.
func parse(url string) (*redis.Options, error) {
	bare, password, err := secret.Cut(url)
	if err != nil {
		return nil, errors.Join(ErrURL, err)
	}
	config, err := redis.ParseURL(bare)
	if err != nil {
		return nil, ErrURL
	}
	if password != "" {
		config.CredentialsProviderContext = func(context.Context) (string, string, error) {
			read, err := secret.Read(password)
			return config.Username, read, err
		}
	}
	return config, nil
}

// New returns a client of the server at a URL. It does not connect: its first
// command does. timeout bounds each step of a command.
func New(url string, timeout time.Duration) (*redis.Client, error) {
	config, err := parse(url)
	if err != nil {
		return nil, err
	}
	config.ContextTimeoutEnabled = true
	config.DialTimeout, config.ReadTimeout, config.WriteTimeout = timeout, timeout, timeout
	config.MaxRetries = -1 // who asks has something better to do
	config.DialerRetries = 1
	config.DisableIdentity = true
	config.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	logging.Disable() // it writes to stderr past every log
	return redis.NewClient(config), nil
}
