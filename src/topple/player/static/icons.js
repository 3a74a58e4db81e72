// Line icons, 24 by 24, drawn with the colour of the text around them.
import { svg } from "./dom.js";

const PATHS = {
  play: "M8 5.5v13l10.5-6.5z",
  pause: "M8 5.5v13M16 5.5v13",
  back: "M15 6l-6 6 6 6",
  next: "M9 6l6 6-6 6",
  stepBack: "M17 6l-7 6 7 6zM7 6v12",
  stepNext: "M7 6l7 6-7 6zM17 6v12",
  restart: "M5 12a7 7 0 1 0 2.2-5.1M5 4v4h4",
  trash: "M5 7h14M10 7V5h4v2M7 7l1 12h8l1-12",
  bulb: "M9.5 18h5M10 21h4M8.5 14.5a5.5 5.5 0 1 1 7 0c-.7.6-1 1.3-1 2v1.5h-5V16.5c0-.7-.3-1.4-1-2z",
  link: "M10 14a4 4 0 0 0 5.7.3l3-3a4 4 0 0 0-5.7-5.7l-1.2 1.2M14 10a4 4 0 0 0-5.7-.3l-3 3a4 4 0 0 0 5.7 5.7l1.2-1.2",
  download: "M12 4v11M7.5 11l4.5 4.5L16.5 11M5 20h14",
  upload: "M12 16V5M7.5 9L12 4.5 16.5 9M5 20h14",
  settings:
    "M4 7h9M17 7h3M4 17h3M11 17h9M15 4.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5zM9 14.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5z",
  check: "M5 12.5l4.5 4.5L19 7.5",
  undo: "M9 6L4.5 10.5 9 15M5 10.5h9a5 5 0 0 1 0 10h-2",
  redo: "M15 6l4.5 4.5L15 15M19 10.5h-9a5 5 0 0 0 0 10h2",
  save: "M5 5h11l3 3v11H5zM8 5v5h7V5M8 19v-5h8v5",
  eye: "M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 9.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5z",
  flag: "M6 21V4M6 5h11l-2.5 4L17 13H6",
  pencil: "M4 20l1-4.5L16 4.5l3.5 3.5L8.5 19zM13.5 7l3.5 3.5",
  people:
    "M9 5.5a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM3.5 19.5c0-3 2.5-5 5.5-5s5.5 2 5.5 5M16 6a2.7 2.7 0 0 1 0 5.2M17.5 14.8c2 .6 3.2 2.3 3.2 4.7",
  star: "M12 3.6l2.6 5.3 5.8.8-4.2 4.1 1 5.8-5.2-2.7-5.2 2.7 1-5.8-4.2-4.1 5.8-.8z",
  skip: "M5 6l7 6-7 6zM13 6l6 6-6 6z",
  sound: "M4 9.5v5h3.5L12 18.5v-13L7.5 9.5zM15.5 9a4.2 4.2 0 0 1 0 6M18 6.5a8 8 0 0 1 0 11",
  silence: "M4 9.5v5h3.5L12 18.5v-13L7.5 9.5zM16 9.5l5 5M21 9.5l-5 5",
  book: "M5 4.5h10a3 3 0 0 1 3 3v12H8a3 3 0 0 1-3-3zM5 16.5a3 3 0 0 1 3-3h10",
  copy: "M9 9h10v11H9zM5 15V4h10",
};

/** @param {string} name one of the above */
export function icon(name) {
  return svg(
    "svg",
    { class: "icon", viewBox: "0 0 24 24", width: 20, height: 20, "aria-hidden": "true" },
    svg("path", { d: PATHS[name] }),
  );
}
