package verify

import (
	"bytes"
	"fmt"
	"io/fs"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/format"

	"github.com/svc-games/svc/policy"
)

// Unformatted returns the *.rego files in src that OPA's formatter would
// change: the new text by path.
func Unformatted(src fs.FS) (map[string][]byte, error) {
	paths, err := policy.Files(src, true)
	if err != nil {
		return nil, err
	}
	unformatted := map[string][]byte{}
	for _, path := range paths {
		text, err := fs.ReadFile(src, path)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", path, err)
		}
		formatted, err := format.SourceWithOpts(path, text, format.Opts{RegoVersion: ast.RegoV1})
		if err != nil {
			return nil, fmt.Errorf("formatting %s: %w", path, err)
		}
		if !bytes.Equal(text, formatted) {
			unformatted[path] = formatted
		}
	}
	return unformatted, nil
}
