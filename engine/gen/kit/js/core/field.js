// The size of the playing field. Short games are 480x720; the compiler writes
// this file anew for other formats.
export const W = 480;
export const H = 720;
