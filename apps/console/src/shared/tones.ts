import type { Notice } from "@longarm/contract/staff-tasks";
import type { Live } from "@longarm/ui/live.ts";
import { createStore } from "zustand/vanilla";

type Tone = Notice["tone"];
/** `blocked`: the browser plays nothing before somebody touches the page. */
type Sound = "on" | "muted" | "blocked";

export type Tones = {
  readonly sound: Live<Sound>;
  /** From 0 to 1. */
  readonly volume: Live<number>;
  /** Plays what a tone sounds like; muted, only a stop sounds. */
  play(tone: Tone): void;
  mute(isMuted: boolean): void;
  setVolume(volume: number): void;
  /** A touch of the page: from now on the browser plays. */
  touch(): void;
};

/** Length and pitch of what is played: a stop is one long low tone, urgent three short ones. */
const NOTES = {
  stop: [{ hz: 440, atMs: 0, forMs: 1_200 }],
  urgent: [0, 160, 320].map((atMs) => ({ hz: 660, atMs, forMs: 80 })),
  forYou: [{ hz: 660, atMs: 0, forMs: 80 }],
  info: [],
} as const satisfies Record<Tone, readonly { hz: number; atMs: number; forMs: number }[]>;

type Kept = { read(): string | null; write(value: string): void };

/** The console's sounds, made by the browser: there is no file to load. `context`: undefined where there is no sound. */
export function createTones(context: () => AudioContext | undefined, kept: Kept): Tones {
  const [mutedWord, volumeWord] = (kept.read() ?? "").split(" ");
  const given = Number(volumeWord);
  const volume = createStore<number>(() => (given > 0 && given <= 1 ? given : 0.6));
  let isMuted = mutedWord === "muted";
  let open: AudioContext | undefined;
  const sound = createStore<Sound>(() => (isMuted ? "muted" : "blocked"));
  const keep = (): void => kept.write(`${isMuted ? "muted" : "on"} ${volume.getState()}`);

  return {
    sound,
    volume,
    play(tone) {
      if (open === undefined || (isMuted && tone !== "stop")) return;
      for (const { hz, atMs, forMs } of NOTES[tone]) {
        const from = open.currentTime + atMs / 1_000;
        const oscillator = open.createOscillator();
        const gain = open.createGain();
        oscillator.frequency.value = hz;
        gain.gain.value = tone === "stop" ? Math.max(0.5, volume.getState()) : volume.getState();
        oscillator.connect(gain).connect(open.destination);
        oscillator.start(from);
        oscillator.stop(from + forMs / 1_000);
      }
    },
    mute(muted) {
      isMuted = muted;
      const state = open === undefined ? "blocked" : "on";
      sound.setState(muted ? "muted" : state, true);
      keep();
    },
    setVolume(to) {
      volume.setState(to, true);
      keep();
    },
    touch() {
      if (open !== undefined) return;
      open = context();
      void open?.resume();
      if (open !== undefined && !isMuted) sound.setState("on", true);
    },
  };
}
