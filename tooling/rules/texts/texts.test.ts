import { describe, expect, test } from "vitest";
import { tellBreaches } from "../source/breach.ts";
import { codeFiles, isTest, textFiles } from "../source/repository.ts";
import { homeBreaches, leftoverBreaches, testHookBreaches, toolPathBreaches } from "./leftovers.ts";

/** This folder has to name what it forbids. */
const elsewhere = ({ path }: { path: string }) => !path.startsWith("tooling/rules/texts/");

/** The finders look there, and one test reads a table of users, which names their shells. */
const outsideFinders = ({ path }: { path: string }) =>
  !path.startsWith("tooling/finders/") && path !== "packages/database/src/embedded/places.test.ts";

/** Put together here, so that the rule may read this file. */
const under = (...folders: string[]) => ["", ...folders].join("/");

describe("the repository", () => {
  test("holds nothing unfinished and nothing switched off", () => {
    expect(tellBreaches(codeFiles().filter(elsewhere).flatMap(leftoverBreaches))).toEqual([]);
  });
  // issue 14, item 8: tests are read too, these here as well.
  test("names no registry and no folder of one computer", () => {
    expect(tellBreaches(textFiles().flatMap(homeBreaches))).toEqual([]);
  });
  // issue 14, item 1: the agent's tests named Chromium's place on one computer.
  test("names the place of no tool outside the finders", () => {
    expect(tellBreaches(codeFiles().filter(outsideFinders).flatMap(toolPathBreaches))).toEqual([]);
  });
  // maintainer 6.9: both programs killed themselves when LONGARM_CRASH_AT named a step.
  test("names no hook for tests in what ships", () => {
    const ships = ({ path }: { path: string }) => /^(apps|packages)\/[^/]+\/src\//.test(path) && !isTest(path);
    expect(tellBreaches(codeFiles().filter(ships).flatMap(testHookBreaches))).toEqual([]);
  });
});

describe("hooks for tests found", () => {
  test.each([
    ['if (name === process.env["LONGARM_CRASH_AT"]) end();', "reads LONGARM_CRASH_AT"],
    ["process.kill(process.pid, 'SIGKILL')", "can kill itself"],
    ["process.abort()", "can kill itself"],
  ])("%s", (text, sentence) => {
    expect(tellBreaches(testHookBreaches({ path: "a.ts", text }))).toEqual([expect.stringContaining(sentence)]);
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
    [`"resolved": "https://${["registry", "npmjs", "org"].join(".")}/ws"`, "names a package registry"],
    [`registry=https://${["npm", "example", "org"].join(".")}/`, "names a package registry"],
    [`const path = "${under("work", "main", "data")}";`, under("work", "main")],
    [`see ${under("home", "ann", "longarm")}`, under("home", "ann", "longarm")],
  ])("%s", (text, sentence) => {
    expect(tellBreaches(homeBreaches({ path: "a.md", text }))).toEqual([expect.stringContaining(sentence)]);
  });
});

describe("places of tools found", () => {
  test.each([
    under("usr", "bin", "chromium"),
    under("usr", "local", "sbin", "nats-server"),
    under("bin", "sh"),
    under("usr", "libexec", "chromium"),
    under("snap", "chromium"),
    under("Applications", "Chromium.app"),
  ])("%s", (path) => {
    expect(tellBreaches(toolPathBreaches({ path: "a.ts", text: `launch("${path}")` }))).toEqual([
      expect.stringContaining(`fixed path of a tool (${path})`),
    ]);
  });
  test.each(["#!/usr/bin/env node", `"node_modules/vite/bin/vite.js"`, `join(root, ".bin/node")`])(
    "but not %s",
    (text) => {
      expect(toolPathBreaches({ path: "a.ts", text })).toEqual([]);
    },
  );
});

test("ordinary text is left alone", () => {
  const text = "const todo = list.only(x); // it.each, /net/work/x, npm ci, https://example.org/npm, the work/life";
  expect([...leftoverBreaches({ path: "a.ts", text }), ...homeBreaches({ path: "a.ts", text })]).toEqual([]);
});
