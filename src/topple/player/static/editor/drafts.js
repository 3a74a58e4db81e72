// Unsaved drafts, stored in the browser.

const storageKey = (benchmark) => `topple.draft.${benchmark}`;

/** The draft that was stored last, or null. */
export function loadDraft(benchmark) {
  try {
    return JSON.parse(localStorage.getItem(storageKey(benchmark)));
  } catch {
    return null;
  }
}

/** Store a draft, or delete it with null. */
export function saveDraft(benchmark, body) {
  try {
    if (body) localStorage.setItem(storageKey(benchmark), JSON.stringify(body));
    else localStorage.removeItem(storageKey(benchmark));
  } catch {
    // Storage may be blocked; saving on the server still works.
  }
}
