import { describe, expect, test } from "vitest";
import { tellBreaches } from "../source/breach.ts";
import { codeFiles, repositoryPaths } from "../source/repository.ts";
import { pathBreaches, wordBreaches, wordsOf } from "./words.ts";

/** This folder has to name the words it forbids. */
const isHere = (path: string) => path.startsWith("tooling/rules/words/");

describe("the repository", () => {
  test("gives no name that the glossary forbids", () => {
    const files = codeFiles().filter(({ path }) => !isHere(path));
    expect(tellBreaches(files.flatMap(wordBreaches))).toEqual([]);
  });
  test("has no file or folder with such a name, or with one that says nothing", () => {
    expect(tellBreaches(repositoryPaths().flatMap(pathBreaches))).toEqual([]);
  });
});

const check = (text: string, path = "packages/link/src/a.ts") => tellBreaches(wordBreaches({ path, text }));

test.each([
  ["topUpMs", "top up ms"],
  ["HTTPSlot", "http slot"],
  ["slot-sessions", "slot sessions"],
])("%s is read as %s", (name, words) => {
  expect(wordsOf(name)).toBe(words);
});

describe("the rule finds", () => {
  test.each([
    [`const slotId = 1;`, "slot"],
    [`function bookingOf() {}`, "booking"],
    [`const f = (payment: number) => payment;`, "payment"],
    [`const f = ({ amount: payment }: X) => payment;`, "payment"],
    [`interface X { topUp: number }`, "top up"],
    [`class X { buyIn() {} }`, "buy in"],
    [`type CustomerId = string;`, "customer"],
    [`const fetchMock = 1;`, "mock"],
    [`const [lag] = xs;`, "lag"],
  ])("%s", (text, word) => {
    expect(check(text)).toEqual([expect.stringContaining(`says "${word}"`)]);
  });
  test("words that are wrong only about money, or only in the web", () => {
    expect(check(`const freezeFunds = 1;`, "packages/ledger/src/a.ts")).toHaveLength(1);
    expect(check(`const coinIn = 1;`, "apps/platform/src/a.ts")).toHaveLength(1);
    expect(check(`const egmState = 1;`, "apps/web/src/a.ts")).toHaveLength(1);
  });
  test.each([
    ["packages/link/src/utils/a.ts", "says nothing"],
    ["packages/link/src/helpers.ts", "says nothing"],
    ["apps/web/src/shared/common/a.ts", "says nothing"],
    ["apps/web/src/slot-card.tsx", `says "slot"`],
    ["apps/agent/src/egm-mock.ts", `says "mock"`],
  ])("the path %s", (path, sentence) => {
    expect(tellBreaches(pathBreaches(path))).toEqual([expect.stringContaining(sentence)]);
  });
});

describe("the rule allows", () => {
  test.each([
    [`const slotSessions = "/slot-sessions";`],
    [`const freezeMs = 1; const x = Object.freeze({});`],
    [`import { slot } from "other"; use({ slot: 1, payment: 2 }); slot.payment();`],
    [`const { payment } = fromOthers;`],
    [`const flag = 1; const plugin = 2; const commonality = 3;`],
    [`const view = <div slot="a" />;`, "apps/web/src/a.tsx"],
  ])("%s", (text, path = "packages/link/src/a.ts") => {
    expect(check(text, path)).toEqual([]);
  });
});
