// The page around a game: keys go to the game, and what the game could not send
// stays here until the next time, as a frame without an origin can keep nothing.
(function () {
  'use strict';
  var frame = document.getElementById('game');
  var full = document.getElementById('full');
  var place = 'svc-kept:' + frame.dataset.game;
  var most = 65536;
  // Who asks not to be followed, or has not agreed to be, has nothing kept here either.
  var never = navigator.globalPrivacyControl || navigator.doNotTrack === '1';
  var quiet = never || !!frame.dataset.consent;

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

  function write(kept) {
    try {
      var text = JSON.stringify(kept);
      if (text === '{}' || quiet) localStorage.removeItem(place);
      else if (text.length <= most) localStorage.setItem(place, text);
    } catch {
      // No storage: what could not be sent is lost, and counted so.
    }
  }

  // A stream's batch takes the place of its earlier one; null says that all was sent.
  addEventListener('message', function (e) {
    var said = e.data;
    if (e.source !== frame.contentWindow || !said || typeof said.svcStream !== 'string' || !/^[0-9a-f]{32}$/.test(said.svcStream)) return;
    var kept = read();
    if (said.batch === null) delete kept[said.svcStream];
    else if (typeof said.batch === 'string') kept[said.svcStream] = { at: Date.now(), batch: said.batch };
    write(kept);
  });

  function send(stream, one) {
    var batch;
    try {
      batch = JSON.parse(one.batch);
      batch.age = (batch.age || 0) + Math.max(0, Date.now() - one.at);
    } catch {
      batch = null;
    }
    function forget() {
      var kept = read();
      if (kept[stream] && kept[stream].at === one.at) delete kept[stream];
      write(kept);
    }
    if (!batch) {
      forget();
      return;
    }
    fetch(frame.dataset.endpoint + '/b', { method: 'POST', body: JSON.stringify(batch), credentials: 'omit', keepalive: true })
      .then(function (res) { if (res.status < 500 && res.status !== 429) forget(); }, function () { return; });
  }

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
        if (!said.consent) frame.contentWindow.postMessage({ svcConsent: said }, '*');
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
  // The game ends first: what it still has would be kept anew.
  document.getElementById('forget').addEventListener('click', function () {
    frame.remove();
    write({});
    setTimeout(function () { ask('forget', {}, 'Nothing is kept of you any more. Reload to play.'); }, 1000);
  });

  var before = read();
  Object.keys(before).forEach(function (stream) { send(stream, before[stream]); });
})();
