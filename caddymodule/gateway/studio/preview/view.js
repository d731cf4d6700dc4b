// The studio's view of src/scene.json. It stands at the game's own origin: three.js is the
// game's copy. What it shows and has selected it is told by a port; it says what a pointer
// or a key wants, and changes nothing itself.
import { placed } from "./scene.js";

const T = window.THREE;
const canvas = document.querySelector("canvas");
const AXES = ["#ff5c5c", "#5cd65c", "#6b8cff"];
const EVERY = 60; // ms between two messages of one drag
const TURN = 45; // degrees for a drag as long as a handle
const round = (v) => Math.round(v * 1e4) / 1e4;

let port = null;
let told = { entities: [], selected: "", mode: "pos", snap: 0 };
const say = (type, members) => port?.postMessage({ v: 1, type, ...members });

addEventListener("message", (event) => {
	if (port || event.data !== "svc-studio" || !event.ports[0]) return;
	port = event.ports[0];
	port.addEventListener("message", ({ data }) => {
		if (data?.type === "scene") show(data);
		if (data?.type === "focus") focus();
	});
	port.start();
	say("ready", { three: Boolean(T) });
});

const renderer = T ? drawer() : null;
const camera = T && new T.PerspectiveCamera(50, 1, 0.05, 2000);
const eye = T && { target: new T.Vector3(), far: 12, turn: 0.7, lift: 0.6 };
const world = T && new T.Scene();
const handles = T && new T.Group();
let shown = null;
let rests = 0; // the timer of what is said once a scene is shown
let grip = null; // the drag that is under way
let drags = 0;
if (renderer) begin();
else {
	const noCopy = "This game has no lib/three.min.js to show a scene with";
	const why = T ? "This browser draws nothing in three dimensions" : noCopy;
	canvas.replaceWith(`${why}: the list and the numbers work all the same.`);
}

function drawer() {
	try {
		return new T.WebGLRenderer({ canvas, antialias: true });
	} catch {
		return null;
	}
}

function begin() {
	world.background = new T.Color("#20242c");
	world.add(new T.GridHelper(20, 20, "#5a6270", "#3a404a"), new T.HemisphereLight("#ffffff", "#606060", 0.6), handles);
	for (const [i, color] of AXES.entries()) {
		const one = new T.Mesh(new T.ConeGeometry(0.12, 1, 12), new T.MeshBasicMaterial({ color, depthTest: false }));
		const way = new T.Vector3().setComponent(i, 1);
		one.position.copy(way).multiplyScalar(0.5);
		one.quaternion.setFromUnitVectors(new T.Vector3(0, 1, 0), way);
		one.renderOrder = 1;
		const grasp = new T.Mesh(new T.CylinderGeometry(0.15, 0.15, 1)); // wider than it looks, for fingers
		grasp.position.copy(one.position);
		grasp.quaternion.copy(one.quaternion);
		grasp.visible = false;
		one.userData.axis = grasp.userData.axis = i;
		handles.add(one, grasp);
	}
	new ResizeObserver(draw).observe(canvas);
	canvas.addEventListener("pointerdown", down);
	canvas.addEventListener("pointermove", move);
	canvas.addEventListener("pointerup", up);
	canvas.addEventListener("pointercancel", up);
	canvas.addEventListener("wheel", (event) => {
		event.preventDefault();
		near(event.deltaY > 0 ? 1.1 : 1 / 1.1);
	}, { passive: false });
	canvas.addEventListener("keydown", (event) => {
		if (event.key === "+" || event.key === "-") near(event.key === "-" ? 1.1 : 1 / 1.1);
		const { key, shiftKey: shift, ctrlKey, metaKey } = event;
		if (key === "Tab" || key === "Shift") return;
		if (/^(Arrow|Page)|^(Delete|Home|End| )$/.test(key) || ctrlKey || metaKey) event.preventDefault();
		say("key", { key, shift, ctrl: ctrlKey || metaKey });
	});
}

function show(data) {
	told = data;
	if (!renderer) return;
	if (shown) {
		world.remove(shown.root);
		shown.root.traverse((it) => { it.geometry?.dispose(); it.material?.dispose(); });
	}
	shown = placed(T, told);
	world.add(shown.root);
	for (const { id, kind } of told.entities) { // what can't be seen has a mark
		if (!/^(light|camera|group)$/.test(kind) || !shown.of[id]) continue;
		const white = new T.MeshBasicMaterial({ color: "#ffffff", wireframe: true });
		shown.of[id].add(new T.Mesh(new T.OctahedronGeometry(0.2), white));
	}
	draw();
	clearTimeout(rests);
	rests = setTimeout(() => say("shown", { id: told.selected }), EVERY);
}

