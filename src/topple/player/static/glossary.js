// The words of the two papers, each explained in a sentence or two.
import { h } from "./dom.js";
import { pageLink } from "./router.js";

/** @type {Record<string, [word: string, text: string]>} */
export const GLOSSARY = {
  phyre: [
    "PHYRE",
    "A benchmark of physical reasoning (Bakhtin et al., 2019): place one or two balls so that two bodies touch for three seconds.",
  ],
  iphyre: [
    "I-PHYRE",
    "A benchmark of interactive physical reasoning (Li et al., 2024): remove gray blocks at the right moment so that every ball falls out.",
  ],
  template: [
    "Template",
    "A puzzle idea of PHYRE. Each of the 50 templates comes in 100 variants with other positions and sizes.",
  ],
  task: ["Task", "One variant of a template, such as 00002:017: variant 17 of template 00002."],
  tier: ["Tier", "How many balls an action places: one (25 templates) or two (25 templates)."],
  attempt: [
    "Attempt",
    "A valid action that was simulated. The first hundred at a task count in PHYRE, the first five plays in I-PHYRE.",
  ],
  auccess: [
    "AUCCESS",
    "PHYRE’s score, from 0 to 100: the share of tasks solved within k attempts, averaged over k from 1 to 100 with weights log(k + 1) − log(k), so that early attempts weigh most. Who solves everything at once gets 100.",
  ],
  curve: [
    "Success curve",
    "The share of tasks solved within k attempts, for every k from 1 to 100; AUCCESS is its weighted mean.",
  ],
  rand: ["RAND", "An agent that tries random valid actions: the floor of the comparison."],
  mem: [
    "MEM",
    "An agent that tries the actions which solved most training tasks, whatever the scene looks like.",
  ],
  "mem-o": [
    "MEM-O",
    "MEM that also learns while it is tested: it tries first what has just solved other tasks of the test.",
  ],
  dqn: [
    "DQN",
    "A network that looks at the scene and an action, predicts whether the action solves it, and tries the likeliest first.",
  ],
  "dqn-o": ["DQN-O", "DQN that goes on learning from its attempts while it is tested."],
  within: ["Within template", "A test on new variants of templates that the agent has trained on."],
  cross: ["Cross template", "A test on templates that the agent has never seen."],
  fold: ["Fold", "One of ten fixed ways to divide the tasks into training and test tasks."],
  score: [
    "I-PHYRE score",
    "1000 points for success, minus 1 for every second and 10 for every removed block. Without success, only the costs remain.",
  ],
  split: [
    "Split",
    "A group of I-PHYRE games: basic ones with one idea each, the same among distracting blocks (noisy), two ideas at once (compositional), several balls (multi-ball), and variations (unseen basic).",
  ],
  plan: ["Plan", "Which blocks are removed in an I-PHYRE game, and when."],
  strategy: [
    "-I, -O and -C",
    "The strategy of an I-PHYRE agent: it plans all removals in advance (I), decides at every moment on the fly (O), or plans first and corrects itself while playing (C).",
  ],
  random: [
    "Random",
    "The random agent of the I-PHYRE paper, which removes any block at any moment.",
  ],
  human: ["Human", "The people of the I-PHYRE paper: the mean score of five plays."],
  oracle: ["Oracle", "The best plan that an exhaustive search found for a game."],
  difficulty: [
    "Measured difficulty",
    "How seldom random attempts solve a puzzle: valid random actions in PHYRE, random plans in I-PHYRE. It orders the path.",
  ],
};

/** The key of the term that explains the name of an agent or a measure, if there is one. */
function keyFor(name) {
  const key = name.toLowerCase();
  return key in GLOSSARY ? key : null;
}

/** The name of an agent or of people in I-PHYRE, whose letters mean something else there. */
export function iphyreTerm(name) {
  if (/-[IOC]$/.test(name)) return term(name, "strategy");
  return ["Human", "Oracle", "Random"].includes(name) ? term(name) : name;
}

/**
 * A word that is explained on hover, and in the glossary one click away.
 * @param {string} name as it is written
 * @param {string | null} [key] in the glossary; by default that of the name
 */
export function term(name, key = keyFor(name)) {
  if (!key) return name;
  const [, text] = GLOSSARY[key];
  const href = `${pageLink("glossary")}?term=${key}`;
  // The row of a table around it may be a link as well.
  const onclick = (event) => event.stopPropagation();
  return h("a", { class: "term", href, title: text, onclick }, name);
}
