package experiment

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// TestBucketIsGrowthBooks holds assignment to the vectors that GrowthBook publishes for
// all its libraries (hash version 2).
func TestBucketIsGrowthBooks(t *testing.T) {
	for _, v := range []struct {
		salt, player string
		want         float64
	}{
		{"seed", "a", 0.0505}, {"seed", "b", 0.2696}, {"foo", "ab", 0.2575}, {"foo", "def", 0.2019}, {"89123klj", "8952klfjas09ujkasdf", 0.124},
		{"90850943850283058242805", "123", 0.7516}, {"()**(%$##$%#$#", `___)((*":&`, 0.0128},
	} {
		if got := float64(Bucket(v.salt, v.player)) / Buckets; got != v.want {
			t.Errorf("%q %q: %v, want %v", v.salt, v.player, got, v.want)
		}
	}
}

func TestAssignmentIsEvenAndOfExperimentsIndependent(t *testing.T) {
	variants := Even([]string{"a", "b", "c"})
	counts, both := map[string]int{}, map[string]int{}
	const players = 60_000
	for i := range players {
		player := fmt.Sprintf("%032x", i)
		first, ok := Assign("one", player, variants)
		second, _ := Assign("two", player, Even([]string{"x", "y"}))
		if !ok {
			t.Fatal("a player is left out")
		}
		counts[first]++
		both[first+second]++
	}
	for name, n := range counts {
		if math.Abs(float64(n)-players/3) > 600 {
			t.Errorf("%s has %d players", name, n)
		}
	}
	for name, n := range both {
		if math.Abs(float64(n)-players/6) > 450 {
			t.Errorf("%s has %d players", name, n)
		}
	}
	if _, ok := Assign("one", "a", []Variant{{"a", 0}}); ok {
		t.Error("a variant without weight has a player")
	}
}

func TestTailOfChiSquareIsThatOfTables(t *testing.T) {
	for _, v := range []struct {
		x       float64
		degrees int
		want    float64
	}{
		{3.841458821, 1, 0.05}, {10.82756617, 1, 0.001}, {5.991464547, 2, 0.05}, {7.814727903, 3, 0.05}, {9.487729037, 4, 0.05},
		{11.07049769, 5, 0.05}, {20.51500565, 5, 0.001}, {22.45774448, 6, 0.001}, {0, 3, 1},
	} {
		if got := chiSquareTail(v.x, v.degrees); math.Abs(got-v.want) > 1e-6 {
			t.Errorf("χ² %v of %d: %v, want %v", v.x, v.degrees, got, v.want)
		}
	}
}

func TestUnevenNumbersOfPlayersStopTheVerdict(t *testing.T) {
	even := []int{5000, 5000}
	if p := Problem([]int64{4500, 5500}, even, 0, 30); p == "" {
		t.Error("45 to 55 is taken for even")
	}
	for _, v := range []struct {
		players []int64
		mixed   int64
		days    int
		ok      bool
	}{
		{[]int64{4950, 5050}, 0, 7, true}, {[]int64{4950, 5050}, 100, 7, false}, {[]int64{99, 101}, 0, 7, false}, {[]int64{150, 150}, 0, 6, false},
	} {
		if p := Problem(v.players, even, v.mixed, v.days); (p == "") != v.ok {
			t.Errorf("%+v: %q", v, p)
		}
	}
}

// draw has each arm of n more players, of whom a part comes back.
func draw(random *rand.Rand, n int, part float64, s *Sample) {
	for range n {
		x := 0.0
		if random.Float64() < part {
			x = 1
		}
		s.Add(x)
	}
}

// TestEqualVariantsAreRarelySaidToDiffer looks each day of four weeks at two variants that
// don't differ.
func TestEqualVariantsAreRarelySaidToDiffer(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	wrong, found := 0, 0
	for range 1000 {
		var a, b, better Sample
		decided, seen := false, false
		for range 28 {
			draw(random, 100, 0.3, &a)
			draw(random, 100, 0.3, &b)
			draw(random, 100, 0.36, &better)
			equal := Compare(a, b, 1)
			decided = decided || equal.Low > 0 || equal.High < 0
			seen = seen || Compare(a, better, 1).Low > 0
		}
		if decided {
			wrong++
		}
		if seen {
			found++
		}
	}
	if wrong > 50 {
		t.Errorf("%d of 1000 A/A experiments have a verdict", wrong)
	}
	if found < 900 {
		t.Errorf("a difference of a fifth is found in %d of 1000", found)
	}
	t.Logf("verdicts: %d of 1000 where nothing differs, %d where a fifth does", wrong, found)
}

func TestChanceToBeBetterIsThatOfTheNormalDistribution(t *testing.T) {
	var a, b Sample
	for i := range 100 {
		a.Add(float64(i % 2))
		b.Add(float64(i % 2))
	}
	if p := ChanceBetter(a, b); p != 0.5 {
		t.Errorf("of equals: %v", p)
	}
	b.Sum += 1.959963985 * 100 * math.Sqrt(a.variance()*2)
	b.SumSquare = b.Sum*b.Sum/100 + a.variance()*100*99
	if p := ChanceBetter(a, b); math.Abs(p-0.975) > 1e-6 {
		t.Errorf("1.96 deviations: %v", p)
	}
}
