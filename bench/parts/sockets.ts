import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { MACHINE_STATUS } from "@longarm/contract/lobby-lists";
import { percentile, spreadOf } from "../../rig/figures.ts";
import { playerIdOf, signIn } from "../../rig/player.ts";
import { programHeld } from "../../rig/process.ts";
import { startChild } from "../load/child.ts";
import { gatherCrowd, queryOf } from "../load/crowd.ts";
import type { Part, Result } from "../result.ts";
import type { Setup } from "../setup/setup.ts";
import { MACHINES } from "../setup/setup.ts";

/** The whole form, and that of every run. */
const [SOCKETS, SOCKETS_SHORT] = [5_000, 1_000];
/** Opened and closed before anything is read: the platform's own growth, of its young heap above all, is no socket's. */
const SOCKETS_BEFORE = 2_000;
/** As many as the platform lets one player have. */
const SOCKETS_OF_PLAYER = 20;
/** Times somebody sits down and gets up. */
const ROUNDS = 15;
/** Longest wait until all sockets have received a change, ms. */
const RECEIVED_MS_MAX = 15_000;
/** Wanted of five thousand sockets: within what time 99 of 100 receive a change, ms, and what each costs the platform, KB. */
const [RECEIVED_P99_MS, SOCKET_KB_MAX] = [250, 25];
/** Until garbage of the handshakes is gone, ms. */
const SETTLED_MS = 8_000;

const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** Five thousand notification sockets on one platform process: how long until all of them know of a change, and what each costs. */
export const sockets: Part = (setup, report) => socketsOf(SOCKETS, setup, report);
/** The same with a thousand. */
export const socketsShort: Part = (setup, report) => socketsOf(SOCKETS_SHORT, setup, report);

const socketsOf = async (count: number, setup: Setup, report: (result: Result) => void): Promise<void> => {
  const query = queryOf(setup);
  const crowd = await gatherCrowd(setup, query, count / SOCKETS_OF_PLAYER);
  const callers = crowd.flatMap((player) =>
    Array.from({ length: SOCKETS_OF_PLAYER }, () => ({ playerId: playerIdOf(player), token: player.token })),
  );
  const platform = setup.venue.platform.pid();
  await warmUp(setup, callers.slice(0, Math.min(SOCKETS_BEFORE, count)));
  const before = programHeld(platform);
  setup.say(`Sockets: ${count} are opened`);
  const herd = await openHerd(setup.venue.href, callers);
  try {
    await pause(SETTLED_MS);
    const after = programHeld(platform);
    const condition = `${count} sockets`;
    const heldKb = ((after.residentMb - before.residentMb) * 1_024) / count;
    const heldOf = { what: "platform: memory (resident) of a socket", condition, unit: "KB", value: heldKb } as const;
    // A thousand are fewer than make the young heap grow to its size, so they carry its growth.
    report(count < SOCKETS ? heldOf : { ...heldOf, held: { reach: { of: "figure", atMost: SOCKET_KB_MAX } } });
    const { times, missed } = await sitAndGetUp(setup, herd, count);
    report({ what: "a machine's change reaches a socket", condition, unit: "ms", value: spreadOf(times) });
    report({
      ...{ what: "the same, 99 of 100 sockets", condition, unit: "ms", value: percentile(inOrder(times), 0.99) },
      held: { reach: { of: "figure", atMost: RECEIVED_P99_MS } },
    });
    report({
      ...{ what: "sockets that did not receive it", condition, unit: "times", value: missed },
      held: { reach: { of: "figure", atMost: 0 } },
    });
  } finally {
    herd.end();
  }
};

async function warmUp(setup: Setup, callers: readonly HerdCaller[]): Promise<void> {
  setup.say(`Sockets: ${callers.length} come and go`);
  const herd = await openHerd(setup.venue.href, callers);
  await pause(SETTLED_MS);
  herd.end();
  await pause(SETTLED_MS);
}

/** From the sitter's own word to each socket's, so with everything that sitting down costs. */
async function sitAndGetUp(setup: Setup, herd: Awaited<ReturnType<typeof openHerd>>, count: number) {
  const sitter = await signIn(setup.venue.href);
  const [machineId] = MACHINES;
  const times: number[] = [];
  let missed = 0;
  setup.say(`Sockets: somebody sits down and gets up ${ROUNDS} times`);
  for (let round = 0; round < ROUNDS; round += 1) {
    const page = await sitter.open(machineId);
    for (const [status, act] of [
      [MACHINE_STATUS.playing, () => page.init()],
      [MACHINE_STATUS.available, () => page.peer.request("leave", {})],
    ] as const) {
      await herd.listen(machineId, status);
      const from = monotonicMs();
      const answer = await act();
      if (answer.is !== "done") throw new Error(`The seated player's answer was ${JSON.stringify(answer)}.`);
      const at = await herd.received(RECEIVED_MS_MAX);
      missed += count - at.length;
      times.push(...at.map((one) => one - from));
    }
    page.drop();
  }
  return { times, missed };
}

const inOrder = (values: readonly number[]): number[] => values.toSorted((one, other) => one - other);

type HerdCaller = { readonly playerId: string; readonly token: string };

/** A command for a process of sockets. */
export type HerdRequest =
  | { readonly is: "open"; readonly url: string; readonly callers: readonly HerdCaller[] }
  | { readonly is: "listen"; readonly machineId: string; readonly status: number }
  | { readonly is: "count"; readonly limitMs: number };

/** What it reports. */
export type HerdReport =
  | { readonly is: "open"; readonly count: number }
  | { readonly is: "listening" }
  | { readonly is: "received"; readonly at: readonly number[] }
  | { readonly is: "lost"; readonly code: number }
  | { readonly is: "failed"; readonly sentence: string };

/** Many open notification sockets in processes of their own, so that what they read costs the measured one nothing but its sending. */
type Herd = {
  /** From now on it is noted when each socket receives this status of this machine. */
  listen(machineId: string, status: number): Promise<void>;
  /** When each socket received it, ms of `process.hrtime`; those that did not within the limit are missing. */
  received(limitMs: number): Promise<number[]>;
  end(): void;
};

const PROCESS = fileURLToPath(new URL("./herd-process.ts", import.meta.url));
const PROCESSES = 2;

/** Opens one socket for each caller; a player may be named several times. @throws Error when one cannot be opened. */
async function openHerd(href: string, callers: readonly HerdCaller[]): Promise<Herd> {
  const url = href.replace(/^http/, "ws");
  const shares = Array.from({ length: PROCESSES }, (_, index) => callers.filter((__, at) => at % PROCESSES === index));
  const processes = shares.map(startProcess);
  const end = (): void => processes.forEach((one) => void one.end());
  const all = async <Is extends HerdReport["is"]>(ask: (index: number) => HerdRequest, is: Is) =>
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
    received: async (limitMs) => (await all(() => ({ is: "count", limitMs }), "received")).flatMap(({ at }) => at),
  };
}

const startProcess = () =>
  startChild<HerdRequest, HerdReport>(
    PROCESS,
    (report) => {
      if (report.is === "failed") return report.sentence;
      return report.is === "lost" ? `A socket of the herd was closed with ${report.code}.` : undefined;
    },
    "A process of the herd has ended.",
  );
