package api

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

func document(t *testing.T) *openapi3.T {
	t.Helper()
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromData([]byte(OpenAPI()))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// schema returns a named schema of the document.
func schema(t *testing.T, doc *openapi3.T, name string) *openapi3.Schema {
	t.Helper()
	ref, ok := doc.Components.Schemas[name]
	if !ok {
		t.Fatalf("the document has no schema %s", name)
	}
	return ref.Value
}

func TestOpenAPIDocumentAndItsExamplesAreValid(t *testing.T) {
	if err := document(t).Validate(context.Background(), openapi3.EnableExamplesValidation()); err != nil {
		t.Error(err)
	}
}

// wireTypes are the types whose JSON the document describes, by the name of
// their schema.
var wireTypes = map[string]any{
	"GenerateRequest":   GenerateRequest{},
	"ContextBlock":      ContextBlock{},
	"Skill":             Skill{},
	"SkillFile":         SkillFile{},
	"Settings":          Settings{},
	"Submission":        Submission{},
	"Job":               Job{},
	"JobList":           JobList{},
	"Queue":             Queue{},
	"StreamToken":       StreamToken{},
	"Progress":          Progress{},
	"Failure":           Failure{},
	"Unmet":             Unmet{},
	"Files":             Files{},
	"Project":           Project{},
	"ProjectRequest":    ProjectRequest{},
	"ProjectCreated":    ProjectCreated{},
	"ProjectCreatedRef": ProjectCreatedRef{},
	"ProjectFound":      ProjectFound{},
	"ProjectList":       ProjectList{},
	"Published":         Published{},
	"PublishRequest":    PublishRequest{},
	"Publication":       Publication{},
	"PlaySettingsFound": PlaySettingsFound{},
	"PlaySettings":      PlaySettings{},
	"PlayChange":        PlayChange{},
	"ExperimentList":    ExperimentList{},
	"Experiment":        Experiment{},
	"ExperimentValue":   ExperimentValue{},
	"ExperimentChange":  ExperimentChange{},
	"BoardRulesFound":   BoardRulesFound{},
	"BoardRules":        BoardRules{},
	"RewardRule":        RewardRule{},
	"Webhook":           Webhook{},
	"WebhookFound":      WebhookFound{},
	"WebhookRequest":    WebhookRequest{},
	"Delivery":          Delivery{},
	"DeliveryList":      DeliveryList{},
	"DeliveryFound":     DeliveryFound{},
	"WebhookPost":       WebhookPost{},
	"WebhookPostData":   WebhookPostData{},
	"OverviewFound":     OverviewFound{},
	"Overview":          Overview{},
	"PlayCounts":        PlayCounts{},
	"Build":             Build{},
	"ViewFound":         ViewFound{},
	"View":              View{},
	"ViewTable":         ViewTable{},
	"ViewColumn":        ViewColumn{},
	"Model":             Model{},
	"ModelPrice":        ModelPrice{},
	"ModelList":         ModelList{},
}

// requests are those of wireTypes that clients send: what they must send is
// not what the Go type always writes.
var requests = []string{"GenerateRequest", "ContextBlock", "Skill", "SkillFile", "Settings", "PlayChange", "ExperimentChange", "BoardRules", "RewardRule"}

func TestDocumentAndWireTypesHaveTheSameMembers(t *testing.T) {
	doc := document(t)
	for name, value := range wireTypes {
		all, always := jsonMembers(reflect.TypeOf(value))
		described := schema(t, doc, name)
		if got := slices.Sorted(maps.Keys(described.Properties)); !slices.Equal(got, all) {
			t.Errorf("%s: the document has %v, the Go type %v", name, got, all)
		}
		if got := slices.Sorted(slices.Values(described.Required)); !slices.Contains(requests, name) && !slices.Equal(got, always) {
			t.Errorf("%s: the document requires %v, the Go type always writes %v", name, got, always)
		}
	}
	for name := range structsWithTags(t) {
		if _, ok := wireTypes[name]; !ok {
			t.Errorf("%s is a wire type that the document is not compared with", name)
		}
	}
}

// jsonMembers returns the names of a struct's JSON members, and of those that
// are written whatever they hold, sorted.
func jsonMembers(t reflect.Type) (all, always []string) {
	for i := range t.NumField() {
		name, options, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		all = append(all, name)
		if options == "" {
			always = append(always, name)
		}
	}
	slices.Sort(all)
	slices.Sort(always)
	return all, always
}

func TestDocumentAndConstantsHaveTheSameValues(t *testing.T) {
	doc := document(t)
	enum := func(name string) []string {
		var values []string
		for _, v := range schema(t, doc, name).Enum {
			values = append(values, v.(string))
		}
		return values
	}
	member := func(name, member string) *openapi3.Schema {
		return schema(t, doc, name).Properties[member].Value
	}
	var reasons, limits, events []string
	for _, v := range member("KeyRefused", "reason").Enum {
		reasons = append(reasons, v.(string))
	}
	reasons = append(reasons, member("LimitExceeded", "reason").Const.(string))
	for _, v := range member("LimitExceeded", "limit").Enum {
		limits = append(limits, v.(string))
	}
	for _, ref := range schema(t, doc, "Event").OneOf {
		events = append(events, ref.Value.Properties["type"].Value.Const.(string))
	}
	for name, tc := range map[string]struct{ documented, constants []string }{
		"job states":       {enum("JobStatus"), constants(t, ofType("JobStatus"))},
		"stages":           {enum("Stage"), constants(t, ofType("Stage"))},
		"failure codes":    {enum("FailureCode"), constants(t, ofType("FailureCode"))},
		"game types":       {enum("GameType"), constants(t, ofType("GameType"))},
		"reasoning levels": {enum("ReasoningLevel"), constants(t, ofType("ReasoningLevel"))},
		"dimension modes":  {enum("DimensionMode"), constants(t, ofType("DimensionMode"))},
		"chat modes":       {enum("ChatMode"), constants(t, ofType("ChatMode"))},
		"reasons":          {reasons, constants(t, withPrefix("Reason"))},
		"limits":           {limits, constants(t, withPrefix("Limit"))},
		"event types":      {events, constants(t, withPrefix("Event", "Stream"))},
	} {
		if !slices.Equal(tc.documented, tc.constants) {
			t.Errorf("%s: the document has %v, the code %v", name, tc.documented, tc.constants)
		}
	}
}

func TestDocumentAndCodeHaveTheSameBounds(t *testing.T) {
	doc := document(t)
	length := func(name, member string) int {
		return int(*schema(t, doc, name).Properties[member].Value.MaxLength)
	}
	items := func(name, member string) int {
		return int(*schema(t, doc, name).Properties[member].Value.MaxItems)
	}
	for what, tc := range map[string]struct{ documented, code int }{
		"name":          {length("ProjectRequest", "name"), MaxProjectName},
		"description":   {length("ProjectRequest", "description"), MaxProjectDescription},
		"prompt":        {length("GenerateRequest", "prompt"), MaxPrompt},
		"instructions":  {length("GenerateRequest", "instructions"), MaxInstructions},
		"context":       {items("GenerateRequest", "context"), MaxContextBlocks},
		"context name":  {length("ContextBlock", "name"), MaxContextName},
		"context block": {length("ContextBlock", "content"), MaxContext},
		"skills":        {items("GenerateRequest", "skills"), MaxSkills},
		"skill title":   {length("Skill", "title"), MaxSkillTitle},
		"skill prompt":  {length("Skill", "prompt"), MaxPrompt},
		"mechanics":     {items("Skill", "mechanics"), MaxMechanics},
		"skill files":   {items("Skill", "files"), MaxSkillFiles},
		"skill path":    {length("SkillFile", "path"), MaxPath},
		"skill file":    {length("SkillFile", "content"), MaxSkillFile},
		"model":         {length("Settings", "model"), MaxModel},
	} {
		if tc.documented != tc.code {
			t.Errorf("%s: the document says %d, the code %d", what, tc.documented, tc.code)
		}
	}
}

func TestDocumentAndCodeAgreeOnEveryIDOneByteFromAGoodOne(t *testing.T) {
	doc := document(t)
	for name, tc := range map[string]struct {
		good  string
		valid func(string) bool
	}{
		"ProjectId": {"6b1f0a4e9c2d4f7a8b3e5d60", ValidProjectID},
		"JobId":     {"job_01JD3QZ5X8C0W6T1R4M9K2H7EA", ValidJobID},
	} {
		documented := regexp.MustCompile(schema(t, doc, name).Pattern)
		ids := []string{tc.good, tc.good[1:], tc.good + "0", ""}
		for i := range len(tc.good) {
			for b := range 256 {
				ids = append(ids, tc.good[:i]+string([]byte{byte(b)})+tc.good[i+1:])
			}
		}
		for _, id := range ids {
			if tc.valid(id) != documented.MatchString(id) {
				t.Errorf("%s: the document and the code don't agree on %q", name, id)
			}
		}
	}
}

// eachSpec calls do for each specification of the package's declarations of
// one kind, in the order of files and lines.
func eachSpec(t *testing.T, kind token.Token, do func(ast.Spec)) {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			if d, ok := decl.(*ast.GenDecl); ok && d.Tok == kind {
				for _, spec := range d.Specs {
					do(spec)
				}
			}
		}
	}
}

