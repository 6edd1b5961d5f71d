import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fakeClock, settle } from "../../testing/fake-clock.ts";
import { realClock } from "../testing/real-clock.ts";
import { tryInChild } from "./try-in-child.ts";

describe("a trial in a process of its own", { timeout: 60_000 }, () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "longarm-trial-"));
  });
  afterEach(async () => rm(folder, { recursive: true, force: true }));
  const programOf = async (line: string): Promise<string> => {
    const program = join(folder, "program.mjs");
    await writeFile(program, line);
    return program;
  };

  test.each([
    { what: "crashes", line: `process.kill(process.pid, "SIGSEGV");`, why: /ended without a word \(SIGSEGV\)/ },
    { what: "ends", line: "process.exit(3);", why: /ended without a word \(code 3\)/ },
    { what: "says what no schema knows", line: `process.send({ is: "kept" });`, why: /cannot be read/ },
    { what: "says too much", line: `process.send({ is: "broken", why: "x".repeat(600) });`, why: /cannot be read/ },
  ])("that $what is what was found", async ({ line, why }) => {
    const found = await tryInChild("qsv", { clock: realClock, program: await programOf(line) });
    expect(found).toEqual({ is: "broken", why: expect.stringMatching(why) });
  });

  test("that hangs is killed", async () => {
    const clock = fakeClock();
    const program = await programOf(`process.send = undefined; while (true);`);
    const found = tryInChild("qsv", { clock, program });
    await settle();
    clock.advance(60_000);
    expect(await found).toEqual({ is: "broken", why: expect.stringMatching(/does not end within 60 s/) });
  });

  test("is given the encoder's name, and its figures are taken", async () => {
    const line = `process.send({ is: "kept", delayMsP95: process.argv[2] === "qsv" ? 4 : 0, processorMs: 1.5 });`;
    expect(await tryInChild("qsv", { clock: realClock, program: await programOf(line) })).toEqual({
      is: "kept",
      delayMsP95: 4,
      processorMs: 1.5,
    });
  });
});
