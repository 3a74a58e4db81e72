// The pages for researchers: create studies, invite people, and export the results.
import { api } from "../api.js";
import { count, h, replace } from "../dom.js";
import { icon } from "../icons.js";
import { absoluteLink, pageLink } from "../router.js";
import { button, confirm, copy, head, reportErrors } from "../widgets.js";

const POOLS = {
  phyre: [
    ["ball", "PHYRE, one ball"],
    ["two_balls", "PHYRE, two balls"],
  ],
  iphyre: [
    ["basic", "Basic"],
    ["noisy", "Noisy"],
    ["compositional", "Compositional"],
    ["multi_ball", "Multi-ball"],
  ],
};

export async function studiesPage() {
  const { owner } = await api.get("health");
  const studies = owner ? await api.list("studies") : [];
  return {
    title: "Studies",
    element: h(
      "div",
      {},
      head({
        title: "Studies",
        text: "Let people solve chosen puzzles by a design of yours. Their attempts are stored like an agent's and scored by the same code.",
      }),
      owner
        ? h(
            "div",
            { class: "stack" },
            studies.map(studyRow),
            h(
              "details",
              { class: "card", open: studies.length === 0 },
              h("summary", {}, "New study"),
              newStudy(),
            ),
            h(
              "details",
              { class: "card" },
              h("summary", {}, "New study from a design file"),
              fromFile(),
            ),
          )
        : h(
            "p",
            { class: "card" },
            "Only the owner of this server can create studies. If you were invited to one, open the link you were given.",
          ),
    ),
  };
}

function studyRow({ id, name, benchmark, items, attempt_limit: limit }) {
  return h(
    "div",
    { class: "card row spread" },
    h(
      "div",
      {},
      h("h2", {}, name),
      h(
        "p",
        { class: "muted small" },
        `${benchmark === "phyre" ? "PHYRE" : "I-PHYRE"}, ${count(items, "puzzle")}, up to ${count(limit, "attempt")} each`,
      ),
    ),
    h(
      "div",
      { class: "row" },
      button("Copy invitation", {
        icon: "link",
        onclick: () => copy(absoluteLink(pageLink("study", id)), "Invitation copied."),
      }),
      h("a", { class: "button", href: pageLink("study", id, "results") }, "Results"),
    ),
  );
}

function created({ id }) {
  location.hash = pageLink("study", id, "results");
}

/** Practice, blocks, orders, questions and more are described in a TOML file. */
function fromFile() {
  const file = h("input", { type: "file", accept: ".toml", required: true });
  return h(
    "form",
    {
      class: "stack",
      onsubmit: (event) => {
        event.preventDefault();
        reportErrors(async () => {
          created(await api.post("studies/toml", { toml: await file.files[0].text() }));
        });
      },
    },
    h(
      "p",
      { class: "muted" },
      "A TOML file describes everything a study can have: practice, blocks and breaks, orders, limits, questions, attention checks, and a completion code. The guide to studies lists its keys.",
    ),
    h("label", {}, "Design file", file),
    h("div", {}, h("button", { type: "submit", class: "primary" }, "Create this study")),
  );
}

