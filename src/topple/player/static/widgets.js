// Small parts that several pages use.
import { announce, h, toast } from "./dom.js";
import { icon } from "./icons.js";

/**
 * A row of choices, one of which is pressed.
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

/** A short coloured note. */
export function chip(text, kind = "", name = null) {
  return h("span", { class: `chip ${kind}` }, name && icon(name), text);
}

/** Ask before something that cannot be undone. @returns {Promise<boolean>} */
export function confirm({ title, text, yes, no = "Cancel" }) {
  return new Promise((resolve) => {
    const dialog = h(
      "dialog",
      { "aria-labelledby": "dialog-title", onclose: () => done() },
      h("h2", { id: "dialog-title" }, title),
      h("p", {}, text),
      h(
        "div",
        { class: "row" },
        h("button", { type: "button", onclick: () => dialog.close("no") }, no),
        h("button", { type: "button", class: "primary", onclick: () => dialog.close("yes") }, yes),
      ),
    );
    const done = () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    };
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** Put a text on the clipboard and say so. */
export async function copy(text, done = "Link copied.") {
  try {
    await navigator.clipboard.writeText(text);
    toast(done, "info");
  } catch {
    // The clipboard needs a secure page; a prompt works everywhere.
    window.prompt("Copy this link:", text);
  }
}

/** Let the browser save an address or a text as a file. */
export function download(name, content) {
  const blob =
    typeof content === "string" ? new Blob([content], { type: "application/json" }) : content;
  const url = URL.createObjectURL(blob);
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Run something a person asked for; show what went wrong as a message. */
export async function attempt(action, busy = null) {
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

/** "3 of 100 solved" as a thin line. */
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

/** The title of a page with what stands beside it. */
export function head({ crumbs = [], title, text = null, end = [] }) {
  return h(
    "div",
    { class: "head" },
    h(
      "div",
      {},
      crumbs.length > 0 &&
        h(
          "nav",
          { class: "crumbs", "aria-label": "Where you are" },
          crumbs.map(([name, href]) => [h("a", { href }, name), " / "]),
        ),
      h("h1", {}, title),
      text && h("p", { class: "muted" }, text),
    ),
    end,
  );
}
