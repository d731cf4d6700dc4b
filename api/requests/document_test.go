package requests

import (
	"errors"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/test/openapi"
)

// The number 7 is wrong for every member of a request, so one that is not
// refused by name is one that no one reads.
func TestEveryDocumentedRequestMemberIsRead(t *testing.T) {
	d, err := openapi.Read()
	if err != nil {
		t.Fatal(err)
	}
	schema := func(name string) *openapi3.Schema { return d.Doc.Components.Schemas[name].Value }
	project := func(b []byte) error { _, err := ParseProjectRequest(b); return err }
	generate := func(b []byte) error { _, err := ParseGenerateRequest(b); return err }
	const base = `{"projectId":"` + testProject + `","prompt":"x",`
	tests := map[string]struct {
		before, after string // around the member
		parse         func([]byte) error
	}{
		"ProjectRequest":  {`{`, `}`, project},
		"GenerateRequest": {`{`, `}`, generate},
		"ContextBlock":    {base + `"context":[{`, `}]}`, generate},
		"Skill":           {base + `"skills":[{`, `}]}`, generate},
		"SkillFile":       {base + `"skills":[{"files":[{`, `}]}]}`, generate},
		"Settings":        {base + `"settings":{`, `}}`, generate},
	}
	for name, tc := range tests {
		for member := range schema(name).Properties {
			err := tc.parse([]byte(tc.before + `"` + member + `":7` + tc.after))
			var refused *answers.Error
			if !errors.As(err, &refused) || !strings.Contains(refused.Message, member+" must be") {
				t.Errorf("%s.%s: 7 brings %v", name, member, err)
			}
		}
	}
	if documented, code := schema("Skill").Properties["key"].Value.Pattern, skillKeyPattern.String(); documented != code {
		t.Errorf("skill key: the document says %s, the code %s", documented, code)
	}
}
