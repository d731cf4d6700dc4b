// svc: analytics of a game. Who the game is (id, key, endpoint) comes from the
// page that hosts it, in window.__SVC__ = {gameId, key, endpoint, variants},
// set before this script; nothing of it is in the build. Without a host all
// events stay in a local buffer and nothing is ever sent.
//
//   svc.ready(cb)                      cb({variants}) once the library is up
//   svc.define(name, schema)           {prop: 'string' | 'number' | 'boolean'}
//   svc.track(name, props)             false when props don't fit the schema
//   svc.funnel(id).step(n, eventName)  chainable
//   svc.endGame({outcome, score}, cb)  once a run; a run begins with 'start'
//   svc.expose(state, screen)          functions that a playtest may call: the
//                                      game's state, and what is on its screen
//   svc.debug()                        what the library knows and holds
//   svc.health()                       resolves {ok, ms, status}
(function () {
  'use strict';

  var MAX_BUFFER = 200;
  var FLUSH_AFTER = 5000; // ms from the first buffered event to its sending
  var TIMEOUT = 5000; // ms for one request

  var host = window.__SVC__ || {};
  var hosted = typeof host.endpoint === 'string' && host.endpoint !== '';
  var gameId = typeof host.gameId === 'string' ? host.gameId : null;
  var store = 'svc.events:' + (gameId || location.pathname);
  var session = Date.now().toString(36) + Math.random().toString(36).slice(2, 8);
  var schemas = {};
  var funnels = {};
  var buffer = [];
  var rejected = 0;
  var isReady = false;
  var waiting = [];
  var ended = false; // the current run has been reported
  var essential = false; // the owner's balance ran out: sessions only
  var timer = 0;
  var exposed = null;

  function load() {
    try {
      var kept = JSON.parse(window.localStorage.getItem(store) || '[]');
      if (Array.isArray(kept)) buffer = kept.slice(-MAX_BUFFER);
    } catch {
      buffer = []; // no storage in a sandboxed frame: memory alone
    }
  }

  function save() {
    try {
      window.localStorage.setItem(store, JSON.stringify(buffer));
    } catch {
      return; // as in load
    }
  }

  function isSession(name) { return name === 'session_start' || name === 'session_end'; }

  function push(name, props) {
    if (essential && !isSession(name)) return;
    buffer.push({ name: name, props: props, session: session, at: Date.now() });
    if (buffer.length > MAX_BUFFER) buffer.splice(0, buffer.length - MAX_BUFFER);
    save();
    if (hosted && !timer) timer = setTimeout(flush, FLUSH_AFTER);
  }

  function request(path, init) {
    var stop = new AbortController();
    var limit = setTimeout(function () { stop.abort(); }, TIMEOUT);
    init.signal = stop.signal;
    init.headers = { 'Content-Type': 'application/json' };
    if (host.key) init.headers.Authorization = 'Bearer ' + host.key;
    return fetch(host.endpoint.replace(/\/+$/, '') + path, init).then(
      function (res) { clearTimeout(limit); return res; },
      function (err) { clearTimeout(limit); throw err; }
    );
  }

  function flush() {
    timer = 0;
    if (!hosted || buffer.length === 0) return;
    var batch = buffer.slice();
    request('/events', {
      method: 'POST', keepalive: true, body: JSON.stringify({ gameId: gameId, events: batch }),
    }).then(function (res) {
      if (res.status === 402 && !essential) return fallBack();
      if (!res.ok && res.status !== 402) return;
      buffer = buffer.slice(batch.length);
      save();
    }, function () { /* offline: the next event tries again */ });
  }

  // The batch was refused as a whole: what is essential of it goes out again.
  function fallBack() {
    essential = true;
    buffer = buffer.filter(function (e) { return isSession(e.name); });
    save();
    flush();
  }

  function fits(schema, props) {
    return Object.keys(props).every(function (k) { return schema[k] === undefined || typeof props[k] === schema[k]; })
      && Object.keys(schema).every(function (k) { return props[k] !== undefined; });
  }

  function reach(name) {
    Object.keys(funnels).forEach(function (id) {
      Object.keys(funnels[id].steps).forEach(function (n) {
        var f = funnels[id];
        if (f.steps[n] === name && !f.reached[n]) {
          f.reached[n] = true;
          push('funnel_step', { funnel: id, step: Number(n), event: name });
        }
      });
    });
  }

  function overlay(board) {
    var rows = Array.isArray(board.top) ? board.top.slice(0, 5) : [];
    if (rows.length === 0) return;
    var box = document.createElement('div');
    box.setAttribute('style', 'position:fixed;left:50%;bottom:12px;transform:translateX(-50%);padding:10px 18px;'
      + 'border-radius:12px;background:rgba(0,0,0,.75);color:#fff;font:14px sans-serif;pointer-events:none;z-index:9');
    rows.forEach(function (row, i) {
      var line = document.createElement('div');
      line.textContent = (i + 1) + '. ' + String(row.name) + '  ' + String(row.score);
      box.appendChild(line);
    });
    document.body.appendChild(box);
    setTimeout(function () { box.remove(); }, 4000);
  }

  var svc = {
    ready: function (cb) {
      if (isReady) setTimeout(cb, 0, { variants: host.variants || {} });
      else waiting.push(cb);
    },

    define: function (name, schema) { schemas[name] = Object.assign({}, schema); },

    track: function (name, props) {
      var p = Object.assign({}, props);
      if (schemas[name] && !fits(schemas[name], p)) { rejected++; return false; }
      if (name === 'start') ended = false;
      push(name, p);
      reach(name);
      return true;
    },

    funnel: function (id) {
      var f = funnels[id] || (funnels[id] = { steps: {}, reached: {} });
      var chain = { step: function (n, eventName) { f.steps[n] = eventName; return chain; } };
      return chain;
    },

    endGame: function (result, cb) {
      var done = function (r) { if (typeof cb === 'function') setTimeout(cb, 0, r); };
      if (ended) { done({ ok: false, reason: 'already_ended' }); return; }
      ended = true;
      var r = Object.assign({ outcome: 'lose', score: 0 }, result);
      push('end', r);
      reach('end');
      if (!hosted || essential) {
        push('leaderboard', { score: r.score });
        done({ ok: true, hosted: false, rank: null });
        return;
      }
      request('/leaderboard', {
        method: 'POST', body: JSON.stringify({ gameId: gameId, session: session, score: r.score, outcome: r.outcome }),
      })
        .then(function (res) { return res.ok ? res.json() : Promise.reject(new Error('refused')); })
        .then(function (board) {
          overlay(board);
          done({
            ok: true, hosted: true, rank: board.rank === undefined ? null : board.rank, rewards: board.rewards || [],
          });
        })
        .catch(function () { push('leaderboard', { score: r.score }); done({ ok: false, hosted: true, rank: null }); });
    },

    // Nobody calls them but a playtest, which puts its own function here.
    expose: function (state, screen) { exposed = { state: state, screen: screen }; },

    debug: function () {
      return {
        gameId: gameId, endpoint: hosted ? host.endpoint : null, hosted: hosted, session: session, ready: isReady,
        essential: essential, buffered: buffer.slice(), defined: Object.keys(schemas), funnels: Object.keys(funnels),
        rejected: rejected, exposes: exposed !== null,
      };
    },

    health: function () {
      if (!hosted) return Promise.resolve({ ok: false, ms: 0, status: 'unhosted' });
      var from = performance.now();
      var since = function () { return Math.round(performance.now() - from); };
      return request('/health', { method: 'GET' }).then(
        function (res) { return { ok: res.ok, ms: since(), status: res.status }; },
        function () { return { ok: false, ms: since(), status: 'unreachable' }; }
      );
    },
  };

  load();
  push('session_start', { width: window.innerWidth, height: window.innerHeight });
  window.addEventListener('pagehide', function () {
    push('session_end', { seconds: Math.round(performance.now() / 1000) });
    flush();
  });
  setTimeout(function () {
    isReady = true;
    waiting.splice(0).forEach(function (cb) { cb({ variants: host.variants || {} }); });
  }, 0);
  window.svc = svc;
})();
