import type { InitAnswer } from "@longarm/contract/game-socket";
import type { LobbyMachine } from "@longarm/contract/lobby-lists";
import { MACHINE_STATUS } from "@longarm/contract/lobby-lists";
import type { Refusal } from "@longarm/link/answer";
import type { SignedIn } from "../account.ts";
import { openNotifications } from "../account.ts";
import type { Assignment, Surroundings } from "./person.ts";
import { Attendance, between, countError, enter, pause, rest, seeded } from "./person.ts";
import { count, time } from "./tally.ts";
import { lobby } from "./viewer.ts";

/** How long somebody stays at a machine, ms. */
const STAY_MS = [20_000, 90_000] as const;
/** Between two machines, ms. */
const PAUSE_MS = [1_500, 5_000] as const;
/** Without a free machine it is looked again after so long, ms. */
const AGAIN_MS = [1_500, 4_000] as const;
/** Of ten who leave, so many only shut the page, and come back to the seat that waits for them. */
const SHUTS_PAGE = 0.15;
/** Of ten stays, in so many the network is gone for a moment. */
const LOSES_NETWORK = 0.2;

type Player = {
  readonly around: Surroundings;
  readonly assignment: Assignment;
  readonly me: SignedIn;
  readonly random: () => number;
  /** When a machine's seat was granted, to time its notification. */
  readonly seatedAt: Map<string, number>;
  /** Machines that are not to be played. */
  readonly unplayable: Set<string>;
};

/** Somebody who plays until the run is to end; the money is home then, or the tally says what is not. @throws PersonProblem. */
export async function play(around: Surroundings, assignment: Assignment): Promise<void> {
  const random = seeded(assignment.seed);
  await rest(around, between(random, 0, 1_000));
  const me = await enter(around, assignment.account);
  if (me === undefined) return;
  const seatedAt = new Map<string, number>();
  const closeNotifications = openNotifications(around.venue, me, {
    ...{ timers: around.timers, random },
    lost: () => around.finish.aborted || count(around.tally(), "drops: notifications"),
    machine(id, status) {
      const at = seatedAt.get(id);
      if (at === undefined || status !== MACHINE_STATUS.playing) return;
      seatedAt.delete(id);
      time(around.tally(), "told by notification", around.now() - at);
    },
  });
  const player: Player = { around, assignment, me, random, seatedAt, unplayable: new Set() };
  // A seat from before the run would count as the run's.
  await comeHome(player);
  const before = await settled(around, me);
  const latest = await readOrCount(player, me.latestSession());
  try {
    while (!around.finish.aborted) await round(player);
    await comeHome(player);
  } finally {
    await account(player, before, latest);
    closeNotifications();
    await me.signOut().catch((error: unknown) => countError(around.tally(), "sign-out", error));
  }
}

async function round(player: Player): Promise<void> {
  const { around, random } = player;
  const machine = await freeMachine(player);
  if (machine !== undefined) await stay(player, machine, false);
  const [least, most] = machine === undefined ? AGAIN_MS : PAUSE_MS;
  await rest(around, between(random, least, most));
}

/** The seat that waits for us, else a free machine. */
async function freeMachine({ around, assignment, me, random, unplayable }: Player): Promise<LobbyMachine | undefined> {
  const all = (await lobby(around, me)) ?? [];
  const mine = all.find((one) => one.mine === true);
  if (mine !== undefined) return mine;
  const may = all.filter(({ id }) => assignment.machines.includes(id) && !unplayable.has(id));
  const free = may.filter(({ status }) => status === MACHINE_STATUS.available);
  const [first] = assignment.machines.slice(assignment.first % assignment.machines.length);
  const chosen = free.find(({ id }) => id === first && random() < 0.7) ?? free[Math.floor(random() * free.length)];
  if (chosen === undefined) count(around.tally(), "waits: no machine is free");
  return chosen;
}

/** `only`: to bring home what is there. */
async function stay(player: Player, machine: LobbyMachine, only: boolean): Promise<void> {
  const { around, me, random, seatedAt } = player;
  const attendance = new Attendance(around, {
    ...{ me, machineId: machine.id, url: machine.url, role: "player", random },
  });
  try {
    seatedAt.set(machine.id, around.now());
    const begun = await attendance.begun();
    if (begun.is === "late") count(around.tally(), "no answer to init");
    if (begun.is !== "here") return;
    const { answer } = begun;
    const mayPlay = player.assignment.realMoney || answer.machine.simulated === true;
    if (!mayPlay) {
      player.unplayable.add(machine.id);
      count(around.tally(), "not played: the machine may be a real one");
    }
    const stays = mayPlay && !only ? await sitAndPlay(player, attendance, answer) : false;
    if (!stays && !(await leave(around, attendance))) count(around.tally(), "seats not given back");
  } finally {
    seatedAt.delete(machine.id);
    await attendance.end();
  }
}

