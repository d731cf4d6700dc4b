package process

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/svc-games/svc/engine-proxy/internal/durable"
)

// Users is a range of user ids that nobody else uses. Each id stands for the
// group of the same number as well.
type Users struct {
	First, Last int
	Off         bool // engines run as we do
}

// Where default ranges are: above all that distributions, systemd and container
// tools give away.
const (
	firstBlock = 1_879_048_192
	blocks     = 4_095
	blockSize  = 65_536
)

// defaultUsers is the range of an installation that was given none. It goes by
// the path, so that two on one machine hardly want the same; who comes second
// gets another (blockLeases).
func defaultUsers(stateRoot string) Users {
	sum := sha256.Sum256([]byte(stateRoot))
	return block(firstBlock + int(binary.BigEndian.Uint32(sum[:])%blocks)*blockSize)
}

func block(first int) Users { return Users{First: first, Last: first + blockSize - 1} }

// ParseUsers reads a range like 200000-265535, or off.
func ParseUsers(text string) (Users, error) {
	if text == "off" {
		return Users{Off: true}, nil
	}
	first, last, found := strings.Cut(text, "-")
	u := Users{}
	var err error
	if u.First, err = strconv.Atoi(first); err == nil && found {
		u.Last, err = strconv.Atoi(last)
	}
	if err != nil || !found || u.First < 1 || u.Last < u.First || u.Last > 1<<31-2 {
		return Users{}, fmt.Errorf("%q is neither off nor a range of user ids like 200000-265535", text)
	}
	return u, nil
}

// usersFile is the table on disk.
const usersFile = "users.json"

// userTable gives each project a user of its own, for good: a file that one
// project's engine left somewhere is never another one's.
type userTable struct {
	path   string
	blocks *blockLeases // nil: the range was given

	mu    sync.Mutex // guards the following fields
	users Users
	data  tableData
}

type tableData struct {
	First int            `json:"first,omitempty"` // of the default range that was taken
	Next  int            `json:"next"`            // the next id that was never given
	Users map[string]int `json:"users"`
}

// openUsers reads the table. A range that is zero is the default one, which
// stays the same when the data directory is moved.
func openUsers(stateRoot string, users Users) (*userTable, error) {
	t := &userTable{path: filepath.Join(stateRoot, usersFile), users: users}
	if users == (Users{}) {
		t.users, t.blocks = defaultUsers(stateRoot), ourBlocks
	}
	return t, t.load()
}

// load reads the table, if there is one, and with it the range.
func (t *userTable) load() error {
	read := tableData{First: t.data.First}
	raw, err := os.ReadFile(t.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fmt.Errorf("reading table of users: %w", err)
	default:
		if err := json.Unmarshal(raw, &read); err != nil {
			return fmt.Errorf("decoding table of users %s: %w", t.path, err)
		}
	}
	if read.Users == nil {
		read.Users = make(map[string]int)
	}
	t.data = read
	if t.blocks != nil && read.First != 0 {
		t.users = block(read.First)
		t.blocks.hold(t.users)
	}
	return nil
}

// errNoUser: the range is used up.
var errNoUser = errors.New("all user ids of the range are taken")

// of returns the user of a project. A new one is on disk before it is used. The
// engine proxy whose place ours takes may have given some since the table was
// opened, and gives none any more once ours starts engines.
func (t *userTable) of(projectID string, volume func(projectID string) string) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if uid, ok := t.knownLocked(projectID); ok {
		return uid, nil
	}
	if err := t.load(); err != nil {
		return 0, err
	}
	if uid, ok := t.knownLocked(projectID); ok {
		return uid, nil
	}
	if t.blocks != nil && t.data.First == 0 {
		// The first user of this installation: now its range must be its own.
		t.users = t.blocks.take(t.users)
		t.data.First = t.users.First
	}
	next := max(t.data.Next, t.users.First)
	if next > t.users.Last {
		// Once around: the users of projects whose volume is deleted are free.
		for id := range t.data.Users {
			if _, err := os.Lstat(volume(id)); errors.Is(err, fs.ErrNotExist) {
				delete(t.data.Users, id)
			}
		}
		taken := make(map[int]bool, len(t.data.Users))
		for _, uid := range t.data.Users {
			taken[uid] = true
		}
		for next = t.users.First; taken[next]; next++ {
		}
		if next > t.users.Last {
			return 0, errNoUser
		}
	}
	t.data.Users[projectID] = next
	t.data.Next = max(t.data.Next, next+1)
	return next, t.save()
}

func (t *userTable) knownLocked(projectID string) (uid int, ok bool) {
	uid, ok = t.data.Users[projectID]
	return uid, ok && uid >= t.users.First && uid <= t.users.Last
}

func (t *userTable) save() error {
	raw, err := json.Marshal(t.data)
	if err != nil {
		return fmt.Errorf("encoding table of users: %w", err)
	}
	if err := durable.Replace(t.path, raw); err != nil {
		return fmt.Errorf("writing table of users: %w", err)
	}
	return nil
}

// mapped reports whether this machine, or the container we are in, knows all
// ids of the range.
func (u Users) mapped() error {
	raw, err := os.ReadFile("/proc/self/uid_map")
	if err != nil {
		return fmt.Errorf("reading map of users: %w", err)
	}
	for line := range strings.Lines(string(raw)) {
		var inside, outside, count int
		if _, err := fmt.Sscan(line, &inside, &outside, &count); err != nil {
			return fmt.Errorf("reading map of users: %w", err)
		}
		if u.First >= inside && u.Last < inside+count {
			return nil
		}
	}
	return fmt.Errorf("the user ids %d-%d don't exist here", u.First, u.Last)
}
