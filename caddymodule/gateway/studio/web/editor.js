// The studio's editor, which collect bundles: CodeMirror with what a game is written in.
import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { css } from "@codemirror/lang-css";
import { html } from "@codemirror/lang-html";
import { javascript } from "@codemirror/lang-javascript";
import { json } from "@codemirror/lang-json";
import { markdown } from "@codemirror/lang-markdown";
import {
	HighlightStyle, bracketMatching, foldGutter, foldKeymap, indentOnInput, indentUnit, syntaxHighlighting,
} from "@codemirror/language";
import { lintKeymap, setDiagnostics } from "@codemirror/lint";
import { unifiedMergeView } from "@codemirror/merge";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import {
	EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";

const languages = {
	js: () => javascript(), mjs: () => javascript(), ts: () => javascript({ typescript: true }),
	json, html, css, md: markdown,
};

// Colours have names that the page's style sheet gives a value, light or dark.
const colours = HighlightStyle.define([
	{ tag: [tags.keyword, tags.operatorKeyword], color: "var(--code-keyword)" },
	{ tag: [tags.string, tags.special(tags.string), tags.regexp], color: "var(--code-string)" },
	{ tag: [tags.number, tags.bool, tags.null, tags.atom], color: "var(--code-number)" },
	{ tag: tags.comment, color: "var(--soft)" },
	{ tag: [tags.function(tags.variableName), tags.propertyName, tags.attributeName], color: "var(--code-name)" },
	{ tag: tags.invalid, color: "var(--bad)" },
]);

const look = EditorView.theme({
	"&": {
		border: "1px solid var(--soft)", borderRadius: "7px", background: "var(--card)", color: "var(--ink)", fontSize: ".85rem",
	},
	"&.cm-focused": { outline: "3px solid var(--accent)", outlineOffset: "2px" },
	".cm-scroller": {
		fontFamily: "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace", maxHeight: "34rem", overflow: "auto",
	},
	".cm-gutters": { background: "var(--ground)", color: "var(--soft)", borderRight: "1px solid var(--line)" },
	".cm-activeLine, .cm-activeLineGutter": { background: "var(--accent-soft)" },
	".cm-cursor": { borderLeftColor: "var(--ink)" },
	"&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { background: "var(--code-selected) !important" },
	".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--bad)" },
	".cm-lintRange-warning": { backgroundImage: "none", textDecoration: "underline wavy var(--warn)" },
	".cm-panels": { background: "var(--card)", color: "var(--ink)" },
	".cm-panel input, .cm-panel button": { minHeight: "2rem" },
	".cm-tooltip": { background: "var(--card)", color: "var(--ink)", border: "1px solid var(--line)" },
	".cm-changedText": { background: "var(--good-soft) !important" },
	".cm-deletedChunk": { background: "var(--bad-soft)" },
	".cm-deletedChunk, .cm-deletedChunk span": { color: "var(--ink) !important" }, // a colour of the code's has too little contrast there
	".cm-deletedChunk .cm-chunkButtons button": {
		background: "var(--card) !important", color: "var(--ink) !important", border: "1px solid var(--soft)",
	},
});

// make puts an editor before a textarea, whose text it has and keeps. nonce is that of
// the page's policy for styles. theirs is the text that was saved meanwhile, where
// there is one: the editor shows how the two differ.
export function make({ area, path, nonce, theirs, changed, save }) {
	const language = languages[path.split(".").pop()];
	const readOnly = area.readOnly;
	const state = EditorState.create({
		doc: area.value,
		extensions: [
			EditorView.cspNonce.of(nonce), lineNumbers(), foldGutter(), highlightSpecialChars(), history(), drawSelection(),
			indentOnInput(), bracketMatching(), closeBrackets(),
			highlightActiveLine(), highlightActiveLineGutter(), highlightSelectionMatches(),
			search({ top: true }), syntaxHighlighting(colours), look, indentUnit.of("\t"), EditorState.tabSize.of(4),
			EditorState.readOnly.of(readOnly),
			EditorView.contentAttributes.of({ "aria-label": `Text of ${path}`, "aria-multiline": "true", tabindex: "0" }),
			language ? language() : [],
			theirs === undefined ? [] : unifiedMergeView({ original: theirs, mergeControls: true }),
			// Tab leaves the editor: no key of these takes it.
			keymap.of([
				{ key: "Mod-s", run: () => { save(); return true; }, preventDefault: true },
				...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap, ...lintKeymap,
			]),
			EditorView.updateListener.of((update) => {
				if (!update.docChanged) return;
				area.value = update.state.doc.toString();
				changed();
			}),
		],
	});
	const view = new EditorView({ state });
	area.before(view.dom);
	area.hidden = true;
	return {
		focus: () => view.focus(),
		// write puts another text in the place of this one.
		write(to) {
			const is = view.state.doc.toString();
			let from = 0;
			while (from < is.length && is[from] === to[from]) from++;
			let end = 0;
			const most = Math.min(is.length, to.length) - from;
			while (end < most && is[is.length - 1 - end] === to[to.length - 1 - end]) end++;
			view.dispatch({ changes: { from, to: is.length - end, insert: to.slice(from, to.length - end) } });
		},
		// goTo shows a line.
		goTo(number) {
			const line = view.state.doc.line(Math.min(Math.max(number, 1), view.state.doc.lines));
			view.dispatch({ selection: { anchor: line.from }, effects: EditorView.scrollIntoView(line.from, { y: "center" }) });
			view.focus();
		},
		// problems marks lines.
		problems(list) {
			const marks = list.filter((p) => p.line > 0 && p.line <= view.state.doc.lines).map((p) => {
				const line = view.state.doc.line(p.line);
				return { from: line.from, to: line.to, severity: "error", message: p.text };
			});
			view.dispatch(setDiagnostics(view.state, marks));
		},
	};
}
