package caddymodule

import (
	"strconv"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/dustin/go-humanize"
)

// parsePolicy reads where the policy comes from. Syntax:
//
//	policy embedded|<directory>|<bundle>|<address> {
//	    key      <file>
//	    unsigned
//	    poll     <duration>
//	}
func parsePolicy(d *caddyfile.Dispenser, backend map[string]any) error {
	var source, key string
	var poll caddy.Duration
	if err := one(d, &source); err != nil {
		return err
	}
	policy := map[string]any{"source": source}
	for d.NextBlock(1) {
		name := d.Val()
		if _, twice := policy[name]; twice {
			return d.Errf("svc: policy: %s is given twice", name)
		}
		switch name {
		case "key":
			if err := one(d, &key); err != nil {
				return err
			}
			policy[name] = key
		case "unsigned":
			if d.NextArg() {
				return d.ArgErr()
			}
			policy[name] = true
		case "poll":
			if err := duration(d, &poll); err != nil {
				return err
			}
			policy[name] = poll
		default:
			return unknownOption(d, "svc: policy", "key, poll, unsigned")
		}
	}
	backend["policy"] = policy
	return nil
}

// parseDecisionLog reads how decisions are recorded. Syntax:
//
//	decision_log off|best_effort|required {
//	    path     <file>
//	    max_size <size>
//	    keep     <files>
//	    queue    <records>
//	    sample   <share>
//	}
func parseDecisionLog(d *caddyfile.Dispenser, backend map[string]any) error {
	var mode string
	if err := one(d, &mode); err != nil {
		return err
	}
	log := map[string]any{"mode": mode}
	for d.NextBlock(1) {
		name := d.Val()
		if _, twice := log[name]; twice {
			return d.Errf("svc: decision_log: %s is given twice", name)
		}
		var text string
		if err := one(d, &text); err != nil {
			return err
		}
		switch name {
		case "path":
			log[name] = text
		case "max_size":
			size, err := humanize.ParseBytes(text)
			if err != nil || size == 0 || size > 1<<40 {
				return d.Errf("svc: decision_log: max_size: %q is not a size like 8MiB", text)
			}
			log[name] = size
		case "keep", "queue":
			n, err := strconv.ParseUint(text, 10, 31)
			if err != nil || n == 0 {
				return d.Errf("svc: decision_log: %s: %q is not a number of at least 1", name, text)
			}
			log[name] = n
		case "sample":
			share, err := strconv.ParseFloat(text, 64)
			if err != nil || share < 0 || share > 1 {
				return d.Errf("svc: decision_log: sample: %q is not a number from 0 to 1", text)
			}
			log[name] = share
		default:
			return d.Errf("svc: decision_log has no option %q; it has: keep, max_size, path, queue, sample", name)
		}
	}
	backend["decision_log"] = log
	return nil
}
