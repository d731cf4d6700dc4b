package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"go/build"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"unicode"
)

// program returns a program that Go built, with its sum, and the modules in it.
func program(path string) ([]component, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(content)
	name := filepath.Base(path)
	found := []component{
		{Type: "application", Ref: name, Name: name, Hashes: []hash{{"SHA-256", hex.EncodeToString(sum[:])}}},
		standardLibrary(info.GoVersion),
	}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		c, err := module(m)
		if err != nil {
			return nil, fmt.Errorf("the module %s: %w", m.Path, err)
		}
		found = append(found, c)
	}
	return found, nil
}

// standardLibrary is what each program has of Go itself, under Go's own licence.
func standardLibrary(version string) component {
	version = strings.TrimPrefix(version, "go")
	return library("pkg:golang/std@"+version, "std", version, nil, []string{"BSD-3-Clause"})
}

func module(m *debug.Module) (component, error) {
	licences, err := moduleLicences(m)
	if err != nil {
		return component{}, err
	}
	// A sum is h1: and a SHA-256 in base64, of the sums of all files.
	sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:"))
	if err != nil {
		return component{}, fmt.Errorf("its sum: %w", err)
	}
	var hashes []hash
	if len(sum) > 0 {
		hashes = []hash{{"SHA-256", hex.EncodeToString(sum)}}
	}
	return library("pkg:golang/"+m.Path+"@"+m.Version, m.Path, m.Version, hashes, licences), nil
}

// licenceFile is what texts of licences are called.
var licenceFile = regexp.MustCompile(`(?i)^(un)?licen[sc]e|^copying`)

// moduleLicences reads the texts at the top of a module, in Go's cache of modules.
func moduleLicences(m *debug.Module) (names []string, err error) {
	cache := os.Getenv("GOMODCACHE")
	if cache == "" {
		cache = filepath.Join(filepath.SplitList(build.Default.GOPATH)[0], "pkg", "mod")
	}
	dir := filepath.Join(cache, escaped(m.Path)+"@"+escaped(m.Version))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("%w; run: go mod download", err)
	}
	for _, e := range entries {
		if e.IsDir() || !licenceFile.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		names = append(names, namesOf(string(text))...)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// escaped is how the cache writes capitals, which not every disk tells from small letters.
func escaped(path string) string {
	var b strings.Builder
	for _, r := range path {
		if unicode.IsUpper(r) {
			b.WriteByte('!')
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}