/** Whether the seat is kept, as for somebody who only shuts the page. */
async function sitAndPlay(player: Player, attendance: Attendance, answer: InitAnswer): Promise<boolean> {
  const { around, me, random } = player;
  const untilMs = around.now() + between(random, ...STAY_MS);
  const cutAtMs = random() < LOSES_NETWORK ? around.now() + between(random, 5_000, 15_000) : undefined;
  const stopCut =
    cutAtMs === undefined ? undefined : around.timers.after(cutAtMs - around.now(), () => attendance.visit.cut());
  try {
    for (let stakes = 0; stakes < 3; stakes += 1) {
      if ((attendance.visit.meters?.credit ?? 0) < (attendance.visit.meters?.bet ?? 1)) {
        if (!(await cashIn(around, me, attendance, answer))) break;
      }
      if ((await turnReels(around, attendance, answer, { untilMs, random })) !== "noCredit") break;
    }
  } finally {
    stopCut?.();
  }
  const shuts = !around.finish.aborted && random() < SHUTS_PAGE;
  if (shuts) count(around.tally(), "pages shut without leaving");
  return shuts;
}

/** The seat that still waits for us is taken once more, and left as it should be. */
async function comeHome(player: Player): Promise<void> {
  const { around, me } = player;
  const mine = ((await lobby(around, me)) ?? []).find((one) => one.mine === true);
  if (mine !== undefined) await stay(player, mine, true);
}

/** Undefined: it could not be read, which is counted. */
async function readOrCount<T>({ around }: Player, read: Promise<T>): Promise<T | undefined> {
  return await read.catch((error: unknown) => void countError(around.tally(), "sessions", error));
}

/** `latest`: the newest play session before the run. */
async function account(
  player: Player,
  before: Awaited<ReturnType<typeof settled>>,
  latest: string | null | undefined,
): Promise<void> {
  const { around, assignment, me } = player;
  const after = await settled(around, me);
  const fresh = latest === undefined ? undefined : await readOrCount(player, me.sessionsAfter(latest));
  if (before === undefined || after === undefined || fresh === undefined)
    return count(around.tally(), "wallets that could not be read");
  around.tally().money.push({
    username: assignment.account.username,
    before: before.balance + before.away,
    after: after.balance + after.away,
    away: after.away,
    net: fresh.reduce((sum, { net }) => sum + net, 0),
    sessions: fresh.length,
  });
}

/** What is put on a machine at once, where its limits and the wallet allow, minor units. */
const USUAL_MINOR = 10_000;
/** Leaving is tried so often, each time after a game could have ended. */
const LEAVES = 6;
const LEAVE_AGAIN_MS = 2_000;
/** What is being checked is decided within this, ms. */
const SETTLED_MS = 45_000;
const LOOK_MS = 500;

/** Puts money on the machine; false: there is none, or the machine takes none. */
async function cashIn(
  around: Surroundings,
  me: SignedIn,
  attendance: Attendance,
  answer: InitAnswer,
): Promise<boolean> {
  const available = await me.balance().catch((error: unknown) => {
    countError(around.tally(), "balance", error);
    return { balance: 0 };
  });
  const { minTransfer = 1, maxTransfer = USUAL_MINOR } = answer.limits ?? {};
  const { denomination } = answer.machine;
  const most = Math.min(available.balance, Math.max(USUAL_MINOR, minTransfer), maxTransfer);
  const amount = Math.floor(most / denomination) * denomination;
  if (amount < minTransfer || amount <= 0) {
    count(around.tally(), "waits: the wallet is empty");
    return false;
  }
  const from = around.now();
  const reply = await attendance.visit.request("cashIn", { id: around.newId(), amount });
  if (reply.is === "done") {
    time(around.tally(), "cash in", around.now() - from);
    count(around.tally(), `cash in: ${reply.data.outcome}`);
  } else noteRefusal(around, "cash in", reply);
  return reply.is === "done" && reply.data.outcome === "done";
}

