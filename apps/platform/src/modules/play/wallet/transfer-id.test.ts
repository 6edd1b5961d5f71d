import { OwnId, TransferId } from "@longarm/contract/ids";
import fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import { systemRandom } from "../../../random.ts";
import { gameTransferId, handPayTransferId, newTransferId, olderTransferIdOf, transferIdOf } from "./transfer-id.ts";

const ownId = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/);

test("every id fits ledger and agent, and no player can take one that another transfer will need", () => {
  fc.assert(
    fc.property(ownId, ownId, fc.integer({ min: 1, max: 1e12 }), (one, other, gameNumber) => {
      const ids = [transferIdOf(one, other), gameTransferId(one, gameNumber), handPayTransferId(one, other)];
      for (const id of ids) expect(z.safeParse(OwnId, id).success).toBe(true);
      expect(z.safeParse(TransferId, ids[0]).success).toBe(true);
      expect(new Set(ids).size).toBe(ids.length);
      expect(transferIdOf(one, ids[1] ?? "")).not.toBe(ids[1]);
    }),
    { seed: 7, numRuns: 200 },
  );
});

test("the same player and id give the same, others do not", () => {
  expect(transferIdOf("p_1", "abc")).toBe(transferIdOf("p_1", "abc"));
  expect(transferIdOf("p_1", "abc")).not.toBe(transferIdOf("p_2", "abc"));
  expect(handPayTransferId("a".repeat(60), "b:c")).not.toBe(handPayTransferId(`${"a".repeat(60)}:b`, "c"));
  // Or an agent could name a machine of its own so that another one's hand pay is never paid.
  expect(handPayTransferId("a", "b:c")).not.toBe(handPayTransferId("a:b", "c"));
  // The database makes the same: migrations/reconciliation/0003.
  expect(handPayTransferId("a:b", "c")).toBe("handPay.Nxs7mnMPek0ipBlYi0DMPc4CHiEw4aQ1gl_KnuGmEmA");
  expect(handPayTransferId("nar-01", "hp-1")).toBe("handPay:nar-01:hp-1");
  expect(gameTransferId("a:1", 2)).toBe("game:a:1:2");
});

test("what goes to a machine is 1 to 20 printable characters, and never an older one", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 64 }), fc.string({ maxLength: 64 }), (player, web) => {
      for (const id of [transferIdOf(player, web), newTransferId(systemRandom)]) {
        expect(id).toMatch(/^[!-~]{1,20}$/);
        expect(z.safeParse(TransferId, id).success).toBe(true);
        expect(id).not.toBe(olderTransferIdOf(player, web));
      }
    }),
    { seed: 7, numRuns: 200 },
  );
});
