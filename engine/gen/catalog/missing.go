package catalog

import (
	_ "embed"
	"encoding/json"
)

// Missing is a kind of game that people ask for by name and that there is not.
type Missing struct {
	// Near is the mechanic most like it.
	Near string `json:"near"`
	// Words are its names, by language.
	Words map[string][]string `json:"words"`
}

//go:embed missing.json
var missingFile []byte

// Missings are the kinds that there are not, by what they are called.
var Missings = func() (out map[string]Missing) {
	if err := json.Unmarshal(missingFile, &out); err != nil {
		panic(err) // the file is embedded
	}
	return out
}()
