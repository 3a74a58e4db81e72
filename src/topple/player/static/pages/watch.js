// Watching agents: runs, their tasks, and every attempt.
import { api } from "../api.js";
import { count, h, replace } from "../dom.js";
import { term } from "../glossary.js";
import { pageLink, setQuery } from "../router.js";
import { Viewer } from "../play/viewer.js";
import { button, chip, head, segments } from "../widgets.js";

const PAGE = 100; // rows shown at once

export async function runsPage() {
  const runs = await api.list("runs");
  return {
    title: "Watch",
    element: h(
      "div",
      {},
      head({
        title: "Watch agents",
        text: "Open a run and watch what an agent tried on every task.",
      }),
      runs.length ? h("div", { class: "card" }, runTable(runs)) : nothing(),
    ),
  };
}

function nothing() {
  return h(
    "div",
    { class: "card empty" },
    h("h2", {}, "There are no runs to watch yet"),
    h("p", {}, "Evaluate an agent, then start the player with the folder of its runs:"),
    h(
      "p",
      { class: "mono" },
      "topple reproduce quick --out runs/quick",
      h("br"),
      "topple play --runs runs/quick",
    ),
  );
}

function score({ benchmark, score: value }) {
  return benchmark === "phyre"
    ? [`${(100 * value).toFixed(2)} `, term("AUCCESS")]
    : [`${value.toFixed(1)} `, term("points", "score")];
}

function runTable(runs) {
  return table(
    ["Agent", "Setup", ["Score", "number"], ["Solved", "number"]],
    runs.map((run) => [
      pageLink("watch", run.id),
      run.label || run.agent,
      run.setup.replaceAll("_", " "),
      score(run),
      `${run.solved} of ${run.tasks}`,
    ]),
  );
}

/** A table whose rows are links; the first cell of each is its address. */
function table(names, rows) {
  const kinds = names.map((name) => (Array.isArray(name) ? name[1] : ""));
  return h(
    "div",
    { class: "scroller" },
    h(
      "table",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          names.map((name, i) =>
            h("th", { class: kinds[i] }, Array.isArray(name) ? name[0] : name),
          ),
        ),
      ),
      h(
        "tbody",
        {},
        rows.map(([href, ...cells]) =>
          h(
            "tr",
            { class: "clickable", onclick: () => (location.hash = href) },
            cells.map((cell, i) =>
              h("td", { class: kinds[i] }, i === 0 ? h("a", { href }, cell) : cell),
            ),
          ),
        ),
      ),
    ),
  );
}

export async function runPage({ parts: [id] }) {
  const run = await api.get(`runs/${encodeURIComponent(id)}`);
  const body = h("div");
  let limit = PAGE;

  const show = (state) => {
    const items = run.items.filter(
      (item) => !state || (item.first_solved !== null) === (state === "solved"),
    );
    replace(
      body,
      table(
        ["Task", ["Attempts", "number"], ["First solved", "number"]],
        items
          .slice(0, limit)
          .map((item) => [
            pageLink("watch", id, item.subject),
            item.subject,
            item.attempts,
            item.first_solved === null ? "–" : item.first_solved,
          ]),
      ),
      items.length > limit &&
        button(`Show all ${items.length}`, {
          kind: "wide",
          onclick: () => ((limit = Infinity), show(state)),
        }),
    );
  };
  show("");
  return {
    title: run.label || run.agent,
    element: h(
      "div",
      {},
      head({
        crumbs: [["Watch", pageLink("watch")]],
        title: run.label || run.agent,
        text: [
          `${run.setup.replaceAll("_", " ")} · `,
          score(run),
          ` · ${run.solved} of ${count(run.tasks, "task")} solved`,
        ],
      }),
      h(
        "div",
        { class: "filters" },
        segments(
          "Show",
          [
            ["", "All"],
            ["solved", "Solved"],
            ["open", "Unsolved"],
          ],
          "",
          show,
        ),
      ),
      h("div", { class: "card" }, body),
    ),
  };
}

