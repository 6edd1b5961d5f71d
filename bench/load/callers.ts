import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { percentile } from "../../rig/figures.ts";

export type CallsAsk = {
  /** Of a server on 127.0.0.1. */
  readonly port: number;
  /** Whole requests as they go over the wire, used in turns. */
  readonly requests: readonly string[];
  /** Connections that stay open; each has one call under way at most. */
  readonly connections: number;
  readonly seconds: number;
  /** Calls a second, evenly spread, however long answers take; null: each connection asks again once it is answered. */
  readonly rate: number | null;
};

export type CallTimes = {
  /** Of each answer with 200, ms from the moment its call was meant for; of a call without a rate, from its asking. */
  readonly times: Float64Array;
  readonly failed: number;
  readonly unanswered: number;
  /** How long it took, the last answers included. */
  readonly seconds: number;
};

/** What came of calling: times in ms. */
type Called = {
  readonly answered: number;
  /** Refused, or never answered. */
  readonly failed: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
};

/** Processes that call, started once for many rounds. */
export type Callers = { call(ask: CallsAsk): Promise<Called>; end(): void };

const PROCESS = fileURLToPath(new URL("./callers-process.ts", import.meta.url));
/** One process cannot ask as much as a bare server answers. */
const PROCESSES = 2;

export function startCallers(): Callers {
  const processes = Array.from({ length: PROCESSES }, startProcess);
  return {
    async call(ask) {
      const share = { connections: Math.ceil(ask.connections / PROCESSES), rate: ask.rate && ask.rate / PROCESSES };
      return calledOf(await Promise.all(processes.map((one) => one.call({ ...ask, ...share }))));
    },
    end() {
      for (const one of processes) one.stop();
    },
  };
}

/** One request without a body, as it goes over the wire. */
export const getRequest = (path: string, host: string, token: string): string =>
  `GET ${path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${token}\r\naccept: application/json\r\n\r\n`;

/** One request with a body, as it goes over the wire. */
export function postRequest(
  path: string,
  { host, token }: { readonly host: string; readonly token: string },
  body: object,
): string {
  const text = JSON.stringify(body);
  const head = `POST ${path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${token}\r\naccept: application/json\r\n`;
  return `${head}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}

export function calledOf(processes: readonly CallTimes[]): Called {
  const times = processes.flatMap((one) => [...one.times]).sort((one, other) => one - other);
  return {
    answered: times.length,
    failed: processes.reduce((sum, { failed, unanswered }) => sum + failed + unanswered, 0),
    perSecond: times.length / Math.max(...processes.map(({ seconds }) => seconds)),
    p50: percentile(times, 0.5),
    p95: percentile(times, 0.95),
    p99: percentile(times, 0.99),
    max: times.at(-1) ?? 0,
  };
}

function startProcess() {
  const child = fork(PROCESS, { stdio: ["ignore", "ignore", "inherit", "ipc"], serialization: "advanced" });
  return {
    stop: () => child.kill(),
    async call(ask: CallsAsk): Promise<CallTimes> {
      const { promise, resolve, reject } = Promise.withResolvers<CallTimes>();
      const gone = (code: number | null): void => reject(new Error(`A process that calls has ended with ${code}.`));
      child.once("message", (message) => resolve(message as CallTimes));
      child.once("exit", gone);
      child.send(ask);
      try {
        return await promise;
      } finally {
        child.off("exit", gone);
      }
    },
  };
}

/** 99 of 100 answers come within this while a rate is sustained, ms from the moment each call was meant for. */
export const SUSTAINED_P99_MS = 50;

/** Everybody is answered, and in time. */
export const isSustained = ({ failed, p99 }: Called): boolean => failed === 0 && p99 <= SUSTAINED_P99_MS;

/**
 * The highest rate between two ends that is sustained, by halving what is between the highest that was and the lowest that was not. `from` itself
 * is not tried and is the answer when nothing above it is sustained: it must be one that certainly is, such as 0.
 */
export async function highestSustained(
  { from, to, tries }: { readonly from: number; readonly to: number; readonly tries: number },
  isHeld: (rate: number) => Promise<boolean>,
): Promise<number> {
  let [held, lost] = [from, to];
  for (let tried = 0; tried < tries; tried += 1) {
    const rate = (held + lost) / 2;
    if (await isHeld(rate)) held = rate;
    else lost = rate;
  }
  return held;
}

/** What a caller needs of the head of an HTTP/1.1 answer. */
type AnswerHead = { readonly status: number /** Head and body, bytes. */; readonly bytes: number };

const LENGTH = "\r\ncontent-length: ";

/**
 * Reads the head of an answer from text of one byte a letter; undefined: it is not whole yet. Only what servers of ours send is understood: a
 * length must be declared. @throws Error without one.
 */
export function answerHead(text: string): AnswerHead | undefined {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const at = text.toLowerCase().lastIndexOf(LENGTH, end);
  const length = Number.parseInt(text.slice(at + LENGTH.length, at + LENGTH.length + 10), 10);
  if (at < 0 || Number.isNaN(length)) throw new Error(`An answer has no length: ${text.slice(0, end)}`);
  return { status: Number(text.slice(9, 12)), bytes: end + 4 + length };
}
