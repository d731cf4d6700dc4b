// Command pod is the first process of a pod of package kubetest.
package main

import "github.com/svc-games/svc/engine-proxy/driver/kubernetes/kubetest/inside"

func main() { inside.Main() }
