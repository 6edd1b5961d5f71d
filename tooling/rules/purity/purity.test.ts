import { describe, expect, test } from "vitest";
import { tellBreaches } from "../source/breach.ts";
import { codeFiles } from "../source/repository.ts";
import { purityBreaches } from "./purity.ts";

test("the repository reads no clock, throws no dice and prints nothing where it should not", () => {
  expect(tellBreaches(codeFiles().flatMap(purityBreaches))).toEqual([]);
});

const check = (path: string, text: string) => tellBreaches(purityBreaches({ path, text }));
const somewhere = "apps/agent/src/a.ts";

describe("the rule finds", () => {
  test.each([
    [`console.log("x");`, "uses console.log"],
    [`const say = console.error;`, "uses console.error"],
    [`const now = Date.now();`, "Date.now"],
    [`const now = Date.now;`, "Date.now"],
    [`const now = globalThis.Date.now();`, "Date.now"],
    [`const now = new Date();`, "new Date()"],
    [`const now = Date();`, "new Date()"],
    [`const dice = Math.random();`, "Math.random"],
    [`const id = crypto.randomUUID();`, "randomUUID"],
    [`import { randomUUID } from "node:crypto";`, "randomUUID"],
    [`const id = randomUUID();`, "randomUUID"],
  ])("%s", (text, sentence) => {
    expect(check(somewhere, text)).toEqual([expect.stringContaining(sentence)]);
  });
});

describe("the rule allows", () => {
  test.each([
    [somewhere, `const at = new Date(clock.now()); const now = clock.now(); log.info("x"); const text = "Date.now()";`],
    ["apps/agent/src/clock.ts", `export const systemClock = { now: () => Date.now() };`],
    ["apps/agent/src/drivers/system-clock.ts", `export const systemClock = { now: () => Date.now() };`],
    ["apps/agent/src/main.ts", `const id = crypto.randomUUID();`],
    ["apps/agent/src/a.test.ts", `const now = Date.now();`],
    ["bench/main.ts", `console.log(Date.now());`],
    ["e2e/shots/main.ts", `console.log("done");`],
    ["apps/web/src/shared/logger.ts", `console.warn("x");`],
  ])("in %s: %s", (path, text) => {
    expect(check(path, text)).toEqual([]);
  });
});
