// Pages by URL hash, so that every place in the player is a link one can share.

/**
 * @typedef {object} Place
 * @property {string[]} parts what stands in place of the pattern's parameters
 * @property {URLSearchParams} query
 */

/**
 * @typedef {object} Page
 * @property {string} title
 * @property {HTMLElement} element
 * @property {() => void} [leave] called when another page is shown
 * @property {boolean} [focused] whether the ways to other pages are put out of sight
 */

/**
 * @typedef {object} Route
 * @property {string} pattern such as "phyre/:task"
 * @property {(place: Place) => Page | Promise<Page>} build
 */

/** `place("phyre", "00001:042")` is "#/phyre/00001:042". */
export function place(...parts) {
  return `#/${parts.map(encodePart).join("/")}`;
}

// A colon is allowed in a hash, and "00001:042" reads better with it.
function encodePart(part) {
  return encodeURIComponent(part).replaceAll("%3A", ":");
}

/** Change the query of this page's address without going anywhere. */
export function setQuery(query) {
  const [path] = location.hash.split("?");
  const text = new URLSearchParams(query).toString();
  history.replaceState(null, "", text ? `${path}?${text}` : path);
}

/** The address of this page, for sharing. */
export function here(hash = location.hash) {
  return new URL(hash, location.href).href;
}

/**
 * Show the page that the address names, now and whenever it changes.
 * @param {Route[]} routes
 * @param {(page: Page, name: string) => void} show
 * @param {(error: Error) => Page} fail
 */
export function startRouter(routes, show, fail) {
  let current = /** @type {Page | null} */ (null);
  let visit = 0;

  async function go() {
    const mine = ++visit;
    const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
    const words = path.split("/").filter(Boolean).map(decode);
    let page;
    try {
      page = await find(routes, words, new URLSearchParams(query));
    } catch (error) {
      page = fail(/** @type {Error} */ (error));
    }
    // Someone who clicked on already should not be pulled back by a slow page.
    if (mine !== visit) return page.leave?.();
    current?.leave?.();
    current = page;
    show(page, words[0] ?? "");
  }

  addEventListener("hashchange", go);
  return go();
}

function decode(word) {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}

function find(routes, words, query) {
  for (const { pattern, build } of routes) {
    const wanted = pattern.split("/").filter(Boolean);
    const fits =
      wanted.length === words.length &&
      wanted.every((part, i) => part.startsWith(":") || part === words[i]);
    if (fits) {
      return build({ parts: words.filter((_, i) => wanted[i].startsWith(":")), query });
    }
  }
  throw new Error("There is no such page. The link may be cut short.");
}
