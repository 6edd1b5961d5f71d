import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { findTool } from "../../tooling/finders/find-tool.ts";
import { freePort } from "../venue/free-port.ts";

export type WhipServer = {
  /** Adds a place to publish at, and returns its address. */
  addEndpoint(name: string, room: number, token: string): Promise<string>;
  /** What it says of its places: who publishes now. */
  publishing(): Promise<string[]>;
  close(): Promise<void>;
};

const START_MS = 30_000;
const LOOK_MS = 50;

/**
 * Debian's Simple WHIP Server, which hands publishers to a Janus with the video room plugin. The two are a media server that others wrote.
 * It listens on every address of this computer; its tokens are the tests' own. @throws Advice or Error when there is none or it does not start.
 */
export async function openWhipServer(janusUrl: string, say: (line: string) => void): Promise<WhipServer> {
  const { executablePath, env, args } = await findTool("whip-server", { say });
  const [modules = ""] = (env["NODE_PATH"] ?? "").split(":");
  const folder = await mkdtemp(join(tmpdir(), "longarm-whip-server-"));
  const port = await freePort();
  for (const script of ["server.js", "whip-janus.js"])
    await copyFile(join(modules, "../simple-whip-server/src", script), join(folder, script));
  const settings = { janus: { address: janusUrl }, port, rest: "/whip", allowTrickle: true, iceServers: [] };
  await writeFile(join(folder, "config.js"), `module.exports = ${JSON.stringify(settings)};\n`);
  const child = spawn(executablePath, [...args, join(folder, "server.js")], {
    cwd: folder,
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
    await rm(folder, { recursive: true, force: true });
  };
  const href = `http://127.0.0.1:${port}/whip`;
  const endsAt = performance.now() + START_MS;
  while (!(await isHealthy(href))) {
    if (child.exitCode === null && performance.now() < endsAt) continue;
    await close();
    throw new Error(`The WHIP server did not start: ${words.trim()}`);
  }
  return {
    async addEndpoint(name, room, token) {
      const body = JSON.stringify({ id: name, room, token });
      const reply = await fetch(`${href}/create`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
      });
      if (!reply.ok) throw new Error(`The WHIP server refuses an endpoint: ${await reply.text()}`);
      return `${href}/endpoint/${name}`;
    },
    async publishing() {
      const list = (await (await fetch(`${href}/endpoints`)).json()) as { id: string; enabled: boolean }[];
      return list.filter(({ enabled }) => enabled).map(({ id }) => id);
    },
    close,
  };
}

async function isHealthy(href: string): Promise<boolean> {
  const healthy = await fetch(`${href}/healthcheck`).then(
    ({ ok }) => ok,
    () => false,
  );
  if (!healthy) await pause(LOOK_MS);
  return healthy;
}
