// Taking part in a study: consent, questions, puzzles, breaks, and thanks. The server says what
// comes next, so a reload leads back to the same place.
import { api as freeApi, ApiError, participant } from "../api.js";
import { announce, count, h, replace } from "../dom.js";
import { icon } from "../icons.js";
import { absoluteLink, pageLink, setQuery } from "../router.js";
import { button, chip, choose, confirm, copy, reportErrors } from "../widgets.js";
import { iphyrePlay } from "./iphyre_play.js";
import { phyrePlay } from "./phyre_play.js";
import { StudyEvents } from "./study_events.js";

const REDIRECT_AFTER = 8000; // ms in which the completion code can be read

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
    leave: () => participation.close(),
    focused: true,
  };
}

class Participation {
  constructor(api, study) {
    this.api = api;
    this.study = study;
    this.element = h("div");
    this.play = /** @type {{ element: HTMLElement, leave: () => void } | null} */ (null);
    this.events = /** @type {StudyEvents | null} */ (null);
    this.timer = 0;
  }

  leave() {
    clearInterval(this.timer);
    this.events?.unwatch();
    this.play?.leave();
    this.play = null;
  }

  close() {
    this.leave();
    this.events?.close();
    this.events = null;
  }

  /** Show what the server says comes now. */
  async go() {
    const session = this.api.key ? await this.session() : null;
    const { kind } = session?.step ?? { kind: "consent" };
    if (kind !== "consent" && !this.events) {
      this.events = new StudyEvents(this.api);
      if (session.items.some(({ attempts, done }) => attempts || done)) {
        this.events.note("reconnected"); // after a reload, or in another browser
      }
    }
    if (kind === "puzzle") return this.puzzle(session);
    this.leave();
    const pages = {
      consent: () => this.consentForm(session),
      break: () => this.pause(session),
      finished: () => this.thanks(session),
      withdrawn: () => left("You have left this study.", "What you did before is kept."),
    };
    replace(this.element, (pages[kind] ?? (() => this.questions(session)))());
    scrollTo(0, 0);
    const heading = this.element.querySelector("h1");
    heading?.setAttribute("tabindex", "-1");
    heading?.focus({ preventScroll: true });
    return undefined;
  }

  async session() {
    try {
      return (await this.api.get("me")).study;
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return null;
      throw error;
    }
  }

  consentForm(session) {
    const { name, consent, kept, ask_name: askName } = this.study;
    const who = h("input", { name: "name", maxlength: 80, autocomplete: "off" });
    const agree = h("input", { type: "checkbox", required: true });
    const send = h("button", { class: "primary big", type: "submit" }, "Begin");
    return h(
      "form",
      {
        class: "narrow card stack",
        onsubmit: (event) => {
          event.preventDefault();
          reportErrors(() => this.join(who.value.trim(), session), send);
        },
      },
      h("h1", {}, name),
      h("p", { class: "muted" }, this.outline()),
      consent &&
        h(
          "div",
          { class: "consent", tabindex: 0, role: "region", "aria-label": "Consent text" },
          consent,
        ),
      h(
        "section",
        { "aria-labelledby": "kept" },
        h("h2", { id: "kept" }, "What is kept"),
        h(
          "ul",
          { class: "kept" },
          kept.map((sentence) => h("li", {}, sentence)),
        ),
      ),
      askName && !session && h("label", {}, "Name or code, if you were given one", who),
      h(
        "label",
        { class: "tick" },
        agree,
        consent ? "I have read this and I want to take part." : "I want to take part.",
      ),
      send,
    );
  }

  outline() {
    const { items, practice, attempt_limit: limit, time_limit: seconds, benchmark } = this.study;
    const what = benchmark === "phyre" ? "puzzle" : "game";
    const first = practice ? `${count(practice, "practice " + what)}, then ` : "";
    const time = seconds ? ` and ${duration(seconds)}` : "";
    return `${first}${count(items, what)}, up to ${count(limit, "attempt")}${time} each. You can close this page and continue later in this browser, or anywhere with your personal link.`;
  }