function draw() {
	const { clientWidth: w, clientHeight: h } = canvas;
	if (!w || !h) return;
	renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
	renderer.setSize(w, h, false);
	camera.aspect = w / h;
	camera.updateProjectionMatrix();
	const across = eye.far * Math.cos(eye.lift);
	camera.position.set(across * Math.sin(eye.turn), eye.far * Math.sin(eye.lift), across * Math.cos(eye.turn));
	camera.position.add(eye.target);
	camera.lookAt(eye.target);
	const it = shown?.of[told.selected];
	handles.visible = Boolean(it);
	if (it) {
		world.updateMatrixWorld(true);
		it.getWorldPosition(handles.position);
		it.parent.getWorldQuaternion(handles.quaternion);
		handles.scale.setScalar(camera.position.distanceTo(handles.position) / 6);
	}
	renderer.render(world, camera);
}

function near(by) {
	eye.far = Math.min(Math.max(eye.far * by, 1), 500);
	draw();
}

function focus() {
	const it = shown?.of[told.selected];
	if (!it) return;
	it.getWorldPosition(eye.target);
	eye.far = Math.max(4, new T.Box3().setFromObject(it).getSize(new T.Vector3()).length() * 2);
	draw();
}

// rayAt is the line of sight through a place on the screen.
function rayAt(event) {
	const r = canvas.getBoundingClientRect();
	const [x, y] = [(event.clientX - r.left) / r.width, (event.clientY - r.top) / r.height];
	const ray = new T.Raycaster();
	ray.setFromCamera(new T.Vector2(x * 2 - 1, 1 - y * 2), camera);
	return ray;
}

// along is how far along the handle's axis the line of sight comes nearest to it.
function along({ ray }, axis) {
	const from = new T.Vector3().subVectors(handles.position, ray.origin);
	const cos = axis.dot(ray.direction);
	return (cos * ray.direction.dot(from) - axis.dot(from)) / Math.max(1 - cos * cos, 1e-3);
}

function down(event) {
	canvas.focus();
	canvas.setPointerCapture(event.pointerId);
	const ray = rayAt(event);
	const handle = handles.visible && ray.intersectObjects(handles.children)[0]?.object;
	const it = shown?.of[told.selected];
	if (handle && it) {
		const axis = new T.Vector3().setComponent(handle.userData.axis, 1).applyQuaternion(handles.quaternion);
		const entity = told.entities.find(({ id }) => id === told.selected);
		const was = [0, 1, 2].map((i) => entity[told.mode]?.[i] ?? (told.mode === "scale" ? 1 : 0));
		const unit = it.parent.getWorldScale(new T.Vector3()).getComponent(handle.userData.axis) || 1;
		const at = { axis, unit, long: handles.scale.x, from: along(ray, axis) };
		drags++;
		grip = { id: told.selected, field: told.mode, i: handle.userData.axis, was, said: 0, ...at };
		return;
	}
	grip = { turn: eye.turn, lift: eye.lift, x: event.clientX, y: event.clientY, moved: false };
}

function move(event) {
	if (!grip) return;
	if (!grip.axis) {
		const [dx, dy] = [event.clientX - grip.x, event.clientY - grip.y];
		grip.moved ||= Math.abs(dx) + Math.abs(dy) > 4;
		eye.turn = grip.turn - dx * 0.01;
		eye.lift = Math.min(Math.max(grip.lift + dy * 0.01, -1.5), 1.5);
		draw();
		return;
	}
	if (event.timeStamp - grip.said < EVERY) return;
	grip.said = event.timeStamp;
	say("change", dragged(event));
}

// dragged is what a drag makes of the entity.
function dragged(event) {
	const { id, field, i, axis, was, unit, long, from } = grip;
	const way = along(rayAt(event), axis) - from;
	const by = { pos: way / unit, rot: (way / long) * TURN, scale: way / long }[field];
	const step = field === "rot" && told.snap ? 15 : told.snap;
	const to = was[i] + by;
	return { id, field, drag: drags, value: was.with(i, round(step ? Math.round(to / step) * step : to)) };
}

function up(event) {
	if (grip?.axis) say("moved", dragged(event));
	else if (grip && !grip.moved && event.type === "pointerup") {
		let it = shown && rayAt(event).intersectObjects(shown.root.children)[0]?.object;
		while (it && !it.name) it = it.parent;
		say("pick", { id: it?.name ?? "" });
	}
	grip = null;
}
