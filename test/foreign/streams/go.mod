// Clients of others for event streams, which test/foreign follows jobs with. It is a
// module of its own, so that they are no dependencies of the service.
module github.com/svc-games/svc/test/foreign/streams

go 1.26.0

require (
	github.com/launchdarkly/eventsource v1.11.0
	github.com/r3labs/sse/v2 v2.10.0
	github.com/tmaxmax/go-sse v0.11.0
	gopkg.in/cenkalti/backoff.v1 v1.1.0
)

require golang.org/x/net v0.0.0-20191116160921-f9c825593386 // indirect
