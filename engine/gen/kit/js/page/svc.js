// svc: analytics of a game. Who the game is comes from the page that hosts it: in the name of the game's frame,
// "svc:{gameId, key, endpoint, …}", or in window.__SVC__ set before this script; nothing of it is in the build.
// Without a host all events stay in a local buffer and nothing is ever sent.
//
//   svc.ready(cb)                      cb({variants}) once the library is up
//   svc.define(name, schema, options)  {prop: 'string' | 'number' | 'boolean'}; {every: ms} keeps the last of more
//   svc.track(name, props)             false when props don't fit the schema, and for names of the library's own
//   svc.funnel(id).step(n, eventName)  chainable
//   svc.endGame({outcome, score}, cb)  once a run, which 'start' begins. cb gets {ok, hosted, rank, top, rewards};
//                                      where there is a board a panel shows it, unless overlay is false
//   svc.expose(state, screen)          functions for a playtest: state, what is on screen
//   svc.debug()                        what the library knows and holds
//   svc.health()                       resolves {ok, ms, status}
//
// Events are numbered in their stream, which is one load of the page, and sent oldest first until they are
// acknowledged: however often they arrive, each counts once.
(() => {
  'use strict';

  const FLUSH_AFTER = 5000; // ms from the first buffered event to its sending
  const TIMEOUT = 10000; // ms for one request, where a browser can tell
  const IDLE = 60000; // ms after an input in which the player counts as active
  const AWAY = 30 * 60000; // ms hidden after which a new stream begins
  const CHUNK = 28 * 1024; // bytes of a batch
  const LAST = 60000; // bytes of a page's last one

  var framed = parent !== window && /^svc:/.test(window.name);
  var host = identity();
  var endpoint = String(host.endpoint || '').replace(/\/+$/, ''), hosted = endpoint !== '';
  var gameId = host.gameId || null;
  var place = (hosted ? 'svc.streams:' : 'svc.events:') + (gameId || location.pathname);
  var most = hosted ? 500 : 200; // events
  var schemas = {}, funnels = {}, version = 0; // version is that of what is declared
  var every = { score: held(5000, -Infinity) };
  var streams = []; // the last one is the present one
  var rejected = 0, lost = 0; // lost are those dropped here, as too many
  var room = 100, roomAt = 0; // events that may come at once; ten more a second
  var isReady = false, waiting = [], exposed = null;
  var run = 0, runAt = 0, ended = false, panel = null; // the run's number, begin and report; what shows its place
  var essential = !!host.consent; // no consent, or the owner's balance ran out: sessions only
  var silent = false, problem = null; // silent once the key is not taken
  var flying = false, failures = 0, pause = 0, chunk = CHUNK; // pause is the timer of the next try
  var timer = 0, beat = 0, inputAt = -Infinity, markAt = 0, hiddenAt = 0;
  var utf8 = new TextEncoder(), keys = Object.keys, assign = Object.assign, on = addEventListener, later = setTimeout;
  var encode = JSON.stringify, round = Math.round, max = Math.max, min = Math.min, today = Date.now;
  var nav = /** @type {any} */ (navigator), doc = document;

  function clock() { return performance.now(); }
  function since(at) { return round(clock() - at); }
  function identity() {
    try {
      if (framed) return JSON.parse(window.name.slice(4)) || {};
    } catch { framed = false; }
    return window.__SVC__ || {};
  }
  function id() {
    var bytes = [...crypto.getRandomValues(new Uint8Array(16))];
    return bytes.map((b) => (b + 256).toString(16).slice(1)).join('');
  }
  // quiet says that the player is not to be followed: there is no name, and no storage.
  function quiet() { return hosted && (host.consent || nav.globalPrivacyControl || nav.doNotTrack === '1'); }

  // player is the page's; on a page of one's own the same at each load.
  function player() {
    var own = host.player || '';
    if (own || framed || !hosted || quiet()) return own;
    try {
      var name = 'svc.player:' + gameId;
      var known = localStorage.getItem(name) || id();
      localStorage.setItem(name, known);
      return known;
    } catch { return ''; }
  }
  function begin() {
    markAt = clock(); roomAt = 0;
    streams.push({
      id: id(), from: markAt, seq: 0, events: (!hosted && stored()) || [], size: 0,
      active: 0, err: 0, sending: 0, version: -1,
    });
    push('session_start', { width: innerWidth, height: innerHeight });
    clearTimeout(beat);
    beat = later(alive, 30000);
  }

  function now() { return streams[streams.length - 1]; }
  function isSession(name) { return /^(session_(start|end)|heartbeat)$/.test(name); }
  // stored puts a value into the page's storage, or returns what is there.
  function stored(value) {
    if (quiet()) return null;
    try {
      if (value === undefined) return JSON.parse(localStorage.getItem(place));
      localStorage.setItem(place, encode(value));
    } catch { /* no storage in a sandboxed frame: memory alone */ }
    return null;
  }
  // mark adds the time since the last mark in which the page was seen and used.
  function mark() {
    var at = clock();
    if (!hiddenAt) now().active += max(0, min(at, inputAt + IDLE) - max(markAt, inputAt));
    markAt = at;
  }
  function alive() {
    beat = later(alive, 60000);
    if (!doc.hidden && clock() - inputAt < IDLE) push('heartbeat', {});
    if (essential) flush(); // a top-up is found at once
  }
  function push(name, props) {
    if (silent || (essential && !isSession(name))) return;
    var s = now(), at = since(s.from);
    if (hosted && !isSession(name)) {
      room = min(100, room + (at - roomAt) / 100); roomAt = at;
      if (room < 1) { lost++; return; }
      room--;
    }
    var e = { seq: ++s.seq, name: name, props: props, at: today() };
    e.text = hosted ? encode([e.seq, at, name, props]) : '';
    e.size = utf8.encode(e.text).length + 1;
    s.size += e.size; s.events.push(e);
    while (s.events.length > most || s.size > 256 * 1024) drop(s);
    if (hosted) arm(); else stored(s.events);
  }
  // arm has what is buffered sent 5 s later, or kept where that can't be.
  function arm() { if (!timer) timer = later(flush, FLUSH_AFTER); }
  // Too many: the oldest goes that is neither essential nor on its way.
  function drop(s) {
    var at = s.events.findIndex((e) => e.seq > s.sending && (!hosted || !isSession(e.name)));
    s.size -= s.events.splice(max(at, 0), 1)[0].size;
    lost++;
  }
  // held is what is known of an event of which one in ms is sent, and the last one so far.
  function held(ms, at) { return { ms: ms, at: at, n: 0, props: null }; }
  // release lets go of what was held back as it came too often.
  function release() {
    keys(every).forEach((name) => {
      var one = every[name];
      if (!one.props) return;
      push(name, one.n > 1 ? assign({ n: one.n }, one.props) : one.props);
      every[name] = held(one.ms, clock());
    });
  }
  function whose(s) {
    return { v: 1, k: host.key, g: gameId, b: host.build, s: s.id, p: who, t: host.token, o: since(s.from) };
  }
  // batch returns the oldest events of a stream after a number as text, whose events have
  // at most so many bytes, and the number of the last of them.
  function batch(s, bytes, after) {
    var rows = [], size = 0, last = 0, coarse = matchMedia('(pointer: coarse)').matches;
    s.events.every((e) => {
      if (e.seq <= after) return true;
      size += e.size;
      if (rows.length && (size > bytes || rows.length === 250)) return false;
      rows.push(e.text); last = e.seq;
      return true;
    });
    var head = assign(whose(s), {
      age: 0, act: round(s.active), err: s.err, m: nav.webdriver === true,
      c: { d: coarse ? 'touch' : 'mouse', l: (nav.language || '').slice(0, 8), w: innerWidth, h: innerHeight },
      x: host.variants,
    });
    if (s.version !== version) {
      head.defs = schemas;
      head.fun = {};
      keys(funnels).forEach((key) => {
        var steps = funnels[key].steps;
        head.fun[key] = keys(steps).map((n) => steps[n]); // numbers come in order
      });
    }
    return { last: last, version: version, text: encode(head).slice(0, -1) + ',"e":[' + rows.join(',') + ']}' };
  }
  function request(path, init) {
    return fetch(endpoint + path, assign(init, { signal: AbortSignal.timeout?.(TIMEOUT), credentials: 'omit' }));
  }
  // post rejects where it is to be tried again.
  function post(path, body, keepalive) {
    return request(path, { method: 'POST', body: body, keepalive: keepalive }).then((res) => {
      if (res.status >= 500 || res.status === 429) throw problem = '' + res.status;
      return res;
    });
  }
  function placed(a) { return assign({ ok: true, hosted: !!a, rank: null }, a); }
  // submit reports the end of a run, and again after failures: the same run counts once.
  async function submit(r, again, done) {
    try {
      var res = await post('/s', r.body, true), a = res.ok && await res.json();
      if (r.kept) hand(r, null);
      if (a && r.overlay !== false && a.top && a.top.length + a.rewards.length) show(a);
      done(placed(a));
    } catch {
      done(placed());
      hand(r, r.body, '/s');
      if (again) later(submit, again, r, again < 60000 && again * 4, () => { /* it was answered */ });
    }
  }
  // show puts a run's place into a corner, until it is closed or the next run begins.
  function show(a) {
    hide();
    panel = doc.createElement('div'); panel.role = 'status';
    panel.style.cssText = 'position:fixed;right:0;bottom:0;padding:8px;background:#111;color:#fff;font:14px sans-serif';
    doc.body.appendChild(panel);
    var add = (kind, text) => assign(panel.appendChild(doc.createElement(kind)), { textContent: text });
    if (a.rank) add('b', 'Rank ' + a.rank + ' (' + a.note + ')');
    a.top.forEach((r) => add('div', `${r.rank}. ${r.name} ${r.score}${r.verified ? ' ✓' : ''}${r.you ? ' ←' : ''}`));
    a.rewards.forEach((won) => { add('div', won.icon + ' ' + won.name); });
    add('button', 'Close').onclick = hide;
  }
  function hide() { if (panel) panel.remove(); }

  function flush() {
    clearTimeout(timer); timer = 0;
    if (!hosted || silent) return;
    release(); mark();
    if (flying || pause) return keep();
    var s = oldest();
    if (!s) return;
    flying = true;
    send(s, batch(s, chunk), false).then(() => { flying = false; schedule(); });
  }
  function oldest() { return streams.find((s) => s.events[0]); }
  // schedule sends what is left: after failures later, 5 min at most, and at once what waited for its turn.
  function schedule() {
    var s = oldest(), e = s && s.events[0];
    if (failures) pause = later(retry, 1000 + Math.random() * min(300000, 1000 * 2 ** failures));
    else if (e && e.seq > s.sending && today() - e.at >= FLUSH_AFTER) flush();
    else if (e) arm();
  }
  function retry() { clearTimeout(pause); pause = 0; flush(); }
  function send(s, b, keepalive) {
    s.sending = max(s.sending, b.last);
    return post('/b', b.text, keepalive).then((res) => {
      return res.json().catch(() => ({})).then((said) => { answered(s, b, res, said); });
    }).catch(() => { failures++; keep(); });
  }
  function answered(s, b, res, said) {
    failures = 0;
    if (res.ok || res.status === 402) {
      essential = !!host.consent || said.mode === 'essential'; s.version = b.version;
      return forget(s, typeof said.ack === 'number' ? said.ack : b.last);
    }
    problem = '' + (said.error || res.status);
    if (/40[13]/.test(res.status)) silent = true;
    else if (res.status === 413 && chunk > 1024) chunk /= 2;
    else forget(s, b.last);
  }
  function forget(s, upTo) {
    s.events = s.events.filter((e) => e.seq > upTo && (!essential || isSession(e.name)));
    s.size = s.events.reduce((sum, e) => sum + e.size, 0);
    if (s.events[0]) return;
    if (s.kept) hand(s, null);
    streams = streams.filter((one) => one !== s || one === now());
  }
  // keep hands what is not acknowledged to what outlives this page: batches, a line each.
  function keep() {
    streams.forEach((s) => {
      var lines = [], last = 0, b;
      while (s.events.some((e) => e.seq > last)) { b = batch(s, LAST, last); last = b.last; lines.push(b.text); }
      if (last) hand(s, lines.join('\n'));
    });
  }
  function hand(s, text, path) {
    s.kept = text !== null;
    if (framed) parent.postMessage({ svcStream: s.id, batch: text, path: path }, '*');
    else put(s.id, text, path);
  }
  function put(key, text, path) {
    var all = stored() || {};
    all[key] = text === null ? undefined : { at: today(), batch: text, path: path };
    stored(all);
  }
  // resume sends what earlier loads of this page could not, in order.
  function resume() {
    var all = stored() || {};
    keys(all).forEach(async (key) => {
      try {
        for (var text of all[key].batch.split('\n')) {
          var b = JSON.parse(text);
          b.age = (b.age || 0) + max(0, today() - all[key].at);
          await post(all[key].path || '/b', encode(b));
        }
        put(key, null);
      } catch { /* the next load tries again */ }
    });
  }
  // leave sends all that fits while the page still may.
  function leave() {
    if (!hosted || silent) return;
    release(); mark(); keep();
    streams.forEach((s) => { if (s.events[0]) send(s, batch(s, LAST), true); });
  }
  function fits(schema, props) {
    try {
      encode(props); // which a circle throws at
      return keys(schema || {}).every((k) => typeof props[k] === schema[k]);
    } catch { return false; }
  }
  function reach(name) { // of a host the service finds out by itself
    if (!hosted) keys(funnels).forEach((key) => {
      var f = funnels[key];
      keys(f.steps).forEach((n) => {
        if (f.steps[n] !== name || f.reached[n]) return;
        f.reached[n] = true;
        push('funnel_step', { funnel: key, step: +n, event: name });
      });
    });
  }
  // record pushes an event, or holds it back when it comes too often.
  function record(name, props) {
    var one = every[name];
    if (one) { one.props = props; one.n++; }
    if (!one || clock() - one.at >= one.ms) release();
    if (one) arm(); else push(name, props);
  }

  window.svc = {
    ready(cb) {
      if (isReady) later(cb, 0, { variants: variants });
      else waiting.push(cb);
    },
    define(name, schema, options) {
      schemas[name] = assign({}, schema);
      version++;
      if (options && options.every > 0) every[name] = held(options.every, -Infinity);
    },
    track(name, props) {
      var p = assign({}, props);
      if (isSession(name) || name === 'exposure' || !fits(schemas[name], p)) { rejected++; return false; }
      if (name === 'start') { ended = false; run++; runAt = clock(); hide(); }
      record(name, p); reach(name);
      return true;
    },
    funnel(key) {
      var f = funnels[key] || (funnels[key] = { steps: {}, reached: {} });
      var chain = { step(n, eventName) { f.steps[n] = eventName; version++; return chain; } };
      return chain;
    },
    endGame(result, cb) {
      var done = (r) => { if (typeof cb === 'function') later(cb, 0, r); };
      if (ended) { done({ ok: false, reason: 'already_ended' }); return; }
      var { replay: log, ...r } = assign({ outcome: 'lose', score: 0 }, result); // log: to play it again
      ended = true; record('end', r); reach('end');
      if (!hosted) push('leaderboard', { score: r.score });
      if (!hosted || silent || essential) { done(placed()); return; }
      var m = whose(now());
      assign(m, { run: run || 1, score: r.score, outcome: r.outcome, ms: min(m.o, since(runAt)) });
      m.log = log?.length < 4e4 ? log : ''; // a longer one would cost the run its place
      submit({ id: id(), body: encode(m), overlay: r.overlay }, 4000, done);
    },
    expose(state, screen) { exposed = { state: state, screen: screen }; },
    debug() {
      var known = (s) => s.events.map((e) => ({ name: e.name, props: e.props, session: s.id, at: e.at }));
      return {
        gameId: gameId, endpoint: hosted ? host.endpoint : null, hosted: hosted, session: now().id, ready: isReady,
        essential: essential, buffered: streams.flatMap(known), defined: keys(schemas), funnels: keys(funnels),
        rejected: rejected, lost: lost, problem: problem, exposes: exposed !== null,
      };
    },
    health() {
      if (!hosted) return Promise.resolve({ ok: false, ms: 0, status: 'unhosted' });
      var from = clock();
      return request('/h', { method: 'GET' }).then(
        (res) => ({ ok: res.ok, ms: since(from), status: res.status }),
        () => ({ ok: false, ms: since(from), status: 'unreachable' })
      );
    },
  };
  var who = player(), variants = {};
  begin();
  // The first reading of a variant is what its experiment counts.
  keys(host.variants || {}).forEach((k) => {
    var v = host.variants[k], read = 0;
    var get = () => { if (!read++) push('exposure', { k: k, v: v }); return v; };
    Object.defineProperty(variants, k, { enumerable: true, get: get });
  });
  if (hosted && !framed) resume();
  ['pointerdown', 'pointermove', 'keydown', 'wheel'].forEach((type) => {
    on(type, () => { mark(); inputAt = markAt; }, { capture: true, passive: true });
  });
  on('keydown', (e) => { if (e.key === 'Escape') hide(); });
  // A page that asks its player sets consent: 'pending', and posts {svcConsent: {}} after a yes.
  on('message', (e) => {
    if (!e.data || e.source !== parent) return;
    var yes = host.consent && e.data.svcConsent;
    host = assign({}, host, e.data.svcHost, /* another token */ yes, yes && { consent: '' });
    if (yes) { who = player(); essential = false; begin(); }
  });
  ['error', 'unhandledrejection'].forEach((type) => { on(type, () => { now().err++; }); }); // how many, not which
  on('online', () => { failures = 0; retry(); });
  doc.addEventListener('visibilitychange', () => {
    if (doc.hidden) { leave(); hiddenAt = today(); return; }
    markAt = clock();
    if (hosted && hiddenAt && today() - hiddenAt > AWAY) begin();
    hiddenAt = 0;
  });
  on('pagehide', () => {
    release();
    push('session_end', { seconds: round(since(now().from) / 1000) });
    leave();
  });
  on('pageshow', (e) => { if (e.persisted && hosted) begin(); });
  later(() => { isReady = true; waiting.splice(0).forEach((cb) => { cb({ variants: variants }); }); }, 0);
})();
