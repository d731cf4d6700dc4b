package kubernetes

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/kubernetes/kubetest"
	"github.com/svc-games/svc/test/wait"
)

// TestEveryPermissionIsNeededAndTogetherTheyAreEnough takes each verb away
// once.
func TestEveryPermissionIsNeededAndTogetherTheyAreEnough(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	if err := b.everything(t, kubetest.Permissions()); err != nil {
		t.Fatalf("with all permissions: %v", err)
	}
	for i, rule := range kubetest.Permissions() {
		for _, verb := range rule.Verbs {
			t.Run(verb+" "+rule.Resources[0], func(t *testing.T) {
				t.Parallel()
				fewer := kubetest.Permissions()
				fewer[i].Verbs = slices.DeleteFunc(fewer[i].Verbs, func(v string) bool { return v == verb })
				if len(fewer[i].Verbs) == 0 {
					fewer = slices.Delete(fewer, i, i+1)
				}
				if err := b.everything(t, fewer); err == nil {
					t.Error("everything works without it")
				}
			})
		}
	}
}

func TestPermissionsAreNamedOneByOne(t *testing.T) {
	t.Parallel()
	for _, rule := range kubetest.Permissions() {
		for _, names := range [][]string{rule.Verbs, rule.Resources, rule.APIGroups} {
			if slices.Contains(names, "*") {
				t.Errorf("a rule for everything: %v", rule)
			}
		}
		reads := slices.ContainsFunc(rule.Verbs, func(v string) bool { return v == "get" || v == "list" || v == "watch" })
		if slices.Contains(rule.Resources, "secrets") && reads {
			t.Error("secrets may be read")
		}
	}
}

// everything does all that a driver does in its life, as an account with these
// permissions, and returns what did not work.
func (b *bed) everything(t *testing.T, rules []rbacv1.PolicyRule) (err error) {
	core, complaints := observer.New(zapcore.WarnLevel)
	config := b.cluster.Kubeconfig(t, b.namespace, rules)
	d := b.another(t, func(o *Options) { o.Kubeconfig, o.Logger = config, zap.New(core) })
	s := b.spec(t)
	defer b.clear(t, s)
	ctx, cancel := wait.Context(t)
	defer cancel()
	if err := d.Check(ctx); err != nil {
		return fmt.Errorf("checking: %w", err)
	}
	for _, grace := range []time.Duration{time.Minute, 0} {
		s = next(s)
		h, err := d.Start(ctx, s, nil)
		if err != nil {
			return fmt.Errorf("starting: %w", err)
		}
		_, listErr := d.List(ctx)
		_, inspectErr := d.Inspect(ctx, h)
		_, logErr := d.Logs(ctx, h, 100)
		stopErr := d.Stop(ctx, h, grace)
		if err := errors.Join(listErr, inspectErr, logErr, stopErr, d.Remove(ctx, h)); err != nil {
			return err
		}
	}
	if err := d.DeleteVolume(ctx, s.ProjectID); err != nil {
		return err
	}
	if all := complaints.All(); len(all) > 0 {
		return fmt.Errorf("%s: %v", all[0].Message, all[0].ContextMap())
	}
	return nil
}

// clear ends whatever of a project is left, with all permissions.
func (b *bed) clear(t *testing.T, s driver.Spec) {
	t.Helper()
	list, err := b.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, obs := range list {
		if obs.ProjectID == s.ProjectID {
			b.stop(t, obs.Handle)
		}
	}
}
