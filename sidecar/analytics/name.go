package analytics

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strings"
)

// The words of players' names. No player writes one, so none needs moderation.
var (
	nameFirst = strings.Fields(`Amber Brave Brisk Bright Calm Clever Copper Coral Daring Deft Eager Early Fleet Gentle Golden Grand Happy
		Hazel Humble Jolly Keen Kind Lively Lucky Mellow Merry Mighty Misty Nimble Noble Olive Patient Plucky Polite Proud Quick Quiet Rapid
		Ready Rosy Royal Ruby Rustic Sandy Serene Sharp Shiny Silent Silver Smooth Snowy Solar Steady Sunny Swift Tidy Vivid Warm Wise Witty`)
	nameSecond = strings.Fields(`Badger Beaver Bison Canary Caribou Condor Cricket Dolphin Dragon Eagle Egret Falcon Ferret Finch Fox Gecko
		Gibbon Hare Hawk Hedgehog Heron Ibex Iguana Jackdaw Jaguar Kestrel Kiwi Koala Lark Lemur Leopard Llama Lynx Magpie Marlin Marmot
		Marten Mole Moose Newt Ocelot Orca Otter Owl Panda Parrot Pelican Penguin Puffin Puma Quail Rabbit Raven Robin Salmon Seal Sparrow
		Squirrel Stork Swan Tapir Tiger Toucan Trout Turtle Viper Walrus Weasel Wolf Wombat Wren Yak Zebra`)
)

// playerName is what a board calls a player: always the same, and of another game
// another one.
func playerName(game, player string) string {
	sum := sha256.Sum256([]byte(game + "\n" + player))
	first, second := binary.BigEndian.Uint32(sum[0:]), binary.BigEndian.Uint32(sum[4:])
	return fmt.Sprintf("%s %s %d", nameFirst[first%uint32(len(nameFirst))], nameSecond[second%uint32(len(nameSecond))], sum[8]%100)
}
