import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

export type ClaimsAsk = {
  readonly url: string;
  readonly tokens: readonly string[];
  readonly connections: number;
  readonly seconds: number;
};
export type ClaimsTold = { readonly paid: number; readonly refused: number };

const PROCESS = fileURLToPath(new URL("claims-process.ts", import.meta.url));

/** Claims bonuses over HTTP from a process of its own for some seconds. */
export async function claimOverHttp(ask: ClaimsAsk): Promise<ClaimsTold> {
  const child = fork(PROCESS, { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  try {
    const { promise, resolve, reject } = Promise.withResolvers<ClaimsTold>();
    child.on("message", (told: ClaimsTold) => resolve(told));
    child.on("exit", (code) => reject(new Error(`The process that claims has ended with ${code}.`)));
    child.send(ask);
    return await promise;
  } finally {
    child.removeAllListeners("exit");
    child.kill();
  }
}
