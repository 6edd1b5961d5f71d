import type { agentLink } from "@longarm/contract/agent-link";
import type { Peer } from "@longarm/link/peer";

/** Our end of the agent link. */
export type AgentPeer = Peer<typeof agentLink, "client">;

export const NOT_TAKEN = "The platform did not take event";
