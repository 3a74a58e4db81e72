// Keeps the site in the browser, so that it opens and plays without a network. The build writes
// VERSION, a hash of all files, and FILES, what a player may need, above this line.

const CACHE = `topple-${VERSION}`;
const AT_ONCE = 6; // requests, so that the page that is open is not slowed down

addEventListener("install", (event) => event.waitUntil(fill()));
addEventListener("activate", (event) => event.waitUntil(takeOver()));
addEventListener("fetch", (event) => {
  const { method, url } = event.request;
  const ours = method === "GET" && url.startsWith(registration.scope);
  if (ours) event.respondWith(answer(event.request));
});

async function fill() {
  const cache = await caches.open(CACHE);
  const waiting = [...FILES];
  const next = async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      // Not what the browser kept of another version.
      const response = await fetch(new Request(file, { cache: "no-cache" }));
      if (!response.ok) throw new Error(`${file} is missing.`);
      await cache.put(file, response);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
}

async function takeOver() {
  const old = (await caches.keys()).filter((name) => name.startsWith("topple-") && name !== CACHE);
  await Promise.all(old.map((name) => caches.delete(name)));
  await clients.claim();
}

/** What is kept is the whole version that was installed; the rest is kept when it is first seen. */
async function answer(request) {
  const cache = await caches.open(CACHE);
  const known = await cache.match(request, { ignoreSearch: true });
  if (known) return known;
  const response = await fetch(request);
  if (response.ok && response.type === "basic") await cache.put(request, response.clone());
  return response;
}
