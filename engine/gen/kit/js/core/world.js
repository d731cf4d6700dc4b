// What every mechanic builds on: the field, chance and time, and the rules.
export * from './field.js';
export * from './math.js';
export * from './rules.js';
