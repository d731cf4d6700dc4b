// Package api holds the wire types of the public /v1 API: what a client may send
// and what it gets back. The gateway, the engine and the client library all read it
// from here; users of the Go client see all of it.
//
// Sub-packages: requests reads what clients send, answers refuses it, mint makes ids and
// keys; sse is the event stream, contract is what an engine speaks with the engine proxy.
// Package api imports nothing else of this module.
package api
