import { setTimeout as pause } from "node:timers/promises";
import { MACHINE_STATUS } from "@longarm/contract/lobby-lists";
import type { Meters } from "@longarm/contract/machine";
import { systemTimers } from "@longarm/link/socket";
import type { Account, SignedIn } from "@longarm/load/account";
import { openNotifications, signIn } from "@longarm/load/account";
import type { Venue } from "@longarm/load/venue";
import { CallRefused, call } from "@longarm/load/venue";
import { Visit } from "@longarm/load/visit";
import type { Chance } from "./chance.ts";

/*
 * A simulated player who acts at random over HTTP, sockets and WebRTC: sits down, moves money, presses, loses the network, comes back,
 * leaves. Used where many players are needed and no screen: the long run, and the proof that kills programs.
 */

export type RandomPlayerOptions = {
  readonly venue: Venue;
  readonly account: Account;
  readonly machines: readonly string[];
  readonly chance: Chance;
  readonly habits: Habits;
  /** Counts what the player did: deeds such as `sits down`, requests as `done: cashIn`, `refused: leave`, `failed: press`. */
  readonly counts: { add(what: string): void };
  readonly isRunning: () => boolean;
};

/** How a player plays. Shares are 0 to 1, ranges are [least, most]. */
export type Habits = {
  /** Receives the machine's video, and reconnects after a lost socket; false: ends the stay with the socket. */
  readonly video: boolean;
  readonly acts: readonly (readonly [weight: number, act: Act])[];
  readonly actsOfStay: readonly [number, number];
  /** How a stay ends that no act has ended. */
  readonly goings: readonly (readonly [weight: number, going: Going])[];
  /** Picks a machine that the lobby shows as free, and waits while there is none. */
  readonly picksFree: number;
  /** Opens the lobby's socket before sitting down. */
  readonly looksAround: number;
  /** Gives up a kept seat by `kick` or `cancel` instead of returning to it. */
  readonly givesUp: number;
  readonly betweenGamesMs: readonly [number, number];
  /** Waits so long for a started game to end, ms. */
  readonly gameMs: number;
  readonly afterFailureMs: readonly [number, number];
  readonly awayMs: Readonly<Partial<Record<Going, readonly [number, number]>>>;
};

type Going =
  | "leaves"
  | "gives up the seat"
  | "drops the link"
  | "stays away"
  | "reloads"
  | "signs out while seated"
  | "closed by the venue";

/** The last outcome that the player received for a money command. */
export type ReportedOutcome = { readonly is: "done"; readonly amount: number } | { readonly is: "refused" };

export type RandomPlayer = {
  /** By the id that the player gave the command. */
  readonly outcomes: ReadonlyMap<string, ReportedOutcome>;
  /** Resolves once `isRunning` is false and the player has signed out. Never rejects. */
  readonly done: Promise<void>;
};

export function playAtRandom(options: RandomPlayerOptions): RandomPlayer {
  const life = newLife(options);
  return { outcomes: life.outcomes, done: live(life, play) };
}

/** Watches machines at random, now and then two at once. Never rejects. */
export function watchAtRandom(options: RandomPlayerOptions): Promise<void> {
  return live(newLife(options), watch);
}

type Command = {
  readonly method: "cashIn" | "cashOut";
  readonly id: string;
  readonly machineId: string;
  readonly amount?: number | undefined;
};
type Life = RandomPlayerOptions & {
  me: SignedIn | undefined;
  commands: number;
  /** Sent, and its outcome is not known yet. */
  open: Command | undefined;
  readonly outcomes: Map<string, ReportedOutcome>;
};

const newLife = (options: RandomPlayerOptions): Life => ({
  ...options,
  me: undefined,
  commands: 0,
  open: undefined,
  outcomes: new Map(),
});

async function live(life: Life, visit: (life: Life) => Promise<void>): Promise<void> {
  while (life.isRunning()) {
    try {
      await visit(life);
    } catch (error) {
      // Whatever the player was in the middle of has broken; the next visit begins.
      if (error instanceof CallRefused && error.httpStatus === 401) life.me = undefined;
      life.counts.add(`failed: visits, ${error instanceof Error ? error.message.slice(0, 80) : String(error)}`);
      await rest(life, life.habits.afterFailureMs);
    }
  }
  await signOut(life).catch(() => {});
}

