package build

import (
	"encoding/base64"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// namespace is where esbuild believes all project files to be, so that it
// never looks at the real file system.
const namespace = "project"

// globals are the bare imports that stand for classic scripts of the page.
var globals = map[string]string{"phaser": "Phaser", "pixi.js": "PIXI", "three": "THREE"}

// sounds are the types of those that esbuild can't make a data: URL of.
var sounds = map[string]string{".mp3": "audio/mpeg", ".ogg": "audio/ogg"}

// confined is a plugin that answers every import through read or refuses it:
// esbuild alone would bundle any file that the process can read.
func confined(read func(string) ([]byte, error)) api.Plugin {
	return api.Plugin{
		Name: "confined",
		Setup: func(b api.PluginBuild) {
			b.OnResolve(api.OnResolveOptions{Filter: `.*`}, resolve)
			b.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: "global"}, loadGlobal)
			b.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: namespace}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
				return load(read, args.Path)
			})
		},
	}
}

func resolve(args api.OnResolveArgs) (api.OnResolveResult, error) {
	if args.Kind == api.ResolveEntryPoint {
		return inProject(args.Path)
	}
	if _, ok := globals[args.Path]; ok {
		return api.OnResolveResult{Path: args.Path, Namespace: "global"}, nil
	}
	if !strings.HasPrefix(args.Path, "./") && !strings.HasPrefix(args.Path, "../") {
		return api.OnResolveResult{}, fmt.Errorf("%q can't be imported: a path must start with ./ or ../, a library must be one of phaser, pixi.js and three", args.Path)
	}
	return inProject(path.Join(path.Dir(args.Importer), args.Path))
}

func inProject(p string) (api.OnResolveResult, error) {
	if !fs.ValidPath(p) || strings.Contains(p, `\`) {
		return api.OnResolveResult{}, fmt.Errorf("%q is outside the project", p)
	}
	return api.OnResolveResult{Path: p, Namespace: namespace}, nil
}

func loadGlobal(args api.OnLoadArgs) (api.OnLoadResult, error) {
	contents := "module.exports = window." + globals[args.Path] + ";"
	return api.OnLoadResult{Contents: &contents, Loader: api.LoaderJS}, nil
}

func load(read func(string) ([]byte, error), p string) (api.OnLoadResult, error) {
	var loader api.Loader
	switch path.Ext(p) {
	case ".js":
		loader = api.LoaderJS
	case ".ts":
		loader = api.LoaderTS
	case ".json":
		loader = api.LoaderJSON
	case ".png", ".jpg", ".wav":
		loader = api.LoaderDataURL
	case ".mp3", ".ogg":
		loader = api.LoaderText
	default:
		return api.OnLoadResult{}, fmt.Errorf("%q can't be imported: only .js, .ts, .json, .png, .jpg, .wav, .mp3 and .ogg can", p)
	}
	data, err := read(p)
	if err != nil {
		return api.OnLoadResult{}, fmt.Errorf("reading %s: %w", p, err)
	}
	contents := string(data)
	if loader == api.LoaderText { // esbuild does not know that these are sounds
		contents = "data:" + sounds[path.Ext(p)] + ";base64," + base64.StdEncoding.EncodeToString(data)
	}
	return api.OnLoadResult{Contents: &contents, Loader: loader}, nil
}
