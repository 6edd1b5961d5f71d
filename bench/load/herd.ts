import { fileURLToPath } from "node:url";
import { startAsked } from "./ask-process.ts";

export type HerdCaller = { readonly playerId: string; readonly token: string };

/** What a process of sockets is told. */
export type HerdAsk =
  | { readonly is: "open"; readonly url: string; readonly callers: readonly HerdCaller[] }
  | { readonly is: "listen"; readonly machineId: string; readonly status: number }
  | { readonly is: "count"; readonly limitMs: number };

/** What it tells. */
export type HerdTells =
  | { readonly is: "open"; readonly count: number }
  | { readonly is: "listening" }
  | { readonly is: "heard"; readonly at: readonly number[] }
  | { readonly is: "lost"; readonly code: number }
  | { readonly is: "failed"; readonly sentence: string };

/** Many open notification sockets in processes of their own, so that what they read costs the measured one nothing but its sending. */
export type Herd = {
  /** From now on it is noted when each socket hears that this machine has this status. */
  listen(machineId: string, status: number): Promise<void>;
  /** When each socket heard it, ms of `process.hrtime`; those that did not within the limit are missing. */
  heard(limitMs: number): Promise<number[]>;
  end(): void;
};

const PROCESS = fileURLToPath(new URL("herd-process.ts", import.meta.url));
const PROCESSES = 2;

/** Opens one socket for each caller; a player may be named several times. @throws Error when one cannot be opened. */
export async function openHerd(href: string, callers: readonly HerdCaller[]): Promise<Herd> {
  const url = href.replace(/^http/, "ws");
  const shares = Array.from({ length: PROCESSES }, (_, index) => callers.filter((__, at) => at % PROCESSES === index));
  const processes = shares.map(startProcess);
  const end = (): void => processes.forEach((one) => void one.end());
  const all = async <Is extends HerdTells["is"]>(ask: (index: number) => HerdAsk, is: Is) =>
    await Promise.all(processes.map((one, index) => one.ask(ask(index), is)));
  try {
    await all((index) => ({ is: "open", url, callers: shares[index] ?? [] }), "open");
  } catch (error) {
    end();
    throw error;
  }
  return {
    end,
    listen: async (machineId, status) => void (await all(() => ({ is: "listen", machineId, status }), "listening")),
    heard: async (limitMs) => (await all(() => ({ is: "count", limitMs }), "heard")).flatMap(({ at }) => at),
  };
}

const startProcess = () =>
  startAsked<HerdAsk, HerdTells>(
    PROCESS,
    (told) => {
      if (told.is === "failed") return told.sentence;
      return told.is === "lost" ? `A socket of the herd was closed with ${told.code}.` : undefined;
    },
    "A process of the herd has ended.",
  );
