// Lets the browser keep the site: it can be installed then, and opens without a network.

if ("serviceWorker" in navigator && isSecureContext) {
  // After the first page, so that it need not share the network.
  const start = () =>
    navigator.serviceWorker
      .register("service_worker.js")
      .then(() => navigator.serviceWorker.ready)
      .then(() => (document.documentElement.dataset.offline = "ready"))
      .catch(() => {}); // the site works without it
  if (document.readyState === "complete") start();
  else addEventListener("load", start);
}
