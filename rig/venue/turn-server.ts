import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findTool } from "../../tooling/finders/find-tool.ts";
import { acceptsTcp, freePort } from "./free-port.ts";

export type TurnServer = {
  /** For browsers and agents: over UDP, then over TCP. */
  readonly urls: readonly [udp: string, tcp: string];
  /** For `TURN_SECRET`. */
  readonly secret: string;
  /** Places that were given and neither given back nor closed, by the server's own log. */
  placesOpen(): string[];
  close(): Promise<void>;
};

const SECRET = "a secret of the tests";
const openTo = (address: string): string[] => [
  "--use-auth-secret",
  "--realm=longarm.test",
  "--allow-loopback-peers",
  `--allowed-peer-ip=${address}`,
  "--denied-peer-ip=0.0.0.0-126.255.255.255",
  "--denied-peer-ip=128.0.0.0-255.255.255.255",
  "--no-cli",
  "--no-tls",
  "--no-dtls",
  "--simple-log",
  "--verbose",
];
const START_MS = 60_000;

/**
 * A coturn on 127.0.0.1 that relays from and to `relayAddress`, one of this computer, and nowhere else; with a configuration file, as
 * that says, but for address, secret and files.
 */
export async function openTurnServer(configurationFile?: string, relayAddress = "127.0.0.1"): Promise<TurnServer> {
  const { executablePath, env, args } = await findTool("turnserver");
  const folder = await mkdtemp(join(tmpdir(), "longarm-turn-"));
  const port = await freePort();
  const own = configurationFile === undefined ? ["-n", ...openTo(relayAddress)] : ["-c", configurationFile];
  const child = spawn(executablePath, [...args, ...own, ...settings(port, folder, relayAddress)], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let written = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (part: string) => {
      written += part;
    });
  }
  const close = async (): Promise<void> => {
    await ended(child);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await serves(port, child);
  } catch (cause) {
    await close();
    throw new Error(`coturn did not start: ${written}`, { cause });
  }
  const url = (protocol: string) => `turn:127.0.0.1:${port}?transport=${protocol}`;
  return { urls: [url("udp"), url("tcp")], secret: SECRET, placesOpen: () => placesIn(written), close };
}

function settings(port: number, folder: string, relayAddress: string): string[] {
  const values = {
    "listening-ip": "127.0.0.1",
    "listening-port": String(port),
    "relay-ip": relayAddress,
    "static-auth-secret": SECRET,
    userdb: join(folder, "turndb"),
    pidfile: join(folder, "pid"),
    "log-file": "stdout",
  };
  return Object.entries(values).map(([name, value]) => `--${name}=${value}`);
}

function placesIn(log: string): string[] {
  const sessions = (word: string) =>
    Array.from(log.matchAll(new RegExp(`session (\\d+): ${word}`, "g")), ([, id]) => id ?? "");
  const gone = new Set(sessions("(?:delete|closed)"));
  return sessions("new, ").filter((id) => !gone.has(id));
}

/** Waits until it takes TCP and answers a STUN request over UDP. */
async function serves(port: number, child: ChildProcess): Promise<void> {
  const until = performance.now() + START_MS;
  while (!((await acceptsTcp(port)) && (await answersUdp(port)))) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error("It ended.");
    if (performance.now() > until) throw new Error("It does not answer.");
  }
}

function answersUdp(port: number): Promise<boolean> {
  return new Promise((answered) => {
    const socket = createSocket("udp4");
    const over = (answer: boolean): void => {
      clearTimeout(timer);
      socket.close();
      answered(answer);
    };
    const timer = setTimeout(over, 1_000, false);
    socket.once("message", () => over(true));
    socket.once("error", () => over(false));
    // A binding request: type, no attributes, magic cookie, transaction id.
    socket.send(Buffer.from("000100002112a442".padEnd(40, "01"), "hex"), port, "127.0.0.1");
  });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}
