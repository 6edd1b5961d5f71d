#!/usr/bin/env node
import { once } from "node:events";
import { userInfo } from "node:os";
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
  say: (line) => process.stdout.write(`${line}\n`),
  flushed: async () => {
    if (process.stdout.writableNeedDrain) await once(process.stdout, "drain");
  },
  complain: (line) => process.stderr.write(`${line}\n`),
  secret: (question) => askSecret(process.stdin, process.stderr, question),
  ...(process.stdin.isTTY &&
    process.stderr.isTTY && { ask: (question: string) => askOnTerminal(process.stdin, process.stderr, question) }),
});

/** A process may run under an id that has no name. */
function nameHere(): string {
  try {
    return userInfo().username;
  } catch {
    return "";
  }
}
