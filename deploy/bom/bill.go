package main

// bill is a bill of materials as CycloneDX has it, as far as it is used here.
type bill struct {
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Version    int         `json:"version"`
	Metadata   metadata    `json:"metadata"`
	Components []component `json:"components"`
}

type metadata struct {
	Component component `json:"component"` // the image
}

type component struct {
	Type     string    `json:"type"` // "container", "application", "library"
	Ref      string    `json:"bom-ref"`
	Name     string    `json:"name"`
	Version  string    `json:"version,omitempty"`
	Hashes   []hash    `json:"hashes,omitempty"`
	Licences []licence `json:"licenses,omitempty"`
	Package  string    `json:"purl,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"` // hex
}

type licence struct {
	Licence struct {
		ID   string `json:"id,omitempty"`   // of SPDX
		Name string `json:"name,omitempty"` // of what SPDX has no id for
	} `json:"license"`
}

// library returns a component that is known by its package URL.
func library(url, name, version string, hashes []hash, licences []string) component {
	c := component{Type: "library", Ref: url, Name: name, Version: version, Hashes: hashes, Package: url}
	for _, id := range licences {
		var l licence
		if l.Licence.ID = id; !allowed[id] {
			l.Licence.ID, l.Licence.Name = "", id
		}
		c.Licences = append(c.Licences, l)
	}
	return c
}

func (c component) licenceNames() (names []string) {
	for _, l := range c.Licences {
		names = append(names, l.Licence.ID+l.Licence.Name)
	}
	return names
}
