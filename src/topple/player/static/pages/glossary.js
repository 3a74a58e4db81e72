// The glossary: the words of the papers, explained.
import { h } from "../dom.js";
import { GLOSSARY } from "../glossary.js";
import { head } from "../widgets.js";

/** @param {import("../router.js").Parameters} at */
export function glossaryPage({ query }) {
  const wanted = query.get("term");
  const list = h(
    "dl",
    { class: "glossary" },
    Object.entries(GLOSSARY).map(([key, [word, text]]) =>
      h(
        "div",
        { class: `card ${key === wanted ? "wanted" : ""}`, id: `term-${key}` },
        h("dt", {}, word),
        h("dd", {}, text),
      ),
    ),
  );
  requestAnimationFrame(() => list.querySelector(".wanted")?.scrollIntoView({ block: "center" }));
  return {
    title: "Glossary",
    element: h(
      "div",
      {},
      head({
        title: "Glossary",
        text: "Topple’s puzzles are two benchmarks of physical reasoning. These are their words.",
      }),
      list,
    ),
  };
}
