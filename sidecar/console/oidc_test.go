package console_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/svc-games/svc/sidecar/site"
)

// idProvider is a small OpenID provider that signs everybody in as the test
// says, and checks what it is asked as a real one does.
type idProvider struct {
	t      *testing.T
	http   *httptest.Server
	key    *ecdsa.PrivateKey
	now    func() time.Time
	claims map[string]any // added to the token, over the right ones

	// By the code given out: the challenge, the nonce and the way back.
	asked, nonces, backs map[string]string
}

func newIDProvider(t *testing.T, now func() time.Time) *idProvider {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p := &idProvider{t: t, key: key, now: now, asked: map[string]string{}, nonces: map[string]string{}, backs: map[string]string{}}
	mux := http.NewServeMux()
	p.http = httptest.NewServer(mux)
	t.Cleanup(p.http.Close)
	answer := func(w http.ResponseWriter, body any) {
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(body); err != nil {
			t.Error(err)
		}
	}
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{
			"issuer": p.http.URL, "authorization_endpoint": p.http.URL + "/authorize", "token_endpoint": p.http.URL + "/token",
			"jwks_uri": p.http.URL + "/keys", "id_token_signing_alg_values_supported": []string{"ES256"},
		})
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: &key.PublicKey, KeyID: "1", Algorithm: "ES256", Use: "sig"}}})
	})
	mux.HandleFunc("/authorize", p.authorize)
	mux.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		code := r.PostFormValue("code")
		sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
		_, secret, _ := r.BasicAuth()
		challenge, known := p.asked[code]
		delete(p.asked, code) // good once
		if !known || base64.RawURLEncoding.EncodeToString(sum[:]) != challenge || secret != "s3cret" || r.PostFormValue("redirect_uri") != p.backs[code] {
			w.WriteHeader(http.StatusBadRequest)
			answer(w, map[string]string{"error": "invalid_grant"})
			return
		}
		answer(w, map[string]any{"access_token": "x", "token_type": "Bearer", "id_token": p.token(code)})
	})
	return p
}

// authorize signs in without a question.
func (p *idProvider) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("client_id") != "svc" || q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	code := rand.Text()
	p.asked[code], p.nonces[code], p.backs[code] = q.Get("code_challenge"), q.Get("nonce"), q.Get("redirect_uri")
	back := q.Get("redirect_uri") + "?" + url.Values{"code": {code}, "state": {q.Get("state")}}.Encode()
	http.Redirect(w, r, back, http.StatusSeeOther)
}

func (p *idProvider) token(code string) string {
	claims := map[string]any{
		"iss": p.http.URL, "aud": "svc", "sub": "bob", "nonce": p.nonces[code], "email": "alice", "email_verified": true,
		"iat": p.now().Unix(), "exp": p.now().Add(time.Minute).Unix(),
	}
	maps.Copy(claims, p.claims)
	payload, err := json.Marshal(claims)
	if err != nil {
		p.t.Error(err)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: p.key, KeyID: "1"}}, nil)
	if err != nil {
		p.t.Error(err)
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		p.t.Error(err)
	}
	text, err := signed.CompactSerialize()
	if err != nil {
		p.t.Error(err)
	}
	return text
}

// openWithOIDC opens a console that knows a provider.
func openWithOIDC(t *testing.T, claim string) (*desk, *idProvider) {
	t.Helper()
	var d *desk
	p := newIDProvider(t, func() time.Time { return d.now() })
	d = open(t, site.Options{OIDC: &site.OIDC{Issuer: p.http.URL, ClientID: "svc", ClientSecret: "s3cret", Name: "Example", Claim: claim}})
	return d, p
}

func TestProviderSignsIn(t *testing.T) {
	for claim, user := range map[string]string{"email": "alice", "": "alice", "sub": "bob"} {
		d, _ := openWithOIDC(t, claim)
		b := d.browser()
		if p := b.get("/console/usage"); !p.has(`href="/console/oidc/start?next=%2fconsole%2fusage">Sign in with Example`) {
			t.Errorf("the sign-in page does not offer the provider\n%s", p.body)
		}
		if p := b.get("/console/oidc/start?next=/console/usage"); p.path != "/console/usage" || !p.has("<bdi>"+user+"</bdi>") {
			t.Errorf("claim %q: %d at %s", claim, p.status, p.path)
		}
	}
}

func TestAnswerOfAProviderThatCanNotBeTrustedIsRefused(t *testing.T) {
	for name, claims := range map[string]map[string]any{
		"email not verified": {"email_verified": false},
		"no email":           {"email": ""},
		"another nonce":      {"nonce": "x"},
		"another audience":   {"aud": "others"},
		"another issuer":     {"iss": "https://evil.example.com"},
		"expired":            {"exp": 1},
	} {
		d, p := openWithOIDC(t, "email")
		p.claims = claims
		if got := d.browser().get("/console/oidc/start"); got.status != http.StatusUnauthorized || !got.has("could not be used") {
			t.Errorf("%s: %d at %s", name, got.status, got.path)
		}
	}
}

func TestProviderCanNotMakeAUser(t *testing.T) {
	d, p := openWithOIDC(t, "email")
	p.claims = map[string]any{"email": "mallory@example.com"}
	if got := d.browser().get("/console/oidc/start"); got.status != http.StatusUnauthorized || !got.has("You have no account here") {
		t.Errorf("%d at %s", got.status, got.path)
	}
}

func TestAnswerThatTheBrowserDidNotAskForIsRefused(t *testing.T) {
	d, _ := openWithOIDC(t, "email")
	// Somebody else's answer: the state is that of another browser.
	other := d.browser()
	var answer string
	other.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		if r.URL.Path == "/console/oidc/callback" {
			answer = r.URL.RequestURI()
			return http.ErrUseLastResponse
		}
		return nil
	}
	other.get("/console/oidc/start")
	if answer == "" {
		t.Fatal("the provider did not answer")
	}
	if got := d.browser().get(answer); got.status != http.StatusUnauthorized || !got.has("was not finished") {
		t.Errorf("in another browser: %d", got.status)
	}
	other.CheckRedirect = nil
	if got := other.get(answer); got.path != "/console/studio" {
		t.Errorf("in the right one: %d at %s", got.status, got.path)
	}
	if got := other.get(answer); got.status != http.StatusUnauthorized {
		t.Errorf("the same answer again: %d", got.status)
	}
}

func TestProviderThatIsAwayIsSaid(t *testing.T) {
	d, p := openWithOIDC(t, "email")
	p.http.Close()
	if got := d.browser().get("/console/oidc/start"); got.status != http.StatusServiceUnavailable || !got.has("try again") {
		t.Errorf("%d at %s", got.status, got.path)
	}
}

func TestProviderWithoutWhatItNeedsIsRefused(t *testing.T) {
	d := open(t, site.Options{})
	for name, o := range map[string]site.OIDC{
		"no issuer": {ClientID: "svc"}, "an issuer that is no address": {Issuer: "id.example.com", ClientID: "svc"}, "no client": {Issuer: "https://id.example.com"}, "claim": {Issuer: "https://id.example.com", ClientID: "svc", Claim: "name"},
	} {
		if _, err := d.side.Console(site.Options{OIDC: &o}); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}
