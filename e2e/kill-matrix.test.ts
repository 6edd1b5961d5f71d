import { killedAt } from "@longarm/link/testing";
import { WHOLE_RUN } from "@longarm/link/testing/whole-run";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { MONEY_STEPS as AGENT_STEPS, MONEY_CHANNEL } from "../apps/agent/src/money/money-steps.ts";
import { MONEY_STEPS as PLATFORM_STEPS } from "../apps/platform/src/modules/play/wallet/money-steps.ts";
import type { Player } from "../rig/player.ts";
import { allOf, signIn } from "../rig/player.ts";
import { longarm } from "../rig/venue/staff.ts";
import type { TestVenue } from "../rig/venue/test-venue.ts";
import { openTestVenue } from "../rig/venue/test-venue.ts";

/*
 * The agent, then the platform, is killed with -9 at every step of a cash-in and of a cash-out. Whatever the moment: wallet, credits
 * on the machine and what is being checked always add up to what the player had; after the restart the transfer has happened
 * once or not at all, a repeat of its id shows which, and the books agree with the machine.
 */

const MACHINE = "nar-01";
const AMOUNT = 50_000;
/** Reconnects back off up to 5 s. */
const SOON = { timeout: 60_000, interval: 50 };

type Who = "agent" | "platform";
/** In the whole run each at every step; else the agent in a cash-in and the platform in a cash-out, each between the machine's answer and the books. */
const AT_AGENT = AGENT_STEPS.filter((step) => WHOLE_RUN || step === "cashIn.machineDone");
const AT_PLATFORM = PLATFORM_STEPS.filter((step) => WHOLE_RUN || step === "cashOut.answered");
const after = (steps: readonly string[], step: string): string | undefined => steps[steps.indexOf(step) + 1];

let venue: TestVenue;
let player: Player;
let all: number;

beforeAll(async () => {
  venue = await openTestVenue({ machines: 1 });
  player = await signIn(venue.href);
  all = allOf(await player.balance());
});
afterAll(() => venue?.close());

/** Sits down, over and over while machine and platform find each other again. */
async function seat() {
  return await vi.waitFor(async () => {
    const page = await player.open(MACHINE);
    const answer = await page.peer.request("init", { machineID: MACHINE });
    if (answer.is === "done") return page;
    page.drop();
    throw new Error(`no seat: ${JSON.stringify(answer)}`);
  }, SOON);
}

type Page = Awaited<ReturnType<typeof seat>>;

/** Asks for the money, over and over while the machine's agent is on its way back: so far no machine has taken the command. */
async function ask({ peer }: Page, step: string, id: string) {
  return await vi.waitFor(async () => {
    const answer = await (step.startsWith("cashIn")
      ? peer.request("cashIn", { id, amount: AMOUNT })
      : peer.request("cashOut", { id }));
    if (answer.is === "refused" && answer.refusal.name === "machine.unreachable")
      throw new Error(answer.refusal.reason);
    return answer;
  }, SOON);
}

/** Waits until nothing is being checked any more, while every look at the wallet shows everything the player has. */
async function settled(): Promise<{ balance: number; onMachine: number }> {
  return await vi.waitFor(async () => {
    const now = await player.balance();
    expect(allOf(now)).toBe(all);
    if (now.pending !== undefined) throw new Error("a transfer is being checked");
    return { balance: now.balance, onMachine: now.onMachine ?? 0 };
  }, SOON);
}

/** Credits on the machine before the step: none for a cash-in, some for a cash-out. */
async function prepare(who: Who, step: string): Promise<number> {
  const page = await seat();
  const { onMachine } = await settled();
  const wanted = step.startsWith("cashIn") ? 0 : AMOUNT;
  if (onMachine !== wanted) {
    const more = `${who}.${step}.prepare`;
    const moved = wanted === 0 ? await ask(page, "cashOut", more) : await ask(page, "cashIn", more);
    expect(moved).toMatchObject({ is: "done", data: { outcome: "done", amount: AMOUNT } });
  }
  page.drop();
  return wanted;
}

/** Which program will kill itself at which step. */
let armed: { readonly who: Who; readonly step: string } | undefined;

/** A program that was started for another step is started again for this one. */
async function arm(who: Who, step: string): Promise<void> {
  if (armed?.who === who && armed.step === step) return;
  if (armed !== undefined) {
    await venue[armed.who].kill();
    await venue[armed.who].restart();
  }
  await venue[who].kill();
  await venue[who].restart(killedAt(MONEY_CHANNEL, step));
  armed = { who, step };
}

/** Starts what has killed itself, ready for the next step. */
async function revive(who: Who, next: string | undefined): Promise<void> {
  await venue[who].restart(next === undefined ? {} : killedAt(MONEY_CHANNEL, next));
  armed = next === undefined ? undefined : { who, step: next };
}

async function killAt(who: Who, step: string, next: string | undefined): Promise<void> {
  await arm(who, step);
  const before = await prepare(who, step);
  const page = await seat();
  const id = `${who}.${step}`;
  const gone = venue[who].exited();
  const requested = ask(page, step, id);
  // A command that was refused never reaches its step: report that at once.
  const early = requested.then<unknown>((answer) => (answer.is === "refused" ? answer : gone));
  expect(await Promise.race([gone, early])).toEqual({ code: null, signal: "SIGKILL" });
  if (who === "agent") expect(allOf(await player.balance())).toBe(all);
  const answer = await requested;
  page.drop();

  await revive(who, next);
  const again = await seat();
  const { onMachine } = await settled();
  expect([0, AMOUNT]).toContain(onMachine);
  const moved = onMachine !== before;
  // The answer from before the restart still holds.
  if (answer.is === "done" && answer.data.outcome === "done") expect(moved).toBe(true);
  if (answer.is === "refused") expect(moved).toBe(false);
  await repeatIsTheSame(again, { who, step, id, moved });
  expect(allOf(await settled())).toBe(all);
  expect(await venue.ledger.verify()).toEqual([]);
  again.drop();
}

/** The same id again: the first outcome, and nothing moves. */
async function repeatIsTheSame(page: Page, first: { who: Who; step: string; id: string; moved: boolean }) {
  // The platform died before it wrote the id down: it would be a new command.
  if (first.who === "platform" && first.step.endsWith(".received")) return expect(first.moved).toBe(false);
  const { onMachine } = await settled();
  const repeat = await ask(page, first.step, first.id);
  if (first.moved) expect(repeat).toMatchObject({ is: "done", data: { outcome: "done", amount: AMOUNT } });
  else expect(repeat).toMatchObject({ is: "refused" });
  expect((await settled()).onMachine).toBe(onMachine);
}

describe("kill -9 of the agent loses and doubles nothing", () => {
  test.each(AT_AGENT)("at %s", (step) => killAt("agent", step, after(AT_AGENT, step)));
});

describe("kill -9 of the platform loses and doubles nothing", () => {
  test.each(AT_PLATFORM)("at %s", (step) => killAt("platform", step, after(AT_PLATFORM, step)));
});

test("what the kills left on the machine goes home to the wallet when the player leaves", async () => {
  const page = await seat();
  expect(await page.peer.request("leave", {})).toMatchObject({ is: "done", data: { outcome: "done" } });
  await expect.poll(() => player.balance(), SOON).toEqual({ balance: all });
  expect(await venue.ledger.verify()).toEqual([]);
  // Sessions, transfers, the machine's own meters and the ledger: after twenty kills all of them still say the same.
  expect(await longarm(venue, "reconcile")).toContain("Everything adds up");
});
