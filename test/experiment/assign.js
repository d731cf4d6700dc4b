// Reads {salt, values, ranges, players} and writes the value that GrowthBook gives each
// player, one a line, "" for none. Of weights GrowthBook makes ranges by sums that it rounds:
// 0.2 + 0.2 + 0.2 is more than 0.6, and a player who is just there gets the value before.
import { readFileSync } from 'node:fs';
import { GrowthBook } from '@growthbook/growthbook';

const { salt, values, ranges, players } = JSON.parse(readFileSync(0, 'utf8'));
const book = new GrowthBook();
const given = [];
for (let n = 0; n < players; n++) {
  book.setAttributes({ id: n.toString(16).padStart(32, '0') });
  const got = book.run({ key: 'parameter', seed: salt, hashVersion: 2, variations: values, ranges });
  given.push(got.inExperiment ? got.value : '');
}
process.stdout.write(given.join('\n'));
