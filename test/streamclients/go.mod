// A client of others for event streams, which test/e2e follows a job with. It is a
// module of its own, so that it is no dependency of the service.
module github.com/svc-games/svc/test/streamclients

go 1.26.0

require (
	github.com/r3labs/sse/v2 v2.10.0
	gopkg.in/cenkalti/backoff.v1 v1.1.0
)

require golang.org/x/net v0.0.0-20191116160921-f9c825593386 // indirect
