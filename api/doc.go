// Package api holds the wire types of the public /v1 API: requests and their
// validation, the job record, errors, ids and API keys. It is the one place
// that says what a client may send and what it gets back; the gateway, the
// engine and the client library all read it from here.
//
// Sub-packages: sse is the event stream, contract is what an engine speaks
// with the engine proxy. Package api imports nothing else of this module.
package api
