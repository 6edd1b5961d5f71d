import { expect, test, vi } from "vitest";
import type { Topics } from "../../../bus/index.ts";
import type { PlayDeps } from "../deps.ts";
import type { RoomMember } from "./rooms.ts";
import { Rooms } from "./rooms.ts";

// maintainer 6.2: an outcome that was announced while the bus was away never reached its page.
test("after a gap of the bus a page learns what became of its transfers", async () => {
  let gap = (): void => {};
  const bus = {
    subscribe: () => () => {},
    onGap(handler: () => void) {
      gap = handler;
      return () => {};
    },
  };
  const decided: Topics["transfer.decided"] = {
    machineId: "nar-07",
    playerId: "p_1",
    id: "missed-cash-in",
    outcome: "done",
    amount: 5_000,
  };
  const rooms = new Rooms({ bus, log: { warn: vi.fn() } } as unknown as PlayDeps, {
    countOf: async () => 0,
    metersOf: async () => undefined,
    decidedOf: async (machineId) => (machineId === "nar-07" ? [decided] : []),
  });
  const heard = vi.fn();
  const quiet = { refresh() {}, callChanged() {}, protectionChanged() {}, spectators() {} };
  rooms.join("nar-07", { ...quiet, transferDecided: heard } as unknown as RoomMember);
  rooms.join("nar-08", { ...quiet, transferDecided: () => expect.unreachable() } as unknown as RoomMember);
  gap();
  await vi.waitFor(() => expect(heard.mock.calls).toEqual([[decided]]));
  rooms.close();
});
