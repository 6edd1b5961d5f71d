import { expect, test } from "vitest";
import type { PlayDeps } from "../deps.ts";
import type { AgentSink } from "./agent-session.ts";
import { liveListeners } from "./agent-session.ts";

test("of what an agent tells faster than it can be written down, the newest counts, whatever fails before", async () => {
  const written: string[] = [];
  const gates: PromiseWithResolvers<void>[] = [];
  const running: Promise<void>[] = [];
  const sink = {
    async stateReported(machineId: string, { isOffline, lockup }: Parameters<AgentSink["stateReported"]>[1]) {
      written.push(`${machineId} ${isOffline ? "offline" : lockup}`);
      gates.push(Promise.withResolvers());
      await gates.at(-1)?.promise;
    },
  } as AgentSink;
  const live = liveListeners({} as PlayDeps, {
    isMine: (machineId) => machineId !== "other",
    sink,
    gamesBaseOf: () => 0,
    restarted: () => {},
    follow: (_what, _machineId, run) => void running.push(run().catch(() => undefined)),
  });
  for (let told = 0; told < 1_000; told += 1) live.machine?.({ id: "one", state: "locked", lockup: "tilt" });
  live.machine?.({ id: "two", state: "offline" });
  live.machine?.({ id: "other", state: "offline" });
  live.machine?.({ id: "one", state: "locked", lockup: "door" });
  expect(written).toEqual(["one tilt", "two offline"]);
  gates[0]?.reject(new Error("the database is away"));
  await running[0];
  expect(written).toEqual(["one tilt", "two offline", "one door"]);
  for (const gate of gates) gate.resolve();
  await Promise.all(running);
  live.machine?.({ id: "one", state: "idle" });
  expect(written.at(-1)).toBe("one null");
});
