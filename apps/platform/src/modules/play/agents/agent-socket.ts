import { agentLink } from "@longarm/contract/agent-link";
import { fromWs } from "@longarm/link/ws-socket";
import type { SocketRoutes } from "../../../plugins/sockets.ts";
import { createSeldom, openAudit } from "../../records/audit/index.ts";
import type { PlayDeps } from "../deps.ts";
import type { AgentSessionParts } from "./agent-session.ts";
import { AgentSession } from "./agent-session.ts";
import type { KnownAgent } from "./keys.ts";
import { agentOfHeader } from "./keys.ts";

/** A machine tells about ten meters a second, events and media candidates beside them; a link of the wire may
 * carry 64 machines (`hello`), our own agent stops at 32 (its `MACHINES_MAX`). */
const MESSAGES_PER_SECOND = 2_000;

/** Adds the agents' socket: only with a key, never from a page. */
export function addAgentSocket(deps: PlayDeps, sockets: SocketRoutes, parts: AgentSessionParts): void {
  const seldom = createSeldom({ ...deps, audit: openAudit(deps.db, deps.config.play.NODE_ID) });
  sockets.add<KnownAgent>({
    path: "/agent",
    frameBytesMax: agentLink.frameBytesMax,
    messagesPerSecondMax: MESSAGES_PER_SECOND,
    caller: "agent",
    async admit({ headers, address }) {
      const agent = await agentOfHeader(deps.db, headers.authorization);
      if (agent) return { is: "admitted", context: agent };
      seldom.note(`agent ${address}`, {
        type: "agent.refused",
        actor: "visitor",
        address,
        facts: { detail: "its key" },
      });
      return {
        is: "refused",
        status: 401,
        sentence: "The agent key is not one of this platform: enrol the agent again",
      };
    },
    accept(socket, _facts, agent) {
      new AgentSession(deps, parts, fromWs(socket), agent);
    },
  });
}
