// Plays the sounds of the game's assets, if there are any, from the first
// press on: browsers allow none before it.
const EFFECTS = {
  gain: 'score', hurt: 'hurt', over: 'over', level: 'power', power: 'power', boss: 'boss', strike: 'hit',
  shield: 'power',
};

function bytes(url) {
  const text = atob(url.slice(url.indexOf(',') + 1));
  const out = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) out[i] = text.charCodeAt(i);
  return out.buffer;
}

export function player(assets) {
  const names = Object.keys(assets).filter((name) => assets[name].startsWith('data:audio/'));
  const buffers = {};
  let context = null;
  let volume = null;
  let music = null;
  let muted = false;

  function play(name, loop) {
    if (!context || !buffers[name]) return null;
    const source = context.createBufferSource();
    source.buffer = buffers[name];
    source.loop = Boolean(loop);
    source.connect(volume);
    source.start();
    return source;
  }

  return {
    any: names.length > 0,
    // start is called in a press: it opens the sound and begins the music.
    start() {
      if (names.length === 0) return;
      if (!context) {
        context = new AudioContext();
        volume = context.createGain();
        volume.gain.value = muted ? 0 : 0.6;
        volume.connect(context.destination);
        for (const name of names) {
          context.decodeAudioData(bytes(assets[name])).then((buffer) => {
            buffers[name] = buffer;
            if (name === 'music' && !music) music = play('music', true);
          }, () => { /* a sound that can't be decoded is not heard */ });
        }
      }
      context.resume();
    },
    play(e) { play(e.type === 'over' && e.outcome === 'win' ? 'win' : EFFECTS[e.type] || 'move'); },
    // hold silences everything until it goes on.
    hold() { if (context) context.suspend(); },
    goOn() { if (context) context.resume(); },
    mute() {
      muted = !muted;
      if (volume) volume.gain.value = muted ? 0 : 0.6;
      return muted;
    },
  };
}
