import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { findTool } from "../../tooling/finders/find-tool.ts";
import { freePort } from "./free-port.ts";

/** A NATS server on 127.0.0.1. */
export type NatsServer = {
  readonly portNumber: number;
  /** For `BUS_URL`. */
  readonly url: string;
  /** kill -9. */
  kill(): Promise<void>;
  /** Starts it again at the same port after a kill. */
  start(): Promise<void>;
  close(): Promise<void>;
};

export type NatsOptions = { readonly user?: string; readonly pass?: string; readonly token?: string };

const LOOK_MS = 20;
const START_MS = 60_000;

export async function openNatsServer({ user, pass, token }: NatsOptions = {}): Promise<NatsServer> {
  const { executablePath, env, args } = await findTool("nats-server");
  const portNumber = await freePort();
  const own = ["--addr", "127.0.0.1", "--port", String(portNumber)];
  if (user !== undefined) own.push("--user", user, "--pass", pass ?? "");
  if (token !== undefined) own.push("--auth", token);
  let child: ChildProcess | undefined;

  async function kill(): Promise<void> {
    const running = child;
    child = undefined;
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
    const gone = once(running, "exit");
    running.kill("SIGKILL");
    await gone;
  }

  async function start(): Promise<void> {
    const started = spawn(executablePath, [...args, ...own], {
      env: { ...process.env, ...env },
      stdio: ["ignore", "ignore", "pipe"],
    });
    child = started;
    let said = "";
    started.stderr?.setEncoding("utf8").on("data", (part: string) => {
      said = (said + part).slice(-4_000);
    });
    const until = performance.now() + START_MS;
    while (!(await takesTcp(portNumber))) {
      if (started.exitCode === null && started.signalCode === null && performance.now() < until) continue;
      await kill();
      throw new Error(`The NATS server did not start: ${said}`);
    }
  }

  await start();
  const who = user === undefined ? token : `${user}:${pass ?? ""}`;
  const url = `nats://${who === undefined ? "" : `${who}@`}127.0.0.1:${portNumber}`;
  return { portNumber, url, kill, start, close: kill };
}

function takesTcp(portNumber: number): Promise<boolean> {
  return new Promise((answered) => {
    const socket = connect(portNumber, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      answered(true);
    });
    socket.once("error", () => setTimeout(answered, LOOK_MS, false));
  });
}
