import { setTimeout as sleep } from "node:timers/promises";
import type { RunningServer, StartOptions } from "./start-server.ts";
import { startServer } from "./start-server.ts";
import { stopServer } from "./stop-server.ts";

/** A server that is started again when it ends without being asked. */
export type Supervised = { pid(): number; stop(): Promise<void> };

const PAUSE_MS_MIN = 250;
const PAUSE_MS_MAX = 10_000;
/** A server that ran so long was well, and something else has ended it: the pauses, for one that cannot live, begin anew. */
const WELL_MS = 10_000;

/**
 * Keeps a server running on its port, so that its address stays true and the pools of all users reconnect by themselves. It
 * never gives up, it only waits longer: a disk that was full may have space again.
 */
export function supervise(start: StartOptions, first: RunningServer): Supervised {
  const { log, clock } = start;
  const stopping = new AbortController();
  let server = first;
  let startedAt = clock.now();
  let pauseMs = 0;

  async function startAgain(): Promise<void> {
    if (clock.now() - startedAt > WELL_MS) pauseMs = 0;
    while (!stopping.signal.aborted) {
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      pauseMs = Math.min(Math.max(pauseMs * 2, PAUSE_MS_MIN), PAUSE_MS_MAX);
      try {
        server = await startServer(start, first.portNumber);
        startedAt = clock.now();
        log.info({ pid: server.pid }, "the database is running again");
        return;
      } catch (error) {
        log.error({ error: String(error), nextTryMs: pauseMs }, "the database server could not be started again");
      }
    }
  }

  async function keep(): Promise<void> {
    while (!stopping.signal.aborted) {
      const { code, signal } = await endOf(server);
      if (stopping.signal.aborted) return;
      log.error({ code, signal, pid: server.pid }, "the database server ended by itself: starting it again");
      await startAgain();
    }
  }

  const kept = keep();
  return {
    pid: () => server.pid,
    async stop() {
      stopping.abort();
      if (!hasEnded(server)) await stopServer(server.pid, clock, log);
      await kept;
      // It may have been in the middle of a start when we were asked.
      if (!hasEnded(server)) await stopServer(server.pid, clock, log);
    },
  };
}

type End = { code: number | null; signal: string | null };

async function endOf(server: RunningServer): Promise<End> {
  const { child } = server;
  if (hasEnded(server)) return { code: child.exitCode, signal: child.signalCode };
  return await new Promise((done) => child.once("exit", (code, signal) => done({ code, signal })));
}

function hasEnded({ child }: RunningServer): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
