package requests

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
)

const testProject = "0123456789abcdef01234567"

func generateBody(members string) string {
	return `{"projectId":"` + testProject + `","prompt":"a fish"` + members + `}`
}

func TestGenerateRequestIsReadWhole(t *testing.T) {
	req, err := ParseGenerateRequest([]byte(generateBody(`,
		"instructions":"be kind",
		"context":[{"name":"lore","content":"the sea"}],
		"skills":[{"key":"jump","title":"Jump","mechanics":["hop"],"engine":"phaser","files":[{"path":"src/jump.js","content":"x"}]}],
		"settings":{"gameType":"svc-short","aiImages":false,"chatMode":"plan"},
		"unknown":{"ignored":true}`)))
	if err != nil {
		t.Fatal(err)
	}
	if req.ProjectID != testProject || req.Prompt != "a fish" || *req.Instructions != "be kind" {
		t.Errorf("request is %+v", req)
	}
	if len(req.Context) != 1 || req.Context[0] != (api.ContextBlock{Name: "lore", Content: "the sea"}) {
		t.Errorf("context is %+v", req.Context)
	}
	if len(req.Skills) != 1 || req.Skills[0].Files[0].Path != "src/jump.js" {
		t.Errorf("skills are %+v", req.Skills)
	}
	if req.Settings.GameType != api.GameShort || req.Settings.ChatMode != api.ChatPlan || *req.Settings.AIImages || req.Settings.AIAudio != nil {
		t.Errorf("settings are %+v", req.Settings)
	}
}

