// The page of the puzzle editor.
import { api } from "../api.js";
import { PuzzleEditor } from "../editor/puzzle_editor.js";
import { loadDraft } from "../editor/drafts.js";

/** @param {import("../router.js").Parameters} at "phyre" or "iphyre" for a new puzzle, or an id */
export async function editorPage({ parts: [which] }) {
  await api.player();
  const fresh = which === "phyre" || which === "iphyre";
  const puzzle = fresh ? null : await api.get(`puzzles/${encodeURIComponent(which)}`);
  const benchmark = fresh ? which : puzzle.benchmark;
  const blank = await api.get("puzzles/blank", { benchmark });
  const editor = new PuzzleEditor(benchmark, puzzle ?? loadDraft(benchmark) ?? blank, blank);
  return { title: "Make a puzzle", element: editor.element, leave: () => editor.leave() };
}
