// The page of a PHYRE task.
import { api as freeApi } from "../api.js";
import { h } from "../dom.js";
import { icon } from "../icons.js";
import { PhyreTask } from "../play/phyre_task.js";
import { pathCrumbs, placeOnPath } from "../path.js";
import { pageLink } from "../router.js";
import { settings } from "../settings.js";
import { head } from "../widgets.js";

/** @param {import("../router.js").Parameters} at */
export async function phyrePage({ parts: [id], query }) {
  const place = await placeOnPath("phyre", id);
  const play = await phyrePlay({
    api: freeApi,
    id,
    action: query.get("action"),
    first: place === 0,
  });
  const { task } = play;
  const own = id.startsWith("own:");
  const step = (name, to, label) =>
    to &&
    h(
      "a",
      { class: "button round", href: pageLink("phyre", to), "aria-label": label, title: label },
      icon(name),
    );
  return {
    title: task.name,
    leave: play.leave,
    element: h(
      "div",
      {},
      head({
        crumbs: own
          ? [["Make", pageLink("make")]]
          : settings.science
            ? [
                ["PHYRE", pageLink("phyre")],
                [task.template, pageLink("phyre", "template", task.template)],
              ]
            : pathCrumbs(place),
        title: task.name,
        small: own ? null : id,
        end: settings.science
          ? h(
              "div",
              { class: "row" },
              step("back", task.previous, "Previous task"),
              step("next", task.next, "Next task"),
            )
          : [],
      }),
      play.element,
      !own && !settings.science && variantsLink(task.template),
    ),
  };
}

/** Where the other variants of a puzzle are. */
function variantsLink(template) {
  return h(
    "p",
    { class: "variants small" },
    h("a", { href: pageLink("phyre", "template", template) }, "Other variants of this puzzle"),
  );
}

/**
 * The play area of a task, for its own page and for studies.
 * @param {object} options
 * @param {import("../api.js").Api} options.api
 * @param {string} options.id
 * @param {string | null} [options.action] where the balls are at first, as in a link
 * @param {((progress: any) => void) | null} [options.onprogress] in a study: after each attempt
 * @param {boolean} [options.first] whether this is the first puzzle of the path
 */
export async function phyrePlay({ api, id, action = null, onprogress = null, first = false }) {
  const path = `phyre/tasks/${encodeURIComponent(id)}`;
  await api.player();
  const task = await api.get(path);
  const fresh = first && task.progress.attempts === 0;
  const play = new PhyreTask(api, path, task, onprogress, fresh);
  await play.start(action);
  return { task, play, element: play.element, leave: () => play.leave() };
}
