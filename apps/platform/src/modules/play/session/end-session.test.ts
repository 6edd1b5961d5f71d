import { expect, test } from "vitest";
import { manualClock } from "../../../testing/manual-clock.ts";
import type { GameParts } from "./connection.ts";
import type { EndCommand } from "./end-session.ts";
import { endSession } from "./end-session.ts";

const COMMAND: EndCommand = {
  machineId: "nar-01",
  playerId: "p_1",
  event: "playerEnds",
  reason: "left",
  notYours: "session.not_yours",
};

/** A seat of the player that lets itself be ended, and a settling of the test's own. */
function partsWith(settle: GameParts["settler"]["settle"]) {
  const clock = manualClock();
  const seat = {
    row: { player_id: "p_1", play_session_id: "ps_1" },
    facts: async () => ({ meters: { inGame: false, bonus: false } }),
    happen: async () => null,
  };
  let changed = (_message: { machineId: string }): void => {};
  const bus = {
    subscribe(_topic: string, handler: typeof changed) {
      changed = handler;
      return () => {
        changed = () => {};
      };
    },
  };
  const none = { select: () => none, where: () => none, executeTakeFirst: async () => ({ ended_at: null }) };
  const parts = {
    deps: { clock, bus, db: { selectFrom: () => none } },
    seats: { within: async (_machineId: string, work: (open: typeof seat) => unknown) => await work(seat) },
    settler: { settle },
  };
  return { clock, parts: parts as unknown as GameParts, change: (machineId: string) => changed({ machineId }) };
}

test("whoever ends a play session on a silent machine is answered unknown before the web gives up", async () => {
  const asked = Promise.withResolvers<void>();
  const { clock, parts } = partsWith(() => {
    asked.resolve();
    return new Promise(() => {});
  });
  const ending = endSession(parts, COMMAND);
  await asked.promise;
  clock.advance(14_000);
  expect(await ending).toEqual({ outcome: "unknown", amount: 0 });
});

// maintainer 6.11: a play session that took its time was settled ten times a second.
test("a play session that does not end yet is settled again when its seat changes, and ever less often by itself", async () => {
  let settled = 0;
  const { clock, parts, change } = partsWith(async () => {
    settled += 1;
    return "waiting" as never;
  });
  const ending = endSession(parts, COMMAND);
  await expect.poll(() => settled).toBe(1);
  change("another-machine");
  change("nar-01");
  await expect.poll(() => settled).toBe(2);
  for (let step = 0; step < 120; step += 1) {
    // Lets what was woken run on to its next wait.
    await new Promise((next) => setImmediate(next));
    clock.advance(100);
  }
  expect(await ending).toEqual({ outcome: "unknown", amount: 0 });
  expect(settled).toBeGreaterThan(4);
  expect(settled).toBeLessThan(15);
});
