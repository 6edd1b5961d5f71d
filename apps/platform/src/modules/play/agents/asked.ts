import type { agentLink } from "@longarm/contract/agent-link";
import type { Answer } from "@longarm/link/answer";

export type Requests = (typeof agentLink)["server"]["requests"];
export type AgentMethod = keyof Requests;

/** An agent's answer, or `nobody`: there is no link, so it was surely not asked. */
export type Asked<T> = Answer<T> | { readonly is: "nobody" };