async function play(life: Life): Promise<void> {
  const { chance, habits } = life;
  const { own, free } = await readLobby(life);
  if (own === undefined && free.length === 0 && chance.next() < habits.picksFree * 0.9)
    return await rest(life, [500, 2_000]);
  if (own === undefined && chance.next() < habits.looksAround) await inLobby(life, () => rest(life, [500, 4_000]));
  if (own !== undefined && chance.next() < habits.givesUp) return await giveUpSeat(life, own);
  // What the lobby shows as free may be taken by then.
  const wanted = free.length > 0 && chance.next() < habits.picksFree ? free : life.machines;
  const seat = await sit(life, own ?? chance.pick(wanted), "player");
  if (seat === undefined) return await rest(life, life.habits.afterFailureMs);
  let going: Going = "drops the link";
  try {
    going = await stay(life, seat);
  } finally {
    await seat.visit.end();
  }
  life.counts.add(going);
  if (going === "signs out while seated" || (going === "leaves" && habits.video && chance.next() < 0.25))
    await signOut(life);
  const away = habits.awayMs[going];
  if (away !== undefined) await rest(life, away);
}

async function stay(life: Life, seat: Seat): Promise<Going> {
  const { chance, habits } = life;
  for (let left = chance.between(...habits.actsOfStay); left > 0 && life.isRunning(); left -= 1) {
    if (seat.over()) return "closed by the venue";
    if (life.open !== undefined) await settle(life, seat);
    const going = await chance.weighted(habits.acts)(life, seat);
    if (going !== undefined) return going;
  }
  if (seat.over()) return "closed by the venue";
  const going = life.isRunning() && habits.goings.length > 0 ? chance.weighted(habits.goings) : "leaves";
  if (going === "leaves") await leave(life, seat);
  return going;
}

/** A place at a machine. */
type Seat = {
  readonly machineId: string;
  readonly visit: Visit;
  /** The venue has ended it, or the socket is lost and does not come back. */
  over(): boolean;
};

const SEAT_MS = 30_000;
const FRAME_MS = 15_000;

/** Undefined: refused, or no answer; counted. */
async function sit(life: Life, machineId: string, role: "player" | "spectator"): Promise<Seat | undefined> {
  const { token } = await signedIn(life);
  const { video } = life.habits;
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  let over = false;
  const end = (obstacle: string): void => {
    over = true;
    resolve(obstacle);
  };
  const visit = new Visit(
    { venue: life.venue, token, machineId, role, video },
    {
      ...{ timers: systemTimers, now: () => performance.timeOrigin + performance.now(), random: life.chance.next },
      seated: () => resolve(undefined),
      refused: ({ name, code }) => end(name ?? String(code)),
      closed: end,
      dropped: () => video || end("the socket was lost"),
      unopened: () => video || end("the socket could not be opened"),
    },
  );
  const timer = setTimeout(resolve, SEAT_MS, "no answer");
  const obstacle = await promise;
  clearTimeout(timer);
  if (obstacle !== undefined) {
    life.counts.add(`refused: a seat, ${obstacle}`);
    await visit.end();
    return undefined;
  }
  life.counts.add(role === "player" ? "sits down" : "watches");
  const seat: Seat = { machineId, visit, over: () => over };
  if (video && role === "player" && !(await until(life, FRAME_MS, () => hasVideo(seat) || over)))
    life.counts.add("failed: no video");
  return seat;
}

const hasVideo = ({ visit }: Seat): boolean => visit.video.receiver?.firstPictureAtMs !== undefined;

async function watch(life: Life): Promise<void> {
  await readLobby(life);
  await inLobby(life, async () => {
    await rest(life, [200, 1_500]);
    await Promise.all(Array.from({ length: life.chance.next() < 0.2 ? 2 : 1 }, () => watchOne(life)));
  });
  if (life.chance.next() < 0.1) await signOut(life);
}

async function watchOne(life: Life): Promise<void> {
  const seat = await sit(life, life.chance.pick(life.machines), "spectator");
  if (seat === undefined) return;
  // Some are gone before their first frame arrives.
  const shortly = life.chance.next() < 0.15;
  await rest(life, shortly ? [0, 300] : [2_000, 20_000]);
  if (!hasVideo(seat) && !shortly && !seat.over() && life.isRunning()) life.counts.add("failed: no video");
  await seat.visit.end();
}

/** One thing that a seated player does. A going ends the stay. */
type Act = (life: Life, seat: Seat) => Promise<Going | undefined>;

const spins: Act = async (life, seat) => {
  for (let left = life.chance.between(1, 7); left > 0 && life.isRunning() && !seat.over(); left -= 1) {
    const { credit = 0, bet = 0, inGame = false } = seat.visit.meters ?? {};
    if (credit < bet && !inGame) return await cashIn(life, seat);
    await spin(life, seat);
    await rest(life, life.habits.betweenGamesMs);
  }
  return undefined;
};

const cashIn: Act = (life, seat) => money(life, seat, "cashIn", Math.round(life.chance.between(5_000, 60_000)));
const cashOutPart: Act = (life, seat) => money(life, seat, "cashOut", Math.round(life.chance.between(1_000, 20_000)));
const cashOutAll: Act = (life, seat) => money(life, seat, "cashOut");

