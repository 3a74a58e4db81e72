// Making a puzzle: a bench, an inspector, and the server's judgement.
import { api } from "../api.js";
import { h, replace, toast } from "../dom.js";
import { Bench } from "../editor/bench.js";
import { IphyreDraft } from "../editor/iphyre_draft.js";
import { PhyreDraft } from "../editor/phyre_draft.js";
import { toolPicture } from "../editor/tool_pictures.js";
import { place } from "../router.js";
import { attempt, button, download, head, segments } from "../widgets.js";

const CHECK_AFTER = 400; // ms without a change
const SEARCH_SECONDS = 5;

/** @param {import("../router.js").Place} at "phyre" or "iphyre" for a new puzzle, or an id */
export async function editorPage({ parts: [which] }) {
  await api.player();
  const fresh = which === "phyre" || which === "iphyre";
  const puzzle = fresh ? null : await api.get(`puzzles/${encodeURIComponent(which)}`);
  const benchmark = fresh ? which : puzzle.benchmark;
  const blank = await api.get("puzzles/blank", { benchmark });
  const desk = new Desk(benchmark, puzzle ?? recall(benchmark) ?? blank, blank);
  return { title: "Make a puzzle", element: desk.element, leave: () => desk.leave() };
}

class Desk {
  constructor(benchmark, puzzle, blank) {
    this.benchmark = benchmark;
    this.id = puzzle.mine ? puzzle.id : null;
    this.tier = puzzle.tier;
    const reopen = (data) => (benchmark === "phyre" ? new PhyreDraft(data, blank.data) : new IphyreDraft(data));
    this.bench = new Bench(reopen(puzzle.data), reopen);
    this.title = h("input", { value: puzzle.name, maxlength: 80, "aria-label": "Name of the puzzle", oninput: () => this.changed() });
    this.inspector = h("div", { class: "inspector" });
    this.bodies = h("div", { class: "row" });
    this.check = h("p", { class: "check", role: "status" });
    this.undo = button("", { icon: "undo", kind: "round", "aria-label": "Undo", title: "Undo", onclick: () => this.bench.undo() });
    this.redo = button("", { icon: "redo", kind: "round", "aria-label": "Redo", title: "Redo", onclick: () => this.bench.redo() });
    this.element = this.build();
    this.bench.addEventListener("change", () => this.changed());
    this.bench.addEventListener("select", () => this.inspect());
    this.inspect();
    this.judge();
  }

  timer = 0;

  build() {
    const { bench, benchmark } = this;
    const file = h("input", { type: "file", accept: ".json,application/json", hidden: true, onchange: () => attempt(() => this.open(file)) });
    return h(
      "div",
      {},
      head({
        crumbs: [["Make", place("make")]],
        title: benchmark === "phyre" ? "PHYRE puzzle" : "I-PHYRE game",
        end: h("div", { class: "row" }, this.undo, this.redo,
          button("Open", { icon: "upload", onclick: () => file.click() }),
          button("Download", { icon: "download", onclick: () => download(`${this.name}.json`, JSON.stringify(this.data, null, 1)) }), file),
      }),
      h(
        "div",
        { class: "editor" },
        h("div", { class: "tools", role: "toolbar", "aria-label": "Add a body" },
          bench.draft.tools.map(([tool, word]) => h("button", { type: "button", "aria-label": `Add ${word.toLowerCase()}`, onclick: () => bench.add(tool) }, toolPicture(tool), word))),
        h("div", { class: "stage-box" }, bench.stage.canvas),
        h("div", { class: "panel" },
          h("section", { class: "card stack", "aria-label": "Puzzle" },
            h("label", {}, "Name", this.title),
            benchmark === "phyre" && segments("Balls to place", [["ball", "One ball"], ["two_balls", "Two balls"]], this.tier, (tier) => ((this.tier = tier), this.changed())),
            this.check,
            this.saveButtons()),
          h("section", { class: "card stack", "aria-label": "Chosen body" }, this.inspector),
          h("section", { class: "card stack", "aria-label": "Bodies" }, h("h2", {}, "Bodies"), this.bodies)),
      ),
    );
  }

  saveButtons() {
    const act = (text, name, kind, action) => {
      const element = button(text, { icon: name, kind, onclick: () => attempt(action, element) });
      return element;
    };
    return h("div", { class: "row" },
      act("Save", "save", "primary", () => this.save()),
      act("Test", "play", "", async () => {
        const { subject } = await this.save();
        location.hash = place(this.benchmark, subject);
      }),
      act("Solvable?", "bulb", "", () => this.solvability()));
  }

