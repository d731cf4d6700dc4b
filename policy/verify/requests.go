package verify

import (
	"maps"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/svc-games/svc/policy"
)

// usualRequest is that of a row which says nothing else, where a policy reads some of it:
// noon of a Wednesday.
var usualRequest = policy.Request{IP: "192.0.2.1", Time: "2026-11-25T12:00:00Z", Method: "GET", UserAgent: "curl/8.5.0"}

// facts are the members of the request of a candidate, nil without one.
func (c candidate) requestFacts() map[string]any {
	if c.noRequest || c.reads == 0 && c.request == nil {
		return nil
	}
	members := map[string]any{"ip": usualRequest.IP, "time": usualRequest.Time, "method": usualRequest.Method, "userAgent": usualRequest.UserAgent}
	for name, value := range c.request {
		if members[name] = value; value == any(absent{}) {
			delete(members, name)
		}
	}
	return members
}

// requested are requests of which something is known, or nothing.
func requested() []candidate {
	var all []candidate
	for _, c := range append(bases()[:3], without("user-1", policy.ViaConsole, tableOwners[0])) {
		c.request = map[string]any{"ip": usualRequest.IP}
		all = append(all, c)
		c.request, c.noRequest = nil, true
		all = append(all, c)
	}
	return all
}

// ofRequest begins the places of variations of a request.
const ofRequest = "request's "

// requestVariation puts a fact about a request into a candidate.
func requestVariation(name string, value any) variation {
	return variation{ofRequest + name, func(c *candidate) {
		c.request = maps.Clone(c.request)
		if c.request == nil {
			c.request = map[string]any{}
		}
		c.request[name] = value
	}}
}

// requests are the ways to vary what policies read of requests: the hours of a day, and
// where they go into no pairs, of each day of a week; the ends of the networks that are named; methods;
// and the literals, as whatever a text may be.
func (l literals) requests(pairs bool) []variation {
	var all []variation
	add := func(read policy.Reads, name string, values ...string) {
		if l.reads&read == 0 {
			return
		}
		all = append(all, requestVariation(name, absent{}))
		for _, value := range values {
			all = append(all, requestVariation(name, value))
		}
	}
	texts := slices.Sorted(maps.Keys(l.texts))
	add(policy.ReadsIP, "ip", l.addresses()...)
	add(policy.ReadsTime, "time", l.times(pairs)...)
	add(policy.ReadsMethod, "method", append([]string{"HEAD", "POST", "PUT", "DELETE", "get"}, texts...)...)
	if !pairs {
		for _, s := range texts {
			for _, other := range near(s) {
				texts = append(texts, other.(string))
			}
		}
	}
	add(policy.ReadsUserAgent, "userAgent", texts...)
	return all
}

// addresses are those at the ends of the networks that rules or projects name, on both
// sides, and some of no network.
func (l literals) addresses() []string {
	all := []string{"203.0.113.9", "2001:db8::1", "::1"}
	add := func(address netip.Addr) {
		if text := address.String(); address.IsValid() && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	for _, text := range slices.Sorted(maps.Keys(l.texts)) {
		for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",; ", r) }) {
			network, err := netip.ParsePrefix(word)
			if address, ofOne := netip.ParseAddr(word); err != nil && ofOne == nil {
				network, err = netip.PrefixFrom(address, address.BitLen()), nil
			}
			if err != nil {
				continue
			}
			first, last := network.Masked().Addr(), lastOf(network)
			for _, address := range []netip.Addr{first.Prev(), first, last, last.Next()} {
				add(address)
			}
		}
	}
	return all
}

// lastOf is the last address of a network.
func lastOf(network netip.Prefix) netip.Addr {
	bytes := network.Masked().Addr().AsSlice()
	for bit := network.Bits(); bit < len(bytes)*8; bit++ {
		bytes[bit/8] |= 1 << (7 - bit%8)
	}
	last, _ := netip.AddrFromSlice(bytes)
	return last
}

// times are the first and the last second of each hour of a day, the minutes that rules
// have as numbers, midnight and noon of the other days of a week, and what is around the
// times that rules name.
func (l literals) times(pairs bool) []string {
	monday := time.Date(2026, time.November, 23, 0, 0, 0, 0, time.UTC)
	var all []string
	add := func(times ...time.Time) {
		for _, t := range times {
			all = append(all, t.Format(policy.TimeFormat))
		}
	}
	for hour := range 24 {
		begin := monday.Add(time.Duration(hour) * time.Hour)
		if add(begin); pairs {
			continue
		}
		add(begin.Add(time.Hour - time.Second))
		for _, n := range slices.Sorted(maps.Keys(l.numbers)) {
			if at := begin.Add(time.Duration(n) * time.Minute); n > 0 && n < 60 {
				add(at.Add(-time.Second), at)
			}
		}
	}
	for day := 1; day < 7 && !pairs; day++ {
		add(monday.AddDate(0, 0, day), monday.AddDate(0, 0, day).Add(12*time.Hour))
	}
	for _, text := range slices.Sorted(maps.Keys(l.texts)) {
		for _, format := range []string{time.RFC3339, time.DateOnly} {
			if at, err := time.Parse(format, text); err == nil {
				add(at.Add(-time.Second), at, at.Add(time.Second))
			}
		}
	}
	return all
}
