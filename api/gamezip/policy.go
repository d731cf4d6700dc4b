package gamezip

// ContentPolicy is the Content-Security-Policy of a game, which is hostile input, wherever
// it is served: it reaches nothing but its own files. A form is for its own scripts: it is
// sent nowhere.
const ContentPolicy = "default-src 'self' data: blob:; " +
	"script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; style-src 'self' 'unsafe-inline'; " +
	"object-src 'none'; base-uri 'none'; form-action 'none'"
