// A shared replay, which is determined by its link.
import { api } from "../api.js";
import { h } from "../dom.js";
import { icon } from "../icons.js";
import { goalSentence } from "../play/parts.js";
import { pageLink } from "../router.js";
import { Viewer } from "../play/viewer.js";
import { chip, head } from "../widgets.js";

export async function phyreReplay({ parts: [task], query }) {
  const data = await api.get(`replays/phyre/${encodeURIComponent(task)}`, {
    action: query.get("action"),
    stride: 1,
  });
  const balls = data.trajectory.balls.map(([x, y, r]) => `(${x}, ${y}), radius ${r}`).join(" and ");
  return replayPage("phyre", data, `Replay of “${data.name}”`, pageLink("phyre", task), [
    goalSentence(data.description),
    outcome(data.outcome === "solved"),
    h("p", { class: "muted small" }, `Task ${task}, balls at ${balls} px.`),
  ]);
}

export async function iphyreReplay({ parts: [game], query }) {
  const data = await api.get(`replays/iphyre/${encodeURIComponent(game)}`, {
    plan: query.get("plan") ?? "",
    hz: query.get("hz"),
  });
  const removals = data.plan.map(
    ({ tick, body }) => `block ${body} at ${(tick / data.hz).toFixed(2)} s`,
  );
  return replayPage("iphyre", data, `Replay of “${data.title}”`, pageLink("iphyre", game), [
    outcome(data.solved),
    h(
      "p",
      { class: "goal" },
      `${data.reward.toFixed(1)} points in ${(data.ticks / data.hz).toFixed(1)} s`,
    ),
    h(
      "p",
      { class: "muted small" },
      removals.length ? `Removed: ${removals.join(", ")}.` : "Nothing was removed.",
    ),
  ]);
}

function outcome(solved) {
  return h("div", {}, solved ? chip("Solved", "good", "check") : chip("Not solved"));
}

function replayPage(benchmark, data, name, playHref, facts) {
  const viewer = new Viewer(benchmark);
  viewer.show(data);
  return {
    title: name,
    leave: () => viewer.close(),
    element: h(
      "div",
      {},
      head({ title: name }),
      h(
        "div",
        { class: "play" },
        viewer.element,
        h(
          "div",
          { class: "panel" },
          h(
            "section",
            { class: "card stack" },
            facts,
            h(
              "a",
              { class: "button primary big", href: playHref },
              icon("play"),
              "Play it yourself",
            ),
          ),
        ),
      ),
    ),
  };
}