  async join(name, session) {
    // Earlier attempts of the free player of this browser at the same puzzles are taken note of.
    const body = { consent: true, ...(freeApi.key && { free_player: freeApi.key }) };
    if (session) await this.api.post("me/consent", body);
    else {
      const path = `studies/${encodeURIComponent(this.study.id)}/participants`;
      this.api.setKey((await this.api.post(path, { ...body, ...(name && { name }) })).key);
    }
    await this.go();
  }

  questions({ step }) {
    const send = h("button", { class: "primary big", type: "submit" }, "Continue");
    const form = h(
      "form",
      {
        class: "narrow card stack",
        onsubmit: (event) => {
          event.preventDefault();
          reportErrors(async () => {
            await this.api.post("me/answers", { answers: read(step.questions, form) });
            await this.go();
          }, send);
        },
      },
      h("h1", {}, step.kind === "check" ? "One question" : "Some questions"),
      step.questions.map(question),
      send,
      this.foot(),
    );
    return form;
  }

  pause({ step }) {
    const go = button("Continue", {
      kind: "primary big",
      onclick: () => reportErrors(async () => (await this.api.post("me/continue"), this.go()), go),
    });
    const wait = h("p", { class: "muted", role: "timer" });
    this.countDown(step.seconds, (left) => {
      go.disabled = left > 0;
      wait.textContent = left > 0 ? `You can continue in ${duration(Math.ceil(left))}.` : "";
    });
    return h(
      "div",
      { class: "narrow card stack" },
      h("h1", {}, "A break"),
      step.text && h("p", { class: "text" }, step.text),
      wait,
      go,
      this.foot(),
    );
  }

  /** Call back with the seconds that are left, now and until none are. */
  countDown(seconds, show) {
    clearInterval(this.timer);
    if (seconds === null) return;
    const end = performance.now() + 1000 * seconds;
    const tick = () => {
      const left = Math.max(0, (end - performance.now()) / 1000);
      if (left === 0) clearInterval(this.timer);
      show(left);
    };
    this.timer = setInterval(tick, 250);
    tick();
  }

  async puzzle(session) {
    this.leave();
    const { subject } = session.items[session.current];
    const common = { api: this.api, onprogress: () => this.progressed() };
    this.play =
      this.study.benchmark === "phyre"
        ? await phyrePlay({ ...common, id: subject })
        : await iphyrePlay({ ...common, name: subject });
    this.events?.watch(this.play.play, subject);
    this.head = h("div");
    this.clock = h("span", { class: "study-clock", role: "timer" });
    this.at = session.current;
    this.showProgress(session);
    replace(this.element, this.head, this.play.element, this.foot());
    // The clock of the server began when the puzzle was fetched.
    this.countDown(session.step.seconds, (left) => {
      this.clock.textContent = `${duration(Math.ceil(left))} left`;
      this.clock.classList.toggle("soon", left < 10);
      if (left === 0) reportErrors(() => this.timeUp());
    });
  }

  /** An attempt that began in time may end. */
  async timeUp() {
    if (this.play?.play.live?.running) return;
    await this.progressed();
    announce("The time for this puzzle is up.");
  }

  /** Show the progress after an attempt; the participant moves on when ready. */
  async progressed() {
    const session = await this.session();
    if (!session || !this.play) return;
    this.showProgress(session);
    if (session.items[this.at].done && !session.items[this.at].solved) {
      this.play.element.toggleAttribute("inert", true); // the server takes no more attempts
    }
    this.head.querySelector(".primary")?.focus();
  }

  showProgress(session) {
    const item = session.items[this.at];
    const phase = session.items.filter((one) => one.phase === item.phase);
    const place = phase.indexOf(item) + 1;
    const label = `${item.phase === "practice" ? "Practice " : ""}${place} of ${phase.length}`;
    const steps = phase.map((one, i) =>
      h("i", { class: one.solved ? "hit" : i === place - 1 ? "now" : one.done ? "miss" : "" }),
    );
    if (item.done) clearInterval(this.timer);
    replace(
      this.head,
      h(
        "div",
        { class: "study-progress" },
        h("b", {}, label),
        h("div", { class: "steps", role: "img", "aria-label": label }, steps),
        item.done ? this.nextButton(session, item) : [this.clock, this.giveUp()],
      ),
    );
  }