func TestGenerateRequestRefusesAndNamesTheField(t *testing.T) {
	tests := map[string]struct{ body, names string }{
		"empty body":               {``, "body"},
		"not an object":            {`[]`, "body"},
		"cut short":                {`{"prompt":"x"`, "body"},
		"data after the object":    {generateBody("") + `{}`, "after"},
		"no projectId":             {`{"prompt":"x"}`, "projectId"},
		"projectId too short":      {`{"projectId":"abc","prompt":"x"}`, "projectId"},
		"projectId in upper case":  {`{"projectId":"` + strings.ToUpper(testProject) + `","prompt":"x"}`, "projectId"},
		"projectId a number":       {`{"projectId":7,"prompt":"x"}`, "projectId"},
		"projectId twice":          {generateBody(`,"projectId":"` + testProject + `"`), "projectId"},
		"projectId in other case":  {generateBody(`,"PROJECTID":"` + testProject + `"`), "projectId"},
		"projectid after":          {generateBody(`,"projectid":null`), "projectId"},
		"no prompt":                {`{"projectId":"` + testProject + `"}`, "prompt"},
		"blank prompt":             {`{"projectId":"` + testProject + `","prompt":" \n"}`, "prompt"},
		"prompt too long":          {`{"projectId":"` + testProject + `","prompt":"` + strings.Repeat("x", api.MaxPrompt+1) + `"}`, "prompt"},
		"prompt null":              {`{"projectId":"` + testProject + `","prompt":null}`, "prompt"},
		"not UTF-8":                {"{\"prompt\":\"\xff\"}", "UTF-8"},
		"instructions too long":    {generateBody(`,"instructions":"` + strings.Repeat("x", api.MaxInstructions+1) + `"`), "instructions"},
		"context not an array":     {generateBody(`,"context":{}`), "context"},
		"context block a string":   {generateBody(`,"context":["x"]`), "context[0]"},
		"context member twice":     {generateBody(`,"context":[{"name":"a","name":"b"}]`), "context[0].name"},
		"too many context blocks":  {generateBody(`,"context":[` + strings.Repeat(`{},`, api.MaxContextBlocks) + `{}]`), "context"},
		"too many members":         {generateBody(strings.Repeat(`,"x":0`, maxMembers)), "more than 1000 members"},
		"too many of a skill":      {generateBody(`,"skills":[{"key":"k"` + strings.Repeat(`,"x":0`, maxMembers) + `}]`), "skills[0] has more than"},
		"skill without key":        {generateBody(`,"skills":[{"title":"t"}]`), "skills[0].key"},
		"skill key a path":         {generateBody(`,"skills":[{"key":"../x","title":"t"}]`), "skills[0].key"},
		"skill without title":      {generateBody(`,"skills":[{"key":"k"}]`), "skills[0].title"},
		"skill for unknown engine": {generateBody(`,"skills":[{"key":"k","title":"t","engine":"unity"}]`), "skills[0].engine"},
		"skill file climbs out":    {generateBody(`,"skills":[{"key":"k","title":"t","files":[{"path":"../x","content":""}]}]`), "skills[0].files[0].path"},
		"skill file absolute":      {generateBody(`,"skills":[{"key":"k","title":"t","files":[{"path":"/x","content":""}]}]`), "skills[0].files[0].path"},
		"skill file hidden":        {generateBody(`,"skills":[{"key":"k","title":"t","files":[{"path":".svc/x","content":""}]}]`), "skills[0].files[0].path"},
		"skill file a device":      {generateBody(`,"skills":[{"key":"k","title":"t","files":[{"path":"src/Con.js","content":""}]}]`), "skills[0].files[0].path"},
		"skill file a console":     {generateBody(`,"skills":[{"key":"k","title":"t","files":[{"path":"CONIN$","content":""}]}]`), "skills[0].files[0].path"},
		"skill file a third port":  {generateBody(`,"skills":[{"key":"k","title":"t","files":[{"path":"a/COM³ .js","content":""}]}]`), "skills[0].files[0].path"},
		"skill file half unseen":   {generateBody(`,"skills":[{"key":"k","title":"t","files":[{"path":"a\u200d.js","content":""}]}]`), "skills[0].files[0].path"},
		"skill file turned round":  {generateBody(`,"skills":[{"key":"k","title":"t","files":[{"path":"a\u202esj.exe","content":""}]}]`), "skills[0].files[0].path"},
		"skill key a device":       {generateBody(`,"skills":[{"key":"aux.js","title":"t"}]`), "skills[0].key"},
		"skill key ends in a dot":  {generateBody(`,"skills":[{"key":"a.","title":"t"}]`), "skills[0].key"},
		"skill file on a drive":    {generateBody(`,"skills":[{"key":"k","title":"t","files":[{"path":"c:x","content":""}]}]`), "skills[0].files[0].path"},
		"skill file ends in a dot": {generateBody(`,"skills":[{"key":"k","title":"t","files":[{"path":"a./b","content":""}]}]`), "skills[0].files[0].path"},
		"skill file backslash":     {generateBody(`,"skills":[{"key":"k","title":"t","files":[{"path":"a\\b","content":""}]}]`), "skills[0].files[0].path"},
		"unknown gameType":         {generateBody(`,"settings":{"gameType":"mmo"}`), "settings.gameType"},
		"gameType a number":        {generateBody(`,"settings":{"gameType":1}`), "settings.gameType"},
		"aiImages a string":        {generateBody(`,"settings":{"aiImages":"yes"}`), "settings.aiImages"},
		"settings in other case":   {generateBody(`,"settings":{"gametype":"platform"}`), "settings.gametype"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := ParseGenerateRequest([]byte(tc.body))
			var refused *answers.Error
			if !errors.As(err, &refused) || refused.Status != http.StatusBadRequest {
				t.Fatalf("error is %v, want a 400", err)
			}
			if !strings.Contains(refused.Message, tc.names) {
				t.Errorf("message %q does not name %q", refused.Message, tc.names)
			}
		})
	}
}

