// The page of the puzzle editor: the scene with tools, fields, checks and saving.
import { api } from "../api.js";
import { h, replace, toast } from "../dom.js";
import { iphyrePlay } from "../pages/iphyre_play.js";
import { phyrePlay } from "../pages/phyre_play.js";
import { planText } from "../play/viewer.js";
import { pageLink } from "../router.js";
import { shareLink } from "../share.js";
import { button, copy, download, head, reportErrors, segments } from "../widgets.js";
import { SceneEditor } from "./scene_editor.js";
import { saveDraft } from "./drafts.js";
import { bodyButtons, inspector } from "./inspector.js";
import { IphyreDraft } from "./iphyre_draft.js";
import { PhyreDraft } from "./phyre_draft.js";
import { toolPicture } from "./tool_pictures.js";

const CHECK_AFTER = 400; // ms without a change
const SEARCH_SECONDS = 5;
const MEASURE_AFTER = 1200; // ms after a check
const MEASURE_SECONDS = 2;
const VALID = "This puzzle keeps all rules.";

/** From which share of random attempts on a puzzle is called easy, medium or hard. */
const EASE = { phyre: [0.03, 0.005, 0.0005], iphyre: [0.4, 0.1, 0.02] };
const WORDS = ["easy", "medium", "hard", "very hard"];

export class PuzzleEditor {
  constructor(benchmark, puzzle, blank) {
    this.benchmark = benchmark;
    this.id = puzzle.mine ? puzzle.id : null;
    this.tier = puzzle.tier;
    const reopen = (data) =>
      benchmark === "phyre" ? new PhyreDraft(data, blank.data) : new IphyreDraft(data);
    this.editor = new SceneEditor(reopen(puzzle.data), reopen);
    this.title = h("input", {
      value: puzzle.name,
      maxlength: 80,
      "aria-label": "Name of the puzzle",
      oninput: () => this.changed(),
    });
    this.inspector = h("div", { class: "inspector" });
    this.bodies = h("div", { class: "row" });
    this.check = h("p", { class: "check", role: "status" });
    this.goal = h("p", { class: "goal" });
    this.difficulty = h("p", { class: "small muted", role: "status" });
    this.undo = button("", {
      icon: "undo",
      kind: "round",
      "aria-label": "Undo",
      title: "Undo",
      onclick: () => this.editor.undo(),
    });
    this.redo = button("", {
      icon: "redo",
      kind: "round",
      "aria-label": "Redo",
      title: "Redo",
      onclick: () => this.editor.redo(),
    });
    this.element = this.build();
    this.editor.addEventListener("change", () => this.changed());
    this.editor.addEventListener("select", () => this.inspect());
    this.inspect();
    this.checkRules();
  }

  timer = 0;
  checks = 0;
  play = /** @type {{ element: HTMLElement, leave: () => void } | null} */ (null);

