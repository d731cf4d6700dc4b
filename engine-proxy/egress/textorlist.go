package egress

import "encoding/json"

// either is a text, a list, or nothing.
type either[T any] struct {
	text *string
	list []T
}

// UnmarshalJSON reads a string, a list or null. An unknown member is refused
// here too.
func (e *either[T]) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '[' {
		e.list = []T{}
		return strictly(raw, &e.list)
	}
	return json.Unmarshal(raw, &e.text)
}

// MarshalJSON writes what was read.
func (e either[T]) MarshalJSON() ([]byte, error) {
	if e.list != nil {
		return marshal(e.list)
	}
	return marshal(e.text)
}
