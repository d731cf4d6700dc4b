package ledger

import (
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/svc-games/svc/policy"
)

// FactColumns are the scopes and labels of a row of keys, in the order of FactFields.
const FactColumns = "(SELECT scopes FROM key_facts WHERE key_id = keys.id), (SELECT labels FROM key_facts WHERE key_id = keys.id)"

// FactFields returns where FactColumns are scanned to. A key without a row of facts has
// the scope policy.ScopeFull.
func FactFields(scopes *[]string, labels *map[string]string) []any {
	return []any{jsonText[[]string]{scopes, []string{policy.ScopeFull}}, jsonText[map[string]string]{labels, nil}}
}

// Attributes returns where a column of attributes is scanned to: nil for none, as most
// users have.
func Attributes(into *map[string]string) sql.Scanner { return attributes{into} }

type attributes struct{ into *map[string]string }

// Scan implements sql.Scanner.
func (a attributes) Scan(src any) error {
	if src == "{}" { // which costs a decision nothing
		*a.into = nil
		return nil
	}
	err := jsonText[map[string]string]{a.into, nil}.Scan(src)
	if len(*a.into) == 0 {
		*a.into = nil
	}
	return err
}

// jsonText scans JSON, or what stands for null.
type jsonText[T any] struct {
	into   *T
	absent T
}

// Scan implements sql.Scanner.
func (j jsonText[T]) Scan(src any) error {
	switch src := src.(type) {
	case nil:
		*j.into = j.absent
		return nil
	case string:
		return json.Unmarshal([]byte(src), j.into)
	case []byte:
		return json.Unmarshal(src, j.into)
	}
	return fmt.Errorf("a column of JSON holds a %T", src)
}