  build() {
    const { editor, benchmark } = this;
    const file = h("input", {
      type: "file",
      accept: ".json,application/json",
      hidden: true,
      onchange: () => reportErrors(() => this.open(file)),
    });
    this.workplace = h(
      "div",
      {},
      head({
        crumbs: [["Make", pageLink("make")]],
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
          editor.draft.tools.map(([tool, word]) =>
            h(
              "button",
              {
                type: "button",
                "aria-label": `Add ${word.toLowerCase()}`,
                onclick: () => editor.add(tool),
              },
              toolPicture(tool),
              word,
            ),
          ),
        ),
        h("div", { class: "scene-frame" }, editor.view.canvas),
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
            this.goal,
            this.check,
            this.difficulty,
            this.saveButtons(),
          ),
          h("section", { class: "card stack", "aria-label": "Selected body" }, this.inspector),
          h(
            "section",
            { class: "card stack", "aria-label": "Bodies" },
            h("h2", {}, "Bodies"),
            this.bodies,
          ),
        ),
      ),
    );
    return h("div", {}, this.workplace);
  }

  /** Play the draft in place of the editor, which keeps its state. */
  async test() {
    const { subject } = await this.save();
    this.play =
      this.benchmark === "phyre"
        ? await phyrePlay({ api, id: subject })
        : await iphyrePlay({ api, name: subject });
    this.show(
      head({
        crumbs: [["Make", pageLink("make")]],
        title: this.name,
        small: "test",
        end: button("Back to editing", {
          icon: "pencil",
          kind: "primary",
          onclick: () => this.edit(),
        }),
      }),
      this.play.element,
    );
  }

  /** Go back from playing to editing. */
  edit() {
    this.play?.leave();
    this.play = null;
    this.show(this.workplace);
    this.editor.view.redraw();
  }

  show(...parts) {
    replace(this.element, parts);
    scrollTo(0, 0);
  }

  saveButtons() {
    const act = (text, name, kind, action) => {
      const element = button(text, {
        icon: name,
        kind,
        onclick: () => reportErrors(action, element),
      });
      return element;
    };
    return h(
      "div",
      { class: "row" },
      act("Save", "save", "primary", () => this.save()),
      act("Test", "play", "", () => this.test()),
      act("Solvable?", "bulb", "", () => this.solvability()),
      act("Share", "link", "", async () => {
        const { subject } = await this.save();
        await copy(await shareLink(pageLink(this.benchmark, subject)));
      }),
    );
  }

  leave() {
    clearTimeout(this.timer);
    this.play?.leave();
    this.editor.view.close();
  }

  get name() {
    return this.title.value.trim() || "My puzzle";
  }

  get data() {
    return this.editor.draft.data(this.name);
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
    saveDraft(this.benchmark, this.id ? null : this.body);
    this.inspect();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.checkRules(), CHECK_AFTER);
  }

  say(text, kind) {
    this.check.textContent = text;
    this.check.className = `check ${kind}`;
  }

  /** Ask the server whether the draft keeps the rules. */
  async checkRules() {
    const mine = ++this.checks;
    const { ok, error, body } = await api
      .post("puzzles/check", this.body)
      .catch((problem) => ({ ok: false, error: problem.message, body: null }));
    if (mine !== this.checks) return; // changed in the meantime
    this.say(ok ? VALID : error, ok ? "good" : "bad");
    this.difficulty.textContent = "";
    if (ok) this.timer = setTimeout(() => this.measure(mine), MEASURE_AFTER);
    const item = body === null ? -1 : this.editor.draft.itemOf(body);
    if (ok || item < 0) return;
    this.check.append(" ", button("Show it", { onclick: () => this.editor.select(item) }));
  }

  /** Find out in the background whether the draft can be solved, and how hard it is. */
  async measure(mine) {
    this.difficulty.textContent = "Trying random solutions …";
    const found = await api
      .post("puzzles/solvability", { ...this.body, seconds: MEASURE_SECONDS })
      .catch(() => null); // the server may be busy; the button asks again
    if (mine !== this.checks) return;
    this.difficulty.textContent = "";
    if (!found) return;
    const { solved, valid, verdict } = found;
    const share = valid ? solved / valid : 0;
    const word = WORDS[EASE[this.benchmark].filter((least) => share < least).length];
    this.difficulty.textContent = solved
      ? `Solvable and ${word}: about 1 in ${Math.max(1, Math.round(1 / share)).toLocaleString("en")} random tries solves it.`
      : verdict === "unsolvable"
        ? found.sentence
        : `None of ${valid.toLocaleString("en")} random tries solved it: very hard, or not solvable.`;
  }

  async save() {
    const saved = this.id
      ? await api.put(`puzzles/${this.id}`, this.body)
      : await api.post("puzzles", this.body);
    this.id = saved.id;
    saveDraft(this.benchmark, null);
    history.replaceState(null, "", pageLink("make", saved.id));
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
    const replay = `${pageLink("replay", this.benchmark, subject)}?${new URLSearchParams(query)}`;
    this.check.append(" ", h("a", { href: replay }, "Watch a solution"));
  }

  async open(file) {
    const [chosen] = file.files;
    if (!chosen) return;
    let data;
    try {
      data = JSON.parse(await chosen.text());
      this.editor.load(data);
    } catch {
      throw new Error(
        `${chosen.name} does not hold a ${this.benchmark === "phyre" ? "scene" : "game"} in JSON.`,
      );
    } finally {
      file.value = "";
    }
    if (typeof data.name === "string" && data.name) this.title.value = data.name;
    this.changed();
  }

  inspect() {
    this.undo.disabled = !this.editor.canUndo;
    this.redo.disabled = !this.editor.canRedo;
    this.goal.textContent = this.editor.draft.goalSentence;
    replace(this.bodies, bodyButtons(this.editor));
    replace(
      this.inspector,
      inspector(this.editor, () => this.inspect()),
    );
  }
}
