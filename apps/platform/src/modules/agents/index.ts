import type { FastifyInstance } from "fastify";
import type { PlayPartDeps } from "../../play-base/play-deps.ts";
import type { SocketRoutes } from "../../plugins/sockets.ts";
import { addAgentSocket } from "./agent-socket.ts";
import { Links } from "./links.ts";
import { dropOwnLinks, renewLinks } from "./node-leases.ts";
import type { AgentSink } from "./sink.ts";
import { stillRoute } from "./still-route.ts";
import type { KeptStill } from "./stills.ts";
import { Stills } from "./stills.ts";

export { agentOfHeader, type Enrolled, enrolAgent } from "./keys.ts";
export type { AgentMethod, Asked } from "./links.ts";
export type { AgentSink, ToldState } from "./sink.ts";

/** The agents' links and what only they can do. */
export interface Agents {
  /** Asks the agent of a machine, whatever node holds its link. Never rejects. */
  readonly ask: Links["ask"];
  readonly candidate: Links["candidate"];
  /** Machines whose link is on this node. */
  machineIds(): string[];
  still(machineId: string): Promise<KeptStill | undefined>;
  /** Changes with every still; null: there is none. */
  stillTag(machineId: string): string | null;
  /** Somebody looks at a lobby. */
  lobbyOpened(): void;
  /** Before anything else runs on a node that starts: links of its former life are forgotten. */
  forgetOldLinks(): Promise<void>;
  renewLeases(): Promise<void>;
  /** Waits until what agents have told is stored. */
  close(): Promise<void>;
}

/** Adds the agents' socket and the route of stills. `sink` is asked for when the first agent comes. */
export function createAgents(
  deps: PlayPartDeps,
  base: { readonly app: FastifyInstance; readonly sockets: SocketRoutes },
  sink: () => AgentSink,
): Agents {
  const links = new Links(deps);
  const stills = new Stills(deps, links);
  const pending = new Set<Promise<unknown>>();
  addAgentSocket(deps, base.sockets, { links, sink, pending });
  stillRoute(deps, base.app, links, stills);
  return {
    ask: links.ask.bind(links),
    candidate: links.candidate.bind(links),
    machineIds: () => links.machineIds(),
    still: (machineId) => stills.get(machineId),
    stillTag: (machineId) => stills.tag(machineId),
    lobbyOpened: () => stills.lobbyOpened(),
    forgetOldLinks: () => dropOwnLinks(deps),
    renewLeases: () => renewLinks(deps, links),
    async close() {
      stills.close();
      while (pending.size > 0) await Promise.allSettled([...pending]);
      links.close();
    },
  };
}
