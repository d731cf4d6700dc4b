package kubernetes

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"

	corev1 "k8s.io/api/core/v1"

	"github.com/svc-games/svc/engine-proxy/driver/internal/driverkit"
)

// hostAliases lets an engine, which has no names to ask for, find its egress.
func hostAliases(ctx context.Context, egress string) ([]corev1.HostAlias, error) {
	if egress == "" {
		return nil, nil
	}
	address, err := url.Parse(egress)
	if err != nil {
		return nil, driverkit.Refused(reasonInvalid, fmt.Errorf("reading the address of the egress: %w", err))
	}
	host := address.Hostname()
	if _, err := netip.ParseAddr(host); err == nil {
		return nil, nil
	}
	found, err := net.DefaultResolver.LookupHost(ctx, host)
	if err != nil {
		return nil, fmt.Errorf("looking for the egress: %w", driverkit.Unavailable(err))
	}
	var out []corev1.HostAlias
	for _, ip := range found {
		out = append(out, corev1.HostAlias{IP: ip, Hostnames: []string{host}})
	}
	return out, nil
}
