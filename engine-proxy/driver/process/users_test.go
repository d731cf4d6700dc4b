package process

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/svc-games/svc/engine-proxy/driver/drivertest"
	"github.com/svc-games/svc/engine-proxy/driver/process/confine"
	"github.com/svc-games/svc/test/child"
	"github.com/svc-games/svc/test/fake/engine/orders"
)

func TestUsersAreStableAndNeverShared(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	volume := func(id string) string { return filepath.Join(dir, id) }
	table, err := openUsers(dir, Users{First: 1000, Last: 1099})
	must(t, err)
	var mu sync.Mutex
	got := make(map[int]string)
	var wg sync.WaitGroup
	for i := range 50 {
		for range 2 { // asked for twice
			wg.Go(func() {
				id := strconv.Itoa(i)
				uid, err := table.of(id, volume)
				mu.Lock()
				defer mu.Unlock()
				if other, taken := got[uid]; err != nil || taken && other != id || uid < 1000 || uid > 1099 {
					t.Errorf("user %d of project %s, %v; taken by %q", uid, id, err, other)
				}
				got[uid] = id
			})
		}
	}
	wg.Wait()
	again, err := openUsers(dir, Users{First: 1000, Last: 1099})
	must(t, err)
	for uid, id := range got {
		if now, err := again.of(id, volume); err != nil || now != uid {
			t.Errorf("project %s was user %d, and after a restart is %d, %v", id, uid, now, err)
		}
	}
	info, err := os.Stat(filepath.Join(dir, usersFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the table: %v, %v", info.Mode(), err)
	}
}

func TestUserOfADeletedProjectIsTheLastToBeGivenAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	volume := func(id string) string { return filepath.Join(dir, id) }
	table, err := openUsers(dir, Users{First: 10, Last: 12})
	must(t, err)
	give := func(id string) (int, error) {
		must(t, os.MkdirAll(volume(id), 0o700))
		return table.of(id, volume)
	}
	for i, id := range []string{"a", "b"} {
		if uid, err := give(id); err != nil || uid != 10+i {
			t.Fatalf("user %d, %v", uid, err)
		}
	}
	must(t, os.Remove(volume("a")))
	for _, c := range []struct {
		id   string
		want int
	}{{"c", 12}, {"d", 10}} {
		if uid, err := give(c.id); err != nil || uid != c.want {
			t.Errorf("project %s is user %d, %v, want %d", c.id, uid, err, c.want)
		}
	}
	if _, err := give("e"); !errors.Is(err, errNoUser) {
		t.Errorf("a fourth project of three users: %v", err)
	}
}

func TestUserThatTheEngineProxyBeforeGaveIsNotGivenToAnother(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	volume := func(id string) string { return filepath.Join(dir, id) }
	before, err := openUsers(dir, Users{})
	must(t, err)
	ours, err := openUsers(dir, Users{}) // it waits until the other has ended
	must(t, err)
	first, err := before.of("a", volume)
	must(t, err)
	second, err := ours.of("b", volume)
	must(t, err)
	if again, err := ours.of("a", volume); err != nil || again != first || second == first {
		t.Errorf("project a is user %d, and then %d; b is %d; %v", first, again, second, err)
	}
}

func TestDamagedTableOfUsersIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, usersFile), []byte("{"), 0o600))
	if _, err := openUsers(dir, Users{}); err == nil {
		t.Error("users would be given twice")
	}
}

func TestInstallationsHaveRangesOfTheirOwn(t *testing.T) {
	t.Parallel()
	ranges := make(map[Users]bool)
	for range 20 {
		u := defaultUsers(t.TempDir())
		if u.First < firstBlock || u.Last >= 1<<31-1 || u.Last-u.First != blockSize-1 {
			t.Fatalf("a range is %+v", u)
		}
		ranges[u] = true
	}
	if len(ranges) < 18 {
		t.Errorf("20 installations have %d ranges", len(ranges))
	}
	here, there := t.TempDir(), t.TempDir()
	before, err := openUsers(here, Users{})
	must(t, err)
	_, err = before.of("p", func(string) string { return here })
	must(t, err)
	must(t, os.Rename(filepath.Join(here, usersFile), filepath.Join(there, usersFile)))
	if after, err := openUsers(there, Users{}); err != nil || after.users != before.users {
		t.Errorf("a moved installation has %+v, %v, and had %+v", after.users, err, before.users)
	}
}

