// Building elements. Strings become text nodes, so data can never become markup.

const SVG = "http://www.w3.org/2000/svg";

/**
 * Build an element: `h("button", { class: "primary", onclick: play }, "Play")`.
 * Properties that start with "on" are listeners; false, null and undefined are left out.
 * @param {string} tag
 * @param {Record<string, any>} [props]
 * @param {...(Node | string | number | null | false | undefined | any[])} children
 * @returns {any} an element of that tag
 */
export function h(tag, props = {}, ...children) {
  return fill(document.createElement(tag), props, children);
}

/** Build an SVG element in the same way. */
export function svg(tag, props = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

function fill(element, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

/** Append nodes, texts and lists of them; null and false are skipped. */
export function append(parent, children) {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    parent.append(child instanceof Node ? child : String(child));
  }
}

/** Replace all children of an element. */
export function replace(parent, ...children) {
  parent.replaceChildren();
  append(parent, children);
}

/** Announce a text to users of screen readers. */
export function announce(text) {
  const region = document.getElementById("announce");
  if (region) region.textContent = text;
}

/** Show a short message that disappears by itself. */
export function toast(text, kind = "error") {
  const note = h("p", { class: `toast ${kind}` }, text);
  document.getElementById("toasts")?.append(note);
  setTimeout(() => note.remove(), 6000);
}

/** A number with its noun: `count(1, "attempt")` is "1 attempt". */
export function count(number, word) {
  return `${number.toLocaleString("en")} ${word}${number === 1 ? "" : "s"}`;
}
