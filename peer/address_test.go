package peer_test

import (
	"testing"

	"github.com/svc-games/svc/peer"
)

func TestAddressIsASocketOrHostAndPort(t *testing.T) {
	for in, want := range map[string]peer.Address{
		"/run/x.sock":       {Network: "unix", Name: "/run/x.sock"},
		"./run/x.sock":      {Network: "unix", Name: "./run/x.sock"},
		"data/run/x.sock":   {Network: "unix", Name: "data/run/x.sock"},
		"unix//run/x.sock":  {Network: "unix", Name: "/run/x.sock"},
		"unix/x.sock":       {Network: "unix", Name: "x.sock"},
		"localhost:9000":    {Network: "tcp", Name: "localhost:9000"},
		"tcp/[::1]:9000":    {Network: "tcp", Name: "[::1]:9000"},
		":0":                {Network: "tcp", Name: ":0"},
		"":                  {},
		"localhost":         {},
		"localhost:":        {},
		"tcp/localhost":     {},
		"x.sock":            {},
		"unix/":             {},
		"/run/":             {},
		"http://localhost/": {},
	} {
		got, err := peer.ParseAddress(in)
		if got != want || (err == nil) != (want != peer.Address{}) {
			t.Errorf("%q is %+v, %v; want %+v", in, got, err, want)
		}
		if err != nil {
			continue
		}
		if again, err := peer.ParseAddress(got.String()); again != got || err != nil {
			t.Errorf("%q written and read again is %+v, %v", in, again, err)
		}
	}
}
