import { describe, expect, test } from "vitest";
import { tellBreaches } from "../source/breach.ts";
import { codeFiles, textFiles } from "../source/repository.ts";
import { homeBreaches, leftoverBreaches } from "./leftovers.ts";

/** This folder has to name what it forbids. */
const elsewhere = ({ path }: { path: string }) => !path.startsWith("tooling/rules/texts/");

describe("the repository", () => {
  test("holds nothing unfinished and nothing switched off", () => {
    expect(tellBreaches(codeFiles().filter(elsewhere).flatMap(leftoverBreaches))).toEqual([]);
  });
  test("names no registry and no folder of one computer", () => {
    expect(tellBreaches(textFiles().filter(elsewhere).flatMap(homeBreaches))).toEqual([]);
  });
});

describe("leftovers found", () => {
  test.each([
    ["// TODO later", "says TODO"],
    ["/* FIXME */", "says FIXME"],
    ["test.skip('a', f);", "has test.skip"],
    ["describe.only('a', f);", "has describe.only"],
    ["test.concurrent.only('a', f);", "has test.concurrent.only"],
    ["it.todo('a');", "has it.todo"],
    ["test.skipIf(true)('a', f);", "has test.skipIf"],
    ["// @ts-ignore", "has @ts-ignore"],
  ])("%s", (text, sentence) => {
    expect(tellBreaches(leftoverBreaches({ path: "a.ts", text }))).toEqual([
      expect.stringContaining(`a.ts:1 ${sentence}`),
    ]);
  });
});

describe("homes found", () => {
  test.each([
    [`"resolved": "https://registry.npmjs.org/ws"`, "names a package registry"],
    [`registry=https://npm.example.org/`, "names a package registry"],
    [`const path = "/work/main/data";`, "/work/main"],
    [`see /home/ann/longarm`, "/home/ann/longarm"],
  ])("%s", (text, sentence) => {
    expect(tellBreaches(homeBreaches({ path: "a.md", text }))).toEqual([expect.stringContaining(sentence)]);
  });
});

test("ordinary text is left alone", () => {
  const text = "const todo = list.only(x); // it.each, /net/work/x, npm ci, https://example.org/npm, the work/life";
  expect([...leftoverBreaches({ path: "a.ts", text }), ...homeBreaches({ path: "a.ts", text })]).toEqual([]);
});
