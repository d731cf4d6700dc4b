package agent

// saveTools keep what was played as a check of the game.
var saveTools []tool
