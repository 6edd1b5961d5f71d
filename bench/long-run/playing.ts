import { setTimeout as pause } from "node:timers/promises";
import type { Meters } from "@longarm/contract/machine";
import type { Life, Seat } from "./life.ts";
import { inLobby, openSeat, post, readLobby, rest, signedIn, signOut } from "./life.ts";

/** Beyond the longest time that a seat waits for its player here, ms. */
const AWAY_MS = [6_000, 12_000] as const;
/** Within it. */
const BLINK_MS = [0, 3_000] as const;
const GAME_MS = 8_000;
const PICTURE_MS = 15_000;
const LOOK_MS = 25;
/** Asks for a decision that is still open, at most: what is open then the venue settles. */
const MONEY_ASKS = 20;

let asked = 0;

/** Comes, sits, plays by chance, and goes in one of the ways people go. */
export async function visitAsPlayer(life: Life): Promise<void> {
  const { chance } = life;
  const { own, free } = await readLobby(life);
  if (own === undefined && free.length === 0 && chance.next() < 0.8) return await rest(life, 500, 2_000);
  if (own === undefined && chance.next() < 0.3) await inLobby(life, () => rest(life, 500, 4_000));
  if (own !== undefined && chance.next() < 0.15) return await giveUpSeat(life, own);
  // What the lobby says is free may be taken by then, and sometimes nobody looks.
  const wanted = free.length > 0 && chance.next() < 0.9 ? free : life.machines;
  const seat = await sitAt(life, own ?? chance.pick(wanted));
  if (seat === undefined) return await rest(life, 300, 1_500);
  let goes: Going = "drops the link";
  try {
    goes = await play(life, seat);
  } finally {
    await seat.drop();
  }
  life.note(goes);
  await AFTER[goes]?.(life);
}

type Going = "leaves" | "drops the link" | "stays away" | "reloads" | "signs out while seated" | "closed by the venue";

const AFTER: Readonly<Partial<Record<Going, (life: Life) => Promise<void>>>> = {
  leaves: async (life) => {
    if (life.chance.next() < 0.25) await signOut(life);
    await rest(life, 0, 3_000);
  },
  "drops the link": (life) => rest(life, ...BLINK_MS),
  "stays away": (life) => rest(life, ...AWAY_MS),
  "signs out while seated": (life) => signOut(life),
};

async function giveUpSeat(life: Life, machineId: string): Promise<void> {
  const path = life.chance.next() < 0.5 ? "player/kick" : "player/cancel";
  life.note((await post(life, path, { machineId })) ? path : `${path} refused`);
  await rest(life, 500, 2_000);
}

async function sitAt(life: Life, machineId: string): Promise<Seat | undefined> {
  const { token } = await signedIn(life);
  const seat = await openSeat({ venue: life.venue, token, machineId, role: "player", random: life.chance.next });
  if (typeof seat === "string") {
    life.note(`refused a seat: ${seat}`);
    return undefined;
  }
  life.note("sits down");
  if (!(await until(life, PICTURE_MS, () => seat.sees() || seat.closed()))) life.note("failed: no picture");
  return seat;
}

type Act = (life: Life, seat: Seat) => Promise<Going | undefined>;

async function play(life: Life, seat: Seat): Promise<Going> {
  for (let left = life.chance.between(2, 8); left > 0 && life.goesOn(); left -= 1) {
    if (seat.closed()) return "closed by the venue";
    const going = await life.chance.weighted(ACTS)(life, seat);
    if (going !== undefined) return going;
  }
  if (seat.closed()) return "closed by the venue";
  const going = life.goesOn() ? life.chance.weighted(GOINGS) : "leaves";
  if (going === "leaves") await leave(life, seat);
  return going;
}

const GOINGS: readonly (readonly [number, Going])[] = [
  [5, "leaves"],
  [2, "drops the link"],
  [2, "reloads"],
  [1.5, "stays away"],
  [0.7, "signs out while seated"],
];

const spins: Act = async (life, seat) => {
  for (let left = life.chance.between(1, 7); left > 0 && life.goesOn() && !seat.closed(); left -= 1) {
    const { credit = 0, bet = 0, inGame = false } = seat.meters() ?? {};
    if (credit < bet && !inGame) return await cashIn(life, seat);
    await spin(life, seat);
    // The machine itself rests between two games.
    await rest(life, 100, 700);
  }
  return undefined;
};

const cashIn: Act = (life, seat) => money(life, seat, "cashIn", Math.round(life.chance.between(5_000, 60_000)));
const cashOutPart: Act = (life, seat) => money(life, seat, "cashOut", Math.round(life.chance.between(1_000, 20_000)));
const cashOutAll: Act = (life, seat) => money(life, seat, "cashOut");

/** Now and then longer than the venue waits before it asks. */
const doze: Act = async (life) => {
  await rest(life, 500, life.chance.next() < 0.1 ? 30_000 : 4_000);
  return undefined;
};

