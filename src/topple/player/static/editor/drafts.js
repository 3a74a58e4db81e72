// What was made but not saved, kept in the browser.

const slot = (benchmark) => `topple.draft.${benchmark}`;

/** What was left here last time, or null. */
export function recall(benchmark) {
  try {
    return JSON.parse(localStorage.getItem(slot(benchmark)));
  } catch {
    return null;
  }
}

/** Keep a draft; null forgets it. */
export function remember(benchmark, body) {
  try {
    if (body) localStorage.setItem(slot(benchmark), JSON.stringify(body));
    else localStorage.removeItem(slot(benchmark));
  } catch {
    // Storage may be blocked; saving on the server still works.
  }
}
