// Package api holds the wire types of the public /v1 API: what a client may send
// and what it gets back, and the bounds of both. Package client sends and reads them.
//
// Of its sub-packages, sse reads event streams and webhook verifies what is posted, for
// programs that do so themselves. The others are the service's: requests reads what clients
// send, answers refuses it, mint makes ids and keys, contract is what an engine speaks with
// the engine proxy, gamezip and play check games and what they send.
//
// Package api imports nothing else of this module.
package api
