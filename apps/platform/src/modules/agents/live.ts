import type { agentLink } from "@longarm/contract/agent-link";
import type { Listeners } from "@longarm/link/types";
import type { PlayPartDeps } from "../../play-base/play-deps.ts";
import type { AgentSink } from "./sink.ts";

export type LiveParts = {
  isMine(machineId: string): boolean;
  readonly sink: AgentSink;
  follow(what: string, machineId: string, run: () => Promise<void>): void;
};

/**
 * Runs what is told of a machine one at a time, and of what comes meanwhile only the newest: an agent that floods waits for its own word alone
 * and leaves the database to the others.
 */
function newestOnly(follow: LiveParts["follow"]): LiveParts["follow"] {
  const running = new Map<string, (() => Promise<void>) | null>();
  return function begin(what, machineId, run) {
    const key = `${what} ${machineId}`;
    if (running.has(key)) return void running.set(key, run);
    running.set(key, null);
    follow(what, machineId, async () => {
      try {
        await run();
      } finally {
        const next = running.get(key);
        running.delete(key);
        if (next) begin(what, machineId, next);
      }
    });
  };
}

/** What an agent tells without asking for an answer: hints that the next one replaces. */
export function tellLive(
  deps: PlayPartDeps,
  { isMine, sink, follow }: LiveParts,
): Listeners<(typeof agentLink)["client"]["notifications"]> {
  const followNewest = newestOnly(follow);
  return {
    meters({ machineId, meters }) {
      if (isMine(machineId)) sink.metersTold(machineId, meters);
    },
    machine({ id, state, lockup }) {
      if (!isMine(id)) return;
      followNewest("machine", id, () => sink.stateTold(id, { isOffline: state === "offline", lockup: lockup ?? null }));
    },
    jackpots({ machineId, jackpots }) {
      if (!isMine(machineId)) return;
      followNewest("jackpots", machineId, async () => {
        const kept = JSON.stringify(jackpots.toSorted((one, other) => other.amount - one.amount));
        await deps.db.updateTable("machine").set({ jackpots: kept }).where("id", "=", machineId).execute();
      });
    },
    viewers({ machineId, count }) {
      if (isMine(machineId)) deps.bus.publish("machine.viewers", { machineId, count });
    },
    "rtc.candidate"({ machineId, viewerId, candidate, sdpMid }) {
      if (!isMine(machineId)) return;
      deps.bus.publish("rtc.candidate", { machineId, viewerId, candidate, ...(sdpMid !== undefined && { sdpMid }) });
    },
  };
}