/** Now and then longer than the venue waits before it asks whether the player is there. */
const doze: Act = async (life) => {
  await rest(life, [500, life.chance.next() < 0.1 ? 30_000 : 4_000]);
  return undefined;
};

const confirmPresence: Act = async (_, { visit }) => {
  await visit.request("continue", {});
  return undefined;
};

const lock: Act = async (life) => {
  const { token } = await signedIn(life);
  if (!(await tried(call(life.venue, "lock", { token })))) return undefined;
  await rest(life, [200, 2_000]);
  if (await tried(call(life.venue, "unlock", { token, body: { pin: life.account.pin ?? "" } })))
    life.counts.add("locks and unlocks");
  else {
    life.counts.add("failed: unlock");
    life.me = undefined;
  }
  return undefined;
};

const readHistory: Act = async (life) => {
  const { token } = await signedIn(life);
  await tried(call(life.venue, "transactions", { token, query: { limit: 25 } }));
  await tried(call(life.venue, "sessions", { token, query: { limit: 25 } }));
  await tried(call(life.venue, "balance", { token }));
  return undefined;
};

/** The same game in a second tab: the platform closes the first one. */
const secondTab: Act = async (life, { machineId }) => {
  const tab = await sit(life, machineId, "player");
  if (tab === undefined) return undefined;
  life.counts.add("opens a second tab");
  await rest(life, [200, 3_000]);
  await tab.visit.end();
  return "reloads";
};

const blink: Act = async (life, { visit }) => {
  visit.cut();
  life.counts.add("the link blinks");
  await rest(life, [500, 3_000]);
  return undefined;
};

const leaveOnce: Act = async (life, { visit }) => {
  const answer = await visit.request("leave", {});
  countRequest(life, "leave", answer.is);
  return answer.is === "refused" ? undefined : "leaves";
};

const drop: Act = async () => "drops the link";

const giveUp =
  (name: "kick" | "cancel"): Act =>
  async (life, { machineId }) => {
    const { token } = await signedIn(life);
    const isDone = await tried(call(life.venue, name, { token, body: { machineId } }));
    countRequest(life, name, isDone ? "done" : "refused");
    return isDone ? "gives up the seat" : undefined;
  };

/** Receives video, looks around, dozes, and returns after a lost network, as players in a browser do. */
export const UNHURRIED: Habits = {
  video: true,
  acts: [
    [4, cashIn],
    [10, spins],
    [2, cashOutPart],
    [1, cashOutAll],
    [2, doze],
    [0.5, confirmPresence],
    [0.7, lock],
    [1, readHistory],
    [0.7, secondTab],
    [1, blink],
  ],
  actsOfStay: [2, 8],
  goings: [
    [5, "leaves"],
    [2, "drops the link"],
    [2, "reloads"],
    [1.5, "stays away"],
    [0.7, "signs out while seated"],
  ],
  ...{ picksFree: 0.9, looksAround: 0.3, givesUp: 0.15 },
  betweenGamesMs: [100, 700],
  gameMs: 8_000,
  afterFailureMs: [300, 1_500],
  // A seat waits for its player for 5 s in the long run, and for 8 s in a bonus.
  awayMs: { leaves: [0, 3_000], "drops the link": [0, 3_000], "stays away": [6_000, 12_000] },
};

/** No video and no rest: one request after the other, so that a killed program meets as many as possible. */
export const HURRIED: Habits = {
  video: false,
  acts: [
    [4, cashIn],
    [6, spins],
    [2, cashOutPart],
    [1, cashOutAll],
    [0.8, leaveOnce],
    [0.8, drop],
    [0.4, giveUp("kick")],
    [0.4, giveUp("cancel")],
  ],
  actsOfStay: [3, 15],
  goings: [[1, "drops the link"]],
  ...{ picksFree: 0, looksAround: 0, givesUp: 0 },
  betweenGamesMs: [0, 0],
  gameMs: 1_200,
  afterFailureMs: [50, 400],
  awayMs: {},
};

/** A command whose outcome stays unknown is repeated so often before the player does something else, and again later. */
const REPEATS = 20;
const REPEAT_MS = 50;
const LOOK_MS = 20;

async function money(life: Life, seat: Seat, method: Command["method"], amount?: number): Promise<undefined> {
  life.commands += 1;
  const id = `${life.account.username}-${process.pid}-${life.commands}`;
  life.open = { method, id, amount, machineId: seat.machineId };
  await settle(life, seat);
}

