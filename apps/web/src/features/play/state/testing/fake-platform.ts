import type { MachineAbout } from "@longarm/contract/about-machine";
import type { PressAnswer } from "@longarm/contract/data-channel";
import type { AttendantCall, InitAnswer, MoneyAnswer } from "@longarm/contract/game-socket";
import { gameSocket } from "@longarm/contract/game-socket";
import type { Meters } from "@longarm/contract/machine";
import { defaultSettings } from "@longarm/contract/settings";
import type { Answer, Handled } from "@longarm/link/answer";
import { done } from "@longarm/link/answer";
import type { Peer } from "@longarm/link/peer";
import { createPeer } from "@longarm/link/peer";
import type { Timers } from "@longarm/link/socket";
import { fakeTimers, socketPair } from "@longarm/link/testing";
import type { LeaveReason } from "../../../../shared/play-deps.ts";
import { createNotificationEvents } from "../../../../shared/sockets/notification-events.ts";
import { createStorage } from "../../../../shared/storage/storage.ts";
import type { PlaySessionDeps } from "../play-session.ts";
import { PlaySession } from "../play-session.ts";
import { createScope } from "../scope.ts";
import { fakeRtc } from "./fake-rtc.ts";

export const METERS: Meters = {
  credit: 482_050,
  bet: 1_200,
  win: 0,
  freeSpins: 0,
  bonus: false,
  gamesPlayed: 40,
  activeBand: "20",
  inGame: false,
};

/** What `init` answers, for the given epoch. */
export function initAnswer(epoch: number): InitAnswer {
  return {
    machine: {
      id: "nar-07",
      name: "Nar 07",
      brand: "Nar",
      videoType: "screen",
      sourceDelayMs: 0,
      denomination: 1,
      status: 3,
    },
    bandSelects: [
      { id: "10", name: "0,10", Order: 1 },
      { id: "20", name: "0,20", Order: 2 },
    ],
    activeBand: "20",
    buttons: [{ id: "spin", label: "SPIN", kind: "wager", minGapMs: 100 }],
    iceServers: [],
    meters: METERS,
    limits: { minCycleMs: 0, minTransfer: 100, maxTransfer: 1_000_000, autoplay: true },
    playSession: { id: "ps_1", startedAt: "2026-11-21T10:00:00.000Z", netMinor: 0 },
    epoch,
    webcam: false,
    answer: `answer ${epoch}`,
  };
}

type OfferAnswer = { readonly sdp: string; readonly iceServers: InitAnswer["iceServers"] };
type Money = Handled<MoneyAnswer> | Promise<Handled<MoneyAnswer>>;
export type SentRequest = { readonly method: string; readonly data: unknown };

const STEP_MS = 50;

/** What the platform in memory answers while a test changes nothing. */
function usualAnswers() {
  let epoch = 0;
  const answers = {
    init: (): Handled<InitAnswer> => {
      epoch += 1;
      return done(initAnswer(epoch));
    },
    cashIn: (amount: number): Money => done({ outcome: "done", amount }),
    cashOut: (): Money => done({ outcome: "done", amount: 482_050 }),
    call: (): Handled<AttendantCall> => done({ state: "open", calledAt: "2026-11-21T10:05:00.000Z" }),
    about: (): Handled<MachineAbout> => done({}),
    keepPlaying: (): Handled<Record<string, never>> => done({}),
    hold: (): Handled<{ leftMs: number }> => done({ leftMs: 300_000 }),
    leave: (): Money => done({ outcome: "done", amount: 482_050 }),
    /** Minted with the answer to an offer. */
    servers: (): InitAnswer["iceServers"] => [],
    /** How long a busy agent takes to answer an offer, ms. */
    offerMs: 0,
    press: "started" as PressAnswer["outcome"] | "silence",
    /** The media server's answer to an offer. */
    crowd: (sdp: string): Answer<{ sdp: string }> => ({ is: "done", data: { sdp: `crowd's answer to ${sdp}` } }),
    offer: (sdp: string): Handled<OfferAnswer> => done({ sdp: `answer to ${sdp}`, iceServers: answers.servers() }),
  };
  return answers;
}

