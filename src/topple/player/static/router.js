// Pages by URL hash, so that every page is a link that can be shared.

/**
 * @typedef {object} Parameters
 * @property {string[]} parts the values of the pattern's parameters
 * @property {URLSearchParams} query
 */

/**
 * @typedef {object} Page
 * @property {string} title
 * @property {HTMLElement} element
 * @property {() => void} [leave] called when another page is shown
 * @property {boolean} [focused] whether the navigation to other pages is hidden
 */

/**
 * @typedef {object} Route
 * @property {string} pattern such as "phyre/:task"
 * @property {(parameters: Parameters) => Page | Promise<Page>} build
 */

/** The hash of a page: `pageLink("phyre", "00001:042")` is "#/phyre/00001:042". */
export function pageLink(...parts) {
  return `#/${parts.map(encodePart).join("/")}`;
}

// A colon is allowed in a hash, and "00001:042" reads better with it.
function encodePart(part) {
  return encodeURIComponent(part).replaceAll("%3A", ":");
}

/** Change the query in this page's address without loading another page. */
export function setQuery(query) {
  const [path] = location.hash.split("?");
  const text = new URLSearchParams(query).toString();
  history.replaceState(null, "", text ? `${path}?${text}` : path);
}

/** The full address of a page, for sharing; of the current one by default. */
export function absoluteLink(hash = location.hash) {
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
    // A slow page must not replace the one that was opened after it.
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
  throw new Error("There is no such page. The link may be incomplete.");
}