// constants returns the values of the package's string constants that match,
// in the order of the source.
func constants(t *testing.T, match func(name string, spec *ast.ValueSpec) bool) []string {
	t.Helper()
	var values []string
	eachSpec(t, token.CONST, func(spec ast.Spec) {
		s := spec.(*ast.ValueSpec)
		for i, ident := range s.Names {
			if i >= len(s.Values) || !match(ident.Name, s) {
				continue
			}
			if literal, ok := s.Values[i].(*ast.BasicLit); ok && literal.Kind == token.STRING {
				value, err := strconv.Unquote(literal.Value)
				if err != nil {
					t.Fatal(err)
				}
				values = append(values, value)
			}
		}
	})
	return values
}

func ofType(name string) func(string, *ast.ValueSpec) bool {
	return func(_ string, s *ast.ValueSpec) bool {
		ident, ok := s.Type.(*ast.Ident)
		return ok && ident.Name == name
	}
}

func withPrefix(prefixes ...string) func(string, *ast.ValueSpec) bool {
	return func(name string, s *ast.ValueSpec) bool {
		return s.Type == nil && slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
	}
}

// structsWithTags returns the names of the package's structs that have JSON
// tags.
func structsWithTags(t *testing.T) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	eachSpec(t, token.TYPE, func(spec ast.Spec) {
		s := spec.(*ast.TypeSpec)
		if body, ok := s.Type.(*ast.StructType); ok && slices.ContainsFunc(body.Fields.List, func(f *ast.Field) bool { return f.Tag != nil }) {
			found[s.Name.Name] = true
		}
	})
	return found
}