// Two installations may want the same range by their paths. Locks are of open
// files, so two leases stand for two processes.
func TestInstallationThatWantsTheRangeOfAnotherGetsOneOfItsOwn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	one, other := &blockLeases{dir: dir}, &blockLeases{dir: dir}
	last := block(firstBlock + (blocks-1)*blockSize)
	seen := make(map[Users]bool)
	for _, l := range []*blockLeases{one, other, one, other} { // several of one process, too
		u := l.take(last)
		if seen[u] || u.First < firstBlock || u.Last > last.Last {
			t.Errorf("got %+v after %+v", u, seen)
		}
		seen[u] = true
	}
	first := one.take(last)
	other.hold(first) // as an engine proxy that takes the first one's place
	if other.held[first.First] != nil {
		t.Error("two processes hold one range")
	}
}

// What runs as a user of a range keeps it, when nobody else does any more.
func TestEnginesThatRunKeepTheirRange(t *testing.T) {
	t.Parallel()
	if !isRoot(t) {
		t.Skip("only root can run programs as other users")
	}
	leases := &blockLeases{dir: t.TempDir()}
	u := leases.take(block(firstBlock))
	cmd := exec.CommandContext(t.Context(), "sleep", "600")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(u.First) + 7, Gid: uint32(u.First)}}
	must(t, child.Start(cmd))
	t.Cleanup(func() { _ = cmd.Wait() }) // it is killed when the test ends
	if got := (&blockLeases{dir: t.TempDir()}).take(u); got.First == u.First {
		t.Error("the range of what runs was given to another")
	}
}

func TestUsersAreGivenWithoutAFolderForLeases(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	if got := (&blockLeases{dir: file}).take(block(firstBlock)); got != block(firstBlock) {
		t.Errorf("it got %+v", got)
	}
}

func TestRangeOfUsersIsRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Users{
		"200000-265535": {First: 200000, Last: 265535}, "5-5": {First: 5, Last: 5}, "off": {Off: true},
	} {
		if got, err := ParseUsers(text); err != nil || got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "1000", "0-5", "5-4", "-5-4", "1-2-3", "a-b", "1-2147483647", "on", "1 - 2"} {
		if got, err := ParseUsers(text); err == nil {
			t.Errorf("%q is read as %+v", text, got)
		}
	}
}

func TestUsersThatAreAskedForAreHadOrRefused(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	asked := Users{First: 700000, Last: 700009}
	closed := drivertest.TempDir(t)
	must(t, os.Chmod(closed, 0o700))
	for name, change := range map[string]func(*Options){
		"without root":                   func(o *Options) { o.Offers = &confine.Available{Landlock: confine.LandlockWhole} },
		"below a directory that is shut": func(o *Options) { o.StateRoot = filepath.Join(closed, "data", "engines") },
		"a program that is shut": func(o *Options) {
			o.Command = []string{filepath.Join(closed, "engine")}
			copyFile(t, o.Command[0], k.engine, 0o755)
		},
		"users that don't exist here": func(o *Options) { o.Users = Users{First: 1 << 32, Last: 1<<32 + 9} },
	} {
		t.Run(name, func(t *testing.T) {
			opts := Options{StateRoot: filepath.Join(k.root, "engines"), Command: []string{k.engine}, Shim: k.shim, Users: asked}
			change(&opts)
			must(t, os.MkdirAll(opts.StateRoot, 0o700))
			if _, err := New(opts); err == nil {
				t.Error("engines would run without what was asked for")
			}
			if opts.Users != asked {
				return // they can't be left out
			}
			opts.Users = Users{}
			core, logs := observer.New(zap.WarnLevel)
			opts.Logger = zap.New(core)
			d, err := New(opts)
			must(t, err)
			if opts.Offers == nil && logs.FilterMessage("engines run as root, under Landlock alone").FilterFieldKey("landlock").Len() != 1 {
				t.Errorf("logged was %v", logs.All())
			}
			if d.Capabilities().Users {
				t.Error("the driver claims users that it can't have")
			}
		})
	}
}

