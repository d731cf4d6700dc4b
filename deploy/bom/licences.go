package main

import (
	"regexp"
	"slices"
	"strings"
)

// allowed are the licences, by their names of SPDX, whose works may be built into programs
// and images that are given away in any form.
var allowed = map[string]bool{
	"0BSD": true, "Apache-2.0": true, "BSD-2-Clause": true, "BSD-3-Clause": true, "CC0-1.0": true,
	"ISC": true, "MIT": true, "MPL-2.0": true, "Unlicense": true,
}

// refused says why a component may not be built in, "" where it may.
func refused(licences []string) string {
	if len(licences) == 0 {
		return "no licence is known"
	}
	bad := slices.DeleteFunc(slices.Clone(licences), func(name string) bool { return allowed[name] })
	if len(bad) == 0 {
		return ""
	}
	return strings.Join(bad, ", ")
}

// known are licences by what their texts say. A text may hold several; one that adds to
// another what is not allowed has a name of its own.
var known = []struct {
	name string
	says *regexp.Regexp
}{
	{"AGPL", regexp.MustCompile(`(?i)GNU Affero General Public License`)},
	{"GPL", regexp.MustCompile(`(?i)GNU General Public License`)},
	{"LGPL", regexp.MustCompile(`(?i)GNU (Lesser|Library) General Public License`)},
	{"Commons-Clause", regexp.MustCompile(`(?i)Commons Clause`)},
	{"JSON", regexp.MustCompile(`(?i)shall be used for Good`)},
	{"BSD-4-Clause", regexp.MustCompile(`(?i)All advertising materials`)},
	{"MPL-2.0", regexp.MustCompile(`^.{0,200}Mozilla Public License,? [Vv]ersion 2\.0`)},
	{"Apache-2.0", regexp.MustCompile(`Apache License,? Version 2\.0`)},
	{"MIT", regexp.MustCompile(`Permission is hereby granted, free of charge`)},
	{"BSD-3-Clause", regexp.MustCompile(`Redistribution and use in source and binary forms.*(Neither the name|nor the names|to endorse)`)},
	{"BSD-2-Clause", regexp.MustCompile(`Redistribution and use in source and binary forms`)},
	{"ISC", regexp.MustCompile(`Permission to use, copy, modify, and(/or)? distribute`)},
	{"Unlicense", regexp.MustCompile(`free and unencumbered software`)},
	{"CC0-1.0", regexp.MustCompile(`CC0 1\.0 Universal`)},
}

// secondary is where the MPL names licences that it is not.
var secondary = regexp.MustCompile(`means either the GNU General Public License, Version 2\.0, the GNU Lesser General Public License, ` +
	`Version 2\.1, the GNU Affero General Public License, Version 3\.0, or any later versions of those licenses`)

// namesOf returns the licences of which a text is, none for a text that is not known.
func namesOf(text string) (names []string) {
	text = secondary.ReplaceAllString(strings.Join(strings.Fields(text), " "), "")
	for _, k := range known {
		if k.name == "BSD-2-Clause" && slices.Contains(names, "BSD-3-Clause") {
			continue // its text begins alike
		}
		if k.says.MatchString(text) {
			names = append(names, k.name)
		}
	}
	return names
}
