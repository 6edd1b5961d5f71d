import type { InitAnswer } from "@longarm/contract/game-socket";
import type { Refusal } from "@longarm/link/answer";
import type { SignedIn } from "../visitor/sign-in.ts";
import type { Attendance } from "./attendance.ts";
import type { Surroundings } from "./person.ts";
import { countError, pause } from "./person.ts";
import { gameEnds } from "./reels.ts";
import { count, time } from "./tally.ts";

/** What is put on a machine at once, where its limits and the wallet allow, minor units. */
const USUAL_MINOR = 10_000;
/** A machine that does not let go of the credits is asked so often, each time after a game could have ended. */
const LEAVES = 6;
const LEAVE_AGAIN_MS = 2_000;
/** What is being checked is decided within this, ms. */
const SETTLED_MS = 45_000;
const LOOK_MS = 500;

/** Puts money on the machine; false: there is none, or the machine takes none. */
export async function cashIn(
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
  const told = await attendance.visit.request("cashIn", { id: around.newId(), amount });
  if (told.is === "done") {
    time(around.tally(), "cash in", around.now() - from);
    count(around.tally(), `cash in: ${told.data.outcome}`);
  } else noteRefusal(around, "cash in", told);
  return told.is === "done" && told.data.outcome === "done";
}

/** Takes all credits home and gives the seat back; false: the house did not do it. */
export async function leave(around: Surroundings, attendance: Attendance): Promise<boolean> {
  for (let tries = 0; tries < LEAVES && !attendance.over; tries += 1) {
    if (tries > 0) await pause(around, LEAVE_AGAIN_MS);
    await gameEnds(around, attendance);
    const from = around.now();
    const told = await attendance.visit.request("leave", {});
    if (told.is === "done") {
      time(around.tally(), "cash out", around.now() - from);
      count(around.tally(), `leave: ${told.data.outcome}`);
      return true;
    }
    noteRefusal(around, "leave", told);
  }
  return attendance.over;
}

/** Waits until nothing of the wallet is on a machine or being checked; answers what it then is, also when something still is. Undefined: it was never told. */
export async function settled(around: Surroundings, me: SignedIn) {
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
  told: { readonly is: "refused"; readonly refusal: Refusal } | { readonly is: "unknown" },
): void {
  if (told.is === "refused") count(around.tally(), `refused: ${told.refusal.name ?? `code ${told.refusal.code}`}`);
  else count(around.tally(), `${what}: no answer`);
}