// What is accepted is given to the maker as it is, so that what is too much for it is
// refused here, with the part that is to blame.
func TestPromptThatIsTooMuchForAMakerIsRefusedWithItsLargestPart(t *testing.T) {
	block := func(n int) string { return `{"name":"c","content":"` + strings.Repeat("x", n) + `"}` }
	most := generateBody(`,"instructions":"` + strings.Repeat("i", api.MaxInstructions) + `","context":[` + block(api.MaxContext) + `,` + block(api.MaxParts-api.MaxContext-api.MaxInstructions-len("a fish")) + `]`)
	if _, err := ParseGenerateRequest([]byte(most)); err != nil {
		t.Fatalf("the most that is accepted: %v", err)
	}
	skill := `,"skills":[{"key":"k","title":"t","files":[` + strings.Repeat(`{"path":"a.js","content":"`+strings.Repeat("s", api.MaxSkillFile)+`"},`, 2) + `{"path":"b.js","content":"s"}]}]`
	for body, want := range map[string]string{
		strings.Replace(most, `"a fish"`, `"a fish!"`, 1): "together; they have 524289, of which the largest part, context[0].content, has 262144.",
		generateBody(skill): "at most 524288 bytes together; they have 524295, of which the largest part, skills[0], has 524289.",
	} {
		_, err := ParseGenerateRequest([]byte(body))
		var refused *answers.Error
		if !errors.As(err, &refused) || refused.Status != http.StatusBadRequest || !strings.HasSuffix(refused.Message, want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestProjectRequestBounds(t *testing.T) {
	good := map[string]string{
		"name only":        `{"name":"x"}`,
		"all":              `{"name":"x","template":"blank","description":"d"}`,
		"description null": `{"name":"x","description":null}`,
		"longest name":     `{"name":"` + strings.Repeat("ü", api.MaxProjectName) + `"}`,
	}
	for name, body := range good {
		t.Run(name, func(t *testing.T) {
			req, err := ParseProjectRequest([]byte(body))
			if err != nil || req.Name == "" || req.Template != api.TemplateBlank {
				t.Errorf("got %+v, %v", req, err)
			}
		})
	}
	bad := map[string]string{
		"no name":          `{}`,
		"empty name":       `{"name":""}`,
		"name too long":    `{"name":"` + strings.Repeat("x", api.MaxProjectName+1) + `"}`,
		"other template":   `{"name":"x","template":"rpg"}`,
		"long description": `{"name":"x","description":"` + strings.Repeat("x", api.MaxProjectDescription+1) + `"}`,
	}
	for name, body := range bad {
		t.Run(name, func(t *testing.T) {
			if req, err := ParseProjectRequest([]byte(body)); err == nil {
				t.Errorf("accepted: %+v", req)
			}
		})
	}
}

func FuzzGenerateRequestNeverAcceptsAForeignReading(f *testing.F) {
	f.Add([]byte(generateBody("")))
	f.Add([]byte(generateBody(`,"PROJECTID":"x"`)))
	f.Add([]byte(`{"projectId":"` + testProject + `","prompt":"x","skills":[{"key":"k","title":"t"}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		req, err := ParseGenerateRequest(body)
		if err != nil {
			var refused *answers.Error
			if !errors.As(err, &refused) || refused.Status != http.StatusBadRequest {
				t.Fatalf("error is %v, want a 400", err)
			}
			return
		}
		if !api.ValidProjectID(req.ProjectID) || req.Prompt == "" {
			t.Fatalf("accepted %+v", req)
		}
	})
}

func TestWebhookOfAJobIsReadAndTakenOut(t *testing.T) {
	body := []byte(`{"projectId":"0123456789abcdef01234567","x":"<\u00fc>","webhook":{"url":"https://hooks.example.com/a","events":["job.failed"]},"prompt":"a"}`)
	req, err := ParseGenerateRequest(body)
	if err != nil || req.Webhook == nil || req.Webhook.URL != "https://hooks.example.com/a" || len(req.Webhook.Events) != 1 {
		t.Fatalf("%+v, %v", req.Webhook, err)
	}
	rest, err := WithoutWebhook(body)
	if err != nil || string(rest) != `{"projectId":"0123456789abcdef01234567","prompt":"a","x":"<\u00fc>"}` {
		t.Errorf("left %s, %v", rest, err)
	}
	for _, hook := range []string{`{}`, `{"url":"ftp://a"}`, `{"url":"https://u:p@a"}`, `{"url":"https://a","events":["job.begun"]}`, `"https://a"`} {
		_, err := ParseGenerateRequest([]byte(`{"projectId":"0123456789abcdef01234567","prompt":"a","webhook":` + hook + `}`))
		if err == nil || !strings.HasPrefix(err.Error(), "400 webhook") {
			t.Errorf("%s: %v", hook, err)
		}
	}
}
