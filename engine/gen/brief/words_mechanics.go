package brief

// moreMechanics are the English words of the mechanics that words.go does not
// name.
var moreMechanics = map[string]map[string]float64{
	"dial": {"dial": 6}, "lock": {"dial": 5}, "clock": {"dial": 4}, "timing": {"dial": 6}, "pointer": {"dial": 3}, "needle": {"dial": 3}, "wheel": {"dial": 3}, "rhythm": {"dial": 3}, "moment": {"dial": 2}, "pop the lock": {"dial": 10},
	"bridge": {"bridge": 6}, "bridges": {"bridge": 6}, "stick": {"bridge": 3}, "plank": {"bridge": 4}, "cross": {"bridge": 2}, "crosses": {"bridge": 2}, "canyon": {"bridge": 2}, "stick hero": {"bridge": 10}, "hold": {"bridge": 2}, "pillar": {"bridge": 3}, "pillars": {"bridge": 4},
	"color switch": {"color": 10}, "colour switch": {"color": 10}, "matching colors": {"color": 5, "match": 3}, "change color": {"color": 7}, "changes color": {"color": 7}, "change colour": {"color": 7}, "changes colour": {"color": 7}, "chameleon": {"color": 5}, "color gates": {"color": 8}, "gates": {"color": 4}, "gate": {"color": 3},
	"chop": {"chop": 6}, "chops": {"chop": 6}, "chopping": {"chop": 6}, "lumberjack": {"chop": 8}, "timber": {"chop": 6}, "timberman": {"chop": 10}, "axe": {"chop": 5}, "branches": {"chop": 3}, "wood": {"chop": 1}, "woodcutter": {"chop": 7},
	"climb": {"climb": 6}, "climbs": {"climb": 6}, "climbing": {"climb": 6}, "climber": {"climb": 6}, "wall jump": {"climb": 8}, "walls": {"climb": 3}, "wall to wall": {"climb": 7}, "shaft": {"climb": 4}, "chimney": {"climb": 5}, "scales": {"climb": 3},

	"platformer": {"platformer": 9, "hop": 4}, "platform": {"platformer": 4}, "platforms": {"platformer": 5}, "mario": {"platformer": 8}, "jump and run": {"platformer": 9, "hop": 4}, "run and jump": {"platformer": 8, "hop": 4}, "side scroller": {"platformer": 6, "shooter": 2}, "sidescroller": {"platformer": 6, "shooter": 2}, "flag": {"platformer": 3}, "stomp": {"platformer": 4}, "adventure": {"platformer": 2.5},
	"maze": {"maze": 8}, "mazes": {"maze": 8}, "labyrinth": {"maze": 8}, "pacman": {"maze": 9}, "pac man": {"maze": 9}, "top down": {"maze": 4}, "corridor": {"maze": 4}, "corridors": {"maze": 4}, "collector": {"maze": 3}, "explore": {"maze": 2.5}, "dungeon": {"maze": 4},
	"breakout": {"breakout": 9}, "arkanoid": {"breakout": 9}, "brick": {"breakout": 5}, "bricks": {"breakout": 6}, "paddle": {"breakout": 6}, "brick breaker": {"breakout": 10}, "break": {"breakout": 2.5}, "breaks": {"breakout": 2.5}, "bounce": {"breakout": 2.5}, "bounces": {"breakout": 2.5}, "pong": {"breakout": 5},
	"match": {"match": 5}, "matching": {"match": 5}, "match three": {"match": 9}, "match 3": {"match": 9}, "puzzle": {"match": 5}, "swap": {"match": 4}, "bejeweled": {"match": 9}, "candy crush": {"match": 10}, "line up": {"match": 4}, "three in a row": {"match": 8}, "jewels": {"match": 2},
	"shooter": {"cannon": 5, "shooter": 6}, "shmup": {"shooter": 9}, "space shooter": {"shooter": 10, "cannon": 3}, "shoot em up": {"shooter": 10}, "spaceship": {"shooter": 2}, "squadron": {"shooter": 5}, "waves": {"shooter": 3}, "dogfight": {"shooter": 6}, "shoot": {"cannon": 5, "shooter": 5}, "shoots": {"cannon": 5, "shooter": 5}, "shooting": {"cannon": 4, "shooter": 4}, "blaster": {"cannon": 4, "shooter": 3}, "invaders": {"cannon": 4, "shooter": 4},

	"endlessrunner": {"hop": 4, "runner3d": 6}, "runner": {"hop": 4, "runner3d": 5}, "runs": {"hop": 3, "runner3d": 3}, "running": {"hop": 3, "runner3d": 3}, "temple run": {"hop": 7, "runner3d": 10}, "subway surfers": {"lane": 9, "runner3d": 10}, "sprint": {"runner3d": 3, "hop": 2},
	"roll": {"zigzag": 3, "roll3d": 5}, "rolls": {"zigzag": 3, "roll3d": 5}, "rolling": {"zigzag": 3, "roll3d": 5}, "marble": {"zigzag": 2, "roll3d": 6}, "ball roll": {"roll3d": 8}, "edge": {"zigzag": 3, "roll3d": 4},
	"drive": {"lane": 4, "drive3d": 6}, "drives": {"lane": 4, "drive3d": 6}, "driving": {"lane": 4, "drive3d": 6}, "racing": {"lane": 4, "drive3d": 6}, "race": {"lane": 4, "drive3d": 5}, "highway": {"lane": 5, "drive3d": 5}, "steer": {"lane": 3, "drive3d": 5}, "steers": {"lane": 3, "drive3d": 5}, "traffic": {"lane": 5, "drive3d": 4}, "drift": {"drive3d": 4},
	"tower": {"stack": 4, "tower3d": 4}, "stack": {"stack": 6, "tower3d": 6}, "stacks": {"stack": 6, "tower3d": 6}, "stacking": {"stack": 6, "tower3d": 6}, "slab": {"tower3d": 5}, "slabs": {"tower3d": 5}, "skyscraper": {"stack": 4, "tower3d": 4},
}