func TestEngineRunsAsItsProjectsUser(t *testing.T) {
	t.Parallel()
	if !isRoot(t) {
		t.Skip("only root can run programs as other users")
	}
	k := newKit(t)
	d, s := k.driver(t), drivertest.NewSpec(t, k.root)
	secret := filepath.Join(k.root, "svc.db")
	must(t, os.WriteFile(secret, nil, 0o644))
	must(t, os.Mkdir(filepath.Join(k.root, "archive"), 0o755))
	for _, dir := range []string{k.root, filepath.Dir(s.Volume), filepath.Dir(s.RuntimeDir)} {
		must(t, os.Chmod(dir, 0o755)) // as someone made it who thought nothing of it
	}
	must(t, os.WriteFile(filepath.Join(s.Volume, "left"), nil, 0o600)) // by root, or another user of an earlier range
	h := begin(t, d, s, orders.Orders{})
	report, err := orders.ReadReport(s.Volume)
	must(t, err)
	uid := d.users.users.First
	if report.UID != uid || report.GID != uid || len(report.Groups) != 0 {
		t.Errorf("the engine is user %d, group %d, groups %v", report.UID, report.GID, report.Groups)
	}
	for path, want := range map[string]struct {
		uid  int
		mode os.FileMode
	}{
		s.Volume: {uid, 0o700}, s.RuntimeDir: {uid, 0o700}, s.TokenFile: {uid, 0o600}, filepath.Join(s.Volume, "left"): {uid, 0o600},
		s.StateDir: {0, 0o700}, filepath.Dir(s.StateDir): {0, 0o700}, k.root: {0, 0o711},
		filepath.Dir(s.Volume): {0, 0o711}, filepath.Dir(s.RuntimeDir): {0, 0o711},
		secret: {0, 0o600}, filepath.Join(k.root, "archive"): {0, 0o700},
	} {
		info, err := os.Stat(path)
		must(t, err)
		if owner(info) != want.uid || info.Mode().Perm() != want.mode {
			t.Errorf("%s is user %d's with mode %04o, want %d and %04o", path, owner(info), info.Mode().Perm(), want.uid, want.mode)
		}
	}
	must(t, d.Stop(t.Context(), h, 0))
}

// TestVolumeOfAUserIsTakenBackWhereEnginesHaveNone: a data directory comes to a place
// that other users can't enter.
func TestVolumeOfAUserIsTakenBackWhereEnginesHaveNone(t *testing.T) {
	t.Parallel()
	if !isRoot(t) {
		t.Skip("only root can give files away")
	}
	k := newKit(t)
	s := drivertest.NewSpec(t, k.root)
	write := orders.Orders{Probes: []orders.Probe{{What: orders.Write, Arg: "kept"}}}
	for _, off := range []bool{false, true} {
		d, want := k.driver(t, func(o *Options) { o.Users.Off = off }), 0
		if !off {
			want = d.users.users.First
		}
		h := begin(t, d, s, write)
		report, err := orders.ReadReport(s.Volume)
		must(t, err)
		info, err := os.Stat(filepath.Join(s.Volume, "kept"))
		must(t, err)
		if said := report.Results[write.Probes[0]]; said != "" || report.UID != want || owner(info) != want {
			t.Errorf("user %d wrote a file of user %d, want %d: %s", report.UID, owner(info), want, said)
		}
		must(t, errors.Join(d.Stop(t.Context(), h, 0), d.Remove(t.Context(), h)))
	}
}

func TestFileWithASecondNameIsNotGivenAway(t *testing.T) {
	t.Parallel()
	if !isRoot(t) {
		t.Skip("only root can give files away")
	}
	k := newKit(t)
	d, s := k.driver(t), drivertest.NewSpec(t, k.root)
	outside := filepath.Join(k.root, "outside")
	must(t, os.WriteFile(outside, nil, 0o600))
	must(t, os.Link(outside, filepath.Join(s.Volume, "inside")))
	must(t, os.Symlink(outside, filepath.Join(s.RuntimeDir, "link")))
	if _, err := d.Start(t.Context(), s, nil); !errors.Is(err, errOtherName) {
		t.Errorf("got %v, want that it has another name", err)
	}
	info, err := os.Stat(outside)
	must(t, err)
	if owner(info) != 0 {
		t.Errorf("a file outside is user %d's now", owner(info))
	}
}