  leave() {
    clearTimeout(this.timer);
    this.bench.stage.close();
  }

  get name() {
    return this.title.value.trim() || "My puzzle";
  }

  get data() {
    return this.bench.draft.data(this.name);
  }

  get body() {
    return { name: this.name, benchmark: this.benchmark, ...(this.tier && { tier: this.tier }), data: this.data };
  }

  changed() {
    remember(this.benchmark, this.id ? null : this.body);
    this.inspect();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.judge(), CHECK_AFTER);
  }

  say(text, kind) {
    this.check.textContent = text;
    this.check.className = `check ${kind}`;
  }

  /** Does the draft keep the rules? */
  async judge() {
    const { ok, error } = await api.post("puzzles/check", this.body).catch((problem) => ({ ok: false, error: problem.message }));
    this.say(ok ? "This is a proper puzzle. Test it, or ask whether it can be solved." : error, ok ? "good" : "bad");
  }

  async save() {
    const saved = this.id ? await api.put(`puzzles/${this.id}`, this.body) : await api.post("puzzles", this.body);
    this.id = saved.id;
    remember(this.benchmark, null);
    history.replaceState(null, "", place("make", saved.id));
    toast("Saved.", "info");
    return saved;
  }

  async solvability() {
    await this.save();
    this.say(`Looking for solutions for ${SEARCH_SECONDS} seconds …`, "");
    const found = await api.post(`puzzles/${this.id}/solvability`, { seconds: SEARCH_SECONDS });
    this.say(found.sentence, { solvable: "good", unsolvable: "bad" }[found.verdict] ?? "warm");
  }

  async open(file) {
    const [chosen] = file.files;
    if (!chosen) return;
    let data;
    try {
      data = JSON.parse(await chosen.text());
      this.bench.load(data);
    } catch {
      throw new Error(`${chosen.name} is no ${this.benchmark === "phyre" ? "scene" : "game"} in JSON.`);
    } finally {
      file.value = "";
    }
    if (typeof data.name === "string" && data.name) this.title.value = data.name;
    this.changed();
  }

  inspect() {
    const { bench } = this;
    const { draft, selected } = bench;
    this.undo.disabled = !bench.canUndo;
    this.redo.disabled = !bench.canRedo;
    replace(this.bodies, draft.items.length ? draft.items.map((_, i) =>
      h("button", { type: "button", class: i === selected ? "primary" : "quiet", "aria-pressed": String(i === selected), onclick: () => (bench.select(i), bench.stage.canvas.focus()) }, `${i + 1} ${draft.name(i)}`))
      : h("p", { class: "muted small" }, "The room is empty."));
    if (selected < 0) {
      return replace(this.inspector, h("h2", {}, draft.prompt ? "Join two bodies" : "Nothing chosen"),
        h("p", { class: "muted small" }, draft.prompt || "Add a body from the tools, or choose one in the scene. Drag to move, pull the white handle to resize, the red one to turn."));
    }
    const change = (action) => (value) => {
      action(value);
      bench.commit();
      this.inspect();
    };
    replace(this.inspector,
      h("h2", {}, `${selected + 1} ${draft.name(selected)}`),
      draft.prompt && h("p", { class: "check" }, draft.prompt),
      draft.choices(selected).map(([label, options, value, set]) => h("div", { class: "row spread" }, h("span", { class: "small muted" }, label), segments(label, options, value, change(set)))),
      h("div", { class: "fields" }, draft.fields(selected).map(([label, value, set]) =>
        h("label", {}, label, h("input", {
          type: "number", step: "any", value: Math.round(value * 10) / 10,
          onchange: (event) => Number.isFinite(event.target.valueAsNumber) && change(set)(event.target.valueAsNumber),
        })))),
      button("Remove", { icon: "trash", kind: "quiet danger", onclick: () => bench.remove() }));
  }
}

const slot = (benchmark) => `topple.draft.${benchmark}`;

/** What was made here but not saved. */
function recall(benchmark) {
  try {
    return JSON.parse(localStorage.getItem(slot(benchmark)));
  } catch {
    return null;
  }
}

function remember(benchmark, body) {
  try {
    if (body) localStorage.setItem(slot(benchmark), JSON.stringify(body));
    else localStorage.removeItem(slot(benchmark));
  } catch {
    // Storage may be blocked; saving on the server still works.
  }
}
