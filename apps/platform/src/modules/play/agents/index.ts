import { CLOSE } from "@longarm/contract/envelope";
import type { FastifyInstance } from "fastify";
import type { SocketRoutes } from "../../../plugins/sockets.ts";
import type { PlayDeps } from "../deps.ts";
import type { AgentSink } from "./agent-session.ts";
import { addAgentSocket } from "./agent-session.ts";
import { agentOfHeader } from "./keys.ts";
import { dropLinksOf, dropOwnLinks, Links, releaseMachine, renewLinks } from "./links.ts";
import type { KeptStill } from "./stills.ts";
import { carries, Stills, stillRoute, stillStore } from "./stills.ts";

export type { AgentSink, ReportedState } from "./agent-session.ts";
export type { KeyEnded, KeyMade, ListedAgent, OldKey } from "./keys.ts";
export {
  addAgent,
  agentOfHeader,
  endAgentKey,
  enrolAgent,
  listAgents,
  revokeAgent,
  rotateAgentKey,
} from "./keys.ts";
export type { AgentAnswer, AgentMethod, Links } from "./links.ts";
export { FIRST_STILL, stillAt, stillTag } from "./stills.ts";

/** The agents' links and what only they can do. */
export interface Agents {
  /** Sends a request to the agent of a machine, whichever node holds its link. Never rejects. */
  readonly request: Links["request"];
  readonly candidate: Links["candidate"];
  /** The agent of a key, as a header carries it; undefined: the key holds for none. */
  agentOf(header: string | undefined): Promise<{ readonly id: string } | undefined>;
  /** Whether a machine is this agent's. */
  carries(agentId: string, machineId: string): Promise<boolean>;
  /** Machines whose link is on this node. */
  machineIds(): string[];
  still(machineId: string): Promise<KeptStill | undefined>;
  /** A player looks at a lobby. */
  lobbyOpened(): void;
  /** Before anything else runs on a node that starts: links of its former life are forgotten. */
  forgetOldLinks(): Promise<void>;
  /** Keeps this node's links its own; one that another node has taken over meanwhile, or whose key has ended, is closed. */
  renewLeases(): Promise<void>;
  /** Frees what ended nodes held, and stops waiting for their answers. */
  nodesEnded(nodeIds: readonly string[]): Promise<void>;
  /** Ends the links of an agent whose keys hold no more, on every node. */
  keyChanged(agentId: string): void;
  /** Takes a machine off its link, on whichever node that is: it was moved to another agent, or retired. */
  release(machineId: string): void;
  /** Waits until the reports of agents are stored. */
  close(): Promise<void>;
}

/** Adds the agents' socket and the route of stills. `sink` is called when the first agent connects. */
export function createAgents(
  deps: PlayDeps,
  base: { readonly app: FastifyInstance; readonly sockets: SocketRoutes },
  sink: () => AgentSink,
): Agents {
  const links = new Links(deps);
  const stills = new Stills(deps, links, stillStore(deps.db));
  const pending = new Set<Promise<unknown>>();
  addAgentSocket(deps, base.sockets, { links, sink, pending });
  stillRoute(deps, base.app, links, stills);
  const unsubscribe = deps.bus.subscribe("agent.keyChanged", ({ agentId }) => {
    // Without the database the next renewal closes them.
    const closing = links
      .closeEnded()
      .catch((error: unknown) => deps.log.warn({ err: error, agentId }, "the keys of links could not be checked"))
      .finally(() => pending.delete(closing));
    pending.add(closing);
  });
  const stopReleasing = deps.bus.subscribe("machine.released", ({ machineId }) => {
    if (links.release(machineId) === undefined) return;
    const releasing = releaseMachine(deps, machineId)
      .then(() => sink().unlinked(machineId))
      .catch((error: unknown) => deps.log.error({ err: error, machineId }, "a machine could not be taken off its link"))
      .finally(() => pending.delete(releasing));
    pending.add(releasing);
  });
  return {
    request: links.request.bind(links),
    candidate: links.candidate.bind(links),
    agentOf: (header) => agentOfHeader(deps.db, header),
    carries: (agentId, machineId) => carries(deps, links, agentId, machineId),
    machineIds: () => links.machineIds(),
    still: (machineId) => stills.get(machineId),
    lobbyOpened: () => stills.lobbyOpened(),
    forgetOldLinks: () => dropOwnLinks(deps),
    async renewLeases() {
      for (const machineId of await renewLinks(deps, links))
        links.get(machineId)?.peer.close(CLOSE.later, "taken over");
      await links.closeEnded();
    },
    async nodesEnded(nodeIds) {
      for (const nodeId of nodeIds) links.nodeEnded(nodeId);
      await dropLinksOf(deps, nodeIds);
    },
    keyChanged: (agentId) => deps.bus.publish("agent.keyChanged", { agentId }),
    release: (machineId) => deps.bus.publish("machine.released", { machineId }),
    async close() {
      unsubscribe();
      stopReleasing();
      stills.close();
      while (pending.size > 0) await Promise.allSettled([...pending]);
      links.close();
    },
  };
}