/** The answer at once, or after so long. */
const later = <T>(timers: Timers, ms: number, answer: T): T | Promise<T> =>
  ms === 0 ? answer : new Promise((answered) => void timers.after(ms, () => answered(answer)));

/** A play session against a platform in memory, whose answers a test may change. */
export function playAgainstFake(role: PlaySessionDeps["role"] = "player", startedAt = 1_000_000) {
  const timers = fakeTimers();
  const rtc = fakeRtc();
  const events = createNotificationEvents();
  const scope = createScope();
  const requests: SentRequest[] = [];
  const left: LeaveReason[] = [];
  const peers: Peer<typeof gameSocket, "server">[] = [];
  let now = startedAt;
  let ids = 0;
  const answers = usualAnswers();
  const record = <T>(method: string, data: unknown, answer: T): T => {
    requests.push({ method, data });
    return answer;
  };
  const session = new PlaySession(scope, {
    machineId: "nar-07",
    role,
    play: {
      settings: defaultSettings(),
      token: () => "token",
      leave: (reason) => void left.push(reason),
      events,
      storage: createStorage(() => {
        throw new Error("forbidden");
      }),
      clock: { now: () => now },
      random: () => 0,
      newId: () => {
        ids += 1;
        return `transfer-${ids}`;
      },
      log: () => {},
    },
    openRtc: rtc.open,
    openCrowd: fakeCrowd(record, (sdp) => answers.crowd(sdp)),
    timers,
    now: () => now,
    hidden: () => false,
    openSocket: () => {
      const [mine, theirs] = socketPair();
      peers.push(
        createPeer({
          contract: gameSocket,
          end: "server",
          socket: theirs,
          timers,
          log: () => {},
          listeners: {
            candidate: (data) => void requests.push({ method: "candidate", data }),
            delay: (data) => void requests.push({ method: "delay", data }),
          },
          handlers: {
            init: (data) => record("init", data, answers.init()),
            offer: (data) => record("offer", data, later(timers, answers.offerMs, answers.offer(data.sdp))),
            cashIn: (data) => record("cashIn", data, answers.cashIn(data.amount)),
            cashOut: (data) => record("cashOut", data, answers.cashOut()),
            press: (data) => record("press", data, pressAnswer(answers.press, data.seq)),
            callAttendant: (data) => record("callAttendant", data, answers.call()),
            about: (data) => record("about", data, answers.about()),
            continue: (data) => record("continue", data, done({})),
            keepPlaying: (data) => record("keepPlaying", data, answers.keepPlaying()),
            checkEvery: (data) => record("checkEvery", data, done({})),
            hold: (data) => record("hold", data, answers.hold()),
            leave: (data) => record("leave", data, answers.leave()),
          },
        }),
      );
      return Promise.resolve(mine);
    },
  });
  return {
    ...{ session, scope, answers, requests, left, rtc, events, peers },
    peer: () => peers[peers.length - 1],
    methods: (method: string) => requests.filter((each) => each.method === method).map(({ data }) => data),
    /** Lets every message arrive. */
    settle: async () => {
      for (let round = 0; round < 60; round += 1) await Promise.resolve();
    },
    pass: async (ms: number) => {
      // In steps, as a page lives it: at each look the news of the one before have been read.
      let left = ms;
      do {
        const step = Math.min(left, STEP_MS);
        left -= step;
        now += step;
        timers.advance(step);
        for (let round = 0; round < 60; round += 1) await Promise.resolve();
      } while (left > 0);
    },
    /** The computer sleeps: time passes, and nothing of the page runs. */
    sleep: (ms: number) => {
      now += ms;
    },
    waiting: () => timers.waiting,
  };
}

type Recorder = <T>(method: string, data: unknown, answer: T) => T;

/** A media server whose answers a test may change. */
function fakeCrowd(record: Recorder, answer: (sdp: string) => Answer<{ sdp: string }>): PlaySessionDeps["openCrowd"] {
  return async (whep) => ({
    offer: async (sdp) => record("crowd offer", { whep, sdp }, answer(sdp)),
    end: () => record("crowd end", whep, undefined),
  });
}

function pressAnswer(outcome: PressAnswer["outcome"] | "silence", seq: number) {
  return outcome === "silence" ? new Promise<never>(() => {}) : done({ seq, outcome, at: 1 });
}
