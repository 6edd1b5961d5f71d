import type { InitAnswer } from "@longarm/contract/game-socket";
import type { Meters } from "@longarm/contract/machine";
import type { World } from "./world.ts";

/** A player's `init` answer: its meters are always told. */
export type ScriptedInit = Omit<InitAnswer, "meters"> & { meters: Meters };

/** What the machine of the game stage says of itself, until a test changes it. Amounts in minor units. */
export function scriptedInit(machineId: string, name: string): ScriptedInit {
  return {
    machine: {
      id: machineId,
      name,
      brand: name.replace(/ \d+$/, ""),
      videoType: "screen",
      sourceDelayMs: 0,
      denomination: 1,
      status: 3,
    },
    bandSelects: [
      { id: "10", name: "0,10", Order: 1 },
      { id: "20", name: "0,20", Order: 2 },
      { id: "50", name: "0,50", Order: 3 },
    ],
    activeBand: "20",
    buttons: [
      { id: "spin", label: "SPIN", kind: "wager", minGapMs: 100 },
      { id: "betUp", label: "BET +", kind: "select", minGapMs: 50 },
      { id: "betDown", label: "BET −", kind: "select", minGapMs: 50 },
      { id: "maxBet", label: "MAX BET", kind: "select", minGapMs: 50 },
      { id: "band:10", label: "0,10", kind: "select", minGapMs: 50 },
      { id: "band:20", label: "0,20", kind: "select", minGapMs: 50 },
      { id: "band:50", label: "0,50", kind: "select", minGapMs: 50 },
      { id: "attendant", label: "SERVICE", kind: "service", minGapMs: 1_000 },
    ],
    iceServers: [],
    meters: {
      credit: 482_050,
      bet: 1_200,
      win: 0,
      freeSpins: 0,
      bonus: false,
      gamesPlayed: 40,
      activeBand: "20",
      inGame: false,
    },
    limits: { minCycleMs: 0, minTransfer: 100, maxTransfer: 50_000_000, autoplay: true },
    playSession: { id: "ps_1", startedAt: new Date().toISOString(), netMinor: 0 },
    // Each `init` begins another one.
    epoch: 0,
    webcam: false,
    call: null,
  };
}

/** Leaves what the platform gives who only watches. */
export function asSpectator(answer: ScriptedInit): void {
  Object.assign(answer, { buttons: [], bandSelects: [], activeBand: null });
  for (const own of ["epoch", "limits", "playSession"]) Reflect.deleteProperty(answer, own);
}

/** Whatever is played is played by somebody else, and open to watching. */
export function openToWatching(world: World): void {
  world.session = undefined;
  world.machines = world.machines.map(({ mine: _, until: __, ...machine }) => ({
    ...machine,
    watchable: machine.status === 3,
  }));
}
