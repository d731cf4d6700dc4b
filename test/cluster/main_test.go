package cluster

import (
	"os"
	"testing"

	"github.com/svc-games/svc/sidecar/store/postgrestest"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }
