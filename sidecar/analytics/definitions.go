package analytics

import (
	"strconv"
	"strings"

	"github.com/svc-games/svc/api"
)

// causes say why an event was not kept.
var causes = map[string]string{
	"name": "not a name of a-z, digits and _", "props": "too many members, or values of other kinds", "size": "more than 1,024 bytes",
	"type": "not what the game declared", "late": "older than 72 hours when it came", "stream_over": "of a session older than 12 hours",
	"stream_full": "past 300 of a session", "player_full": "past 500 of a player and day", "names_full": "past 200 names of a game",
	"session_full": "past 1,000 of the library's own of a session", "game_full": "past what is free of a game on a day", "machine": "played by a program", "unpaid": "balance or cap used up",
}

// results say what became of runs that were to be played again.
var results = map[string]string{
	resultVerified:   "came to the score that was reported: it has a tick",
	resultRefused:    "came to another end, and was taken from the board",
	resultUnverified: "could not be played again",
}

// definitions are what each figure is. Those of days back begin with "d".
var definitions = map[string]api.ViewColumn{
	"day":      {Title: "Day (UTC)", Unit: api.UnitDay, Definition: "A day of UTC. A session counts on the day on which it began."},
	"period":   {Title: "Period", Unit: api.UnitText, Definition: "These days, and as many before them."},
	"build":    {Title: "Build", Unit: api.UnitJob, Definition: "The job whose game was played."},
	"prompt":   {Title: "Asked for", Unit: api.UnitText, Definition: "The beginning of what that job was asked for, without secrets; empty for one that was published before it was kept."},
	"firstDay": {Title: "First played", Unit: api.UnitDay, Definition: "The first of these days on which it was played."},
	"minute":   {Title: "Minute (UTC)", Unit: api.UnitTime, Definition: "A minute of UTC."},
	"at":       {Title: "Time (UTC)", Unit: api.UnitTime, Definition: "When it happened, by the server's clock at the session's begin and the page's from there on."},

	"sessions":             {Title: "Sessions", Unit: api.UnitCount, Definition: "Loads of the game's page; a page hidden for half an hour begins another one."},
	"plays":                {Title: "Plays", Unit: api.UnitCount, Definition: "Sessions in which a run began."},
	"bounce":               {Title: "Bounce", Unit: api.UnitShare, Definition: "The share of sessions in which no run began."},
	"runs":                 {Title: "Runs", Unit: api.UnitCount, Definition: "Runs that began."},
	"players":              {Title: "Players", Unit: api.UnitCount, Definition: "Players of at least one play. Those without a name, as they ask not to be followed, are not among them."},
	"newPlayers":           {Title: "New players", Unit: api.UnitCount, Definition: "Players that had not played on an earlier day."},
	"returning":            {Title: "Returning players", Unit: api.UnitCount, Definition: "Players that had played on an earlier day."},
	"nextDay":              {Title: "D1", Unit: api.UnitShare, Definition: "Of the players whose second day was one of these days, those who played on it. A day counts once it is over."},
	"nextWeek":             {Title: "D7", Unit: api.UnitShare, Definition: "Of the players whose first day was a week before one of these days, those who played on that one. A day counts once it is over."},
	"activeSeconds":        {Title: "Active time", Unit: api.UnitSeconds, Definition: "Time in which the page was seen, and used in the last minute."},
	"medianSessionSeconds": {Title: "Median session", Unit: api.UnitSeconds, Definition: "Half of the sessions were active for longer, of those that were for a second at least; to within a fifth."},
	"events":               {Title: "Events", Unit: api.UnitCount, Definition: "Events that were kept, each once."},
	"lost":                 {Title: "Lost", Unit: api.UnitCount, Definition: "Events that a game numbered and that never came."},
	"runsPerPlay":          {Title: "Runs per play", Unit: api.UnitNumber, Definition: "Runs divided by plays."},
	"activePerSession":     {Title: "Active time per session", Unit: api.UnitSeconds, Definition: "Active time divided by sessions."},

	"wau":        {Title: "Players in 7 days", Unit: api.UnitCount, Definition: "Players of the 7 days up to today."},
	"mau":        {Title: "Players in 30 days", Unit: api.UnitCount, Definition: "Players of the 30 days up to today."},
	"dau":        {Title: "Players a day", Unit: api.UnitNumber, Definition: "The mean of the players of each of the last 30 days."},
	"stickiness": {Title: "Stickiness", Unit: api.UnitShare, Definition: "Players a day divided by players in 30 days."},
	"unnamed":    {Title: "Plays without a player", Unit: api.UnitShare, Definition: "The share of plays whose player has no name. They are in no figure of players."},
	"fromSecond": {Title: "From", Unit: api.UnitSeconds, Definition: "The least active time of these sessions."},
	"toSecond":   {Title: "Below", Unit: api.UnitSeconds, Definition: "Sessions were active for less than this."},
	"fromScore":  {Title: "From", Unit: api.UnitNumber, Definition: "The least score of these runs."},
	"toScore":    {Title: "Below", Unit: api.UnitNumber, Definition: "Runs ended with less than this."},
	"ended":      {Title: "Runs", Unit: api.UnitCount, Definition: "Runs that ended with a score."},

	"cohort": {Title: "First day", Unit: api.UnitDay, Definition: "The day on which a player played first."},

	"funnel":      {Title: "Funnel", Unit: api.UnitText, Definition: "The funnel as the game names it by svc.funnel."},
	"step":        {Title: "Step", Unit: api.UnitCount, Definition: "The step's place in the funnel."},
	"event":       {Title: "Event", Unit: api.UnitText, Definition: "The name of the event."},
	"reached":     {Title: "Sessions", Unit: api.UnitCount, Definition: "Sessions that reached the step in order, other events between them or not; each counts once."},
	"ofFirst":     {Title: "Of the first", Unit: api.UnitShare, Definition: "Those that reached the step, of those that reached the first."},
	"ofPrevious":  {Title: "Of the one before", Unit: api.UnitShare, Definition: "Those that reached the step, of those that reached the step before."},
	"medianSince": {Title: "Median time", Unit: api.UnitSeconds, Definition: "Half of them took longer since the step before; to within a fifth."},

	"days":    {Title: "Days", Unit: api.UnitCount, Definition: "Days on which it came."},
	"lastDay": {Title: "Last", Unit: api.UnitDay, Definition: "The last day on which it came."},
	"cause":   {Title: "Cause", Unit: api.UnitText, Definition: "Why the events were not kept."},
	"notKept": {Title: "Events", Unit: api.UnitCount, Definition: "Events that were acknowledged and not kept, by the hour in which they came."},
	"meaning": {Title: "Meaning", Unit: api.UnitText, Definition: "The cause in words."},
	"member":  {Title: "Member", Unit: api.UnitText, Definition: "The name of a member of the event."},
	"kind":    {Title: "Kind", Unit: api.UnitText, Definition: "The kind of its value, as the game declares it by svc.define."},

	"paid":   {Title: "Paid", Unit: api.UnitCount, Definition: "Events of the public, other than the library's own session events, that were kept."},
	"free":   {Title: "Free", Unit: api.UnitCount, Definition: "Session events, and all events of the owner's own plays."},
	"unpaid": {Title: "Not kept", Unit: api.UnitCount, Definition: "Events that were not kept as the balance or the game's cap was used up."},

	"tikMonth":    {Title: "This month", Unit: api.UnitNumber, Definition: "What the game has cost in this month of UTC."},
	"tikForecast": {Title: "Forecast", Unit: api.UnitNumber, Definition: "What the whole month costs if it goes on like the month so far."},
	"tikCap":      {Title: "At most", Unit: api.UnitNumber, Definition: "What the game may cost in a month, as its owner set it."},
	"tikDay":      {Title: "Last 24 hours", Unit: api.UnitNumber, Definition: "What the game has cost in the last 24 hours."},
	"tikBalance":  {Title: "Balance", Unit: api.UnitNumber, Definition: "The owner's balance, from which the next block is paid."},
	"tikBlock":    {Title: "A block", Unit: api.UnitNumber, Definition: "What 1,000 events cost, paid ahead."},
	"blocks":      {Title: "Blocks", Unit: api.UnitCount, Definition: "Blocks that were paid since the game was published first."},
	"warning":     {Title: "What", Unit: api.UnitText, Definition: "Said from 80 % of what the game may cost in a month on, and when the balance lasts for less than a day."},

	"activeNow":  {Title: "Sessions now", Unit: api.UnitCount, Definition: "Sessions with an event in the last 2 minutes."},
	"playersNow": {Title: "Players now", Unit: api.UnitCount, Definition: "Players of these sessions."},
	"last30":     {Title: "Sessions in 30 minutes", Unit: api.UnitCount, Definition: "Sessions with an event in the last 30 minutes."},

	"experiment": {Title: "Experiment", Unit: api.UnitText, Definition: "The parameter of the game that differs."},
	"state":      {Title: "State", Unit: api.UnitText, Definition: "draft, running, stopped (players get what the game has without it), or winner (all get one value)."},
	"values":     {Title: "Values", Unit: api.UnitText, Definition: "What players get; the first is what the others are compared with."},
	"started":    {Title: "Started", Unit: api.UnitDay, Definition: "The day on which it began."},
	"ran":        {Title: "Days", Unit: api.UnitCount, Definition: "Days for which it ran."},
	"verdict":    {Title: "Verdict", Unit: api.UnitText, Definition: "What is certain: of 100 experiments in which nothing differs at most 5 ever say otherwise, however often one looks. None before 7 days and 100 players of each value, nor where numbers of players differ from the weights (p < 0.001) or 1 % saw two values."},
	"value":      {Title: "Value", Unit: api.UnitText, Definition: "One value of the parameter."},
	"exposed":    {Title: "Players", Unit: api.UnitCount, Definition: "Players whose game read the value. Those that read two are left out."},
	"figure":     {Title: "Figure", Unit: api.UnitText, Definition: "What is compared, from the day on which the value was read first. Errors are those that no code of the game caught, 10 of a session at most; fewer are better."},
	"mean":       {Title: "Mean", Unit: api.UnitNumber, Definition: "The mean of these players."},
	"difference": {Title: "Difference", Unit: api.UnitNumber, Definition: "The mean less that of the first value."},
	"low":        {Title: "At least", Unit: api.UnitNumber, Definition: "The lower bound of the difference: a 95 % confidence sequence, which holds at all times and for all figures and values together."},
	"high":       {Title: "At most", Unit: api.UnitNumber, Definition: "The upper bound of the difference."},
	"chance":     {Title: "Chance to be more", Unit: api.UnitShare, Definition: "The chance that the true difference is above 0, at this one time: an aid to reading, and no verdict."},

	"rank":  {Title: "Rank", Unit: api.UnitCount, Definition: "One more than there are better scores; of equal ones the earlier stands first."},
	"name":  {Title: "Player", Unit: api.UnitText, Definition: "What the board calls the player: two words and a number of the service's own."},
	"score": {Title: "Score", Unit: api.UnitNumber, Definition: "The player's best, as the game reported it."},

	"verified":      {Title: "Verified", Unit: api.UnitText, Definition: "Whether the run was played again from the player's inputs and came to this score. A program that plays well is a player, too."},
	"result":        {Title: "Result", Unit: api.UnitText, Definition: "What became of a run that was to be played again: each that comes among the best 100 of a window, and one of 100 others."},
	"replayed":      {Title: "Runs", Unit: api.UnitCount, Definition: "Runs with this result."},
	"resultMeaning": {Title: "Meaning", Unit: api.UnitText, Definition: "The result in words."},
	"reward":        {Title: "Reward", Unit: api.UnitText, Definition: "The reward's id."},
	"given":         {Title: "Given", Unit: api.UnitCount, Definition: "How often it was given."},
	"givenTo":       {Title: "Players", Unit: api.UnitCount, Definition: "Players that it was given to."},

	"stream": {Title: "Session", Unit: api.UnitText, Definition: "The session's name."},
	"seq":    {Title: "Number", Unit: api.UnitCount, Definition: "The event's number in its session."},
	"class":  {Title: "Class", Unit: api.UnitText, Definition: "Whose play it was: public or owner."},
	"props":  {Title: "Members", Unit: api.UnitText, Definition: "The event's members, as JSON."},
}

// Column returns a figure's column. "d7" is the figure of players that came back on
// the 7th day.
func Column(name string) api.ViewColumn {
	c, ok := definitions[name]
	if day, err := strconv.Atoi(strings.TrimPrefix(name, "d")); !ok && err == nil {
		c = api.ViewColumn{
			Title: "Day " + strconv.Itoa(day), Unit: api.UnitShare,
			Definition: "The share of these players that played again on day " + strconv.Itoa(day) + " after their first; empty until that day is over.",
		}
	}
	c.Name = name
	return c
}
