package kubernetes

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/klog/v2"
)

// watched is a driver with a log that can be read, at an API server that
// answers as told.
func watched(t *testing.T, answer http.HandlerFunc) (*Driver, *observer.ObservedLogs) {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	config := clientcmdapi.NewConfig()
	config.Clusters["test"] = &clientcmdapi.Cluster{Server: server.URL}
	config.Contexts["test"] = &clientcmdapi.Context{Cluster: "test"}
	config.CurrentContext = "test"
	file := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, file); err != nil {
		t.Fatal(err)
	}
	core, logs := observer.New(zapcore.DebugLevel)
	d, err := New(Options{Kubeconfig: file, Namespace: "engines", Image: "engine:1", Logger: zap.New(core)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d, logs
}

func TestTheClientWritesToTheLogAndNeverToStandardError(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	standard := os.Stderr
	os.Stderr = file
	defer func() { os.Stderr = standard }()

	d, logs := watched(t, http.NotFound)
	speak := func() {
		klog.Warning("something is odd")
		klog.ErrorS(errors.New("no disk"), "rotating failed", "file", "a.crt")
		utilruntime.HandleError(errors.New("nobody handles it"))
		klog.V(8).Info("Authorization: Bearer secret")
	}
	speak()
	said := logs.FilterMessage("the Kubernetes client says").All()
	if len(said) != 3 {
		t.Fatalf("the log has %+v", said)
	}
	if fields := said[1].ContextMap(); said[1].Level != zapcore.WarnLevel || fields["said"] != "rotating failed" || fields["error"] != "no disk" ||
		fields["details"].(map[string]any)["file"] != "a.crt" {
		t.Errorf("of an error it says %s %v", said[1].Level, fields)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	speak()
	if now := logs.FilterMessage("the Kubernetes client says").Len(); now != len(said) {
		t.Errorf("after the driver's end the log has %d more", now-len(said))
	}
	klog.Flush()
	if wrote, err := os.ReadFile(file.Name()); err != nil || len(wrote) > 0 {
		t.Errorf("on standard error: %q, %v", wrote, err)
	}
}

func TestWhatTheAPIServerWarnsOfIsLoggedOnce(t *testing.T) {
	d, logs := watched(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Add("Warning", `299 - "pods are out of fashion"`)
		w.WriteHeader(http.StatusForbidden)
	})
	for range 3 {
		if _, err := d.List(t.Context()); err == nil {
			t.Fatal("it listed")
		}
	}
	warned := logs.FilterMessage("the API server warns").All()
	if len(warned) != 1 || warned[0].ContextMap()["warning"] != "pods are out of fashion" {
		t.Errorf("the log has %+v", warned)
	}
}
