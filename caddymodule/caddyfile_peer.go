package caddymodule

import (
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
)

// embeddedForm is what a part that runs in this process is called.
const embeddedForm = "embedded"

// form reads where a part runs, and sets in options its form: embedded, or
// remote with an address.
func form(d *caddyfile.Dispenser, options map[string]any) error {
	var where string
	if err := one(d, &where); err != nil {
		return err
	}
	if where != embeddedForm {
		options["form"], options["address"] = "remote", where
	}
	return nil
}

// remote reports whether options are those of a part in another process.
func remote(options map[string]any) bool { return options["form"] != embeddedForm }

// parsePeerOption reads an option that every part in another process has, and
// reports whether the cursor stands at one.
func parsePeerOption(d *caddyfile.Dispenser, part string, options map[string]any) (bool, error) {
	if d.Val() != "tls" {
		return false, nil
	}
	if _, twice := options["tls"]; twice {
		return true, d.Errf("svc: %s: tls is given twice", part)
	}
	args := d.RemainingArgs()
	if len(args) != 3 && len(args) != 4 {
		return true, d.Errf("svc: %s: tls takes the files of certificate, key and authority, and perhaps the name "+
			"in the other end's certificate; got %d arguments", part, len(args))
	}
	tls := PeerTLS{Cert: args[0], Key: args[1], CA: args[2]}
	if len(args) == 4 {
		tls.ServerName = args[3]
	}
	options["tls"] = tls
	return true, nil
}
