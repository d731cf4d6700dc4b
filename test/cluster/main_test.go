package cluster

import (
	"os"
	"testing"

	"github.com/svc-games/svc/test/rig"
)

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }
