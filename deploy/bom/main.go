// Command bom says what is in the images: a bill of materials in CycloneDX, of the
// modules that programs were built of, of what came from npm, and of Debian's packages.
//
//	go run ./deploy/bom -name svc-gateway -lock LOCK bin/caddy
//	go run ./deploy/bom -licences -lock LOCK bin/caddy
//
// The same files make the same bill. With -licences it prints, instead, each component
// whose licence is not one of those that are allowed, and then exits with 1.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// options say what is in an image.
type options struct {
	name     string
	version  string
	programs []string // built by Go
	locks    []string // package-lock.json of npm
	packages string   // Debian's list of what is installed, var/lib/dpkg/status; "" for none
}

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bom: "+err.Error())
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	var o options
	flags := flag.NewFlagSet("bom", flag.ContinueOnError)
	flags.StringVar(&o.name, "name", "svc", "`name` of the image")
	flags.StringVar(&o.version, "version", "", "`version` of the image")
	flags.StringVar(&o.packages, "dpkg", "", "Debian's list of packages, a `file`")
	flags.Func("lock", "package-lock.json of npm, a `file`; may be given several times", func(path string) error {
		o.locks = append(o.locks, path)
		return nil
	})
	licences := flags.Bool("licences", false, "look at the licences instead")
	if err := flags.Parse(args); err != nil {
		return err
	}
	o.programs = flags.Args()
	b, err := o.bill()
	if err != nil {
		return err
	}
	if *licences {
		return checkLicences(b.Components, out)
	}
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(b)
}

// bill returns the bill of an image, its components by their references.
func (o options) bill() (bill, error) {
	b := bill{Format: "CycloneDX", Spec: "1.6", Version: 1}
	b.Metadata.Component = component{Type: "container", Name: o.name, Version: o.version, Ref: o.name}
	for _, path := range o.programs {
		of, err := program(path)
		if err != nil {
			return bill{}, fmt.Errorf("the program %s: %w", path, err)
		}
		b.Components = append(b.Components, of...)
	}
	for _, path := range o.locks {
		of, err := npmPackages(path)
		if err != nil {
			return bill{}, fmt.Errorf("what npm installed by %s: %w", path, err)
		}
		b.Components = append(b.Components, of...)
	}
	if o.packages != "" {
		of, err := debianPackages(o.packages)
		if err != nil {
			return bill{}, fmt.Errorf("Debian's packages: %w", err)
		}
		b.Components = append(b.Components, of...)
	}
	if len(b.Components) == 0 {
		return bill{}, errors.New("no program, lock file or list of packages is given")
	}
	byRef := func(a, b component) int { return strings.Compare(a.Ref, b.Ref) }
	slices.SortFunc(b.Components, byRef)
	b.Components = slices.CompactFunc(b.Components, func(a, b component) bool { return a.Ref == b.Ref })
	return b, nil
}

// checkLicences prints the components whose licence may not be built in, or is unknown.
// Debian's packages are not built in: they are programs of their own.
func checkLicences(components []component, out io.Writer) error {
	bad, looked := 0, 0
	for _, c := range components {
		if c.Type != "library" || strings.HasPrefix(c.Ref, "pkg:deb/") {
			continue
		}
		looked++
		if why := refused(c.licenceNames()); why != "" {
			bad++
			if _, err := fmt.Fprintf(out, "%s: %s\n", c.Ref, why); err != nil {
				return err
			}
		}
	}
	if bad > 0 {
		return fmt.Errorf("%d of %d components have a licence that is not allowed", bad, looked)
	}
	_, err := fmt.Fprintf(out, "%d components, all of a licence that is allowed\n", looked)
	return err
}
