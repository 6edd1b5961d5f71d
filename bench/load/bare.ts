import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const PROCESS = fileURLToPath(new URL("bare-process.ts", import.meta.url));

/** A process of its own that answers `GET /v1/player/balance` with this and does nothing else. */
export async function startBare(answer: object): Promise<{ readonly port: number; readonly pid: number; end(): void }> {
  const child = fork(PROCESS, { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  child.send(answer);
  const [{ port }] = (await once(child, "message")) as [{ readonly port: number }];
  return { port, pid: child.pid ?? 0, end: () => void child.kill() };
}