/** Sends the open command under its id until its outcome is known, as a page does after a lost link. */
async function settle(life: Life, { visit, machineId, over }: Seat): Promise<void> {
  const command = life.open;
  // At another machine it would be another command: the platform settles this one.
  if (command?.machineId !== machineId) life.open = undefined;
  for (let tries = 0; tries < REPEATS && life.open !== undefined && !over() && life.isRunning(); tries += 1) {
    const { id, amount, method } = life.open;
    const answer = await (method === "cashIn"
      ? visit.request("cashIn", { id, amount: amount ?? 0 })
      : visit.request("cashOut", { id, ...(amount !== undefined && { amount }) }));
    countRequest(life, method, answer.is === "done" ? answer.data.outcome : answer.is);
    if (answer.is === "done" && answer.data.outcome === "done")
      life.outcomes.set(id, { is: "done", amount: answer.data.amount });
    else if (answer.is === "refused") life.outcomes.set(id, { is: "refused" });
    else {
      await pause(REPEAT_MS);
      continue;
    }
    life.open = undefined;
  }
}

/** One press, and its game to the end as far as the meters show it. */
async function spin(life: Life, { visit, over }: Seat): Promise<void> {
  const { bet = 0, gamesPlayed = 0 } = visit.meters ?? {};
  const outcome = await visit.press("spin", bet);
  countRequest(life, "press", outcome);
  const started = outcome === "started";
  const isOver = ({ gamesPlayed: now, inGame }: Games): boolean => now > gamesPlayed || (!started && !inGame);
  await until(life, started ? life.habits.gameMs : 1_000, () => over() || isOver(visit.meters ?? NO_GAMES));
}

type Games = Pick<Meters, "gamesPlayed" | "inGame">;
const NO_GAMES: Games = { gamesPlayed: 0, inGame: false };

async function leave(life: Life, seat: Seat): Promise<void> {
  // Credits cannot go back during a game, and a bonus waits for its player.
  for (let tries = 0; tries < REPEATS && !seat.over(); tries += 1) {
    const answer = await seat.visit.request("leave", {});
    countRequest(life, "leave", answer.is);
    if (answer.is === "done") return;
    await spin(life, seat);
  }
}

async function giveUpSeat(life: Life, machineId: string): Promise<void> {
  const { token } = await signedIn(life);
  const name = life.chance.next() < 0.5 ? "kick" : "cancel";
  countRequest(life, name, (await tried(call(life.venue, name, { token, body: { machineId } }))) ? "done" : "refused");
  await rest(life, [500, 2_000]);
}

async function signedIn(life: Life): Promise<SignedIn> {
  if (life.me !== undefined) return life.me;
  life.me = await signIn(life.venue, life.account);
  life.counts.add("signs in");
  return life.me;
}

async function signOut(life: Life): Promise<void> {
  const { me } = life;
  life.me = undefined;
  if (me === undefined) return;
  await me.signOut();
  life.counts.add("signs out");
}

/** The machine where the player's seat is kept, and those that are free. */
async function readLobby(life: Life): Promise<{ readonly own: string | undefined; readonly free: string[] }> {
  const all = await (await signedIn(life)).machines();
  const floor = all.filter(({ id }) => life.machines.includes(id));
  return {
    own: floor.find(({ mine }) => mine)?.id,
    free: floor.filter(({ status }) => status === MACHINE_STATUS.available).map(({ id }) => id),
  };
}

/** Keeps the lobby's own socket open while `inside` runs. */
async function inLobby(life: Life, inside: () => Promise<unknown>): Promise<void> {
  const close = openNotifications(life.venue, await signedIn(life), {
    timers: systemTimers,
    random: life.chance.next,
  });
  try {
    await inside();
  } finally {
    close();
  }
}

function countRequest({ counts }: Life, what: string, is: string): void {
  counts.add(is === "unknown" ? `failed: ${what}` : `${is}: ${what}`);
  counts.add("requests");
}

const tried = (attempt: Promise<unknown>): Promise<boolean> =>
  attempt.then(
    () => true,
    () => false,
  );

/** Ends early when the run does. */
export async function rest(
  { chance, isRunning }: Pick<Life, "chance" | "isRunning">,
  [least, most]: readonly [number, number],
): Promise<void> {
  const endsAt = performance.now() + chance.between(least, most);
  while (isRunning() && performance.now() < endsAt) await pause(Math.min(250, Math.max(1, endsAt - performance.now())));
}

/** False: it did not happen within the time. */
async function until(life: Life, limitMs: number, holds: () => boolean): Promise<boolean> {
  const endsAt = performance.now() + limitMs;
  while (performance.now() < endsAt && life.isRunning()) {
    if (holds()) return true;
    await pause(LOOK_MS);
  }
  return holds() || !life.isRunning();
}
