#!/usr/bin/env node
import { once } from "node:events";
import { homedir, hostname, userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { systemRandom } from "../random.ts";
import { runCommandLine } from "./run.ts";
import { askOnTerminal, askSecret } from "./terminal.ts";

/* `longarm <command> …`: the commands of staff, beside a running Longarm. */

// The reader of a pipe may close it early, as `head` does.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

process.exitCode = await runCommandLine(process.argv.slice(2), {
  environment: process.env,
  random: systemRandom,
  pause: (ms) => setTimeout(ms),
  staff: nameHere(),
  computer: hostname(),
  configFolder: process.env["XDG_CONFIG_HOME"] || join(homedir(), ".config"),
  say: (line) => process.stdout.write(`${line}\n`),
  flushed: async () => {
    if (process.stdout.writableNeedDrain) await once(process.stdout, "drain");
  },
  complain: (line) => process.stderr.write(`${line}\n`),
  secret: (question) => askSecret(process.stdin, process.stderr, question),
  ...(process.stdin.isTTY &&
    process.stderr.isTTY && { ask: (question: string) => askOnTerminal(process.stdin, process.stderr, question) }),
});

/** The system user; behind `sudo` also the user who called it. A process may run under an id that has no name. */
function nameHere(): string {
  const behind = process.env["SUDO_USER"];
  try {
    const { username } = userInfo();
    return behind !== undefined && /^[a-z_][a-z0-9_.-]{0,31}$/i.test(behind) ? `${username}:${behind}` : username;
  } catch {
    return "";
  }
}
