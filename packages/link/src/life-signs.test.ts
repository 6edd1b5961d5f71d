import { fork } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

const SOON = { timeout: 30_000, interval: 50 };

/** A program of one line that shows its life. */
async function liveProgram(folder: string, line: string): Promise<string> {
  const program = join(folder, "main.mjs");
  const source = new URL("./life-signs.ts", import.meta.url).href;
  await writeFile(program, `import { showLife } from ${JSON.stringify(source)}; ${line}`);
  return program;
}

test("a program beats to its parent, and says to systemd that it serves and that it runs (16.5.3)", async () => {
  const folder = await mkdtemp(join(tmpdir(), "longarm-life-"));
  const said = join(folder, "said");
  await writeFile(join(folder, "systemd-notify"), `#!/bin/sh\necho "$1" >> "${said}"\n`);
  await chmod(join(folder, "systemd-notify"), 0o755);
  const program = await liveProgram(folder, "process.on('disconnect', () => process.exit(0)); showLife(process.env);");
  const env = {
    PATH: `${folder}:${process.env["PATH"]}`,
    NOTIFY_SOCKET: join(folder, "socket"),
    WATCHDOG_USEC: "200000",
  };
  const child = fork(program, { env, stdio: ["ignore", "ignore", "inherit", "ipc"] });
  try {
    expect((await once(child, "message"))[0]).toEqual({ kind: "beat" });
    const words = async () => (await readFile(said, "utf8")).trim().split("\n");
    await expect.poll(async () => (await words()).length, SOON).toBeGreaterThan(2);
    const [first, ...others] = await words();
    expect([first, new Set(others)]).toEqual(["READY=1", new Set(["WATCHDOG=1"])]);
  } finally {
    child.kill("SIGKILL");
    await rm(folder, { recursive: true, force: true });
  }
});

test("a program that hangs as soon as it serves has beaten once, so that its parent judges it (16.5.3)", async () => {
  const folder = await mkdtemp(join(tmpdir(), "longarm-life-"));
  const program = await liveProgram(folder, "showLife({}); while (true);");
  const child = fork(program, { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  try {
    expect((await once(child, "message", { signal: AbortSignal.timeout(30_000) }))[0]).toEqual({ kind: "beat" });
  } finally {
    child.kill("SIGKILL");
    await rm(folder, { recursive: true, force: true });
  }
});
