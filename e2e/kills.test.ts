/** @module-tag long */
import { WHOLE_RUN } from "@longarm/link/testing/whole-run";
import { expect, test } from "vitest";
import { runKills } from "../proof/kills/kills.ts";

/*
 * The short form of `npm run proof -- kills`: eight players play at two agents' machines while the real programs are killed with -9, alone
 * and together. Whatever was in the middle is decided, every credit comes home, and the machines' own records agree with the books.
 */

const KILLS = WHOLE_RUN ? 6 : 3;
/** With six kills every kind of target is hit, twice two of them together. */
const SEED = "175";
/** On a computer that does much else; on an idle one it is over in less than a minute. */
const PATIENCE_MS = 900_000;

test(`${KILLS} kills -9 of platform, agents and database under load lose and double nothing`, {
  timeout: PATIENCE_MS,
}, async () => {
  const { counts, faults } = await runKills({ times: KILLS, seed: SEED }, { say: () => {}, begins: () => {} });
  expect(faults, faults.join("\n")).toEqual([]);
  expect(counts.of("kills")).toBe(KILLS);
  expect(counts.of("sum of all accounts")).toBe(0);
  expect(counts.of("transfers: cashIn done")).toBeGreaterThan(0);
});
