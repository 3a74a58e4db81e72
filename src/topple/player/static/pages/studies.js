// The pages for researchers: create studies, invite people, and export the results.
import { api } from "../api.js";
import { count, h, replace } from "../dom.js";
import { icon } from "../icons.js";
import { absoluteLink, pageLink } from "../router.js";
import { button, copy, head, reportErrors } from "../widgets.js";

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
        text: "Invite people to a fixed list of puzzles in a fixed order. Their attempts are stored like an agent's and scored by the same code.",
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
          const { id } = await api.post("studies", read(new FormData(form)));
          location.hash = pageLink("study", id, "results");
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
      name: "subjects",
      placeholder: "00001:007, 00002:011",
    }),
    h("label", {}, "Consent text", h("textarea", { name: "consent", maxlength: 10000 })),
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
  const subjects = String(data.get("subjects"))
    .split(",")
    .map((word) => word.trim())
    .filter(Boolean);
  return {
    name: data.get("name"),
    benchmark: data.get("benchmark"),
    subjects,
    pools: subjects.length ? [] : data.getAll("pool"),
    count: subjects.length ? null : number("count"),
    seed: number("seed") ?? 0,
    attempt_limit: number("attempt_limit"),
    consent: data.get("consent"),
    resume_by_name: data.has("resume_by_name"),
  };
}

export async function resultsPage({ parts: [id] }) {
  const study = await api.get(`studies/${encodeURIComponent(id)}/detail`);
  const people = study.participants;
  const score = (value) =>
    value === null
      ? "–"
      : study.benchmark === "phyre"
        ? (100 * value).toFixed(1)
        : value.toFixed(1);
  const file = (ending) =>
    h(
      "a",
      {
        class: "button",
        href: `api/studies/${id}/export.${ending}`,
        download: `${study.name}.${ending}`,
      },
      icon("download"),
      ending.toUpperCase(),
    );
  return {
    title: study.name,
    element: h(
      "div",
      { class: "stack" },
      head({
        crumbs: [["Studies", pageLink("study")]],
        title: study.name,
        text: `${count(study.items, "puzzle")}, seed ${study.seed}, up to ${count(study.attempt_limit, "attempt")} each`,
        end: h("div", { class: "row" }, file("csv"), file("json")),
      }),
      h(
        "div",
        { class: "card row spread" },
        h(
          "div",
          {},
          h("h3", {}, "Invitation"),
          h(
            "a",
            { class: "mono", href: pageLink("study", id) },
            absoluteLink(pageLink("study", id)),
          ),
        ),
        button("Copy", {
          icon: "copy",
          onclick: () => copy(absoluteLink(pageLink("study", id)), "Invitation copied."),
        }),
      ),
      h(
        "section",
        { class: "card", "aria-label": "Participants" },
        h("h2", {}, count(people.length, "participant")),
        people.length === 0
          ? h("p", { class: "muted" }, "Nobody has taken part yet.")
          : h(
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
                    ["Id", "Name"].map((word) => h("th", {}, word)),
                    [
                      "Done",
                      "Attempts",
                      study.benchmark === "phyre" ? "AUCCESS" : "Mean score",
                    ].map((word) => h("th", { class: "number" }, word)),
                    h("td", {}),
                  ),
                ),
                h(
                  "tbody",
                  {},
                  people.map((one) =>
                    h(
                      "tr",
                      {},
                      h("td", { class: "mono" }, one.anonymous_id),
                      h("td", {}, one.name ?? "–"),
                      h("td", { class: "number" }, `${one.done} of ${study.items}`),
                      h("td", { class: "number" }, one.attempts),
                      h("td", { class: "number" }, score(one.score)),
                      h(
                        "td",
                        {},
                        button("Copy personal link", {
                          kind: "quiet",
                          onclick: () => copy(new URL(one.link, document.baseURI).href),
                        }),
                      ),
                    ),
                  ),
                ),
              ),
            ),
      ),
      h(
        "details",
        { class: "card" },
        h("summary", {}, "Puzzles in order"),
        h("p", { class: "mono" }, study.subjects.join(" ")),
      ),
    ),
  };
}
