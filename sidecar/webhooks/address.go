package webhooks

import (
	"fmt"
	"net/netip"
	"slices"
)

// special are the networks of IPv4, and those within the public part of IPv6, that lead
// elsewhere than to a host of the internet (IANA's registries of special addresses).
var special = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24",
	"192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24",
	"203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
	"2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20",
)

// global is the part of IPv6 in which public addresses are. What embeds addresses of
// IPv4 (::ffff:0:0/96, 64:ff9b::/96) is outside.
var global = netip.MustParsePrefix("2000::/3")

// allowed reports whether a URL of a scheme may lead to an address.
func allowed(addr netip.Addr, scheme string, networks []netip.Prefix) bool {
	if addr.Zone() != "" {
		return false
	}
	addr = addr.Unmap()
	within := func(p netip.Prefix) bool { return p.Contains(addr) }
	if slices.ContainsFunc(networks, within) {
		return true
	}
	return scheme == "https" && (addr.Is4() || global.Contains(addr)) && !slices.ContainsFunc(special, within)
}

// ParseNetworks reads networks like 10.1.0.0/16.
func ParseNetworks(texts []string) ([]netip.Prefix, error) {
	var list []netip.Prefix
	for _, text := range texts {
		p, err := netip.ParsePrefix(text)
		if err != nil || p != p.Masked() || p.Addr().Is4In6() {
			return nil, fmt.Errorf("%q is not a network: want one like 10.1.0.0/16", text)
		}
		list = append(list, p)
	}
	return list, nil
}

func prefixes(texts ...string) []netip.Prefix {
	list, err := ParseNetworks(texts)
	if err != nil {
		panic(err)
	}
	return list
}
