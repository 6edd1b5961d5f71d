import { expect, test } from "vitest";
import { manualClock } from "../../../testing/manual-clock.ts";
import type { EndCommand, EndParts } from "./end-session.ts";
import { endSession } from "./end-session.ts";

const COMMAND: EndCommand = {
  machineId: "nar-01",
  playerId: "p_1",
  event: "playerEnds",
  reason: "left",
  notYours: "session.not_yours",
};

/** A seat of the player that lets itself be ended, and a settling of the test's own. */
function partsWith(settle: EndParts["settle"]) {
  const clock = manualClock();
  const seat = {
    row: { player_id: "p_1", play_session_id: "ps_1" },
    facts: async () => ({ meters: { inGame: false, bonus: false } }),
    happen: async () => null,
  };
  const parts = {
    deps: { clock },
    seats: { within: async (_machineId: string, work: (open: typeof seat) => unknown) => await work(seat) },
    settle,
  };
  return { clock, parts: parts as unknown as EndParts };
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
