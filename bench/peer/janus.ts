import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { globSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../../e2e/venue/free-port.ts";
import { findTool } from "../../tooling/finders/find-tool.ts";
import { janusSettings } from "./janus-settings.ts";

export type Janus = {
  /** Its WebSocket. */
  readonly url: string;
  /** Where it takes RTP, on 127.0.0.1. */
  readonly rtpPort: number;
  close(): Promise<void>;
};

const START_MS = 30_000;
const LOOK_MS = 50;
/** The only parts of it that are loaded. */
const MODULES = { plugins: "libjanus_streaming.so", transports: "libjanus_websockets.so" } as const;

/** A Janus of our own: its door on 127.0.0.1, its media from `address`. @throws Advice or Error when there is none or it does not start. */
export async function openJanus(address: string, tcp: boolean, say: (line: string) => void): Promise<Janus> {
  const { executablePath, env, args } = await findTool("janus", { say });
  const folder = await mkdtemp(join(tmpdir(), "longarm-janus-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const [port, rtpPort] = [await freePort(), await freeUdpPort()];
    await layOut(folder, executablePath);
    for (const [name, text] of Object.entries(janusSettings({ folder, port, rtpPort, address, tcp })))
      await writeFile(join(folder, name), text);
    const given = ["--config", join(folder, "janus.jcfg"), "--configs-folder", folder];
    const child = spawn(executablePath, [...args, ...given], {
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let words = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (part: string) => {
        words = (words + part).slice(-2_000);
      });
    const gone = once(child, "exit");
    const close = async (): Promise<void> => {
      child.kill("SIGKILL");
      await gone;
      await remove();
    };
    const url = `ws://127.0.0.1:${port}`;
    const endsAt = performance.now() + START_MS;
    while (!(await answers(url))) {
      if (child.exitCode === null && performance.now() < endsAt) continue;
      await close();
      throw new Error(`Janus did not start: ${words.trim()}`);
    }
    return { url, rtpPort, close };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Its modules lie beside it, installed or unpacked; only those that we need are put where it looks. */
async function layOut(folder: string, executablePath: string): Promise<void> {
  await mkdir(join(folder, "empty"));
  for (const [kind, file] of Object.entries(MODULES)) {
    await mkdir(join(folder, kind));
    const beside = dirname(executablePath);
    const [found] = globSync(`../lib/{,*/}janus/${kind}/${file}`, { cwd: beside });
    if (found === undefined) throw new Error(`Janus has no ${file}: use Debian's package, or one that holds it.`);
    await symlink(resolve(beside, found), join(folder, kind, basename(file)));
  }
}

async function answers(url: string): Promise<boolean> {
  const socket = new WebSocket(url, "janus-protocol");
  const answer = await new Promise<boolean>((told) => {
    socket.onopen = () => told(true);
    socket.onerror = () => told(false);
  });
  socket.close();
  if (!answer) await pause(LOOK_MS);
  return answer;
}

async function freeUdpPort(): Promise<number> {
  const socket = createSocket("udp4");
  await new Promise<void>((bound) => socket.bind(0, "127.0.0.1", bound));
  const { port } = socket.address();
  await new Promise<void>((closed) => socket.close(() => closed()));
  return port;
}