function newStudy() {
  const pools = h("div", { class: "stack" });
  const showPools = (benchmark) =>
    replace(
      pools,
      POOLS[benchmark].map(([value, text], i) =>
        h(
          "label",
          { class: "tick" },
          h("input", { type: "checkbox", name: "pool", value, checked: i === 0 }),
          text,
        ),
      ),
    );
  const field = (label, props) => h("label", {}, label, h("input", props));
  showPools("phyre");
  const form = h(
    "form",
    {
      class: "stack",
      onsubmit: (event) => {
        event.preventDefault();
        reportErrors(async () => {
          created(await api.post("studies", read(new FormData(form))));
        });
      },
    },
    h(
      "div",
      { class: "fields" },
      field("Name", { name: "name", required: true, maxlength: 80 }),
      h(
        "label",
        {},
        "Benchmark",
        h(
          "select",
          { name: "benchmark", onchange: (event) => showPools(event.target.value) },
          h("option", { value: "phyre" }, "PHYRE"),
          h("option", { value: "iphyre" }, "I-PHYRE"),
        ),
      ),
      field("Number of puzzles", { name: "count", type: "number", min: 1, max: 500, value: 10 }),
      field("Attempts per puzzle", {
        name: "attempt_limit",
        type: "number",
        min: 1,
        max: 100,
        placeholder: "as in the paper",
      }),
      field("Seconds per puzzle", {
        name: "time_limit",
        type: "number",
        min: 1,
        max: 86400,
        placeholder: "no limit",
      }),
      h(
        "label",
        {},
        "Order",
        h(
          "select",
          { name: "order" },
          h("option", { value: "fixed" }, "the same for everybody"),
          h("option", { value: "random" }, "random for each participant"),
          h("option", { value: "latin_square" }, "balanced Latin square"),
        ),
      ),
      field("Random seed", {
        name: "seed",
        type: "number",
        min: 0,
        max: 2147483647,
        value: 0,
      }),
    ),
    h("fieldset", {}, h("legend", {}, "Draw from"), pools),
    field("Or exactly these puzzles, separated by commas", {
      name: "puzzles",
      placeholder: "00001:007, 00002:011",
    }),
    field("Practice puzzles, which do not count", {
      name: "practice",
      placeholder: "00000:032",
    }),
    field("Completion code", { name: "completion_code", maxlength: 80, placeholder: "none" }),
    h("label", {}, "Consent text", h("textarea", { name: "consent", maxlength: 10000 })),
    h(
      "label",
      { class: "tick" },
      h("input", { type: "checkbox", name: "ask_name" }),
      "Ask for a name or code (otherwise people are known by a random id alone)",
    ),
    h(
      "label",
      { class: "tick" },
      h("input", { type: "checkbox", name: "resume_by_name" }),
      "A used name is enough to continue as that participant (otherwise only the personal link is)",
    ),
    h("div", {}, h("button", { type: "submit", class: "primary" }, "Create study")),
  );
  return form;
}

function read(data) {
  const number = (name) => (data.get(name) === "" ? null : Number(data.get(name)));
  const words = (name) =>
    String(data.get(name))
      .split(",")
      .map((word) => word.trim())
      .filter(Boolean);
  const puzzles = words("puzzles");
  return {
    name: data.get("name"),
    benchmark: data.get("benchmark"),
    puzzles,
    pools: puzzles.length ? [] : data.getAll("pool"),
    count: puzzles.length ? null : number("count"),
    practice: words("practice"),
    order: data.get("order"),
    seed: number("seed") ?? 0,
    attempt_limit: number("attempt_limit"),
    time_limit: number("time_limit"),
    completion_code: data.get("completion_code") || null,
    consent: data.get("consent"),
    ask_name: data.has("ask_name"),
    resume_by_name: data.has("resume_by_name"),
  };
}

export async function resultsPage({ parts: [id] }) {
  const path = `studies/${encodeURIComponent(id)}`;
  const element = h("div", { class: "stack" });
  const show = (study) => replace(element, results(study, path, show));
  const study = await api.get(`${path}/detail`);
  show(study);
  return { title: study.name, element };
}

function results(study, path, show) {
  const { id } = study;
  return [
    head({
      crumbs: [["Studies", pageLink("study")]],
      title: study.name,
      text: `${count(study.items, "puzzle")}, seed ${study.seed}, up to ${count(study.attempt_limit, "attempt")} each`,
      end: h(
        "div",
        { class: "row" },
        ["zip", "csv", "json"].map((ending) => exportLink(study, ending)),
      ),
    }),
    h(
      "div",
      { class: "card row spread" },
      h(
        "div",
        {},
        h("h3", {}, "Invitation"),
        h("a", { class: "mono", href: pageLink("study", id) }, absoluteLink(pageLink("study", id))),
      ),
      button("Copy", {
        icon: "copy",
        onclick: () => copy(absoluteLink(pageLink("study", id)), "Invitation copied."),
      }),
    ),
    study.groups.length > 0 && groupsCard(study),
    participantsCard(study, path, show),
    h(
      "details",
      { class: "card" },
      h("summary", {}, "Puzzles in order"),
      study.design.practice.length > 0 &&
        h("p", {}, "Practice: ", h("span", { class: "mono" }, study.design.practice.join(" "))),
      h("p", { class: "mono" }, study.puzzles.join(" ")),
    ),
    h(
      "div",
      { class: "row" },
      button("Delete this study", {
        icon: "trash",
        kind: "quiet",
        onclick: async () => {
          const text = `The study, its ${count(study.participants.length, "participant")} and all their data are deleted for good.`;
          if (!(await confirm({ title: "Delete this study?", text, yes: "Delete" }))) return;
          await reportErrors(async () => {
            await api.delete(path);
            location.hash = pageLink("study");
          });
        },
      }),
    ),
  ];
}

