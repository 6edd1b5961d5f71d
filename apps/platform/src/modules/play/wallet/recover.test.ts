import { expect, test, vi } from "vitest";
import { markLeftUnknown, markUnknownOf } from "./recover.ts";
import type { Wallet } from "./wallet.ts";

// maintainer 6.5: one seat that throws kept the transfers of all others from being marked, and ended the round of leases with them.
test.each([
  ["nodes that have ended", (wallet: Wallet) => markUnknownOf(wallet, ["node-2"])],
  ["nodes that never came back", markLeftUnknown],
])("the open requests of %s are marked, one seat by itself", async (_whose, mark) => {
  const open = ["nar-01", "nar-02", "nar-03"].map((id) => ({ id: `tr_${id}`, machine_id: id }));
  const found = { select: () => found, where: () => found, execute: async () => open };
  const looked: string[] = [];
  const error = vi.fn();
  const within = async (machineId: string) => {
    looked.push(machineId);
    if (machineId === "nar-01") throw new Error("a state of tomorrow");
  };
  await mark({
    deps: { db: { selectFrom: () => found }, log: { error } },
    within,
  } as unknown as Wallet);
  expect(looked).toEqual(["nar-01", "nar-02", "nar-03"]);
  expect(error).toHaveBeenCalledTimes(1);
});
