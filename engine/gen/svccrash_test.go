package gen

import "testing"

// slow is a host whose service answers when the test has it answer, and a clock that the
// test sets.
const slow = host + `
	let at = 1e12;
	Date.now = () => at;
	const asked = [];
	window.fetch = (url, init) => new Promise((resolve, reject) => {
		requests.push({ url, body: init.body || '' });
		asked.push((ack) => (ack ? resolve(new Response(JSON.stringify({ ack, mode: 'full' }))) : reject(new TypeError('offline'))));
	});
	const pass = () => { at += 5000; timers.findLast((one) => one.ms === 5000).run(); };
	const backup = () => JSON.parse(localStorage.getItem('svc.streams:0123456789abcdef01234567') || '{}')[svc.debug().session];`

// TestSvcLosesAtMostFiveSecondsOfACrash: what is five seconds old is sent or kept, whatever
// is on its way meanwhile and however that goes.
func TestSvcLosesAtMostFiveSecondsOfACrash(t *testing.T) {
	page := svcPage(t, slow)
	holds(t, page, "what comes while a request is on its way is kept after five seconds", `(async () => { `+hostHelpers+`
		send();
		await sent(1);
		svc.track('jump', {});
		if (backup()) return false;
		pass();
		return batches().length === 1 && names(JSON.parse(backup().batch)) === 'session_start jump';
	})()`)
	holds(t, page, "and sent once that is answered, not five seconds after it", `(async () => { `+hostHelpers+`
		svc.track('hop', {}); // which would have it wait for its own time
		asked.shift()(1);
		await sent(2);
		return names(batches()[1]) === 'jump hop';
	})()`)
	holds(t, page, "what comes after a failure is kept after five seconds, and waits for the next try", `(async () => { `+hostHelpers+`
		asked.shift()();
		await settled();
		svc.track('skip', {});
		pass();
		return batches().length === 2 && names(JSON.parse(backup().batch)) === 'jump hop skip';
	})()`)
	holds(t, page, "what is acknowledged then is kept no longer", `(async () => { `+hostHelpers+`
		timers.findLast((one) => one.ms >= 1000 && one.ms < 3001).run();
		await sent(3);
		asked.shift()(4);
		await settled();
		return names(batches()[2]) === 'jump hop skip' && svc.debug().buffered.length === 0 && !backup();
	})()`)
	holds(t, page, "what comes during a short request waits for its five seconds", `(async () => { `+hostHelpers+`
		svc.track('jump', {});
		pass();
		await sent(4);
		svc.track('hop', {});
		asked.shift()(5);
		await settled();
		if (batches().length !== 4) return false;
		pass();
		await sent(5);
		return names(batches()[4]) === 'hop';
	})()`)
}

func TestSvcCountsErrorsOfItsSession(t *testing.T) {
	page := svcPage(t, host)
	holds(t, page, "each batch says how many there were", `(async () => { `+hostHelpers+`
		send();
		await sent(1);
		await settled();
		window.dispatchEvent(new ErrorEvent('error', { message: 'x is undefined' }));
		window.dispatchEvent(new PromiseRejectionEvent('unhandledrejection', { promise: Promise.resolve(), reason: 'no' }));
		svc.track('jump', {});
		send();
		await sent(2);
		return batches()[0].err === 0 && batches()[1].err === 2 && !batches()[1].e.some((row) => JSON.stringify(row).includes('undefined'));
	})()`)
}
