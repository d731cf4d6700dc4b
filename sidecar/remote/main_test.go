package remote_test

import (
	"os"
	"testing"

	"github.com/svc-games/svc/sidecar/store/storetest"
)

func TestMain(m *testing.M) { os.Exit(storetest.Main(m)) }
