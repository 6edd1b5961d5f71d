import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { descriptorSink, LogOutput } from "@longarm/link/log-output";
import { COMPILE_CACHE } from "./compile-cache.ts";

/** How long a program may take to stop in order before it is killed, ms. */
const STOP_MS = 10_000;
/** How much of a program's last standard error is kept, characters. */
const LAST_WORDS = 2_000;
const STANDARD_ERROR = 2;

export type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

export type Program = {
  readonly name: string;
  /** The program's main.ts. */
  readonly main: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Its command line. */
  readonly args?: readonly string[];
  /** Its log; null: our own standard error. */
  readonly logFile: string | null;
};

/** What a program sends over its channel once it serves. `ports`: port numbers of a program that has several, by name. */
export type Ready = {
  readonly pid: number;
  readonly href?: string;
  /** Of the staff's console. */
  readonly staffHref?: string;
  readonly ports?: Readonly<Record<string, number>>;
};

/** A program of ours as a child process. */
export type Child = {
  readonly pid: number;
  /** When its last beat came, by `performance.now()`; undefined: there was none yet. */
  lastBeatAt(): number | undefined;
  /** Rejects when the program ends before it serves; the message holds its last words. */
  readonly ready: Promise<Ready>;
  /** Settles when the process is gone; never rejects. */
  readonly exited: Promise<Exit>;
  /** Stops it in order, and kills it when it does not stop. */
  stop(): Promise<Exit>;
  /** kill -9. */
  kill(): Promise<Exit>;
};

/** Starts a program. It stops by itself when this process is gone, because its channel ends then. */
export function startChild(program: Program): Child {
  const log = openLog(program.logFile);
  const child = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", program.main, ...(program.args ?? [])],
    {
      env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...process.env, ...program.env },
      stdio: ["ignore", log ?? "inherit", "pipe", "ipc"],
    },
  );
  const lastWords = keepLastWords(child, log);
  const exited = new Promise<Exit>((settled) => {
    child.once("exit", (code, signal) => settled({ code, signal }));
    child.once("error", () => settled({ code: null, signal: null }));
  });
  let lastBeatAt: number | undefined;
  const ready = new Promise<Ready>((settled, failed) => {
    child.on("message", (message) => {
      if (kindOf(message) === "beat") lastBeatAt = performance.now();
      if (isReady(message)) settled(message);
    });
    void exited.then(() => failed(new Error(`The ${program.name} ended before it served. ${lastWords()}`.trim())));
  });
  return {
    pid: child.pid ?? 0,
    lastBeatAt: () => lastBeatAt,
    ready,
    exited,
    async stop() {
      const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
      signal(child, "SIGTERM");
      const exit = await exited;
      clearTimeout(timer);
      return exit;
    },
    kill() {
      signal(child, "SIGKILL");
      return exited;
    },
  };
}

function isReady(message: unknown): message is Ready {
  return kindOf(message) === "ready";
}

function kindOf(message: unknown): unknown {
  return typeof message === "object" && message !== null && "kind" in message ? message.kind : undefined;
}

function signal(child: ChildProcess, name: NodeJS.Signals): void {
  if (child.exitCode === null && child.signalCode === null) child.kill(name);
}

/** Standard error is passed on to the log, and its end is kept for the message that says why a program did not start. */
function keepLastWords(child: ChildProcess, log: number | null): () => string {
  let words = "";
  const output = new LogOutput(descriptorSink(log ?? STANDARD_ERROR), (lost) =>
    output.write(`${lost} parts of the standard error could not be written and are lost\n`),
  );
  child.stderr?.on("data", (part: Buffer) => {
    words = (words + part.toString("utf8")).slice(-LAST_WORDS);
    output.write(part.toString("utf8"));
  });
  child.once("close", () => {
    if (log !== null) closeSync(log);
  });
  return () => words.trim();
}

/** A log that cannot be opened, as on a full disk, is our own standard error: the program is started all the same. */
function openLog(file: string | null): number | null {
  if (file === null) return null;
  try {
    mkdirSync(dirname(file), { recursive: true });
    return openSync(file, "a");
  } catch {
    return null;
  }
}
