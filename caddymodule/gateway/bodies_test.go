package gateway

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestRoomForBodiesIsBoundedForEachUserAndForAll(t *testing.T) {
	var b Bodies
	var shares []*Share
	take := func(user string, n int) error {
		s := b.Share(user)
		shares = append(shares, s)
		return s.take(n, 1)
	}
	for _, user := range strings.Split("abcdefgh", "") {
		if err := take(user, maxBodiesOfUser); err != nil {
			t.Fatalf("all that user %s may take: %v", user, err)
		}
		if err := take(user, 1); !errors.Is(err, ErrBodies) {
			t.Errorf("more of user %s: %v, want ErrBodies", user, err)
		}
	}
	if err := take("i", 1); !errors.Is(err, ErrBodies) {
		t.Errorf("more than all may take: %v, want ErrBodies", err)
	}
	shares[0].Release()
	for user, want := range map[string]error{"a": nil, "b": ErrBodies, "i": nil} {
		if err := take(user, 1); !errors.Is(err, want) {
			t.Errorf("user %s when user a has given back: %v, want %v", user, err, want)
		}
	}
	for _, s := range shares {
		s.Release()
		s.Release() // a second time gives nothing back
	}
	if b.all != 0 || len(b.of) != 0 {
		t.Errorf("%d bytes are taken of %d users, want none", b.all, len(b.of))
	}
}

func TestLargestBodyAlwaysHasRoom(t *testing.T) {
	var b Bodies
	if err := b.Share("a").take(2*maxBodies, 2*maxBodies); err != nil {
		t.Error(err)
	}
}

func TestBodyWithoutRoomIs503AndTakesItsShareAsItArrives(t *testing.T) {
	var b Bodies
	other := b.Share("a")
	if err := other.take(maxBodiesOfUser-10, 1); err != nil {
		t.Fatal(err)
	}
	read := func(body string) int {
		share := b.Share("a")
		defer share.Release()
		r := httptest.NewRequest("POST", "/v1/generate", io.NopCloser(strings.NewReader(body)))
		r.ContentLength = 1000 // what is announced counts for nothing
		got, refused := readBody(httptest.NewRecorder(), r, 1000, share)
		switch {
		case refused == nil && string(got) == body:
			return http.StatusOK
		case refused == nil || refused.RetryAfter <= 0:
			t.Errorf("read %q, %+v", got, refused)
			return 0
		}
		return refused.Status
	}
	for body, want := range map[string]int{"0123456789": 200, "0123456789a": 503} {
		if got := read(body); got != want {
			t.Errorf("%d bytes: %d, want %d", len(body), got, want)
		}
	}
	other.Release()
	if got := read("0123456789a"); got != 200 {
		t.Errorf("when there is room again: %d", got)
	}
}
