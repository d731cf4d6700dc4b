// A player of Comets: lets go when the moon is about to be in front of the gate.
export function act(s) {
  const off = Math.atan2(Math.sin(s.gate - s.angle), Math.cos(s.gate - s.angle));
  return { tap: s.rest <= 0 && Math.abs(off) < 0.18 };
}
