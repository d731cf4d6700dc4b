package caddymodule

import (
	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
)

// parseEgress reads which models engines may call. Syntax:
//
//	egress <file>
//	egress {
//	    endpoint <URL> {
//	        key_file  <path>
//	        key       {env.<NAME>}
//	        chat      <models...>
//	        images    <models...>
//	        speech    <models...>
//	    }
//	    max_tokens   <number>
//	    max_body     <size>
//	    timeout      <duration>
//	    stall        <duration>
//	    concurrency  <number>
//	}
func parseEgress(d *caddyfile.Dispenser, engines map[string]any) error {
	if d.CountRemainingArgs() > 0 {
		var file string
		if err := one(d, &file); err != nil {
			return err
		}
		if d.NextBlock(2) {
			return d.Err("svc: engines: egress takes a file or a block, not both")
		}
		engines["egress_file"] = file
		return nil
	}
	egress := make(map[string]any)
	var endpoints []map[string]any
	for d.NextBlock(2) {
		name := d.Val()
		if name == "endpoint" {
			at, err := parseEndpoint(d)
			if err != nil {
				return err
			}
			endpoints = append(endpoints, at)
			continue
		}
		if _, twice := egress[name]; twice {
			return d.Errf("svc: engines: egress: %s is given twice", name)
		}
		value, err := egressLimit(d, name)
		if err != nil {
			return err
		}
		egress[name] = value
	}
	if len(endpoints) == 0 {
		return d.Err("svc: engines: egress takes a file, or a block with at least one endpoint")
	}
	egress["endpoints"] = endpoints
	engines["egress"] = egress
	return nil
}

func egressLimit(d *caddyfile.Dispenser, name string) (any, error) {
	switch name {
	case "timeout", "stall":
		var t caddy.Duration
		err := duration(d, &t)
		return t, err
	case "max_tokens", "max_body", "concurrency":
		read, like := count, "a number of at least 1"
		if name == "max_body" {
			read, like = size, "a size like 8MiB"
		}
		var s string
		if err := one(d, &s); err != nil {
			return nil, err
		}
		value, ok := read(s)
		if !ok {
			return nil, d.Errf("svc: engines: egress: %s: %q is not %s", name, s, like)
		}
		return value, nil
	}
	return nil, unknownOption(d, "svc: engines: egress", "concurrency, endpoint, max_body, max_tokens, stall, timeout")
}

func parseEndpoint(d *caddyfile.Dispenser) (map[string]any, error) {
	var url string
	if err := one(d, &url); err != nil {
		return nil, err
	}
	at := map[string]any{"url": url}
	for d.NextBlock(3) {
		name := d.Val()
		if _, twice := at[name]; twice {
			return nil, d.Errf("svc: engines: egress: endpoint: %s is given twice", name)
		}
		switch name {
		case "key", "key_file":
			var value string
			if err := one(d, &value); err != nil {
				return nil, err
			}
			at[name] = value
		case "chat", "images", "speech":
			models := d.RemainingArgs()
			if len(models) == 0 {
				return nil, d.Errf("svc: engines: egress: endpoint: %s takes the names of models", name)
			}
			at[name] = models
		default:
			return nil, unknownOption(d, "svc: engines: egress: endpoint", "chat, images, key, key_file, speech")
		}
	}
	return at, nil
}
