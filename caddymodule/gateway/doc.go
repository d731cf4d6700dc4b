// Package gateway is the part of the gateway that knows nothing of Caddy: how
// a request is read, who it comes from, what it names, and what becomes of a
// submission. The modules of package caddymodule are thin around it.
package gateway
