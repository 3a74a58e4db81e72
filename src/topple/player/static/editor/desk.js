// A puzzle in the making, with all that lies around the bench.
import { api } from "../api.js";
import { h, replace, toast } from "../dom.js";
import { planText } from "../play/viewer.js";
import { place } from "../router.js";
import { attempt, button, download, head, segments } from "../widgets.js";
import { Bench } from "./bench.js";
import { remember } from "./drafts.js";
import { bodyButtons, inspector } from "./inspector.js";
import { IphyreDraft } from "./iphyre_draft.js";
import { PhyreDraft } from "./phyre_draft.js";
import { toolPicture } from "./tool_pictures.js";

const CHECK_AFTER = 400; // ms without a change
const SEARCH_SECONDS = 5;
const PROPER = "This is a proper puzzle. Test it, or ask whether it can be solved.";

export class Desk {
  constructor(benchmark, puzzle, blank) {
    this.benchmark = benchmark;
    this.id = puzzle.mine ? puzzle.id : null;
    this.tier = puzzle.tier;
    const reopen = (data) =>
      benchmark === "phyre" ? new PhyreDraft(data, blank.data) : new IphyreDraft(data);
    this.bench = new Bench(reopen(puzzle.data), reopen);
    this.title = h("input", {
      value: puzzle.name,
      maxlength: 80,
      "aria-label": "Name of the puzzle",
      oninput: () => this.changed(),
    });
    this.inspector = h("div", { class: "inspector" });
    this.bodies = h("div", { class: "row" });
    this.check = h("p", { class: "check", role: "status" });
    this.undo = button("", {
      icon: "undo",
      kind: "round",
      "aria-label": "Undo",
      title: "Undo",
      onclick: () => this.bench.undo(),
    });
    this.redo = button("", {
      icon: "redo",
      kind: "round",
      "aria-label": "Redo",
      title: "Redo",
      onclick: () => this.bench.redo(),
    });
    this.element = this.build();
    this.bench.addEventListener("change", () => this.changed());
    this.bench.addEventListener("select", () => this.inspect());
    this.inspect();
    this.judge();
  }

  timer = 0;
  judged = 0;

  build() {
    const { bench, benchmark } = this;
    const file = h("input", {
      type: "file",
      accept: ".json,application/json",
      hidden: true,
      onchange: () => attempt(() => this.open(file)),
    });
    return h(
      "div",
      {},
      head({
        crumbs: [["Make", place("make")]],
        title: benchmark === "phyre" ? "PHYRE puzzle" : "I-PHYRE game",
        end: h(
          "div",
          { class: "row" },
          this.undo,
          this.redo,
          button("Open", { icon: "upload", onclick: () => file.click() }),
          button("Download", {
            icon: "download",
            onclick: () => download(`${this.name}.json`, JSON.stringify(this.data, null, 1)),
          }),
          file,
        ),
      }),
      h(
        "div",
        { class: "editor" },
        h(
          "div",
          { class: "tools", role: "toolbar", "aria-label": "Add a body" },
          bench.draft.tools.map(([tool, word]) =>
            h(
              "button",
              {
                type: "button",
                "aria-label": `Add ${word.toLowerCase()}`,
                onclick: () => bench.add(tool),
              },
              toolPicture(tool),
              word,
            ),
          ),
        ),
        h("div", { class: "stage-box" }, bench.stage.canvas),
        h(
          "div",
          { class: "panel" },
          h(
            "section",
            { class: "card stack", "aria-label": "Puzzle" },
            h("label", {}, "Name", this.title),
            benchmark === "phyre" &&
              segments(
                "Balls to place",
                [
                  ["ball", "One ball"],
                  ["two_balls", "Two balls"],
                ],
                this.tier,
                (tier) => ((this.tier = tier), this.changed()),
              ),
            this.check,
            this.saveButtons(),
          ),
          h("section", { class: "card stack", "aria-label": "Chosen body" }, this.inspector),
          h(
            "section",
            { class: "card stack", "aria-label": "Bodies" },
            h("h2", {}, "Bodies"),
            this.bodies,
          ),
        ),
      ),
    );
  }

  saveButtons() {
    const act = (text, name, kind, action) => {
      const element = button(text, { icon: name, kind, onclick: () => attempt(action, element) });
      return element;
    };
    return h(
      "div",
      { class: "row" },
      act("Save", "save", "primary", () => this.save()),
      act("Test", "play", "", async () => {
        const { subject } = await this.save();
        location.hash = place(this.benchmark, subject);
      }),
      act("Solvable?", "bulb", "", () => this.solvability()),
    );
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
    return {
      name: this.name,
      benchmark: this.benchmark,
      ...(this.tier && { tier: this.tier }),
      data: this.data,
    };
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
    const mine = ++this.judged;
    const { ok, error, body } = await api
      .post("puzzles/check", this.body)
      .catch((problem) => ({ ok: false, error: problem.message, body: null }));
    if (mine !== this.judged) return; // changed in the meantime
    this.say(ok ? PROPER : error, ok ? "good" : "bad");
    const item = body === null ? -1 : this.bench.draft.itemOf(body);
    if (ok || item < 0) return;
    this.check.append(" ", button("Show it", { onclick: () => this.bench.select(item) }));
  }

  async save() {
    const saved = this.id
      ? await api.put(`puzzles/${this.id}`, this.body)
      : await api.post("puzzles", this.body);
    this.id = saved.id;
    remember(this.benchmark, null);
    history.replaceState(null, "", place("make", saved.id));
    toast("Saved.", "info");
    return saved;
  }

  async solvability() {
    const { subject } = await this.save();
    this.say(`Looking for solutions for ${SEARCH_SECONDS} seconds …`, "");
    const found = await api.post(`puzzles/${this.id}/solvability`, { seconds: SEARCH_SECONDS });
    this.say(found.sentence, { solvable: "good", unsolvable: "bad" }[found.verdict] ?? "warm");
    const query = found.solution
      ? { action: found.solution.join(",") }
      : found.plan && { plan: planText(found.plan) };
    if (!query) return;
    const replay = `${place("replay", this.benchmark, subject)}?${new URLSearchParams(query)}`;
    this.check.append(" ", h("a", { href: replay }, "Watch a solution"));
  }

  async open(file) {
    const [chosen] = file.files;
    if (!chosen) return;
    let data;
    try {
      data = JSON.parse(await chosen.text());
      this.bench.load(data);
    } catch {
      throw new Error(
        `${chosen.name} is no ${this.benchmark === "phyre" ? "scene" : "game"} in JSON.`,
      );
    } finally {
      file.value = "";
    }
    if (typeof data.name === "string" && data.name) this.title.value = data.name;
    this.changed();
  }

  inspect() {
    this.undo.disabled = !this.bench.canUndo;
    this.redo.disabled = !this.bench.canRedo;
    replace(this.bodies, bodyButtons(this.bench));
    replace(
      this.inspector,
      inspector(this.bench, () => this.inspect()),
    );
  }
}
