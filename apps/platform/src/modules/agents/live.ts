import type { agentLink } from "@longarm/contract/agent-link";
import type { Listeners } from "@longarm/link/types";
import type { PlayPartDeps } from "../../play-base/play-deps.ts";
import type { AgentSink } from "./sink.ts";

export type LiveParts = {
  isMine(machineId: string): boolean;
  readonly sink: AgentSink;
  follow(what: string, machineId: string, run: () => Promise<void>): void;
};

/** What an agent tells without asking for an answer: hints that the next one replaces. */
export function tellLive(
  deps: PlayPartDeps,
  { isMine, sink, follow }: LiveParts,
): Listeners<(typeof agentLink)["client"]["notifications"]> {
  return {
    meters({ machineId, meters }) {
      if (isMine(machineId)) sink.metersTold(machineId, meters);
    },
    machine({ id, state, lockup }) {
      if (!isMine(id)) return;
      follow("machine", id, () => sink.stateTold(id, { isOffline: state === "offline", lockup: lockup ?? null }));
    },
    jackpots({ machineId, jackpots }) {
      if (!isMine(machineId)) return;
      follow("jackpots", machineId, async () => {
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
