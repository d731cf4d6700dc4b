package catalog

// howTo puts the four languages of the instructions side by side.
func howTo(en, de, es, fr string) map[string]string {
	return map[string]string{"en": en, "de": de, "es": es, "fr": fr}
}

// Mechanics are all mechanics by name.
var Mechanics = map[string]Mechanic{
	"gap": {
		HowTo: howTo("Tap to flap. Fly through the gaps and grab the {pickup}!", "Tippe zum Flattern. Flieg durch die Lücken!",
			"Toca para volar. ¡Pasa por los huecos!", "Touche pour voler. Passe par les ouvertures !"),
		Titles: []string{"Flappy {Hero}", "{Hero} Flight", "Fly, {Hero}!"}, Lives: 3,
		Bodies: []string{"fish", "rocket", "plane", "ufo"}, Themes: []string{"sky", "sea", "forest"},
	},
	"hop": {
		HowTo: howTo("Tap to jump, tap again in the air. Leap over the {hazard}, take the {pickup}!", "Tippe zum Springen, in der Luft noch einmal. Spring über alles, was im Weg ist!",
			"Toca para saltar, otra vez en el aire. ¡Salta lo que venga!", "Touche pour sauter, encore une fois en l'air. Saute les obstacles !"),
		Titles: []string{"{Hero} Dash", "Hop, {Hero}!", "Run, {Hero}!"}, Lives: 3, Themes: []string{"farm", "desert", "jungle"},
	},
	"lane": {
		HowTo: howTo("Tap left or right to change lanes. Dodge the {hazard}, take the {pickup}!", "Tippe links oder rechts, um die Spur zu wechseln. Weich aus und sammle!",
			"Toca a la izquierda o derecha para cambiar de carril. ¡Esquiva y recoge!", "Touche à gauche ou à droite pour changer de voie. Esquive et ramasse !"),
		Titles: []string{"{Hero} Rush", "{Hero} Racer", "{Hero} Lanes"}, Lives: 3, Bodies: []string{"car"}, Themes: []string{"city", "space", "winter"},
	},
	"stack": {
		HowTo: howTo("Tap to drop the block. Build as high as you can!", "Tippe, um den Block fallen zu lassen. Bau so hoch du kannst!",
			"Toca para soltar el bloque. ¡Construye lo más alto posible!", "Touche pour lâcher le bloc. Construis le plus haut possible !"),
		Titles: []string{"{Hero} Tower", "Stack-a-{Hero}", "Sky High {Hero}"}, Lives: 3, Themes: []string{"city", "candy", "sky"},
	},
	"orbit": {
		HowTo: howTo("Tap to turn around. Collect the {pickup}, keep clear of the {hazard}!", "Tippe zum Umkehren. Sammle ein und halt dich fern von Gefahren!",
			"Toca para dar la vuelta. ¡Recoge y evita los peligros!", "Touche pour faire demi-tour. Ramasse et évite les dangers !"),
		Titles: []string{"{Hero} Orbit", "Round & Round {Hero}", "Circle {Hero}"}, Lives: 3, Themes: []string{"space", "neon", "night"},
	},
	"catch": {
		HowTo: howTo("Tap to change direction. Catch the {pickup}, not the {hazard}!", "Tippe, um die Richtung zu ändern. Fang das Gute, nicht das Schlechte!",
			"Toca para cambiar de dirección. ¡Atrapa lo bueno, no lo malo!", "Touche pour changer de direction. Attrape le bon, pas le mauvais !"),
		Titles: []string{"{Hero} Catch", "Catch It, {Hero}!", "Hungry {Hero}"}, Lives: 4, Themes: []string{"jungle", "farm", "candy"},
	},
	"whack": {
		HowTo: howTo("Tap the {pickup} before they hide. Leave the {hazard} alone!", "Triff sie, bevor sie verschwinden. Lass die falschen in Ruhe!",
			"Toca antes de que se escondan. ¡Deja en paz a los otros!", "Touche-les avant qu'ils se cachent. Laisse les autres tranquilles !"),
		Titles: []string{"{Pickup} Bop", "Whack-a-{Pickup}", "{Pickup} Smash"}, Lives: 4, Themes: []string{"farm", "night", "candy"},
	},
	"cannon": {
		HowTo: howTo("Tap to fire when you aim at the {hazard}. Spare the {pickup}!", "Tippe zum Schießen, wenn du richtig zielst. Verschone die Guten!",
			"Toca para disparar cuando apuntes bien. ¡No des a los buenos!", "Touche pour tirer quand tu vises bien. Épargne les gentils !"),
		Titles: []string{"{Hero} Blaster", "{Hero} Defence", "Fire, {Hero}!"}, Lives: 4, Themes: []string{"space", "neon", "sea"},
	},
	"zigzag": {
		HowTo: howTo("Tap to turn. Stay on the path and collect the {pickup}!", "Tippe zum Abbiegen. Bleib auf dem Weg!",
			"Toca para girar. ¡No te salgas del camino!", "Touche pour tourner. Reste sur le chemin !"),
		Titles: []string{"Zigzag {Hero}", "{Hero} Path", "Turn, {Hero}!"}, Lives: 3, Themes: []string{"winter", "neon", "desert"},
	},
	"dial": {
		HowTo: howTo("Tap when the {hero} is over the bright part of the ring!", "Tippe, wenn der Zeiger über dem hellen Feld ist!",
			"¡Toca cuando la aguja pase por la zona brillante!", "Touche quand l'aiguille passe sur la zone claire !"),
		Titles: []string{"{Hero} Lock", "Spin, {Hero}!", "{Hero} Timing"}, Lives: 3, Themes: []string{"neon", "night", "space"},
	},
	"bridge": {
		HowTo: howTo("Hold to grow the bridge, let go to cross. Not too short, not too long!", "Halten lässt die Brücke wachsen, Loslassen legt sie hin. Nicht zu kurz, nicht zu lang!",
			"Mantén para alargar el puente y suelta para cruzar. ¡Ni corto ni largo!", "Maintiens pour allonger le pont, lâche pour traverser. Ni trop court, ni trop long !"),
		Titles: []string{"{Hero} Bridge", "Mind the Gap, {Hero}!", "{Hero} Crossing"}, Lives: 3, Themes: []string{"jungle", "desert", "sky"},
	},
	"color": {
		HowTo: howTo("Tap to change colour. Pass each gate in its own colour!", "Tippe, um die Farbe zu wechseln. Nimm jedes Tor in seiner Farbe!",
			"Toca para cambiar de color. ¡Cruza cada puerta con su color!", "Touche pour changer de couleur. Passe chaque porte dans sa couleur !"),
		Titles: []string{"Color {Hero}", "{Hero} Switch", "Chameleon {Hero}"}, Lives: 3, Themes: []string{"neon", "candy", "night"},
	},
	"chop": {
		HowTo: howTo("Tap left or right to chop. Keep clear of the branches, and keep going!", "Tippe links oder rechts zum Hacken. Weich den Ästen aus und bleib in Bewegung!",
			"Toca izquierda o derecha para talar. ¡Esquiva las ramas y no pares!", "Touche à gauche ou à droite pour couper. Évite les branches, sans t'arrêter !"),
		Titles: []string{"{Hero} Lumberjack", "Chop, {Hero}!", "Timber {Hero}"}, Lives: 3, Themes: []string{"forest", "winter", "jungle"},
	},
	"climb": {
		HowTo: howTo("Tap to leap to the other wall. Dodge the {hazard}, take the {pickup}!", "Tippe, um zur anderen Wand zu springen. Weich aus und sammle!",
			"Toca para saltar a la otra pared. ¡Esquiva y recoge!", "Touche pour sauter sur l'autre mur. Esquive et ramasse !"),
		Titles: []string{"{Hero} Climb", "Up, {Hero}!", "Wall {Hero}"}, Lives: 3, Themes: []string{"city", "night", "volcano"},
	},

	"platformer": {
		Wide: true, Staged: true, Levels: 3,
		HowTo: howTo("Arrow keys or buttons: run and jump. Take the {pickup}, land on the {hazard}, reach the flag!", "Pfeiltasten oder Knöpfe: laufen und springen. Sammle ein und erreiche die Fahne!",
			"Flechas o botones: corre y salta. ¡Recoge y llega a la bandera!", "Flèches ou boutons : cours et saute. Ramasse et atteins le drapeau !"),
		Titles: []string{"{Hero} Adventure", "Super {Hero}", "{Hero} Land"}, Lives: 4, Themes: []string{"forest", "sky", "desert"},
	},
	"maze": {
		Wide: true, Staged: true, Levels: 3,
		HowTo: howTo("Arrow keys or a drag: collect all {pickup} in the maze. Keep away from the {hazard}!", "Pfeiltasten oder Ziehen: sammle alles im Labyrinth ein. Lass dich nicht fangen!",
			"Flechas o arrastra: recoge todo en el laberinto. ¡Que no te atrapen!", "Flèches ou glisse : ramasse tout dans le labyrinthe. Ne te fais pas attraper !"),
		Titles: []string{"{Hero} Maze", "Lost {Hero}", "{Hero} Labyrinth"}, Lives: 3, Themes: []string{"night", "farm", "neon"},
	},
	"breakout": {
		Wide: true, Staged: true, Levels: 3,
		HowTo: howTo("Move with pointer or arrow keys. Keep the ball in play and break every brick!", "Beweg dich mit Zeiger oder Pfeiltasten. Halt den Ball im Spiel und triff jeden Stein!",
			"Muévete con el puntero o las flechas. ¡Rompe todos los ladrillos!", "Bouge avec le pointeur ou les flèches. Casse toutes les briques !"),
		Titles: []string{"{Hero} Breaker", "Brick {Hero}", "{Hero} Smashout"}, Lives: 3, Themes: []string{"neon", "space", "candy"},
	},
	"match": {
		Wide: true, Staged: true, Levels: 3,
		HowTo: howTo("Swap two neighbours to line up three or more. Reach the goal before the moves run out!", "Tausche zwei Nachbarn, um drei gleiche zu verbinden. Erreiche das Ziel mit deinen Zügen!",
			"Cambia dos vecinos para alinear tres o más. ¡Llega a la meta con tus jugadas!", "Échange deux voisins pour en aligner trois. Atteins le but avec tes coups !"),
		Titles: []string{"{Hero} Match", "{Hero} Crush", "Puzzle {Hero}"}, Lives: 3, Themes: []string{"candy", "farm", "sea"},
	},
	"shooter": {
		Wide: true, Staged: true, Levels: 3,
		HowTo: howTo("Move with pointer or arrow keys; you fire by yourself. Hit the {hazard}, take the {pickup}!", "Beweg dich mit Zeiger oder Pfeiltasten; geschossen wird von selbst. Triff die Gegner!",
			"Muévete con el puntero o las flechas; disparas solo. ¡Derriba a los enemigos!", "Bouge avec le pointeur ou les flèches ; tu tires tout seul. Touche les ennemis !"),
		Titles: []string{"{Hero} Squadron", "{Hero} Assault", "Star {Hero}"}, Lives: 4, Bodies: []string{"rocket", "plane", "ufo"}, Themes: []string{"space", "sky", "sea"},
	},

	"runner3d": {
		Solid: true,
		HowTo: howTo("Tap left or right to change lanes. Dodge the {hazard}, take the {pickup}!", "Tippe links oder rechts, um die Spur zu wechseln. Weich aus und sammle!",
			"Toca a la izquierda o derecha para cambiar de carril. ¡Esquiva y recoge!", "Touche à gauche ou à droite pour changer de voie. Esquive et ramasse !"),
		Titles: []string{"{Hero} Run 3D", "{Hero} Rush 3D", "Endless {Hero}"}, Lives: 3, Themes: []string{"city", "forest", "neon"},
	},
	"roll3d": {
		Solid: true,
		HowTo: howTo("Tap to turn. Roll along the edge and collect the {pickup}!", "Tippe zum Abbiegen. Roll nicht über den Rand!",
			"Toca para girar. ¡No te caigas del borde!", "Touche pour tourner. Ne tombe pas du bord !"),
		Titles: []string{"Rolling {Hero}", "{Hero} Roll", "{Hero} Edge"}, Lives: 3, Themes: []string{"sky", "space", "winter"},
	},
	"drive3d": {
		Solid: true,
		HowTo: howTo("Hold left or right to steer. Weave through the {hazard}, take the {pickup}!", "Halte links oder rechts zum Lenken. Weich aus und sammle!",
			"Mantén izquierda o derecha para girar. ¡Esquiva y recoge!", "Maintiens à gauche ou à droite pour tourner. Esquive et ramasse !"),
		Titles: []string{"{Hero} Drive", "Turbo {Hero}", "{Hero} Highway"}, Lives: 3, Bodies: []string{"car", "boat"}, Themes: []string{"city", "desert", "neon"},
	},
	"tower3d": {
		Solid: true,
		HowTo: howTo("Tap to drop the slab. Build a tower as high as you can!", "Tippe, um die Platte fallen zu lassen. Bau den höchsten Turm!",
			"Toca para soltar la losa. ¡Haz la torre más alta!", "Touche pour lâcher la dalle. Fais la plus haute tour !"),
		Titles: []string{"{Hero} Tower 3D", "Sky {Hero}", "{Hero} Heights"}, Lives: 3, Themes: []string{"candy", "sky", "city"},
	},
}
