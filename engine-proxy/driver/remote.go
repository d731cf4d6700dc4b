package driver

import "context"

// Remote is a Driver whose engines don't run on this machine: they listen on
// TCP with mutual TLS, and their volumes are no folders of this machine. Its
// engines are started with what Spec.Remote holds.
type Remote interface {
	Driver

	// DeleteVolume deletes a project's volume, and what else the backend keeps
	// for the project's next start. No instance of the project is left when it
	// is called. It returns nil once the volume is gone, also when there was
	// none. ErrUnavailable.
	DeleteVolume(ctx context.Context, projectID string) error
}

// RemoteSpec is what an engine gets that runs elsewhere. The driver delivers
// it as files that no one but the engine reads, and the engine is told where:
//
//	svc-engine --listen HOST:PORT --token-file F --tls-cert F --tls-key F --tls-ca F [--egress URL]
//
// Where it is to listen is the driver's choice, and Observed.Endpoint says it.
type RemoteSpec struct {
	// Token is the instance's bearer token.
	Token string
	// Cert and Key, in PEM, prove that the engine is this instance: to the
	// engine proxy that connects, and to the egress.
	Cert, Key []byte
	// CA, in PEM, is the authority that the engine proxy's certificate comes
	// from. Other engines' come from it too: the name in it decides.
	CA []byte
	// Egress is the https URL behind which the engine finds models; "" when
	// there are none.
	Egress string
}

// String keeps the secrets out of whatever prints the value.
func (s RemoteSpec) String() string { return "remote(egress " + s.Egress + ")" }

// GoString is String.
func (s RemoteSpec) GoString() string { return s.String() }
