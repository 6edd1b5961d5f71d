import { SOUND_SAMPLE_RATE } from "../../../ports/source.ts";
import { stopsAt } from "../picture/motion.ts";
import type { Pace } from "../reveal.ts";
import type { MachineView } from "../view.ts";
import type { Mixer } from "./mixer.ts";
import type { Sound, SoundName } from "./synthesis.ts";

/** A win of this many stakes gets the long melody. */
const BIG_WIN_STAKES = 15;

const samples = (ms: number): number => Math.max(0, Math.round((ms / 1_000) * SOUND_SAMPLE_RATE));

/** Listens to what the machine shows and starts the sounds that belong to it. Call `hear` once per block. */
export function createDirector(
  mixer: Mixer,
  sounds: Readonly<Record<SoundName, Sound>>,
  pace: Pace,
): { hear(view: MachineView, nowMs: number): void } {
  let last: MachineView | null = null;
  let endReel: () => void = () => undefined;
  let reelUntil = 0;

  const startTurn = (startedAt: number, nowMs: number): void => {
    endReel();
    endReel = mixer.start(sounds.reel, { gain: 0.5, loop: true });
    reelUntil = startedAt + pace.spinMs;
    for (let reel = 0; reel < 5; reel += 1) {
      const inMs = startedAt + stopsAt({ spinMs: pace.spinMs, reel }) - nowMs;
      mixer.start(sounds.stop, { gain: 0.7, pan: (reel - 2) * 0.3, delay: samples(inMs) });
    }
  };
  const celebrate = (view: MachineView): void => {
    const { win, bet } = view.meters;
    mixer.start(win >= bet * BIG_WIN_STAKES ? sounds.bigWin : sounds.win, { gain: 0.8 });
    for (let n = 0; n < 5; n += 1)
      mixer.start(sounds.coin, { gain: 0.35, pan: n % 2 === 0 ? -0.4 : 0.4, delay: samples(90 * n + 60) });
  };
  const compare = (before: MachineView, view: MachineView, nowMs: number): void => {
    const { stage } = view;
    if (stage?.is === "spin" && (before.stage?.is !== "spin" || before.stage.spin !== stage.spin))
      startTurn(stage.startedAt, nowMs);
    if (stage?.is === "bonus" && before.stage?.is !== "bonus") mixer.start(sounds.bell, { gain: 0.7 });
    if (view.picks.length > before.picks.length) mixer.start(sounds.pick, { gain: 0.8 });
    if (before.meters.inGame && !view.meters.inGame && view.meters.win > 0) celebrate(view);
    if (view.meters.handPay !== undefined && before.meters.handPay === undefined)
      mixer.start(sounds.bigWin, { gain: 0.9 });
    if (!view.meters.inGame && !before.meters.inGame && view.meters.credit > before.meters.credit)
      mixer.start(sounds.coin, { gain: 0.6 });
    if (view.meters.bet !== before.meters.bet) mixer.start(sounds.key, { gain: 0.6 });
  };

  return {
    hear(view, nowMs) {
      if (last !== null) compare(last, view, nowMs);
      if (nowMs >= reelUntil) endReel();
      last = view;
    },
  };
}
