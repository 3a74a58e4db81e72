// Starts the player when index.html is opened as a file. Browsers then refuse modules, workers and
// fetches, but not scripts: site_files.js holds every file of the site, and this one hands them out.
// It runs in the page and again in the worker.

(() => {
  const BASE = "https://files.invalid/"; // stands for the folder of the site

  /** Load modules and answer fetches from texts and base64 by path. */
  function serve(files) {
    const urls = new Map();
    const pathOf = (url, base = BASE) => {
      const full = new URL(url, base).href;
      return full.startsWith(BASE) ? full.slice(BASE.length) : null;
    };
    const address = (path) => {
      if (!urls.has(path)) {
        const blob = new Blob([linked(files[path], BASE + path)], { type: "text/javascript" });
        urls.set(path, URL.createObjectURL(blob));
      }
      return urls.get(path);
    };
    // Modules name each other by relative addresses, which blobs do not have.
    const linked = (source, base) =>
      source
        .replaceAll("import.meta.url", JSON.stringify(base))
        .replace(/\bimport\((?=["`.])/g, `toppleImport(${JSON.stringify(base)}, `)
        .replace(
          /^((?:import|export)\b[^"'`;]*?)"(\.[^"]+)"/gm,
          (_, before, to) => `${before}${JSON.stringify(address(pathOf(to, base)))}`,
        );
    globalThis.toppleImport = (base, to) => import(address(pathOf(to, base)));
    const { fetch } = globalThis;
    globalThis.fetch = async (resource, options) => {
      const path = pathOf(resource instanceof URL ? resource.href : resource);
      if (path === null) return fetch(resource, options);
      if (!(path in files)) return new Response(null, { status: 404 });
      const data = files[path];
      if (!path.endsWith(".gz")) return new Response(data);
      return new Response(Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0)));
    };
    return (path) => import(address(path));
  }

  /** The worker gets the files as its first message, and keeps what comes while it loads them. */
  function work() {
    const early = [];
    onmessage = async ({ data: [files, path] }) => {
      onmessage = (event) => early.push(event);
      const keep = onmessage;
      await serve(files)(path);
      if (onmessage === keep) throw new Error(`${path} takes no messages.`);
      for (const event of early) onmessage(event);
    };
  }

  function start() {
    const files = globalThis.toppleFiles;
    const load = serve(files);
    const { Worker } = globalThis;
    globalThis.Worker = function (url) {
      const source = `const BASE = ${JSON.stringify(BASE)};\n${serve};\n(${work})();`;
      const worker = new Worker(URL.createObjectURL(new Blob([source])));
      worker.postMessage([files, new URL(url).href.slice(BASE.length)]);
      return worker;
    };
    load("app.js");
  }

  if (location.protocol !== "file:") return;
  const script = document.createElement("script");
  script.src = "site_files.js";
  script.onload = start;
  document.head.append(script);
})();
