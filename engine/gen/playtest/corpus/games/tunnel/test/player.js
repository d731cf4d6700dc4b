// A player of Tunnel: goes to the free lane of the next row.
export function act(s) {
  const row = s.rows.find((r) => !r.done);
  if (!row || row.free === s.lane) return null;
  return { move: row.free < s.lane ? 'left' : 'right' };
}
