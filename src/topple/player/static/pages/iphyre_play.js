// The page of an I-PHYRE game.
import { api as freeApi } from "../api.js";
import { h } from "../dom.js";
import { IphyreGame } from "../play/iphyre_game.js";
import { pathCrumbs, placeOnPath } from "../path.js";
import { pageLink } from "../router.js";
import { settings } from "../settings.js";
import { head } from "../widgets.js";
import { SPLITS } from "./iphyre_gallery.js";

/** @param {import("../router.js").Parameters} at */
export async function iphyrePage({ parts: [name] }) {
  const place = await placeOnPath("iphyre", name);
  const play = await iphyrePlay({ api: freeApi, name, first: place === 1 });
  const own = name.startsWith("own:");
  return {
    title: play.game.title,
    leave: play.leave,
    element: h(
      "div",
      {},
      head({
        crumbs: own
          ? [["Make", pageLink("make")]]
          : settings.science
            ? [
                ["I-PHYRE", pageLink("iphyre")],
                [SPLITS[play.game.split][0], pageLink("iphyre")],
              ]
            : pathCrumbs(place),
        title: play.game.title,
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
 * @param {boolean} [options.first] whether this is the first game of the path
 */
export async function iphyrePlay({ api, name, onprogress = null, first = false }) {
  await api.player();
  const game = await api.get(`iphyre/games/${encodeURIComponent(name)}`);
  const play = new IphyreGame(api, name, game, onprogress, first && game.attempts.length === 0);
  return { game, play, element: play.element, leave: () => play.leave() };
}
