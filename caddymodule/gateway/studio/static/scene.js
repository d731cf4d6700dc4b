// The scene of a 3D game, src/scene.json: what its text says, changes of it, and the way back.
// fields are what handles and arrows change, with what they are where nothing is said.
export const fields = { pos: 0, rot: 0, scale: 1 };

const most = 1000; // entities
const steps = 200; // that can be undone
const folds = 500; // ms within which changes of the same are one

// read returns the scene of a text, or throws what is wrong with it.
export function read(text) {
	let scene;
	try {
		scene = JSON.parse(text);
	} catch {
		throw new Error("The text is no JSON: mend it below.");
	}
	if (!Array.isArray(scene?.entities)) throw new Error('The text has no list "entities".');
	if (scene.entities.length > most) throw new Error(`The view shows at most ${most} entities.`);
	const ids = new Set();
	for (const entity of scene.entities) {
		const good = typeof entity?.id === "string" && entity.id && !ids.has(entity.id);
		if (!good) throw new Error("Each entity needs an id of its own.");
		ids.add(entity.id);
	}
	return scene;
}

const member = ([name, value]) => {
	const numbers = Array.isArray(value) && value.every(Number.isFinite);
	return `${JSON.stringify(name)}: ${numbers ? `[${value.join(", ")}]` : JSON.stringify(value)}`;
};

function printed({ id, name, kind, ...rest }) {
	const head = Object.entries({ id, name, kind }).filter(([, value]) => value !== undefined).map(member).join(", ");
	return `    {\n${[head, ...Object.entries(rest).map(member)].map((line) => `      ${line}`).join(",\n")}\n    }`;
}

// print returns the text of a scene, with a line for each field: a job may change another.
export function print({ entities, ...rest }) {
	const before = Object.entries(rest).map((one) => `  ${member(one)},\n`).join("");
	return `{\n${before}  "entities": [\n${entities.map(printed).join(",\n")}\n  ]\n}\n`;
}

// at returns one of the three numbers of a field.
export function at(entity, field, i) {
	const value = entity[field]?.[i];
	return Number.isFinite(value) ? value : fields[field];
}

// numbers returns what a field is to be, null for what it can't be.
export function numbers(list) {
	const good = Array.isArray(list) && list.length === 3 && list.every((n) => Number.isFinite(n) && Math.abs(n) <= 1e6);
	return good ? list.map((n) => Math.round(n * 1e4) / 1e4) : null;
}

const find = (scene, id) => scene.entities.find((entity) => entity.id === id);

// set returns a scene of which an entity has other members; undefined takes one away.
export function set(scene, id, members) {
	const changed = ({ ...entity }) => {
		for (const [name, value] of Object.entries(members)) {
			if (value === undefined) delete entity[name];
			else entity[name] = value;
		}
		return entity;
	};
	return { ...scene, entities: scene.entities.map((entity) => (entity.id === id ? changed(entity) : entity)) };
}

// below returns the ids of an entity and of all that hangs from it.
export function below(scene, id) {
	const all = new Set([id]);
	for (let size = 0; size < all.size;) {
		size = all.size;
		for (const entity of scene.entities) if (all.has(entity.parent)) all.add(entity.id);
	}
	return all;
}

export function remove(scene, id) {
	const gone = below(scene, id);
	return { ...scene, entities: scene.entities.filter((entity) => !gone.has(entity.id)) };
}

// add returns a scene with another entity, and its id.
export function add(scene, kind) {
	let n = 1;
	while (find(scene, `${kind}-${n}`)) n++;
	const id = `${kind}-${n}`;
	const name = `${kind[0].toUpperCase()}${kind.slice(1)} ${n}`;
	const pos = [0, kind === "plane" ? 0 : 0.5, 0];
	const entity = { id, name, kind, pos, rot: [0, 0, 0], scale: [1, 1, 1], color: "#cccccc" };
	return { scene: { ...scene, entities: [...scene.entities, entity] }, id };
}

// rows lists the entities as a tree shows them, each with its level.
export function rows(scene) {
	const out = [];
	const seen = new Set();
	const under = (parent, level) => {
		for (const entity of scene.entities) {
			const above = find(scene, entity.parent) ? entity.parent : undefined;
			if (above !== parent || seen.has(entity.id)) continue;
			seen.add(entity.id);
			out.push({ entity, level });
			under(entity.id, level + 1);
		}
	};
	under(undefined, 1);
	for (const entity of scene.entities) if (!seen.has(entity.id)) out.push({ entity, level: 1 }); // below itself
	return out;
}

// way is the way of a scene, back and forth.
export function way(scene) {
	const past = [];
	let future = [];
	let now = scene;
	let last = { what: "", at: -Infinity };
	const go = (from, to) => {
		if (!from.length) return false;
		to.push(now);
		now = from.pop();
		last = { what: "", at: -Infinity };
		return true;
	};
	return {
		get now() { return now; },
		get back() { return past.length > 0; },
		get forth() { return future.length > 0; },
		undo: () => go(past, future),
		redo: () => go(future, past),
		// change goes on to another scene; what names what is changed, "" for what folds with nothing.
		// What goes on folds however long it takes.
		change(next, what, goesOn = false, time = performance.now()) {
			if (!what || what !== last.what || !goesOn && time - last.at > folds) past.push(now);
			if (past.length > steps) past.shift();
			now = next;
			future = [];
			last = { what, at: time };
		},
	};
}
