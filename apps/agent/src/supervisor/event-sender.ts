import type { Journal } from "../journal/journal.ts";
import type { AgentPeer } from "../link/agent-peer.ts";
import { NOT_TAKEN } from "../link/agent-peer.ts";

/**
 * Tells the platform every journalled event of one machine, in order, each until it is taken. Resolves when none waits or the link is
 * away; rejects when the platform did not take the oldest, which is then tried again.
 */
export async function sendEvents(
  deps: { machineId: string; journal: Journal; stopped: () => boolean },
  peer: AgentPeer,
): Promise<void> {
  const { machineId, journal } = deps;
  const memory = journal.machine(machineId);
  for (let event = memory.waiting[0]; event !== undefined; event = memory.waiting[0]) {
    if (peer.closed || deps.stopped()) return;
    const { told } = event;
    const answer = "phase" in told ? await peer.request("game", told) : await peer.request("event", told);
    if (answer.is === "unknown" && answer.cause === "closed") return;
    if (answer.is === "unknown") throw new Error(`${NOT_TAKEN} ${event.seq} (${answer.cause})`);
    if (answer.is === "refused") throw new Error(`${NOT_TAKEN} ${event.seq}: ${answer.refusal.reason}`);
    await journal.append({ t: "taken", m: machineId, seq: event.seq });
  }
}

/** What `hello` was answered about a machine: the platform has taken all up to `seq`, or has seen numbers that we no longer know. */
export async function takeFromHello(journal: Journal, machineId: string, seq: number): Promise<void> {
  if (seq > journal.machine(machineId).taken) await journal.append({ t: "taken", m: machineId, seq });
}