function exportLink(study, ending, participant = null) {
  const query = participant ? `?participant=${participant}` : "";
  return h(
    "a",
    {
      class: participant ? "button quiet" : "button",
      href: `api/studies/${study.id}/export.${ending}${query}`,
      download: `${study.name}${participant ? ` ${participant}` : ""}.${ending}`,
      title: EXPORTS[ending],
    },
    icon("download"),
    ending.toUpperCase(),
  );
}

const EXPORTS = {
  zip: "All tables as CSV files",
  csv: "The table of attempts",
  json: "All tables in one file",
};

/** A table whose first columns are texts and whose last ones may be numbers. */
function table(label, texts, numbers, rows) {
  return h(
    "div",
    { class: "scroller", tabindex: 0, role: "region", "aria-label": label },
    h(
      "table",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          texts.map((word) => h("th", {}, word)),
          numbers.map((word) => h("th", { class: "number" }, word)),
          h("td", {}),
        ),
      ),
      h("tbody", {}, rows),
    ),
  );
}

const number = (value) => h("td", { class: "number" }, value);

function scoreText(study, value) {
  if (value === null) return "–";
  return study.benchmark === "phyre" ? (100 * value).toFixed(1) : value.toFixed(1);
}

function scoreName(study) {
  return study.benchmark === "phyre" ? "AUCCESS" : "Mean score";
}

function groupsCard(study) {
  const score = (value) => scoreText(study, value);
  const agent = study.benchmark === "phyre" ? "rand" : "random";
  return h(
    "section",
    { class: "card", "aria-label": "Groups" },
    h("h2", {}, "Scores"),
    table(
      "Scores of groups",
      ["Group"],
      ["Participants", "Puzzles scored", "Missing", scoreName(study), "95 % interval"],
      study.groups.map(({ group, participants, scored, missing, mean, interval }) =>
        h(
          "tr",
          {},
          h("td", {}, group || "Everybody"),
          [participants, scored, missing, score(mean)].map(number),
          number(interval ? interval.map(score).join(" to ") : "–"),
        ),
      ),
    ),
    h(
      "p",
      { class: "muted small" },
      "Puzzles that were not reached are missing, not failures. Puzzles that somebody knew before the study are left out. Agents on the same puzzles: ",
      h("code", {}, `topple evaluate --agent ${agent} --tasks-of-study ${study.id}`),
    ),
  );
}

function participantsCard(study, path, show) {
  const people = study.participants;
  return h(
    "section",
    { class: "card", "aria-label": "Participants" },
    h("h2", {}, count(people.length, "participant")),
    people.length === 0
      ? h("p", { class: "muted" }, "Nobody has taken part yet.")
      : table(
          "Participants",
          ["Id", "Name", "State"],
          ["Done", "Attempts", "Missing", "Known", scoreName(study)],
          people.map((one) =>
            h(
              "tr",
              {},
              h("td", { class: "mono" }, one.anonymous_id),
              h("td", {}, [one.name ?? "–", one.group && ` (${one.group})`]),
              h("td", {}, one.state),
              number(`${one.done} of ${study.items}`),
              [one.attempts, one.missing, one.known, scoreText(study, one.score)].map(number),
              h("td", {}, participantButtons(study, one, path, show)),
            ),
          ),
        ),
  );
}

function participantButtons(study, { anonymous_id: id, link }, path, show) {
  return h(
    "div",
    { class: "row" },
    button("Copy link", {
      kind: "quiet",
      title: "The personal link, by which this participant resumes",
      onclick: () => copy(new URL(link, document.baseURI).href),
    }),
    exportLink(study, "json", id),
    button("Delete", {
      icon: "trash",
      kind: "quiet",
      "aria-label": `Delete participant ${id}`,
      onclick: async () => {
        const text = "Everything that is stored of this person is deleted for good.";
        if (!(await confirm({ title: `Delete ${id}?`, text, yes: "Delete" }))) return;
        await reportErrors(async () => show(await api.delete(`${path}/participants/${id}`)));
      },
    }),
  );
}
