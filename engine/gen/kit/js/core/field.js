// The size of the playing field, and of the strip below it for the buttons of a
// touch screen. Short games are 480x720; the compiler writes this file anew for
// other formats.
export const W = 480;
export const H = 720;
export const STRIP = 0;
