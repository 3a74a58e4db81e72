// Taking part in a study: first consent, then the puzzles in their order, then thanks.
import { ApiError, participant } from "../api.js";
import { count, h, replace } from "../dom.js";
import { icon } from "../icons.js";
import { absoluteLink, pageLink, setQuery } from "../router.js";
import { button, chip, confirm, copy, reportErrors } from "../widgets.js";
import { iphyrePlay } from "./iphyre_play.js";
import { phyrePlay } from "./phyre_play.js";

/** @param {import("../router.js").Parameters} at */
export async function studyPage({ parts: [id], query }) {
  const api = participant(id);
  const study = await api.get(`studies/${encodeURIComponent(id)}`);
  const participation = new Participation(api, study);
  const key = query.get("key");
  if (key) {
    // The key is stored in the browser now, so it need not stay in the visible address.
    api.setKey(key);
    setQuery({});
  }
  await participation.go();
  return {
    title: study.name,
    element: participation.element,
    leave: () => participation.leave(),
    focused: true,
  };
}

class Participation {
  constructor(api, study) {
    this.api = api;
    this.study = study;
    this.element = h("div");
    this.play = /** @type {{ element: HTMLElement, leave: () => void } | null} */ (null);
  }

  leave() {
    this.play?.leave();
    this.play = null;
  }

  /** Show the consent form, the current puzzle, or the thanks. */
  async go() {
    const session = this.api.key ? await this.session() : null;
    if (!session) return replace(this.element, this.consentForm());
    if (session.current === null) {
      this.leave();
      return replace(this.element, this.thanks(session));
    }
    await this.puzzle(session);
  }

  async session() {
    try {
      return (await this.api.get("me")).study;
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return null;
      throw error;
    }
  }

  consentForm() {
    const { name, consent, items, attempt_limit: limit, benchmark } = this.study;
    const who = h("input", {
      name: "name",
      maxlength: 80,
      autocomplete: "off",
      placeholder: "Leave empty to stay anonymous",
    });
    const agree = h("input", { type: "checkbox", required: true });
    const what = benchmark === "phyre" ? "puzzle" : "game";
    return h(
      "form",
      {
        class: "narrow card stack",
        onsubmit: (event) => {
          event.preventDefault();
          reportErrors(() => this.join(who.value.trim()));
        },
      },
      h("h1", {}, name),
      h(
        "p",
        { class: "muted" },
        `${count(items, what)}, up to ${count(limit, "attempt")} each. You can close this page and continue later in this browser, or anywhere with your personal link.`,
      ),
      consent &&
        h(
          "div",
          { class: "consent", tabindex: 0, role: "region", "aria-label": "Consent text" },
          consent,
        ),
      h("label", {}, "Name or code, if you were given one", who),
      h(
        "label",
        { class: "tick" },
        agree,
        consent ? "I have read this and I want to take part." : "I want to take part.",
      ),
      h("button", { class: "primary big", type: "submit" }, "Begin"),
    );
  }

  async join(name) {
    const body = { consent: true, ...(name && { name }) };
    const { key } = await this.api.post(
      `studies/${encodeURIComponent(this.study.id)}/participants`,
      body,
    );
    this.api.setKey(key);
    await this.go();
  }

  async puzzle(session) {
    this.leave();
    const { subject } = session.items[session.current];
    const common = { api: this.api, onprogress: () => this.progressed() };
    this.play =
      this.study.benchmark === "phyre"
        ? await phyrePlay({ ...common, id: subject })
        : await iphyrePlay({ ...common, name: subject });
    this.head = h("div");
    this.subject = subject;
    this.showProgress(session);
    replace(this.element, this.head, this.play.element);
  }

  /** Show the progress after an attempt; the participant moves on when ready. */
  async progressed() {
    const session = await this.session();
    if (!session) return;
    this.showProgress(session);
    this.head.querySelector(".primary")?.focus();
  }

  showProgress(session) {
    const at = session.items.findIndex(({ subject }) => subject === this.subject);
    const { length } = session.items;
    const steps = session.items.map((one, i) =>
      h("i", { class: one.solved ? "hit" : i === at ? "now" : one.done ? "miss" : "" }),
    );
    replace(
      this.head,
      h(
        "div",
        { class: "study-progress" },
        h("b", {}, `${at + 1} of ${length}`),
        h("div", { class: "steps", role: "img", "aria-label": `${at + 1} of ${length}` }, steps),
        session.items[at].done ? this.nextButton(session, session.items[at]) : this.giveUp(),
        this.linkButton(),
      ),
    );
  }

  nextButton({ current }, { solved }) {
    return [
      solved ? chip("Solved", "good", "check") : chip("No attempts left"),
      button(current === null ? "Finish" : "Next", {
        kind: "primary",
        onclick: () => reportErrors(() => this.go()),
      }),
    ];
  }

  /** The link leads back here from any browser. */
  linkButton() {
    const link = `${pageLink("study", this.study.id)}?key=${encodeURIComponent(this.api.key)}`;
    return button("Copy my link", {
      icon: "link",
      kind: "quiet",
      onclick: () => copy(absoluteLink(link), "Your personal link is copied. Keep it secret."),
    });
  }

  giveUp() {
    const ask = {
      title: "Give up this puzzle?",
      text: "You cannot come back to it.",
      yes: "Give up",
    };
    return button("Give up", {
      kind: "quiet",
      onclick: async () => {
        if (!(await confirm(ask))) return;
        await reportErrors(async () => (await this.api.post("me/skip"), this.go()));
      },
    });
  }

  thanks({ items }) {
    const solved = items.filter((item) => item.solved).length;
    return h(
      "div",
      { class: "empty" },
      h("div", { class: "done-mark" }, icon("check")),
      h("h1", {}, "Thank you"),
      h(
        "p",
        {},
        `You have finished and solved ${solved} of ${items.length}. `,
        "All your attempts are stored, and you can close this page.",
      ),
    );
  }
}