/** Takes all credits home and gives the seat back; false: the venue did not do it. */
async function leave(around: Surroundings, attendance: Attendance): Promise<boolean> {
  for (let tries = 0; tries < LEAVES && !attendance.over; tries += 1) {
    if (tries > 0) await pause(around, LEAVE_AGAIN_MS);
    await gameEnds(around, attendance);
    const from = around.now();
    const answer = await attendance.visit.request("leave", {});
    if (answer.is === "done") {
      time(around.tally(), "cash out", around.now() - from);
      count(around.tally(), `leave: ${answer.data.outcome}`);
      return true;
    }
    noteRefusal(around, "leave", answer);
  }
  return attendance.over;
}

/** Waits until nothing of the wallet is on a machine or being checked, and returns the wallet, also when something still is. Undefined: it could not be read. */
async function settled(around: Surroundings, me: SignedIn) {
  const limitMs = around.now() + SETTLED_MS;
  let last: { readonly balance: number; readonly away: number } | undefined;
  for (;;) {
    const now = await me.balance().catch((error: unknown) => {
      countError(around.tally(), "balance", error);
      return undefined;
    });
    if (now !== undefined) last = { balance: now.balance, away: (now.onMachine ?? 0) + (now.pending ?? 0) };
    if ((now !== undefined && last?.away === 0) || around.now() > limitMs) return last;
    await pause(around, LOOK_MS);
  }
}

function noteRefusal(
  around: Surroundings,
  what: string,
  answer: { readonly is: "refused"; readonly refusal: Refusal } | { readonly is: "unknown" },
): void {
  if (answer.is === "refused")
    count(around.tally(), `refused: ${answer.refusal.name ?? `code ${answer.refusal.code}`}`);
  else count(around.tally(), `${what}: no answer`);
}

/** From one game's end to the next press, ms: people look at what they won. */
const LOOK_AT_WIN_MS = [300, 2_200] as const;
/** A press that began no game is thought about, ms. */
const PUZZLED_MS = 1_000;
const WATCH_MS = 100;
/** A game with its free spins and bonus takes at most so long, ms. */
const GAME_MS_MAX = 90_000;

/** Presses the key that starts games at a person's pace, until `untilMs`, until the run is to end, or until there is nothing to play with. */
async function turnReels(
  around: Surroundings,
  attendance: Attendance,
  answer: InitAnswer,
  { untilMs, random }: { readonly untilMs: number; readonly random: () => number },
): Promise<"time" | "noCredit" | "locked"> {
  const { visit } = attendance;
  const wager = answer.buttons.find(({ kind }) => kind === "wager");
  if (wager === undefined) return "locked";
  const gapMs = Math.max(wager.minGapMs, answer.limits?.minCycleMs ?? 0);
  let pressedAtMs = Number.NEGATIVE_INFINITY;
  while (!around.finish.aborted && around.now() < untilMs && !attendance.over) {
    const { meters } = visit;
    if (meters === undefined || !visit.seated) {
      await rest(around, WATCH_MS);
      continue;
    }
    if (meters.lockup !== undefined || meters.handPay !== undefined) return "locked";
    if (!meters.inGame && !meters.bonus && meters.credit < (meters.bet ?? 1)) return "noCredit";
    await rest(around, Math.max(0, pressedAtMs + gapMs - around.now()));
    if (around.finish.aborted) break;
    pressedAtMs = around.now();
    const outcome = await visit.press(wager.id, visit.meters?.bet);
    count(around.tally(), `press: ${outcome}`);
    if (outcome !== "unknown" && outcome !== "unsent")
      time(around.tally(), "press answered", around.now() - pressedAtMs);
    if (outcome === "started") {
      await gameEnds(around, attendance);
      count(around.tally(), "games");
      await rest(around, between(random, ...LOOK_AT_WIN_MS));
    } else await rest(around, PUZZLED_MS);
  }
  return "time";
}

/** Waits until the machine rests, also when the run is to end: money can only leave then. A bonus picks by itself in the end. */
async function gameEnds(around: Surroundings, attendance: Attendance): Promise<void> {
  const { visit } = attendance;
  const limitMs = around.now() + GAME_MS_MAX;
  // The meters of the game's start come right behind the press's answer.
  await pause(around, WATCH_MS * 2);
  while (around.now() < limitMs && !attendance.over) {
    const { meters } = visit;
    if (visit.seated && meters !== undefined && !meters.inGame && !meters.bonus && meters.freeSpins === 0) return;
    await pause(around, WATCH_MS);
  }
}
