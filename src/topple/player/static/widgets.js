// Widgets that several pages use.
import { announce, h, toast } from "./dom.js";
import { icon } from "./icons.js";
import { MOST_STARS } from "./path.js";

/**
 * A row of buttons, one of which is pressed.
 * @param {string} label
 * @param {string[][]} options pairs of a value and its text
 * @param {string} value
 * @param {(value: any) => void} onchange
 */
export function segments(label, options, value, onchange) {
  const buttons = options.map(([own, text]) =>
    h(
      "button",
      {
        type: "button",
        "aria-pressed": String(own === value),
        onclick: () => {
          options.forEach(([other], i) =>
            buttons[i].setAttribute("aria-pressed", String(other === own)),
          );
          onchange(own);
        },
      },
      text,
    ),
  );
  return h("div", { class: "segments", role: "group", "aria-label": label }, buttons);
}

/**
 * A button, with an icon before its text if one is named.
 * @param {string} text
 * @param {{ icon?: string, kind?: string, [prop: string]: any }} props
 */
export function button(text, { icon: name, kind = "", ...props }) {
  return h("button", { type: "button", class: kind, ...props }, name && icon(name), text);
}

/** A short coloured label. */
export function chip(text, kind = "", name = null) {
  return h("span", { class: `chip ${kind}` }, name && icon(name), text);
}

/**
 * Ask to choose; closing the dialog chooses nothing.
 * @param {object} ask
 * @param {string} ask.title
 * @param {string} ask.text
 * @param {string[][]} ask.options the value of each button, its text, and perhaps its class
 * @returns {Promise<string>} the value
 */
export function choose({ title, text, options }) {
  return new Promise((resolve) => {
    const dialog = h(
      "dialog",
      { "aria-labelledby": "dialog-title", onclose: () => done() },
      h("h2", { id: "dialog-title" }, title),
      h("p", {}, text),
      h(
        "div",
        { class: "row" },
        options.map(([value, name, kind = ""]) =>
          h("button", { type: "button", class: kind, onclick: () => dialog.close(value) }, name),
        ),
      ),
    );
    const done = () => {
      dialog.remove();
      resolve(dialog.returnValue);
    };
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** Ask for confirmation of something that cannot be undone. @returns {Promise<boolean>} */
export async function confirm({ title, text, yes, no = "Cancel" }) {
  const options = [
    ["no", no],
    ["yes", yes, "primary"],
  ];
  return (await choose({ title, text, options })) === "yes";
}

/** Copy a text to the clipboard and confirm it. */
export async function copy(text, done = "Link copied.") {
  try {
    await navigator.clipboard.writeText(text);
    toast(done, "info");
  } catch {
    // The clipboard needs a secure page; a prompt works everywhere.
    window.prompt("Copy this link:", text);
  }
}

/** Let the browser save a text or a blob as a file. */
export function download(name, content) {
  const blob =
    typeof content === "string" ? new Blob([content], { type: "application/json" }) : content;
  const url = URL.createObjectURL(blob);
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/**
 * Run an action that the user asked for, and show its error as a message.
 * @param {() => any} action
 * @param {any} busy the button to disable meanwhile
 */
export async function reportErrors(action, busy = null) {
  if (busy) busy.disabled = true;
  try {
    return await action();
  } catch (error) {
    toast(error.message);
    announce(error.message);
    return undefined;
  } finally {
    if (busy) busy.disabled = false;
  }
}

/** A thin bar that shows how many of all tasks are solved and tried. */
export function meter(solved, tried, all) {
  const part = (share) => {
    const bar = h("i");
    bar.style.width = `${(100 * share) / Math.max(all, 1)}%`;
    return bar;
  };
  return h(
    "div",
    { class: "meter", role: "img", "aria-label": `${solved} of ${all} solved` },
    part(solved),
    part(Math.max(0, tried - solved)),
  );
}

/** The header of a page: its title, breadcrumb, text and buttons. */
export function head({ crumbs = [], title, small = null, text = null, end = [] }) {
  return h(
    "div",
    { class: "head" },
    h(
      "div",
      {},
      crumbs.length > 0 &&
        h(
          "nav",
          { class: "crumbs", "aria-label": "Breadcrumb" },
          crumbs.map(([name, href]) => [h("a", { href }, name), " / "]),
        ),
      h("h1", {}, title, small && h("span", { class: "small-id" }, small)),
      text && h("p", { class: "muted" }, text),
    ),
    end,
  );
}

/** Three stars, so many of them filled. @param {number} earned @param {string} [kind] */
export function stars(earned, kind = "") {
  const label = `${earned} of ${MOST_STARS} stars`;
  return h(
    "span",
    { class: `stars ${kind}`, role: "img", "aria-label": label },
    Array.from({ length: MOST_STARS }, (_, i) =>
      h("i", { class: i < earned ? "on" : "" }, icon("star")),
    ),
  );
}
