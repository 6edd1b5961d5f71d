import { isWeakPin } from "@longarm/platform/modules/players/accounts/index";
import { describe, expect, test } from "vitest";
import { readImports } from "../tooling/rules/imports/read-imports.ts";
import { codeFiles, isTest } from "../tooling/rules/source/repository.ts";
import { DEMO_PLAYERS, sampleFloor } from "./seed.ts";

// issue 14: the demo's PINs were 1234 and 5678, which the platform refuses when a player chooses them.
test.each(DEMO_PLAYERS)("the PIN of $username is one that a player may choose", ({ pin }) => {
  expect(pin).toMatch(/^\d{4,12}$/);
  expect(isWeakPin(pin)).toBe(false);
});

describe("sample days", () => {
  const wish = {
    ...{ sampleDays: true, databaseUrl: undefined, machines: 4, cabinets: 0, machinesList: undefined },
    agentHasRun: false,
  };

  test("are wished for the machines of the demonstration floor", () => {
    expect(sampleFloor(wish)).toEqual([
      { id: "nar-01", name: "Nar 01", brand: "Nar" },
      { id: "kuzey-01", name: "Kuzey 01", brand: "Kuzey" },
      { id: "pera-01", name: "Pera 01", brand: "Pera" },
      { id: "mercan-01", name: "Mercan 01", brand: "Mercan" },
    ]);
  });

  test.each([
    ["they are not wanted", { sampleDays: false }],
    ["the database is the operator's", { databaseUrl: "postgres://db.example.com/longarm" }],
    ["the machines are the operator's", { machinesList: "/etc/longarm/machines.json" }],
    ["machines run as cabinets", { cabinets: 1 }],
    ["the machines have counted games before", { agentHasRun: true }],
  ])("are refused where %s", (_what, part) => {
    expect(sampleFloor({ ...wish, ...part })).toEqual([]);
  });

  test("cannot be had in a production: no program that runs there knows them", () => {
    const users = codeFiles()
      .filter(({ path }) => !isTest(path))
      .filter((file) => readImports(file).some(({ target }) => target?.endsWith("/sample-days.ts")));
    expect(users.map(({ path }) => path)).toEqual(["launcher/seed.ts"]);
  });
});