/** What the agent imagined before an attempt, with a switch that hides the ghosts. */
class Imagined {
  /** @param {Viewer} viewer @param {string} path of the agent's attempts */
  constructor(viewer, path) {
    this.#viewer = viewer;
    this.#tried = viewer.benchmark === "phyre" ? "action" : "plan";
    this.#path = path;
    this.#text = h("p", { class: "small", role: "status" });
    this.#shown = h("input", {
      type: "checkbox",
      checked: true,
      onchange: () => this.#draw(),
    });
    this.element = h(
      "section",
      { class: "card stack", "aria-label": "Imagined" },
      h("h2", {}, "In its head"),
      this.#text,
      h("label", { class: "row small" }, this.#shown, "Show what it imagined, as ghosts"),
    );
  }

  #viewer;
  #path;
  #tried;
  #text;
  #shown;
  #attempts = [];

  /** @param {number} attempt its number @param {() => boolean} current whether it is still watched */
  async show(attempt, current) {
    this.#text.textContent = "It is thinking again, as it did before this attempt …";
    const thought = await api.get(`${this.#path}/imagined`, { attempt }).catch((error) => ({ error }));
    if (!current()) return;
    this.#attempts = thought.attempts ?? [];
    this.#text.textContent = thought.error
      ? thought.error.message
      : `Before this attempt it had imagined ${count(thought.imagined, this.#tried)}; ` +
        `${thought.solutions} of them worked in its head. The ghosts are the ` +
        `${this.#attempts.length} that it believed in most, as it imagined them: green ones succeed, gray ones fail. ` +
        "It attempted the first of them.";
    this.#draw();
  }

  #draw() {
    this.#viewer.imagine(this.#shown.checked ? this.#attempts : []);
  }
}

export async function subjectPage({ parts: [id, subject], query }) {
  const [run, attempts] = await Promise.all([
    api.get(`runs/${encodeURIComponent(id)}`),
    api.get(`runs/${encodeURIComponent(id)}/items/${encodeURIComponent(subject)}`),
  ]);
  const viewer = new Viewer(run.benchmark);
  const path = `runs/${encodeURIComponent(id)}/items/${encodeURIComponent(subject)}`;
  const imagined = run.imagines ? new Imagined(viewer, path) : null;
  const list = h("div", { class: "attempt-list", role: "group", "aria-label": "Attempts" });
  const first = Math.max(
    0,
    attempts.findIndex(({ number }) => String(number) === query.get("attempt")),
  );
  let at = -1;
  let name = subject;

  async function open(index) {
    if (index < 0 || index >= attempts.length || index === at) return;
    at = index;
    setQuery({ attempt: attempts[at].number });
    [...list.children].forEach((row, i) => row.setAttribute("aria-pressed", String(i === at)));
    list.children[at].scrollIntoView({ block: "nearest" });
    const data = await api.get(attempts[at].replay.replace(/^\/?api\//, ""));
    if (at !== index) return;
    name = data.name ?? data.title;
    viewer.show(data);
    imagined?.show(attempts[at].number, () => at === index);
  }

  replace(
    list,
    attempts.map(({ number, solved, reward }, i) =>
      h(
        "button",
        { type: "button", onclick: () => open(i) },
        `Attempt ${number}`,
        solved
          ? chip("solved", "good", "check")
          : h(
              "span",
              { class: "muted small" },
              reward === null || reward === undefined ? "not solved" : reward.toFixed(1),
            ),
      ),
    ),
  );
  if (attempts.length) await open(first);

  return {
    title: `${run.agent} on ${name}`,
    leave: () => viewer.close(),
    element: h(
      "div",
      {},
      head({
        crumbs: [
          ["Watch", pageLink("watch")],
          [run.label || run.agent, pageLink("watch", id)],
        ],
        title: name,
        small: name === subject ? null : subject,
      }),
      h(
        "div",
        { class: "play" },
        viewer.element,
        h(
          "div",
          { class: "panel" },
          imagined?.element,
          h(
            "section",
            { class: "card stack" },
            h(
              "div",
              { class: "row spread" },
              h("h2", {}, count(attempts.length, "attempt")),
              h(
                "div",
                { class: "row" },
                button("", {
                  icon: "back",
                  kind: "round",
                  "aria-label": "Previous attempt",
                  onclick: () => open(at - 1),
                }),
                button("", {
                  icon: "next",
                  kind: "round",
                  "aria-label": "Next attempt",
                  onclick: () => open(at + 1),
                }),
              ),
            ),
            list,
            h("a", { class: "button", href: pageLink(run.benchmark, subject) }, "Play it yourself"),
          ),
        ),
      ),
    ),
  };
}
