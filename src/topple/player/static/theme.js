// Runs before the first paint, so that a chosen theme does not flash in the other one.
(() => {
  try {
    const { theme } = JSON.parse(localStorage.getItem("topple.settings") ?? "{}");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    // Storage may be blocked or hold something else; the system's theme will do.
  }
})();
