package rate_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/svc-games/svc/caddymodule/gateway/rate"
	"github.com/svc-games/svc/test/need"
	"github.com/svc-games/svc/test/wait"
)

// redisServer is a real server on a Unix socket, without persistence.
type redisServer struct {
	t      *testing.T
	socket string
	cmd    *exec.Cmd
	client *redis.Client
}

func startRedis(t *testing.T) *redisServer {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		need.Missing(t, "redis-server is missing")
	}
	dir, err := os.MkdirTemp("", "svc-redis") // short: a socket's path has 108 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := &redisServer{t: t, socket: filepath.Join(dir, "r.sock")}
	s.client = redis.NewClient(&redis.Options{Network: "unix", Addr: s.socket})
	t.Cleanup(func() { s.client.Close(); s.stop() })
	s.start()
	return s
}

func (s *redisServer) start() {
	s.t.Helper()
	s.cmd = exec.Command("redis-server", "--port", "0", "--unixsocket", s.socket, "--save", "", "--appendonly", "no",
		"--dir", filepath.Dir(s.socket))
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	wait.Until(s.t, "redis-server answers", func() bool {
		c, err := net.Dial("unix", s.socket)
		if err != nil {
			return false
		}
		defer c.Close()
		return s.client.Ping(s.t.Context()).Err() == nil
	})
}

// stop kills the server: its clients see a broken connection.
func (s *redisServer) stop() {
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
	s.cmd = nil
	_ = os.Remove(s.socket)
}

// calls returns how many scripts the server ran.
func (s *redisServer) calls() int {
	s.t.Helper()
	stats, err := s.client.Info(s.t.Context(), "commandstats").Result()
	if err != nil {
		s.t.Fatal(err)
	}
	for line := range strings.Lines(stats) {
		var n int
		if _, err := fmt.Sscanf(line, "cmdstat_evalsha:calls=%d,", &n); err == nil {
			return n
		}
	}
	return 0
}

// age makes every bucket on the server older, as if d had passed.
func (s *redisServer) age(d time.Duration) {
	s.t.Helper()
	keys, err := s.client.Keys(s.t.Context(), "rate:*").Result()
	if err != nil {
		s.t.Fatal(err)
	}
	for _, key := range keys {
		if err := s.client.IncrByFloat(s.t.Context(), key, -d.Seconds()).Err(); err != nil {
			s.t.Fatal(err)
		}
	}
}

func (s *redisServer) limiter(c *clock, changed func(error)) *rate.Redis {
	s.t.Helper()
	l, err := rate.NewRedis(rate.RedisOptions{
		URL: "unix://" + s.socket, Size: 100, Timeout: wait.Patience, Now: c.Now, Changed: changed,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if err := l.Close(); err != nil {
			s.t.Error(err)
		}
	})
	return l
}

func TestRedisLimiter(t *testing.T) {
	server := startRedis(t)
	testLimiter(t, func(t *testing.T) subject {
		if err := server.client.FlushAll(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
		c := newClock()
		l := server.limiter(c, func(err error) { t.Errorf("the server was lost: %v", err) })
		return subject{l, func(d time.Duration) {
			c.advance(d)
			server.age(d)
		}}
	})
}

func TestNodesShareOneBucket(t *testing.T) {
	server := startRedis(t)
	c := newClock()
	limit := hourly(1, 100)
	allowed := 0
	nodes := []*rate.Redis{server.limiter(c, nil), server.limiter(c, nil), server.limiter(c, nil)}
	for i := range 300 {
		if nodes[i%len(nodes)].Take(t.Context(), "k", limit) == 0 {
			allowed++
		}
	}
	if allowed != 100 {
		t.Errorf("three nodes allowed %d, want 100", allowed)
	}
}

func TestBusyKeyAsksRarely(t *testing.T) {
	server := startRedis(t)
	l := server.limiter(newClock(), nil)
	before := server.calls()
	for range 1000 {
		if l.Take(t.Context(), "k", hourly(1, 1000)) != 0 {
			t.Fatal("refused within the burst")
		}
	}
	if asked := server.calls() - before; asked > 1000/40 {
		t.Errorf("asked %d times for 1000 tokens", asked)
	}
}

func TestQuietKeyLeavesNoTokensLying(t *testing.T) {
	server := startRedis(t)
	c := newClock()
	l := server.limiter(c, nil)
	limit := hourly(1, 100)
	for range 50 {
		l.Take(t.Context(), "k", limit)
		c.advance(time.Second)
	}
	other := server.limiter(c, nil)
	left := 0
	for other.Take(t.Context(), "k", limit) == 0 {
		left++
	}
	if left != 50 {
		t.Errorf("another node found %d tokens, want 50", left)
	}
}

func TestLimiterWorksWithoutRedisAndReturnsToItByItself(t *testing.T) {
	server := startRedis(t)
	c := newClock()
	var lost, back atomic.Int32
	l := server.limiter(c, func(err error) {
		if err != nil {
			lost.Add(1)
		} else {
			back.Add(1)
		}
	})
	limit := hourly(1, 5)
	spend := func() (n int) {
		for l.Take(t.Context(), "k", limit) == 0 {
			n++
		}
		return n
	}
	if got := spend(); got != 5 {
		t.Fatalf("with Redis allowed %d, want 5", got)
	}

	server.stop()
	c.advance(time.Hour) // the node's memory of the refusal is over
	if got := spend(); got != 5 {
		t.Errorf("without Redis allowed %d, want 5 of the node's own bucket", got)
	}
	if lost.Load() != 1 || back.Load() != 0 {
		t.Fatalf("told %d times of the loss and %d of the return, want 1 and 0", lost.Load(), back.Load())
	}

	server.start()
	wait.Until(t, "Redis is used again", func() bool {
		c.advance(2 * time.Second)
		l.Take(t.Context(), "other", limit)
		return back.Load() == 1
	})
	if got := spend(); got != 5 {
		t.Errorf("with the new Redis allowed %d, want 5", got)
	}
	if server.calls() == 0 {
		t.Error("the server was not asked after its return")
	}
	if lost.Load() != 1 || back.Load() != 1 {
		t.Errorf("told %d times of the loss and %d of the return, want once each", lost.Load(), back.Load())
	}
}

func TestServerThatHangsIsGivenUpAfterTheTimeout(t *testing.T) {
	server := startRedis(t)
	lost := make(chan error, 1)
	l, err := rate.NewRedis(rate.RedisOptions{
		URL: "unix://" + server.socket, Size: 10, Timeout: 50 * time.Millisecond, Retry: time.Hour, Now: newClock().Now,
		Changed: func(err error) { lost <- err },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := server.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	allowed := 0
	for range 100 {
		if l.Take(t.Context(), "k", hourly(1, 5)) == 0 {
			allowed++
		}
	}
	if allowed != 5 {
		t.Errorf("allowed %d, want 5", allowed)
	}
	if err := <-lost; err == nil {
		t.Error("the server counts as back")
	}
}

func TestBadURLIsRefusedWithoutQuotingIt(t *testing.T) {
	_, err := rate.NewRedis(rate.RedisOptions{URL: "redis://:hunter2@host:bad", Now: time.Now})
	if err == nil || strings.Contains(err.Error(), "hunter2") || errors.Unwrap(err) != nil {
		t.Errorf("got %v", err)
	}
}
