import type { Stop } from "../ports/clock.ts";
import type { AgentPeer } from "./agent-peer.ts";
import type { LinkDeps } from "./connect-once.ts";
import { connectOnce } from "./connect-once.ts";
import { waitMs } from "./waits.ts";

const GOODBYE_MS = 1_000;

/** The link to the platform: dials, says hello, comes back by itself for ever. */
export interface PlatformLink {
  /** Says hello anew on a fresh connection: the machines have changed. */
  renew(): void;
  stop(): Promise<void>;
}

/** Starts at once and never gives up until stopped. */
export function startLink(deps: LinkDeps): PlatformLink {
  const { clock, say } = deps;
  let failures = 0;
  let stopped = false;
  let renewing = false;
  let peer: AgentPeer | undefined;
  let wake: (() => void) | undefined;

  const hooks = {
    opened: (opened: AgentPeer): void => {
      peer = opened;
      if (stopped) opened.close(1000, "stopping");
    },
    taken: (): void => {
      failures = 0;
    },
  };

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const stopTimer: Stop = clock.after(ms, resolve);
      wake = () => {
        stopTimer();
        resolve();
      };
    });
  }

  async function run(): Promise<void> {
    while (!stopped) {
      const { trouble, sentence } = await connectOnce(deps, hooks);
      peer = undefined;
      if (stopped) return;
      if (!renewing) {
        const ms = waitMs(trouble, failures, deps.random());
        failures += 1;
        deps.failed?.();
        say(`${sentence} Next try in ${Math.round(ms / 100) / 10} s.`, trouble === "refused");
        await pause(ms);
      }
      renewing = false;
    }
  }

  const running = run();
  return {
    renew: () => {
      if (peer === undefined) return;
      renewing = true;
      peer.close(1000, "the machines have changed");
    },
    stop: async () => {
      stopped = true;
      wake?.();
      peer?.close(1001, "the agent stops");
      // A platform that does not say goodbye back is not waited for.
      await Promise.race([running, new Promise<void>((resolve) => clock.after(GOODBYE_MS, resolve))]);
    },
  };
}
