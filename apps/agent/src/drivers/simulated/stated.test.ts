import { MachineAbout } from "@longarm/contract/about-machine";
import { FLOOR_BRANDS } from "@longarm/reels/brands";
import { evaluate } from "@longarm/reels/game/evaluate";
import { returnsOf } from "@longarm/reels/game/returns";
import type { Role } from "@longarm/reels/game/rules";
import { LINES, ROLES } from "@longarm/reels/game/rules";
import { stripsOf } from "@longarm/reels/game/strips";
import { expect, test } from "vitest";
import { wireAbout } from "../../machine/wire.ts";
import type { EgmDescription } from "../../ports/egm.ts";
import { statedOf } from "./stated.ts";

/* player, "Missing for a casino player": paytable and return beside the machine. */

const DESCRIPTION = { card: { stakes: { min: 200, max: 100_000 } } } as EgmDescription;

test.each(FLOOR_BRANDS)(
  "$name states each prize as its game pays it, and names each symbol of its picture",
  ({ id }) => {
    const { paytable } = statedOf(id);
    const byRole = new Map(ROLES.slice(0, 5).map((role, index) => [role, paytable?.symbols[index]]));
    for (const [role, symbol] of byRole) {
      for (const { count, times } of symbol?.prizes ?? []) {
        // So many of the symbol on the middle line, which is the first one, and nothing that pays elsewhere.
        const filler: Role[] = ["scatter", "bonus"];
        const window = Array.from({ length: 5 }, (_, reel) => {
          const other = filler[reel % 2] ?? "scatter";
          return [other, reel < count ? role : "bonus", other] as const;
        });
        expect(evaluate(window).lines[0]).toEqual({ line: 0, count, prize: times });
      }
    }
    expect(paytable?.lines).toEqual(LINES);
    const names = [...(paytable?.symbols ?? []).map(({ name }) => name), paytable?.bonus?.name];
    expect(new Set(names.map((name) => JSON.stringify(name))).size).toBe(ROLES.length);
    for (const name of names)
      expect(name).toEqual({ tr: expect.any(String), en: expect.any(String), ar: expect.any(String) });
  },
);

test("the return that is stated is the one that is counted over every combination of the reels", () => {
  for (const { id } of FLOOR_BRANDS) {
    const { returnPercent = 0 } = statedOf(id);
    expect(Math.abs(returnPercent - returnsOf(stripsOf(id)).total * 100)).toBeLessThan(0.005);
  }
});

test("what the agent answers fits the wire; the return that the operator states comes first, and says so", () => {
  const egm = { description: DESCRIPTION, stated: () => statedOf("nar") };
  const own = MachineAbout.parse(wireAbout(egm, {}));
  expect(own).toMatchObject({ stakes: DESCRIPTION.card.stakes, return: { by: "machine" } });
  expect(wireAbout(egm, { returnPercent: 91.5, rules: "18+" })).toMatchObject({
    return: { percent: 91.5, by: "operator" },
    rules: "18+",
  });
  expect(wireAbout({ description: { card: {} } as EgmDescription }, {})).toEqual({});
});
