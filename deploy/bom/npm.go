package main

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
)

// npmPackages are those that a lock file pins and that are not for development alone.
func npmPackages(path string) (found []component, err error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct {
			Version   string `json:"version"`
			Licence   string `json:"license"`
			Integrity string `json:"integrity"`
			Dev       bool   `json:"dev"`
		} `json:"packages"`
	}
	if err := json.Unmarshal(raw, &lock); err != nil {
		return nil, err
	}
	for place, p := range lock.Packages {
		_, name, installed := cutLast(place, "node_modules/")
		if !installed || p.Dev {
			continue
		}
		sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(p.Integrity, "sha512-"))
		if err != nil || len(sum) == 0 {
			return nil, fmt.Errorf("%s has no sum in SHA-512", name)
		}
		var licences []string
		if p.Licence != "" {
			licences = []string{p.Licence}
		}
		url := "pkg:npm/" + strings.Replace(name, "@", "%40", 1) + "@" + p.Version
		found = append(found, library(url, name, p.Version, []hash{{"SHA-512", hex.EncodeToString(sum)}}, licences))
	}
	if len(found) == 0 {
		return nil, errors.New("it pins nothing")
	}
	return found, nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
