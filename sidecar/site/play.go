package site

import (
	"net/http"
	"time"
)

// PlayPath is where the pages of published games stand.
const PlayPath = "/play/"

// Play is what players see, in this process or another.
type Play interface {
	// Pages answers at the site, for everything under PlayPath.
	Pages() http.Handler
	// Games answers at the games' own origin.
	Games() http.Handler
}

// PlayOptions are what an operator may set of it.
type PlayOptions struct {
	// Origin returns that of games for a request of a page, like
	// "https://play.example.com", or "" for none. Its host must not be the site's: a
	// game is hostile input.
	Origin func(*http.Request) string
	// Secure is that of Options.
	Secure bool
	// Idle, Absolute and Identity are those of the Options of the console beside it: they
	// say who is signed in. To play does not count as a use of the console's session.
	Idle, Absolute time.Duration
	Identity       func(*http.Request) string
}
