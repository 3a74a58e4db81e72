// Runs before the first paint, so that the page does not flash in the wrong theme.
(() => {
  try {
    const { theme } = JSON.parse(localStorage.getItem("topple.settings") ?? "{}");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    // Storage may be blocked or hold something else; the system's theme is used then.
  }
})();
