package build

import (
	"path"

	"github.com/evanw/esbuild/pkg/api"
)

// Syntax returns what is wrong with a source file on its own. A kind of file
// that is no source has no faults.
func Syntax(name, content string) []Problem {
	loader, ok := loaders[path.Ext(name)]
	if !ok {
		return nil
	}
	result := api.Transform(content, api.TransformOptions{Loader: loader, Sourcefile: name, TsconfigRaw: "{}", LogLevel: api.LogLevelSilent})
	return problems(result.Errors)
}

// Uncommented returns a source file without its comments, which only a parser
// can tell from strings. One that can't be parsed comes out as it is.
func Uncommented(name, content string) string {
	result := api.Transform(content, api.TransformOptions{
		Loader: loaders[path.Ext(name)], Sourcefile: name, TsconfigRaw: "{}", LogLevel: api.LogLevelSilent,
		MinifyWhitespace: true, LegalComments: api.LegalCommentsNone, Charset: api.CharsetUTF8,
	})
	if len(result.Errors) > 0 {
		return content
	}
	return string(result.Code)
}

// loaders are those of the sources that can be parsed.
var loaders = map[string]api.Loader{".js": api.LoaderJS, ".ts": api.LoaderTS, ".json": api.LoaderJSON}
