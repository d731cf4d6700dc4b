// An HTTP client of others that sends a request again, with which test/foreign submits. It
// is a module of its own, so that it is no dependency of the service.
module github.com/svc-games/svc/test/foreign/clients

go 1.26.0

require github.com/hashicorp/go-retryablehttp v0.7.8

require github.com/hashicorp/go-cleanhttp v0.5.2 // indirect
