// The page around a game: keys go to the game, and what the game could not send
// stays here until the next time, as a frame without an origin can keep nothing.
(function () {
  'use strict';
  var frame = document.getElementById('game');
  var full = document.getElementById('full');
  var place = 'svc-kept:' + frame.dataset.game;
  var most = 524288; // characters
  // Who asks not to be followed, or has not agreed to be, has nothing kept here either.
  var never = navigator.globalPrivacyControl || navigator.doNotTrack === '1';
  var quiet = never || !!frame.dataset.consent;
  var gone = false; // who asked to be forgotten is, until the page is loaded anew

  full.addEventListener('click', function () {
    if (document.fullscreenElement) document.exitFullscreen();
    else if (frame.requestFullscreen) frame.requestFullscreen();
    frame.focus();
  });
  if (!frame.requestFullscreen) full.hidden = true;
  frame.addEventListener('load', function () { frame.focus(); });

  function read() {
    try {
      var kept = JSON.parse(localStorage.getItem(place) || '{}');
      return kept && typeof kept === 'object' ? kept : {};
    } catch {
      return {};
    }
  }

  // write keeps what there is room for: of the oldest the last event alone, by which the
  // service counts those that are missing.
  function write(kept) {
    var oldest = Object.keys(kept).sort(function (a, b) { return kept[a].at - kept[b].at; });
    for (;;) {
      try {
        var text = JSON.stringify(kept);
        if (text === '{}' || quiet) {
          localStorage.removeItem(place);
          return;
        }
        if (text.length <= most) {
          localStorage.setItem(place, text);
          return;
        }
      } catch {
        // No storage, or none left.
      }
      if (oldest.length === 0) return;
      cut(kept, oldest.shift());
    }
  }

  function cut(kept, key) {
    try {
      var batch = JSON.parse(kept[key].batch.split('\n').pop());
      batch.e = batch.e.slice(-1);
      kept[key].batch = JSON.stringify(batch);
    } catch {
      delete kept[key]; // the end of a run has no events
    }
  }

  // What a stream could not send, batches a line each, takes the place of what it said
  // earlier, as does a run's end; null says that all was sent.
  addEventListener('message', function (e) {
    var said = e.data;
    var key = said && said.svcStream;
    if (!frame.contentWindow || e.source !== frame.contentWindow || typeof key !== 'string' || !/^[0-9a-f]{32}$/.test(key)) return;
    var kept = read(), path = said.path === '/s' ? '/s' : undefined;
    if (said.batch === null) delete kept[key];
    else if (typeof said.batch === 'string') kept[key] = { at: Date.now(), batch: said.batch, path: path };
    write(kept);
  });

  // send sends one after the other, as the service takes them in order.
  function send(key, one) {
    function forget() {
      var kept = read();
      if (kept[key] && kept[key].at === one.at) delete kept[key];
      write(kept);
    }
    var all = Promise.resolve();
    String(one.batch).split('\n').forEach(function (line) {
      all = all.then(function () {
        if (gone) throw 0;
        var body = JSON.parse(line);
        body.age = (body.age || 0) + Math.max(0, Date.now() - one.at);
        var to = frame.dataset.endpoint + (one.path || '/b');
        return fetch(to, { method: 'POST', body: JSON.stringify(body), credentials: 'omit' });
      }).then(function (res) { if (res.status >= 500 || res.status === 429) throw res.status; });
    });
    return all.then(forget, function (err) { if (err instanceof SyntaxError) forget(); });
  }

  // A token runs out after 12 hours: who comes back late gets another one, before a new
  // session sends its first events.
  var asked = Date.now();
  document.addEventListener('visibilitychange', function () {
    if (document.hidden || Date.now() - asked < 6 * 3600 * 1000) return;
    asked = Date.now();
    fetch(frame.dataset.base + '/token', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' })
      .then(function (res) { return res.json(); })
      .then(function (said) { frame.contentWindow.postMessage({ svcHost: { token: said.token } }, '*'); })
      .catch(function () { asked = 0; });
  });

  var done = document.getElementById('done');
  var reasons = document.getElementById('reasons');
  var report = document.getElementById('report');

  // ask posts what a player asks for besides playing.
  function ask(what, body, thanks) {
    var headers = { 'Content-Type': 'application/json' };
    fetch(frame.dataset.base + '/' + what, { method: 'POST', headers: headers, body: JSON.stringify(body) }).then(function (res) {
      done.textContent = res.ok ? thanks : 'That did not work. Try again later.';
    }, function () { done.textContent = 'That did not work. Try again later.'; });
  }

  // What a player answers holds for the game that runs as well.
  var consent = document.getElementById('consent');
  if (consent) consent.addEventListener('submit', function (e) {
    e.preventDefault();
    var body = JSON.stringify({ given: e.submitter.value === 'yes' });
    e.submitter.disabled = true;
    fetch(frame.dataset.base + '/consent', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: body })
      .then(function (res) { return res.json(); })
      .then(function (said) {
        quiet = never || !!said.consent;
        if (!said.consent) {
          frame.contentWindow.postMessage({ svcConsent: said }, '*');
          document.getElementById('unnamed').hidden = true;
          document.getElementById('named').hidden = false;
        }
        consent.remove();
        frame.focus();
      })
      .catch(function () {
        e.submitter.disabled = false;
        done.textContent = 'That did not work. Try again later.';
      });
  });

  report.addEventListener('click', function () {
    reasons.hidden = !reasons.hidden;
    report.setAttribute('aria-expanded', String(!reasons.hidden));
  });
  reasons.addEventListener('submit', function (e) {
    e.preventDefault();
    reasons.hidden = true;
    report.setAttribute('aria-expanded', 'false');
    ask('report', { reason: document.getElementById('reason').value }, 'Thank you.');
  });
  // The game ends first: what it still has would be kept anew. What it says as it ends is
  // of a frame that is gone.
  document.getElementById('forget').addEventListener('click', function () {
    frame.remove();
    gone = quiet = true;
    write({});
    setTimeout(function () { ask('forget', {}, 'Nothing is kept of you any more. Reload to play.'); }, 1000);
  });

  var before = read();
  var sent = Promise.resolve();
  Object.keys(before).forEach(function (key) { sent = sent.then(function () { return send(key, before[key]); }); });
})();
