package agent

// makeTools make pictures and sounds.
var makeTools []tool
