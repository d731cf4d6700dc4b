package kubernetes

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/svc-games/svc/engine-proxy/driver/internal/driverkit"
)

// step is how far the start of a pod has come.
type step struct {
	done     bool   // the container runs, or did
	unplaced bool   // no node is found for it
	err      error  // it will never run
	said     string // what the cluster says of it
}

// progressOf reads the status of a pod that starts.
func progressOf(pod *corev1.Pod) step {
	state := stateOf(pod)
	switch {
	case state.Terminated != nil && neverRan(state.Terminated):
		err := fmt.Errorf("%s: %s", state.Terminated.Reason, state.Terminated.Message)
		return step{err: driverkit.Refused(reasonNoProgram, err)}
	case state.Running != nil, state.Terminated != nil, !alive(pod):
		return step{done: true}
	case state.Waiting != nil:
		return waiting(state.Waiting)
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
			return step{unplaced: true, said: c.Message}
		}
	}
	return step{unplaced: pod.Spec.NodeName == "", said: "no node has reported of it"}
}

// Why a container waits, in the kubelet's words.
const (
	waitNoPull    = "ErrImageNeverPull"
	waitBadName   = "InvalidImageName"
	waitPullError = "ErrImagePull"
	waitPullAgain = "ImagePullBackOff"
	waitConfig    = "CreateContainerConfigError"
	waitCreate    = "CreateContainerError"
	waitRun       = "RunContainerError"
)

func waiting(w *corev1.ContainerStateWaiting) step {
	said := w.Reason
	if w.Message != "" {
		said += ": " + w.Message
	}
	err := fmt.Errorf("the engine's container waits: %s", said)
	switch w.Reason {
	case waitNoPull, waitBadName:
		return step{err: driverkit.Refused(reasonNoImage, err)}
	case waitPullError, waitPullAgain:
		if neverPulled(w.Message) {
			return step{err: driverkit.Refused(reasonNoImage, err)}
		}
	case waitConfig, waitCreate, waitRun:
		if neverCreated(w.Message) {
			return step{err: driverkit.Refused(reasonNoProgram, err)}
		}
	}
	return step{said: said}
}

// neverPulled reports whether a registry has said that the image is not there,
// or not for us. A kubelet passes that on in words only; whatever else stands
// in the way of a pull may pass.
func neverPulled(message string) bool {
	return hasAny(message, "not found", "manifest unknown", "does not exist", "denied", "unauthorized", "authorization failed", "403 forbidden")
}

// neverCreated reports whether a runtime has said that the program can't be
// run, or not by whom it is to be. Whatever else stands in the way may pass: a
// node with much to do lets its runtime's time run out, and one that has just
// begun has not read everything yet.
func neverCreated(message string) bool {
	return hasAny(message, "exec: ", "executable", "exec format", "no command specified", "non-root", "nonroot", "non-numeric user")
}

// hasAny reports whether a message of the node has one of the words.
func hasAny(message string, words ...string) bool {
	message = strings.ToLower(message)
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(message, word) })
}

// neverRan reports whether the runtime could not run a container's program.
func neverRan(t *corev1.ContainerStateTerminated) bool {
	return t.Reason == "StartError" || t.Reason == "ContainerCannotRun"
}

// stateOf returns the state of the pod's one container; empty when none is
// reported.
func stateOf(pod *corev1.Pod) corev1.ContainerState {
	for _, c := range pod.Status.ContainerStatuses {
		if c.Name == container {
			return c.State
		}
	}
	return corev1.ContainerState{}
}
