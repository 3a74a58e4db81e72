// The page of the editor.
import { api } from "../api.js";
import { Desk } from "../editor/desk.js";
import { recall } from "../editor/drafts.js";

/** @param {import("../router.js").Place} at "phyre" or "iphyre" for a new puzzle, or an id */
export async function editorPage({ parts: [which] }) {
  await api.player();
  const fresh = which === "phyre" || which === "iphyre";
  const puzzle = fresh ? null : await api.get(`puzzles/${encodeURIComponent(which)}`);
  const benchmark = fresh ? which : puzzle.benchmark;
  const blank = await api.get("puzzles/blank", { benchmark });
  const desk = new Desk(benchmark, puzzle ?? recall(benchmark) ?? blank, blank);
  return { title: "Make a puzzle", element: desk.element, leave: () => desk.leave() };
}
