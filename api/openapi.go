package api

import _ "embed"

//go:embed openapi.yaml
var openAPI string

//go:embed docs.html
var page string

// OpenAPI returns the description of the public API: OpenAPI 3.1, in YAML.
func OpenAPI() string { return openAPI }

// Page returns the same for people: HTML without scripts.
func Page() string { return page }
