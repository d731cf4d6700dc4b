package kubernetes

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"

	"github.com/svc-games/svc/engine-proxy/driver/kubernetes/kubetest"
)

// apply makes the objects of manifest files, in their order, as "kubectl
// create --validate=strict" does.
func apply(t *testing.T, c *kubetest.Cluster, files ...string) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	groups, err := restmapper.GetAPIGroupResources(c.Admin.Discovery())
	must(err)
	mapper := restmapper.NewDiscoveryRESTMapper(groups)
	client, err := dynamic.NewForConfig(c.Config)
	must(err)
	for _, file := range files {
		raw, err := os.ReadFile(file)
		must(err)
		for documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(raw))); ; {
			document, err := documents.Read()
			if errors.Is(err, io.EOF) {
				break
			}
			must(err)
			object := new(unstructured.Unstructured)
			must(yaml.Unmarshal(document, object))
			kind := object.GroupVersionKind()
			mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
			must(err)
			_, err = client.Resource(mapping.Resource).Namespace(object.GetNamespace()).Create(t.Context(), object, metav1.CreateOptions{
				FieldValidation: metav1.FieldValidationStrict,
			})
			if err != nil && !apierrors.IsAlreadyExists(err) { // by an earlier run, with -count
				t.Fatalf("%s: %v", file, err)
			}
		}
	}
}
