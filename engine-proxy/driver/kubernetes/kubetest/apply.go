package kubetest

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
)

// Apply makes the objects of manifest files, in their order, as "kubectl
// create --validate=strict" does.
func (c *Cluster) Apply(t testing.TB, files ...string) {
	t.Helper()
	groups, err := restmapper.GetAPIGroupResources(c.Admin.Discovery())
	must(t, err)
	mapper := restmapper.NewDiscoveryRESTMapper(groups)
	client, err := dynamic.NewForConfig(c.config)
	must(t, err)
	for _, file := range files {
		raw, err := os.ReadFile(file)
		must(t, err)
		for documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(raw))); ; {
			document, err := documents.Read()
			if errors.Is(err, io.EOF) {
				break
			}
			must(t, err)
			object := new(unstructured.Unstructured)
			must(t, yaml.Unmarshal(document, object))
			kind := object.GroupVersionKind()
			mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
			must(t, err)
			_, err = client.Resource(mapping.Resource).Namespace(object.GetNamespace()).Create(t.Context(), object, metav1.CreateOptions{
				FieldValidation: metav1.FieldValidationStrict,
			})
			if err != nil && !apierrors.IsAlreadyExists(err) { // by an earlier run, with -count
				t.Fatalf("%s: %v", file, err)
			}
		}
	}
}