  nextButton({ step, attempt_limit: limit }, { solved, attempts }) {
    return [
      solved
        ? chip("Solved", "good", "check")
        : chip(attempts >= limit ? "No attempts left" : "The time is up"),
      button(step.kind === "finished" ? "Finish" : "Next", {
        kind: "primary",
        onclick: () => reportErrors(() => this.go()),
      }),
    ];
  }

  /** Buttons that are always there: the link back to here, and the way out. */
  foot() {
    const link = `${pageLink("study", this.study.id)}?key=${encodeURIComponent(this.api.key)}`;
    return h(
      "div",
      { class: "row study-foot" },
      button("Copy my link", {
        icon: "link",
        kind: "quiet",
        onclick: () => copy(absoluteLink(link), "Your personal link is copied. Keep it secret."),
      }),
      button("Leave the study", { kind: "quiet", onclick: () => this.withdraw() }),
    );
  }

  async withdraw() {
    const choice = await choose({
      title: "Leave the study?",
      text: "You cannot come back. You decide what happens to the data stored about you so far.",
      options: [
        ["stay", "Stay"],
        ["delete", "Leave and delete my data"],
        ["keep", "Leave and keep my data", "primary"],
      ],
    });
    if (choice !== "keep" && choice !== "delete") return;
    await reportErrors(async () => {
      const gone = choice === "delete";
      await this.events?.flush();
      await this.api.post("me/withdraw", { delete: gone });
      this.close();
      if (gone) this.api.setKey("");
      const what = gone ? "Everything stored about you was deleted." : "Thank you for taking part.";
      replace(this.element, left("You have left this study.", what));
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

  thanks({ items, step: { code, redirect } }) {
    const main = items.filter(({ phase }) => phase === "main");
    const solved = main.filter((item) => item.solved).length;
    const sent = Promise.resolve(this.events?.flush());
    const target = redirect && new URL(redirect);
    if (target) setTimeout(() => sent.finally(() => this.goOn(target)), REDIRECT_AFTER);
    return h(
      "div",
      { class: "empty" },
      h("div", { class: "done-mark" }, icon("check")),
      h("h1", {}, "Thank you"),
      h(
        "p",
        {},
        `You have finished and solved ${solved} of ${main.length}. `,
        target
          ? `You will be taken to ${target.host} in a moment.`
          : "All your attempts are stored, and you can close this page.",
      ),
      code &&
        h(
          "p",
          { class: "row study-code" },
          "Your completion code: ",
          h("b", { class: "mono" }, code),
          button("Copy the code", { icon: "copy", onclick: () => copy(code, "Code copied.") }),
        ),
      target &&
        h(
          "a",
          { class: "button primary", href: target.href, rel: "noreferrer" },
          `Continue to ${target.host}`,
        ),
    );
  }

  goOn(target) {
    if (this.element.isConnected) location.assign(target);
  }
}

function left(title, text) {
  return h("div", { class: "empty" }, h("h1", {}, title), h("p", {}, text));
}

function duration(seconds) {
  if (seconds < 60) return `${seconds} s`;
  const rest = String(seconds % 60).padStart(2, "0");
  return `${Math.floor(seconds / 60)}:${rest} min`;
}

function question({ id, kind, text, required, options, low, high, ...labels }) {
  const label = required ? text : `${text} (optional)`;
  if (kind === "text") {
    return h("label", {}, label, h("textarea", { name: id, rows: 2, maxlength: 2000, required }));
  }
  const choice = (value, shown = value) =>
    h("label", { class: "tick" }, h("input", { type: "radio", name: id, value, required }), shown);
  const points = Array.from({ length: high - low + 1 }, (_, i) => low + i);
  return h(
    "fieldset",
    { class: `question ${kind}` },
    h("legend", {}, label),
    kind === "choice"
      ? options.map((option) => choice(option))
      : [
          h("div", { class: "points" }, points.map((point) => choice(point))),
          h("div", { class: "ends muted small" }, h("span", {}, labels.low_label), labels.high_label),
        ],
  );
}

function read(questions, form) {
  const data = new FormData(form);
  const given = questions
    .map(({ id, kind }) => [id, kind === "scale" ? Number(data.get(id)) : data.get(id), data.get(id)])
    .filter(([, , raw]) => raw);
  return Object.fromEntries(given.map(([id, value]) => [id, value]));
}
