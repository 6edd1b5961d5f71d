import { databaseNow } from "../../../database-time.ts";
import type { AgentSink, ToldState } from "../agents/index.ts";
import { announceStatus } from "../seat/index.ts";
import type { MetersNow } from "../tables.ts";
import type { GameParts } from "./connection.ts";
import { grantSeat } from "./grants.ts";
import { takeEvent, takeGame } from "./take-events.ts";

/** What the agents tell, on its way into seats, history and ledger. `work` looks after a machine whose agent is back. */
export function createAgentSink(parts: GameParts, work: (machineId: string) => Promise<void>): AgentSink {
  const { bus } = parts.deps;
  const panels = new Map<string, string>();
  /** Machines whose press is being noted: one that comes meanwhile is the same news. */
  const noting = new Set<string>();
  return {
    takeGame: (game) => takeGame(parts, game),
    takeEvent: (event) => takeEvent(parts, event),
    async linked(machineId) {
      let connected = false;
      const grant = await parts.seats.within(machineId, async (seat) => {
        await seat.happen("agentBack");
        await announceStatus(seat);
        connected = (await seat.facts()).agent;
        const { epoch, play_session_id: playSessionId, ending } = seat.row;
        return playSessionId === null || ending !== null ? null : { machineId, epoch, playSessionId };
      });
      if (grant !== null) await grantSeat(parts, grant);
      bus.publish("agent.linked", { machineId, connected });
      await work(machineId);
    },
    async unlinked(machineId) {
      const away = await parts.seats.within(machineId, async (seat) => {
        await seat.happen("agentGone");
        await announceStatus(seat);
        return !(await seat.facts()).agent;
      });
      if (away) bus.publish("agent.linked", { machineId, connected: false });
    },
    metersTold(machineId, meters) {
      bus.publish("machine.meters", { machineId, meters });
      // The panel is the player's alone: another stake or band means that the player is there.
      const panel = `${meters.bet} ${meters.activeBand}`;
      const before = panels.get(machineId);
      panels.set(machineId, panel);
      if (before === undefined || before === panel || noting.has(machineId)) return;
      noting.add(machineId);
      void playerTouched(parts, machineId).finally(() => noting.delete(machineId));
    },
    stateTold: async (machineId, told) => {
      const answersAgain = await stateTold(parts, machineId, told);
      if (answersAgain === null) return;
      bus.publish("agent.linked", { machineId, connected: answersAgain });
      if (answersAgain) await work(machineId);
    },
  };
}

async function playerTouched({ seats, deps }: GameParts, machineId: string): Promise<void> {
  try {
    await seats.within(machineId, (seat) => seat.happen("input"));
  } catch (error) {
    deps.log.warn({ err: error, machineId }, "a press could not be noted; the next one will be");
  }
}

/**
 * The agent's word on its machine; told apart from the events because enable and disable have none, and a machine that is offline tells
 * none. Answers whether it can be asked again or no longer; null: nothing changed in that.
 */
async function stateTold(
  { seats }: GameParts,
  machineId: string,
  { isOffline, lockup }: ToldState,
): Promise<boolean | null> {
  return await seats.within(machineId, async (seat) => {
    const { agent: wasReachable, meters } = await seat.facts();
    if ((meters.lockup ?? null) !== lockup) {
      const { lockup: _old, ...open } = meters;
      const now: MetersNow = lockup === null ? open : ({ ...open, lockup } as MetersNow);
      const told = { lockup, meters: JSON.stringify(now), meters_at: databaseNow() };
      await seat.trx.updateTable("machine").set(told).where("id", "=", machineId).execute();
      await seat.happen(lockup === null ? "repaired" : "fault");
    }
    await seat.trx.updateTable("machine").set({ offline: isOffline }).where("id", "=", machineId).execute();
    const { agent: isReachable } = await seat.facts();
    if (isReachable === wasReachable) return null;
    await seat.happen(isReachable ? "agentBack" : "agentGone");
    await announceStatus(seat);
    return isReachable;
  });
}
