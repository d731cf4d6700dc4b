package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/test/keep"
	"github.com/svc-games/svc/test/programs"
)

// built returns a program that has modules in it.
func built(t *testing.T) string {
	t.Helper()
	return programs.Build(t, "cmd/svc-shim")
}

// says runs the command, which must succeed.
func says(t *testing.T, args ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := run(args, &out); err != nil {
		t.Fatalf("bom %v: %v\n%s", args, err, out.String())
	}
	return out.Bytes()
}

func TestBillNamesEachModuleOfAProgramAndTheProgramItself(t *testing.T) {
	path := built(t)
	raw := says(t, "-name", "image", "-version", "1", path)
	if again := says(t, "-name", "image", "-version", "1", path); !bytes.Equal(raw, again) {
		t.Error("the same program makes another bill the second time")
	}
	var b bill
	if err := json.Unmarshal(raw, &b); err != nil {
		t.Fatal(err)
	}
	if b.Format != "CycloneDX" || b.Metadata.Component.Name != "image" || b.Metadata.Component.Version != "1" {
		t.Errorf("the bill is of %+v", b)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(content)
	is := slices.IndexFunc(b.Components, func(c component) bool { return c.Type == "application" })
	if is < 0 || b.Components[is].Hashes[0].Content != hex.EncodeToString(sum[:]) {
		t.Error("the program's sum is not in the bill")
	}
	out, err := exec.Command("go", "version", "-m", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	modules := 0
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) < 3 || fields[0] != "dep" {
			continue
		}
		modules++
		url := "pkg:golang/" + fields[1] + "@" + fields[2]
		if !slices.ContainsFunc(b.Components, func(c component) bool { return c.Package == url && len(c.Hashes) == 1 && len(c.Licences) > 0 }) {
			t.Errorf("%s is missing, or has no sum or licence", url)
		}
	}
	if modules == 0 {
		t.Fatalf("go names no module:\n%s", out)
	}
}

const lockFile = `{"packages": {
	"": {"name": "root"},
	"node_modules/@a/good": {"version": "1.0.0", "license": "MIT", "integrity": "sha512-AAAA"},
	"node_modules/x/node_modules/bad": {"version": "2.0.0", "license": "GPL-3.0-only", "integrity": "sha512-AAAA"},
	"node_modules/none": {"version": "3.0.0", "integrity": "sha512-AAAA"},
	"node_modules/tool": {"version": "4.0.0", "license": "GPL-3.0-only", "integrity": "sha512-AAAA", "dev": true}
}}`

func TestLicenceThatIsNotAllowedOrUnknownIsNamed(t *testing.T) {
	var out bytes.Buffer
	err := run([]string{"-licences", "-lock", keep.File(t, "package-lock.json", lockFile)}, &out)
	if err == nil {
		t.Error("nothing is wrong with them")
	}
	want := "pkg:npm/bad@2.0.0: GPL-3.0-only\npkg:npm/none@3.0.0: no licence is known\n"
	if out.String() != want {
		t.Errorf("it says\n%swant\n%s", out.String(), want)
	}
}

// mpl is what of the MPL names licences, its own and others.
const mpl = "Mozilla Public License Version 2.0\n1.12. \"Secondary License\"\n means either the GNU General Public License, Version 2.0, the GNU Lesser\n" +
	" General Public License, Version 2.1, the GNU Affero General Public\n License, Version 3.0, or any later versions of those licenses."

func TestLicencesAreKnownByTheirTexts(t *testing.T) {
	for text, want := range map[string]string{
		"GNU AFFERO GENERAL PUBLIC LICENSE Version 3":       "AGPL",
		"GNU GENERAL PUBLIC LICENSE\n Version 2, June 1991": "GPL",
		"GNU LESSER GENERAL PUBLIC LICENSE Version 2.1":     "LGPL",
		mpl: "MPL-2.0",
		mpl + "\nGNU GENERAL PUBLIC LICENSE\n Version 3":                                                            "GPL MPL-2.0",
		"MIT\nPermission is hereby granted, free of charge …\n or, for some files, the GNU General Public\nLicense": "GPL MIT",
		"“Commons Clause” License Condition v1.0 … Apache License, Version 2.0":                                     "Commons-Clause Apache-2.0",
		"Permission is hereby granted, free of charge … The Software shall be used for Good, not Evil.":             "JSON MIT",
		"Redistribution and use in source and binary forms … 3. All advertising materials … 4. Neither the name":    "BSD-4-Clause BSD-3-Clause",
		"Permission is hereby granted, free\nof charge, to any person":                                              "MIT",
		"Redistribution and use in source and binary forms … Neither the name of":                                   "BSD-3-Clause",
		"Redistribution and use in source and binary forms, with or without":                                        "BSD-2-Clause",
		"Apache License\n    Version 2.0, January 2004 … Redistribution and use in source and binary forms, so":     "Apache-2.0 BSD-2-Clause",
		"All rights reserved": "",
	} {
		if got := strings.Join(namesOf(text), " "); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestDebiansPackagesAreThoseThatAreInstalled(t *testing.T) {
	list := "Package: libc6\nStatus: install ok installed\nArchitecture: amd64\nVersion: 2.36-9\nDescription: C\n Version: of lies\n\n" +
		"Package: gone\nStatus: deinstall ok config-files\nArchitecture: amd64\nVersion: 1\n\n" +
		"Package: libstdc++6\nStatus: install ok installed\nArchitecture: amd64\nVersion: 1:12.2.0-14+deb12u1\n\n" +
		"Package: tzdata\nStatus: install ok installed\nArchitecture: all\nVersion: 2024a-0\n"
	var b bill
	if err := json.Unmarshal(says(t, "-dpkg", keep.File(t, "status", list)), &b); err != nil {
		t.Fatal(err)
	}
	var urls []string
	for _, c := range b.Components {
		urls = append(urls, c.Package)
	}
	want := []string{
		"pkg:deb/debian/libc6@2.36-9?arch=amd64", "pkg:deb/debian/libstdc%2B%2B6@1%3A12.2.0-14%2Bdeb12u1?arch=amd64",
		"pkg:deb/debian/tzdata@2024a-0?arch=all",
	}
	if !slices.Equal(urls, want) {
		t.Errorf("%v, want %v", urls, want)
	}
}
