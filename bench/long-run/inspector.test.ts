import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listeningPorts, processOf } from "../../rig/process.ts";
import { openInspector } from "./inspector.ts";

test("the process that a program has started is found below it, and what it holds inside is read", async () => {
  if (process.platform !== "linux") return expect(listeningPorts(process.pid)).toEqual([]);
  const program = join(import.meta.dirname, "../../proof/fuzz/idle.ts");
  // Both are started with the same words, as an agent and its media process are.
  const script = `require("node:child_process").fork(${JSON.stringify(program)});`;
  const parent = spawn(process.execPath, ["-e", script], {
    env: { ...process.env, NODE_OPTIONS: "--inspect=127.0.0.1:0" },
    stdio: "ignore",
  });
  try {
    await expect.poll(() => processOf(parent.pid ?? 0, "idle.ts"), { timeout: 30_000 }).toBeDefined();
    const pid = processOf(parent.pid ?? 0, "idle.ts") ?? 0;
    expect(pid).not.toBe(parent.pid);
    await expect.poll(() => listeningPorts(pid).length, { timeout: 30_000 }).toBeGreaterThan(0);
    const inspector = await openInspector(pid);
    expect((await inspector.held()).heapMb).toBeGreaterThan(1);
    inspector.close();
  } finally {
    const ended = once(parent, "exit");
    // The other ends with it.
    parent.kill();
    await ended;
  }
});
