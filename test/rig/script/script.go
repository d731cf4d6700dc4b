// Package script says what an engine of the rig does.
package script

import "time"

// File is the name of the script in the folder of the frameworks.
const File = "script.json"

// Engine is what an engine does. It is read anew at each step.
type Engine struct {
	Work   time.Duration // a job takes once to twice as long
	Hold   string        // a file beside the script: jobs don't end while it is there
	Refuse float64       // share of submissions refused
	Lose   float64       // share of acceptances whose answer is lost
	Slow   time.Duration // between an acceptance and its answer
	Stall  bool          // submissions are neither taken nor answered
	Deaf   bool          // fences are never answered
	Die    float64       // chance of a death at each point
	// Pictures is how many a job asks the model Painter for, one after the other:
	// priced steps before the one that is its own.
	Pictures int
	// Hostile is the project whose engine lies in its feed, answers with evil
	// archives and floods its log. "": none.
	Hostile string
}

// Painter is the model that makes pictures.
const Painter = "painter"

// Points are where an engine dies.
var Points = []string{
	"engine before accept", "engine after accept", "engine before ack", "engine after ack",
	"engine before fence", "engine after fence",
}
