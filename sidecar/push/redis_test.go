package push_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/svc-games/svc/peer/secret"
	"github.com/svc-games/svc/sidecar/push"
	"github.com/svc-games/svc/sidecar/push/redisconn"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
	"github.com/svc-games/svc/test/rig"
	"github.com/svc-games/svc/test/wait"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

// node is a hub that is connected, and what it says.
type node struct {
	push.Hub
	redis *push.Redis
	hints <-chan struct{}
	log   *observer.ObservedLogs
}

func connect(t *testing.T, url string) *node {
	t.Helper()
	core, log := observer.New(zap.DebugLevel)
	n := &node{log: log}
	hints, stop := n.Watch() // before the channel opens, which hints
	n.hints = hints
	var err error
	if n.redis, err = push.ConnectRedis(&n.Hub, url, zap.New(core)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		if err := n.redis.Close(); err != nil {
			t.Error(err)
		}
	})
	return n
}

// settle waits until the channel is open and forgets the hints so far.
func (n *node) settle(t *testing.T) {
	t.Helper()
	wait.Until(t, "the channel is open", n.redis.Connected)
	// Opening it hints, after it counts as open.
	wait.For(t, "opening the channel hints", n.hints)
}

func (n *node) wantHint(t *testing.T) {
	t.Helper()
	wait.For(t, "a hint comes", n.hints)
}

func TestAHintOfOneNodeReachesAllOthersAndItselfOnce(t *testing.T) {
	server := rig.StartRedis(t)
	one, two, three := connect(t, server.URL), connect(t, server.URL), connect(t, server.URL)
	for _, n := range []*node{one, two, three} {
		n.settle(t)
	}
	for range 50 {
		one.Notify()
		one.wantHint(t)
		two.wantHint(t)
		three.wantHint(t)
		if len(one.hints) != 0 {
			t.Fatal("a node was hinted at its own change by the channel")
		}
	}
}

func TestAHintThatAHangingServerDidNotTakeIsSentAgain(t *testing.T) {
	server := rig.StartRedis(t)
	one, two := connect(t, server.URL), connect(t, server.URL)
	one.settle(t)
	two.settle(t)
	server.Hang()
	one.Notify()
	wait.Until(t, "the hint could not be sent", func() bool { return one.log.FilterMessage("hint not sent").Len() > 0 })
	server.Wake()
	two.wantHint(t)
}

func TestALostServerCostsNoOneAnythingAndIsFoundAgain(t *testing.T) {
	server := rig.StartRedis(t)
	one, two := connect(t, server.URL), connect(t, server.URL)
	one.settle(t)
	two.settle(t)
	server.Stop()
	wait.Until(t, "the loss is noticed", func() bool { return !one.redis.Connected() && !two.redis.Connected() })
	// Its own watchers need no server: none of these waits for a time-out.
	ctx, cancel := wait.Within(t.Context(), 50*time.Second) // with a time-out each they take longer
	defer cancel()
	for range 200 {
		one.Notify()
		one.wantHint(t)
	}
	if ctx.Err() != nil {
		t.Errorf("200 changes without a server: %v", context.Cause(ctx))
	}
	server.Start()
	// What was missed meanwhile may be anything: all look.
	one.settle(t)
	two.settle(t)
	one.Notify()
	two.wantHint(t)
	for _, n := range []*node{one, two} {
		var said []string
		for _, e := range n.log.All() {
			if e.Level > zap.DebugLevel {
				said = append(said, e.Message)
			}
		}
		if got := strings.Join(said, "; "); got != "push channel is lost, revocations of other nodes are polled; push channel is back" {
			t.Errorf("the log says %q", got)
		}
	}
}

func TestAServerThatIsNotThereYetIsWaitedForInTheBackground(t *testing.T) {
	server := rig.StartRedis(t)
	server.Stop()
	n := connect(t, server.URL)
	if n.redis.Connected() {
		t.Error("connected to nothing")
	}
	server.Start()
	n.settle(t)
}

func TestTheURLIsInNoError(t *testing.T) {
	_, err := push.ConnectRedis(new(push.Hub), "redis-with-secret:hunter2", zap.NewNop())
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got %v", err)
	}
}

// TestAPasswordOfRedisIsChangedWithoutARestart: a connection that is lost is made anew with
// what the password's file holds by then.
func TestAPasswordOfRedisIsChangedWithoutARestart(t *testing.T) {
	server := rig.StartRedis(t)
	admin, err := redisconn.New(server.URL, wait.Patience)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	file := filepath.Join(t.TempDir(), "password")
	change := func(password string) {
		t.Helper()
		if err := errors.Join(os.WriteFile(file, []byte(password+"\n"), 0o600), admin.ConfigSet(t.Context(), "requirepass", password).Err()); err != nil {
			t.Fatal(err)
		}
	}
	change("one")
	n := connect(t, server.URL+"?"+secret.Parameter+"="+file)
	n.settle(t)
	change("two")
	if err := admin.ClientKillByFilter(t.Context(), "TYPE", "pubsub", "SKIPME", "yes").Err(); err != nil {
		t.Fatal(err)
	}
	wait.For(t, "the channel is open again, which hints", n.hints)
	wait.Until(t, "the channel is open with the new password", n.redis.Connected)
}
