package caddymodule

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/dustin/go-humanize"
)

// parseDriver reads how engines run. Syntax:
//
//	driver process {
//	    users    <first>-<last>|off
//	    readable <path>
//	    chromium <path>|off
//	    files    <number>
//	    pids     <number>
//	    largest  <size>
//	    volume   <size>
//	    log      <size>
//	    cgroup   <path>
//	    memory   <size>
//	    cpus     <number>
//	}
//	driver docker {
//	    host     unix://<path>
//	    image    <name>
//	    pull     never|missing
//	    chromium <path>
//	    memory   <size>
//	    cpus     <number>
//	    pids     <number>
//	    tmp      <size>
//	    volume   <size>
//	    runtime  <name>
//	}
//	driver kubernetes {
//	    access         ReadWriteOncePod|ReadWriteOnce
//	    cpus           <number>
//	    disk           <size>
//	    egress_listen  <address>
//	    egress_url     <url>
//	    image          <name>
//	    installation   <name>
//	    kubeconfig     <path>
//	    memory         <size>
//	    namespace      <name>
//	    node_selector  <label>=<value>[,...]
//	    place          <duration>
//	    priority_class <name>
//	    pull           never|missing|always
//	    pull_secret    <name>
//	    runtime_class  <name>
//	    storage_class  <name>
//	    tmp            <size>
//	    user           <id>
//	    volume         <size>
//	}
func parseDriver(d *caddyfile.Dispenser, engines map[string]any) error {
	var name string
	if err := one(d, &name); err != nil {
		return err
	}
	engines["driver"] = name
	options := make(map[string]any)
	for d.NextBlock(2) {
		option := d.Val()
		if _, twice := options[option]; twice {
			return d.Errf("svc: engines: driver %s: %s is given twice", name, option)
		}
		value, err := readDriverOption(d, name, option)
		if err != nil {
			return err
		}
		options[option] = value
	}
	if len(options) > 0 {
		engines[name] = options
	}
	return nil
}

// driverOption is what an option of a driver takes.
type driverOption struct {
	read func(string) (any, bool)
	like string
}

// driverOptions are the options of the drivers that have any.
var driverOptions = map[string]map[string]driverOption{
	"docker": {
		"chromium": {text, "a path"},
		"cpus":     {fraction, "a number of cores like 1.5"},
		"host":     {text, "a name"},
		"image":    {text, "a name"},
		"memory":   {size, "a size like 8MiB"},
		"pids":     {count, "a number of at least 1"},
		"pull":     {text, "a name"},
		"runtime":  {text, "a name"},
		"tmp":      {size, "a size like 8MiB"},
		"volume":   {size, "a size like 8MiB"},
	},
	"kubernetes": {
		"access":         {text, "a name"},
		"cpus":           {fraction, "a number of cores like 1.5"},
		"disk":           {size, "a size like 8MiB"},
		"egress_listen":  {text, "an address"},
		"egress_url":     {text, "an address"},
		"image":          {text, "a name"},
		"installation":   {text, "a name"},
		"kubeconfig":     {text, "a path"},
		"memory":         {size, "a size like 8MiB"},
		"namespace":      {text, "a name"},
		"node_selector":  {text, "labels"},
		"place":          {text, "a duration"},
		"priority_class": {text, "a name"},
		"pull":           {text, "a name"},
		"pull_secret":    {text, "a name"},
		"runtime_class":  {text, "a name"},
		"storage_class":  {text, "a name"},
		"tmp":            {size, "a size like 8MiB"},
		"user":           {count, "a number of at least 1"},
		"volume":         {size, "a size like 8MiB"},
	},
	"process": {
		"cgroup":   {text, "a path"},
		"chromium": {text, "a path"},
		"cpus":     {fraction, "a number of cores like 1.5"},
		"files":    {count, "a number of at least 1"},
		"largest":  {size, "a size like 8MiB"},
		"log":      {size, "a size like 8MiB"},
		"memory":   {size, "a size like 8MiB"},
		"pids":     {count, "a number of at least 1"},
		"readable": {text, "a path"},
		"users":    {text, "a range of user ids"},
		"volume":   {size, "a size like 8MiB"},
	},
}

func readDriverOption(d *caddyfile.Dispenser, driver, name string) (any, error) {
	known := driverOptions[driver]
	if len(known) == 0 {
		return nil, d.Errf("svc: engines: driver %s has no option %q", driver, name)
	}
	option, ok := known[name]
	if !ok {
		return nil, unknownOption(d, "svc: engines: driver "+driver, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
	}
	var s string
	if err := one(d, &s); err != nil {
		return nil, err
	}
	value, ok := option.read(s)
	if !ok {
		return nil, d.Errf("svc: engines: driver %s: %s: %q is not %s", driver, name, s, option.like)
	}
	return value, nil
}

func text(s string) (any, bool) { return s, true }

func size(s string) (any, bool) {
	n, err := humanize.ParseBytes(s)
	return n, err == nil && n > 0 && n < 1<<50
}

func count(s string) (any, bool) {
	n, err := strconv.ParseInt(s, 10, 32)
	return n, err == nil && n > 0
}

func fraction(s string) (any, bool) {
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil && f > 0 && f < 1<<10
}
