import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { systemTimers } from "@longarm/link/socket";
import type { Venue } from "@longarm/load/venue";
import { Visit } from "@longarm/load/visit";
import type { CrowdReport, CrowdRequest, Guest } from "./density.ts";

/* One process full of guests, so that what they cost is not the agent's. It gets its commands over its IPC channel. */

/** What a player puts on a machine, minor units: enough for all games of a measurement. */
const CREDIT_MINOR = 3_000_000;
/** A first picture comes within this, ms, also on a computer that is busy. */
const PICTURE_MS = 30_000;
const LOOK_MS = 15;
/** A press that began no game. */
const AGAIN_MS = 100;
const TRIES_MAX = 50;
/** A game with free spins and a bonus ends within this, ms. */
const GAME_MS_MAX = 90_000;

type Here = Guest & { readonly visit: Visit; readonly wager: string | undefined };

const here: Here[] = [];
let playing = false;
/** From a press to its game, as the machine reported it, ms; since the last request. */
let startedMs: number[] = [];

const report = (message: CrowdReport): void => void process.send?.(message);

async function come(venue: Venue, guest: Guest): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
  const visit = new Visit(
    { venue, ...guest },
    {
      ...{ timers: systemTimers, now: () => performance.now(), random: Math.random },
      seated: ({ buttons }) => resolve(buttons.find(({ kind }) => kind === "wager")?.id),
      refused: ({ name, code }) => reject(new Error(`A ${guest.role} was refused: ${name ?? code}.`)),
      closed: (reason) => reject(new Error(`A ${guest.role} was sent away: ${reason}.`)),
    },
  );
  const wager = await promise;
  const one = { ...guest, visit, wager };
  here.push(one);
  const lateAt = performance.now() + PICTURE_MS;
  while (visit.video.lastAtMs === undefined) {
    if (performance.now() > lateAt) throw new Error(`A ${guest.role} of ${guest.machineId} was shown no picture.`);
    await pause(LOOK_MS);
  }
  if (guest.role === "player") await play(one);
}

async function play({ visit, wager, machineId }: Here): Promise<void> {
  const put = await visit.request("cashIn", { id: randomUUID(), amount: CREDIT_MINOR });
  if (put.is !== "done") throw new Error(`The money did not come onto ${machineId}: ${JSON.stringify(put)}`);
  if (wager === undefined) throw new Error(`${machineId} has no key that starts a game.`);
  void (async () => {
    for (;;) {
      const { inGame = true, bonus = false, bet = 0 } = visit.meters ?? {};
      // A bonus waits for its player's choice, and the game with it.
      if (!bonus && (!playing || inGame)) {
        await pause(LOOK_MS);
        continue;
      }
      const pressedAt = performance.now();
      const isStarted = (await visit.press(wager, bet)) === "started";
      if (isStarted) startedMs.push(performance.now() - pressedAt);
      await pause(isStarted ? LOOK_MS * 4 : AGAIN_MS);
    }
  })();
}

/** Of a moment, and nothing was moved: out of reach, or the end of the last game has not come to the platform. */
const NOT_NOW: ReadonlySet<string | undefined> = new Set(["machine.unreachable", "game.in_progress"]);

/** Resolves to what it took, ms. What is refused for a moment is tried again. */
async function moveOnce(
  visit: Visit,
  direction: "cashIn" | "cashOut",
  amount: number,
  machineId: string,
): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const from = performance.now();
    const moved = await visit.request(direction, { id: randomUUID(), amount });
    if (moved.is === "done" && moved.data.outcome === "done") return performance.now() - from;
    const isForNow = moved.is === "refused" && NOT_NOW.has(moved.refusal.name);
    if (!isForNow || tries === TRIES_MAX)
      throw new Error(`A ${direction} of ${machineId} was not done: ${JSON.stringify(moved)}`);
    await pause(AGAIN_MS);
  }
}

const doing: { readonly [Is in CrowdRequest["is"]]: (ask: Extract<CrowdRequest, { is: Is }>) => Promise<void> } = {
  async come({ venue, guests }) {
    // Players first: only a machine that is played may be watched.
    for (const role of ["player", "spectator"] as const)
      await Promise.all(guests.filter((guest) => guest.role === role).map((guest) => come(venue, guest)));
    report({ is: "here" });
  },
  async play({ on }) {
    playing = on;
    const lateAt = performance.now() + GAME_MS_MAX;
    for (;;) {
      const open = here.find(({ visit }) => !on && visit.meters?.inGame === true);
      if (open === undefined) break;
      if (performance.now() > lateAt)
        throw new Error(`A game of ${open.machineId} does not end: ${JSON.stringify(open.visit.meters)}`);
      await pause(LOOK_MS);
    }
    report({ is: "accepted" });
  },
  async count() {
    const seen = here.map(({ visit }) => visit.video.takeSeen());
    report({
      ...{ is: "came", guests: here.length },
      pictures: seen.reduce((sum, { pictures }) => sum + pictures, 0),
      bytes: seen.reduce((sum, { bytes }) => sum + bytes, 0),
      turning: here.filter(({ role, visit }) => role === "player" && visit.meters?.inGame === true).length,
      startedMs,
    });
    startedMs = [];
  },
  async move({ amount, times }) {
    const took: Record<"cashIn" | "cashOut", number[]> = { cashIn: [], cashOut: [] };
    for (const { visit, machineId } of here.filter(({ role }) => role === "player"))
      for (const direction of Array.from({ length: times }, () => ["cashOut", "cashIn"] as const).flat()) {
        took[direction].push(await moveOnce(visit, direction, amount, machineId));
      }
    report({ is: "moved", ...took });
  },
  async go() {
    playing = false;
    const players = here.filter(({ role }) => role === "player");
    while (players.some(({ visit }) => visit.meters?.inGame === true)) await pause(LOOK_MS);
    await Promise.all(players.map(({ visit }) => visit.request("leave", {})));
    await Promise.all(here.splice(0).map(({ visit }) => visit.end()));
    report({ is: "gone" });
  },
};

process.on("message", (ask: CrowdRequest) => {
  doing[ask.is](ask as never).catch((error: unknown) =>
    report({ is: "failed", sentence: error instanceof Error ? error.message : String(error) }),
  );
});
// The process that started us is gone.
process.on("disconnect", () => process.exit(0));
