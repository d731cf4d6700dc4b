package peer_test

import (
	"context"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/test/keep"
	"github.com/svc-games/svc/test/wait"
)

func TestTokenThatOthersCouldReadIsReplacedAndNotBelieved(t *testing.T) {
	path := filepath.Join(keep.Dir(t), "x.sock")
	known := strings.Repeat("A", 26)
	if err := os.WriteFile(peer.TokenFile(path), []byte(known), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(peer.TokenFile(path), 0o644); err != nil { // whatever the umask
		t.Fatal(err)
	}
	_, _, err := post(t.Context(), client(t, peer.ClientOptions{Address: unix(path)}), "/", "")
	if err == nil || !strings.Contains(err.Error(), "0600") {
		t.Errorf("the client believes it: %v", err)
	}
	start(t, peer.ServerOptions{Address: unix(path)})
	if token, err := os.ReadFile(peer.TokenFile(path)); err != nil || string(token) == known {
		t.Errorf("the server kept it: %v", err)
	}
}

func TestTokenSurvivesARestartAndAChangedOneIsReadAgain(t *testing.T) {
	path := filepath.Join(keep.Dir(t), "x.sock")
	c := client(t, peer.ClientOptions{Address: unix(path)})
	s := start(t, peer.ServerOptions{Address: unix(path)})
	mustPost(t, c, "uid:")
	before, err := os.ReadFile(peer.TokenFile(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, kept := range []bool{true, false} {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if !kept {
			if err := os.Remove(peer.TokenFile(path)); err != nil {
				t.Fatal(err)
			}
		}
		s = start(t, peer.ServerOptions{Address: unix(path)})
		if after, err := os.ReadFile(peer.TokenFile(path)); err != nil || (string(after) == string(before)) != kept {
			t.Errorf("token %q after %q, %v", after, before, err)
		}
		mustPost(t, c, "body")
	}
}

// TestATokenThatIsRemovedIsReplacedUnderRequests: clients take the new one up, and the one
// before opens nothing any more.
func TestATokenThatIsRemovedIsReplacedUnderRequests(t *testing.T) {
	t.Parallel()
	path := filepath.Join(keep.Dir(t), "x.sock")
	start(t, peer.ServerOptions{Address: unix(path)})
	c := client(t, peer.ClientOptions{Address: unix(path)})
	mustPost(t, c, "uid:")
	before, err := os.ReadFile(peer.TokenFile(path))
	if err == nil {
		err = os.Remove(peer.TokenFile(path))
	}
	if err != nil {
		t.Fatal(err)
	}
	wait.Until(t, "there is another token", func() bool {
		mustPost(t, c, "uid:")
		token, err := os.ReadFile(peer.TokenFile(path))
		return err == nil && string(token) != string(before)
	})
	mustPost(t, client(t, peer.ClientOptions{Address: unix(path)}), "uid:") // one that never knew the former
	bare := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}
	t.Cleanup(bare.CloseIdleConnections)
	wait.Until(t, "the former token is refused", func() bool {
		mustPost(t, c, "uid:")
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://peer/", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+string(before))
		res, err := bare.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return res.StatusCode == http.StatusUnauthorized
	})
}
