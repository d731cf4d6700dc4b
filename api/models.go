package api

// Model is what settings.model may name.
type Model struct {
	Name    string `json:"name"`
	Default bool   `json:"default"` // of jobs whose project has no other
	// What it can do, as far as the operator says.
	Context   int64       `json:"context,omitempty"` // tokens read and written together
	Vision    bool        `json:"vision"`            // it looks at pictures of the game
	Reasoning bool        `json:"reasoning"`         // reasoningLevel says how hard it thinks
	Price     *ModelPrice `json:"price,omitempty"`
}

// ModelPrice is what a million tokens cost, in TIK.
type ModelPrice struct {
	Input      int64 `json:"input"`
	Cached     int64 `json:"cached"`     // input that the provider had kept
	CacheWrite int64 `json:"cacheWrite"` // input that it keeps
	Output     int64 `json:"output"`
}

// ModelList is the body of GET /v1/models, embedded first.
type ModelList struct {
	Success bool    `json:"success"`
	Data    []Model `json:"data"`
}
