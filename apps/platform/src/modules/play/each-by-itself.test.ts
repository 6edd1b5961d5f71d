import { expect, test } from "vitest";
import { createLog } from "../../log.ts";
import { eachByItself } from "./each-by-itself.ts";

// maintainer 6.5: one seat that threw ended the round of leases, and every seat after it was left without.
test("one that fails is logged, and the others are looked after all the same", async () => {
  const lines: string[] = [];
  const log = createLog({ logLevel: "error", logFormat: "json" }, { write: (line) => void lines.push(line) });
  const done: string[] = [];
  await eachByItself(log, ["nar-01", "nar-02", "nar-03"], async (machineId) => {
    if (machineId === "nar-02") throw new Error("a state of tomorrow");
    done.push(machineId);
  });
  expect(done).toEqual(["nar-01", "nar-03"]);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("nar-02");
});
