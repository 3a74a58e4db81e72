// Small sounds, made in the browser while they play.
import { settings } from "./settings.js";

/** @type {AudioContext | null} */
let context = null;

/**
 * Play a tone that fades.
 * @param {number} pitch Hz
 * @param {object} [how]
 * @param {number} [how.after] s from now
 * @param {number} [how.seconds]
 * @param {number} [how.loud] 0 to 1
 * @param {OscillatorType} [how.wave]
 * @param {number} [how.to] Hz that the pitch slides to
 */
function tone(pitch, { after = 0, seconds = 0.12, loud = 0.12, wave = "sine", to = pitch } = {}) {
  if (!context) return;
  const start = context.currentTime + after;
  const oscillator = new OscillatorNode(context, { type: wave, frequency: pitch });
  const gain = new GainNode(context, { gain: 0 });
  oscillator.frequency.exponentialRampToValueAtTime(to, start + seconds);
  gain.gain.setValueAtTime(0, start);
  gain.gain.linearRampToValueAtTime(loud, start + 0.008);
  gain.gain.exponentialRampToValueAtTime(0.0001, start + seconds);
  oscillator.connect(gain).connect(context.destination);
  oscillator.start(start);
  oscillator.stop(start + seconds + 0.02);
}

const SOUNDS = {
  place: () => tone(520, { seconds: 0.07, loud: 0.07, wave: "triangle" }),
  run: () => tone(220, { to: 440, seconds: 0.16, loud: 0.08, wave: "triangle" }),
  touch: () => tone(660, { to: 880, seconds: 0.18, loud: 0.08 }),
  lost: () => tone(330, { to: 196, seconds: 0.22, loud: 0.07 }),
  remove: () => tone(300, { to: 140, seconds: 0.11, loud: 0.12, wave: "triangle" }),
  fail: () => {
    tone(262, { seconds: 0.2, loud: 0.07, wave: "triangle" });
    tone(208, { after: 0.16, seconds: 0.3, loud: 0.07, wave: "triangle" });
  },
  solved: () =>
    [523, 659, 784, 1047].forEach((pitch, i) =>
      tone(pitch, { after: 0.09 * i, seconds: 0.34, loud: 0.1, wave: "triangle" }),
    ),
  star: () => tone(1319, { to: 1568, seconds: 0.16, loud: 0.07 }),
};

/** Play a sound, unless sounds are off. @param {keyof SOUNDS} name */
export function play(name) {
  if (!settings.sound) return;
  try {
    context ??= new AudioContext();
    if (context.state === "suspended") context.resume();
    SOUNDS[name]();
  } catch {
    // A browser without audio plays in silence.
  }
}
