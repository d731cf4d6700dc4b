package peer

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
)

// Reach asks the other end for any answer at all. Where none comes within two seconds it
// returns why, and what to do about it, in one line; program is what is to listen there.
func (c *Client) Reach(ctx context.Context, program string) error {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://peer"+HealthPath, nil)
	if err != nil {
		return err
	}
	res, err := c.RoundTrip(r)
	if err == nil {
		return res.Body.Close()
	}
	switch {
	case errors.Is(err, ErrNotListening):
		return fmt.Errorf("nobody listens at %s: start %s there, or correct the address: %w", c.address, program, err)
	case errors.As(err, new(*tls.CertificateVerificationError)):
		return fmt.Errorf("the certificate of %s at %s is refused: name its authority and the name that it bears: %w", program, c.address, err)
	case Refused(err):
		return fmt.Errorf("%s at %s refuses this part's certificate: its log says why: %w", program, c.address, err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s may not be used: run as the user of %s: %w", c.address, program, err)
	}
	return fmt.Errorf("%s at %s does not answer: see that it runs, and that the network leads there: %w", program, c.address, err)
}

// Refused reports whether an error of a Client says that one end refused the other's
// certificate.
func Refused(err error) bool {
	var said *net.OpError // by the other end, of ours
	return errors.As(err, new(*tls.CertificateVerificationError)) || errors.As(err, &said) && said.Op == "remote error"
}
