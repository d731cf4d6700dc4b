package agent

// playTools play the game and show what is to be seen.
var playTools []tool
