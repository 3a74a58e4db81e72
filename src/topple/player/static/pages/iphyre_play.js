// The page of an I-PHYRE game.
import { api as freeApi } from "../api.js";
import { h } from "../dom.js";
import { IphyreGame } from "../play/iphyre_game.js";
import { pageLink } from "../router.js";
import { head } from "../widgets.js";
import { SPLITS, title } from "./iphyre_gallery.js";

/** @param {import("../router.js").Parameters} at */
export async function iphyrePage({ parts: [name] }) {
  const play = await iphyrePlay({ api: freeApi, name });
  const own = name.startsWith("own:");
  return {
    title: title(play.game.name),
    leave: play.leave,
    element: h(
      "div",
      {},
      head({
        crumbs: own
          ? [["Make", pageLink("make")]]
          : [
              ["I-PHYRE", pageLink("iphyre")],
              [SPLITS[play.game.split][0], pageLink("iphyre")],
            ],
        title: title(own ? play.game.concept || "Your game" : play.game.name),
      }),
      play.element,
    ),
  };
}

/**
 * The play area of a game, for its own page and for studies.
 * @param {object} options
 * @param {import("../api.js").Api} options.api
 * @param {string} options.name
 * @param {((progress: any) => void) | null} [options.onprogress] in a study: after each attempt
 */
export async function iphyrePlay({ api, name, onprogress = null }) {
  await api.player();
  const game = await api.get(`iphyre/games/${encodeURIComponent(name)}`);
  const play = new IphyreGame(api, name, game, onprogress);
  return { game, element: play.element, leave: () => play.leave() };
}
