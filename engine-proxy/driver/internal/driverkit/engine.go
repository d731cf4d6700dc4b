package driverkit

import (
	"os"

	"github.com/svc-games/svc/engine-proxy/driver"
)

// StartDelay is the one variable of the engine proxy's environment that is
// handed on to engines: a test aid of svc-engine.
const StartDelay = "SVC_ENGINE_START_DELAY"

// Environment lists an engine's environment, as NAME=VALUE; further is what the
// operator adds. It holds no secret.
func Environment(home, tmp string, further []string) []string {
	env := append([]string{
		"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + home, "TMPDIR=" + tmp, "LANG=C.UTF-8",
	}, further...)
	if delay, ok := os.LookupEnv(StartDelay); ok {
		env = append(env, StartDelay+"="+delay)
	}
	return env
}

// InsideVolume is where an engine that is apart has its volume.
const InsideVolume = "/volume"

// VolumeOf is where the engine has its volume inside, "" for one without.
func VolumeOf(s driver.Spec) string {
	if s.Volume == "" {
		return ""
	}
	return InsideVolume
}

// Task is what the command line of an engine without a volume says besides.
func Task(s driver.Spec) []string {
	if s.Volume == "" {
		return []string{"--replays"}
	}
	return nil
}

// Arguments returns an engine's command line of options and their values,
// without the options whose value is "" or "0".
func Arguments(options ...string) []string {
	var args []string
	for i := 0; i < len(options); i += 2 {
		if value := options[i+1]; value != "" && value != "0" {
			args = append(args, options[i], value)
		}
	}
	return args
}
