import type { AgentMachine } from "@longarm/contract/agent-link";
import type { AgentNotify } from "../link/agent-peer.ts";
import { wireJackpots, wireMeters, wireState } from "../machine/wire.ts";
import type { Clock } from "../ports/clock.ts";
import type { Egm, EgmMeters } from "../ports/egm.ts";

/** Jackpots creep with every wager; the lobby needs them every few seconds, ms. */
export const JACKPOTS_GAP_MS = 3_000;

/** Tells the platform what has changed on a machine, the latest only. */
export interface MetersWatch {
  /** Reads the meters and tells what differs. Rejects when the machine is silent. */
  look(): Promise<void>;
  /** The last snapshot. */
  latest(): EgmMeters;
  /**
   * The platform got the meters in an answer or an event. The next look sends them again, or credits that came back to what they were before
   * would look unchanged here and stay unknown to the pages.
   */
  sendAgain(): void;
  /** The other side knows nothing any more: the next look tells everything. */
  forget(): void;
}

export function createMetersWatch(
  deps: { machineId: string; egm: Egm; clock: Clock; notify: AgentNotify },
  first: EgmMeters,
): MetersWatch {
  const { machineId, egm, clock, notify } = deps;
  let latest = first;
  let told: { meters?: string; state?: string; jackpots?: string } = {};
  let jackpotsAt = Number.NEGATIVE_INFINITY;

  function tellState(): void {
    const state = { id: machineId, state: wireState(latest), ...lockupOf(latest) };
    const text = JSON.stringify(state);
    if (text === told.state) return;
    told.state = text;
    notify("machine", state);
  }

  function tellMeters(): void {
    const meters = wireMeters(latest);
    const text = JSON.stringify(meters);
    if (text === told.meters) return;
    told.meters = text;
    notify("meters", { machineId, meters });
  }

  function tellJackpots(): void {
    const jackpots: AgentMachine["jackpots"] = wireJackpots(latest.jackpots);
    const text = JSON.stringify(jackpots);
    if (text === told.jackpots || clock.now() - jackpotsAt < JACKPOTS_GAP_MS) return;
    told.jackpots = text;
    jackpotsAt = clock.now();
    notify("jackpots", { machineId, jackpots });
  }

  return {
    look: async () => {
      latest = await egm.meters();
      tellState();
      tellMeters();
      tellJackpots();
    },
    latest: () => latest,
    sendAgain: () => {
      told = { ...told };
      delete told.meters;
    },
    forget: () => {
      told = {};
      jackpotsAt = Number.NEGATIVE_INFINITY;
    },
  };
}

function lockupOf({ lockup }: EgmMeters): Partial<Pick<EgmMeters, "lockup">> {
  return lockup === undefined ? {} : { lockup };
}
