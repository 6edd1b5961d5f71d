import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { MachineEntry } from "../config/entry.ts";
import { DRIVERS } from "./registry.ts";

const here = new URL("./", import.meta.url);
const folders = readdirSync(here, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);

test("every folder of the drivers is registered by its name, and every name has a folder", () => {
  expect([...DRIVERS.keys()].sort()).toEqual(folders.sort());
});

test.each([...DRIVERS.values()])(
  "$name runs the conformance suite, and its options have names of their own",
  (kind) => {
    const suite = new URL(`${kind.name}/conformance.test.ts`, here);
    expect(existsSync(suite)).toBe(true);
    expect(readFileSync(suite, "utf8")).toContain("egmConformance(");
    const taken = Object.keys(kind.options.shape).filter(
      (key) => key === "driver" || Object.hasOwn(MachineEntry.shape, key),
    );
    expect(taken).toEqual([]);
  },
);
