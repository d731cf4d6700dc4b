package contract

import "strings"

// ProxyName is the DNS name in the certificate that the engine proxy shows to
// engines reached over TCP, as client and as the server behind which models
// are. All certificates come from one authority; an engine lets no other name
// in and asks no other.
const ProxyName = "engine-proxy.svc.internal"

// EngineName is the DNS name in the certificate of an engine reached over TCP,
// which is the server of the contract and a client of the models.
func EngineName(instanceID string) string {
	return strings.ToLower(instanceID) + ".engine.svc.internal"
}