const goOn: Act = async (_, seat) => {
  await seat.request("continue", {});
  return undefined;
};

const lock: Act = async (life) => {
  if (!(await post(life, "player/lock"))) return undefined;
  await rest(life, 200, 2_000);
  if (await post(life, "player/unlock", { pin: life.who.pin })) life.note("locks and unlocks");
  else {
    life.note("failed: unlock");
    life.account = undefined;
  }
  return undefined;
};

const readHistory: Act = async (life) => {
  for (const path of ["player/transactions?limit=25", "player/sessions?limit=25", "player/balance"])
    await (await life.account?.call(path))?.text();
  return undefined;
};

/** The same game in one more tab: the first one is told, and is shut. */
const secondTab: Act = async (life, seat) => {
  const { token } = await signedIn(life);
  const { machineId } = seat;
  const tab = await openSeat({ venue: life.venue, token, machineId, role: "player", random: life.chance.next });
  if (typeof tab === "string") return undefined;
  life.note("opens a second tab");
  await rest(life, 200, 3_000);
  await tab.drop();
  return "reloads";
};

const blink: Act = async (life, seat) => {
  seat.cut();
  life.note("the link blinks");
  await rest(life, 500, 3_000);
  return undefined;
};

const ACTS: readonly (readonly [weight: number, act: Act])[] = [
  [4, cashIn],
  [10, spins],
  [2, cashOutPart],
  [1, cashOutAll],
  [2, doze],
  [0.5, goOn],
  [0.7, lock],
  [1, readHistory],
  [0.7, secondTab],
  [1, blink],
];

async function leave(life: Life, seat: Seat): Promise<void> {
  // Credits cannot go back during a game, and a bonus waits for its player.
  for (let time = 0; time < MONEY_ASKS && !seat.closed(); time += 1) {
    const answer = await seat.request("leave", {});
    if (answer.is === "done") return;
    await spin(life, seat);
  }
}

/** One press, and its game to the end as far as the link lets us see it. */
async function spin(life: Life, seat: Seat): Promise<void> {
  const { bet = 0, gamesPlayed = 0 } = seat.meters() ?? {};
  const outcome = await seat.press("spin", bet);
  life.note(`press ${outcome}`);
  const started = outcome === "started";
  const isOver = ({ gamesPlayed: now, inGame }: Games): boolean => now > gamesPlayed || (!started && !inGame);
  await until(life, started ? GAME_MS : 1_000, () => seat.closed() || isOver(seat.meters() ?? NOTHING));
}

type Games = Pick<Meters, "gamesPlayed" | "inGame">;
const NOTHING: Games = { gamesPlayed: 0, inGame: false };

/** Asks again with the same id while the outcome is open, as a page does. */
async function money(
  life: Life,
  seat: Seat,
  method: "cashIn" | "cashOut",
  amount?: number,
): Promise<Going | undefined> {
  asked += 1;
  const id = `${life.who.username}-${process.pid}-${asked}`;
  for (let time = 0; time < MONEY_ASKS && !seat.closed() && life.goesOn(); time += 1) {
    const answer = await (method === "cashIn"
      ? seat.request("cashIn", { id, amount: amount ?? 0 })
      : seat.request("cashOut", { id, ...(amount !== undefined && { amount }) }));
    if (answer.is === "refused" || (answer.is === "done" && answer.data.outcome === "done")) {
      life.note(`${method} ${answer.is}`);
      return undefined;
    }
    await pause(100);
  }
  return undefined;
}

/** False: it did not come to be. */
async function until(life: Life, limitMs: number, holds: () => boolean): Promise<boolean> {
  const endsAt = performance.now() + limitMs;
  while (performance.now() < endsAt && life.goesOn()) {
    if (holds()) return true;
    await pause(LOOK_MS);
  }
  return holds() || !life.goesOn();
}

/** Looks around in the lobby, watches a machine for a while and goes; now and then two at once. */
export async function visitAsViewer(life: Life): Promise<void> {
  await readLobby(life);
  await inLobby(life, async () => {
    await rest(life, 200, 1_500);
    await Promise.all(Array.from({ length: life.chance.next() < 0.2 ? 2 : 1 }, () => watch(life)));
  });
  if (life.chance.next() < 0.1) await signOut(life);
}

async function watch(life: Life): Promise<void> {
  const { token } = await signedIn(life);
  const machineId = life.chance.pick(life.machines);
  const seat = await openSeat({ venue: life.venue, token, machineId, role: "spectator", random: life.chance.next });
  if (typeof seat === "string") return life.note(`refused to watch: ${seat}`);
  life.note("watches");
  // Some are gone before their picture comes.
  const shortly = life.chance.next() < 0.15;
  await (shortly ? rest(life, 0, 300) : rest(life, 2_000, 20_000));
  if (!seat.sees() && !shortly && !seat.closed() && life.goesOn()) life.note("failed: no picture");
  await seat.drop();
}
