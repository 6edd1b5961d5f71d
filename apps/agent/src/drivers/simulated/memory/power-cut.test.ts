import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { drawsOf } from "@longarm/link/testing/whole-run";
import { randomOf } from "@longarm/reels/game/random";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { expectBalanced } from "../../../ports/egm.conformance.ts";
import type { EgmEvent, EgmTransferAnswer } from "../../../ports/egm.ts";
import { powerUp } from "../machine.ts";
import { trialClock } from "../trial.ts";
import type { WholeTotals } from "../view.ts";

const WORKLOAD = fileURLToPath(new URL("./workload-main.ts", import.meta.url));

type Said = {
  asked: string[];
  answers: Map<string, EgmTransferAnswer>;
  totals: WholeTotals[];
  games: number;
  faults: string[];
};

/** Runs the workload and cuts its power (kill -9) after so many lines, or lets it end by itself. */
async function runWorkload(folder: string, prefix: string, lines: number, blocks?: number): Promise<Said> {
  const said: Said = { asked: [], answers: new Map(), totals: [], games: 0, faults: [] };
  const command = blocks === undefined ? "exec" : `ulimit -f ${blocks}; exec`;
  const child = spawn("bash", ["-c", `${command} "$@"`, "bash", process.execPath, WORKLOAD, folder, prefix], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((done) => child.once("close", done));
  let seen = 0;
  for await (const text of createInterface({ input: child.stdout })) {
    const line = JSON.parse(text);
    if (line.ask) said.asked.push(line.ask);
    if (line.answer) said.answers.set(line.id, line.answer);
    if (line.totals) said.totals.push(line.totals);
    if (line.game?.outcome === "started") said.games += 1;
    if (line.fault) said.faults.push(line.fault);
    seen += 1;
    if (seen >= lines && !child.killed) child.kill("SIGKILL");
  }
  await ended;
  return said;
}

describe("power cuts", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "longarm-cut-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** Everything that was answered must be in the memory. */
  async function check(said: Said): Promise<{ totals: WholeTotals; started: number; ended: number }> {
    const { egm } = await powerUp({
      id: "m1",
      name: "M",
      brand: "nar",
      folder,
      seed: "cut",
      clock: trialClock(),
      minCycleMs: 10,
    });
    const meters = await egm.meters();
    expectBalanced(meters);
    expect(meters.inGame).toBe(false);
    for (const id of said.asked) {
      const answer = said.answers.get(id);
      const record = await egm.transfer(id);
      if (answer === undefined) continue;
      if (answer.outcome === "done") expect(record).toMatchObject({ state: "done", amount: answer.amount });
      // A refusal that made no record (nothing moved) may be forgotten, one that moved money may not.
      else expect(record.state).not.toBe("done");
    }
    const events: EgmEvent[] = [];
    for (let list = (await egm.nextEvents(100)).events; list.length > 0; list = (await egm.nextEvents(100)).events) {
      events.push(...list);
      await egm.ackEvents(list.map((event) => event.seq));
    }
    await egm.close();
    const count = (what: string): number => events.filter((event) => event.what === what).length;
    return { totals: meters.totals, started: count("gameStarted"), ended: count("gameEnded") };
  }

  test("at any line lose and double nothing, and every game that started ends once", async () => {
    const random = randomOf("power cut", "lines");
    let last: WholeTotals | null = null;
    for (let cut = 0; cut < drawsOf(10); cut += 1) {
      const said = await runWorkload(folder, `c${cut}`, 2 + random.whole(60));
      const { totals, started, ended } = await check(said);
      expect(ended).toBe(started);
      expect(started).toBeGreaterThanOrEqual(said.games);
      for (const before of [last, said.totals.at(-1) ?? null]) {
        for (const [name, value] of Object.entries(before ?? {})) {
          expect(totals[name as keyof WholeTotals]).toBeGreaterThanOrEqual(value);
        }
      }
      last = totals;
    }
  });

  test("a full disk is reported in a sentence, and everything answered before is kept", async () => {
    const said = await runWorkload(folder, "full", 100_000, 24);
    expect(said.answers.size).toBeGreaterThan(3);
    expect(said.faults.join()).toMatch(/cannot be written: .*Make room/);
    const { started, ended } = await check(said);
    expect(ended).toBe(started);
  });
});
