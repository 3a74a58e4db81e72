// The page of a PHYRE task.
import { api as freeApi } from "../api.js";
import { h } from "../dom.js";
import { icon } from "../icons.js";
import { PhyreTask } from "../play/phyre_task.js";
import { pageLink } from "../router.js";
import { head } from "../widgets.js";

/** @param {import("../router.js").Parameters} at */
export async function phyrePage({ parts: [id], query }) {
  const play = await phyrePlay({ api: freeApi, id, action: query.get("action") });
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
    title: `Task ${id}`,
    leave: play.leave,
    element: h(
      "div",
      {},
      head({
        crumbs: own
          ? [["Make", pageLink("make")]]
          : [
              ["PHYRE", pageLink("phyre")],
              [task.template, pageLink("phyre", "template", task.template)],
            ],
        title: own ? task.idea || "Your puzzle" : `Task ${id}`,
        end: h(
          "div",
          { class: "row" },
          step("back", task.previous, "Previous task"),
          step("next", task.next, "Next task"),
        ),
      }),
      play.element,
    ),
  };
}

/**
 * The play area of a task, for its own page and for studies.
 * @param {object} options
 * @param {import("../api.js").Api} options.api
 * @param {string} options.id
 * @param {string | null} [options.action] where the balls are at first, as in a link
 * @param {((progress: any) => void) | null} [options.onprogress] in a study: after each attempt
 */
export async function phyrePlay({ api, id, action = null, onprogress = null }) {
  const path = `phyre/tasks/${encodeURIComponent(id)}`;
  await api.player();
  const task = await api.get(path);
  const play = new PhyreTask(api, path, task, onprogress);
  await play.start(action);
  return { task, element: play.element, leave: () => play.leave() };
}
