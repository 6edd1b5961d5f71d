import type { Hello } from "@longarm/contract/agent-link";
import { agentLink } from "@longarm/contract/agent-link";
import { CLOSE } from "@longarm/contract/envelope";
import { createPeer } from "@longarm/link/peer";
import type { FrameSocket } from "@longarm/link/socket";
import { HandshakeRefused } from "@longarm/link/ws-socket";
import type { Clock } from "../ports/clock.ts";
import type { AgentPeer } from "./agent-peer.ts";
import type { AgentHandlers, AgentListeners } from "./handlers.ts";
import type { Trouble } from "./waits.ts";

export type LinkDeps = {
  readonly clock: Clock;
  /** 0 to below 1; spreads the return of many agents. */
  readonly random: () => number;
  readonly dial: () => Promise<FrameSocket>;
  readonly hello: () => Hello;
  readonly handlers: AgentHandlers;
  readonly listeners: AgentListeners;
  /** The platform has taken our hello. `taken`: per machine id the last event it has. */
  readonly up: (peer: AgentPeer, taken: Readonly<Record<string, number>>) => void;
  readonly down: () => void;
  /** Called when the platform is unreachable, refuses this agent, or the link drops. */
  readonly failed?: () => void;
  /** A sentence for the log; `grave` needs a person. */
  readonly say: (sentence: string, grave: boolean) => void;
};

/** Why a connection ended, or never was. */
export type ConnectionEnd = { trouble: Trouble; sentence: string };

/** Told while a connection lives: the socket is open; the platform has taken our hello. */
type Hooks = { opened: (peer: AgentPeer) => void; taken: () => void };

/** One connection from dialling to its end. Never rejects. */
export async function connectOnce(deps: LinkDeps, hooks: Hooks): Promise<ConnectionEnd> {
  let socket: FrameSocket;
  try {
    socket = await deps.dial();
  } catch (error) {
    return dialFailure(error);
  }
  const { promise: ended, resolve: end } = Promise.withResolvers<ConnectionEnd>();
  const peer = createPeer({
    contract: agentLink,
    end: "client",
    socket,
    timers: deps.clock,
    handlers: deps.handlers,
    listeners: deps.listeners,
    onClose: (code, reason) => end(closeEnd(code, reason)),
    log: (sentence, error) => deps.say(error === undefined ? sentence : `${sentence} ${String(error)}`, false),
  });
  hooks.opened(peer);
  const refusal = await greet(deps, hooks, peer);
  if (refusal !== undefined) {
    peer.close(1000, "hello was not taken");
    await ended;
    return refusal;
  }
  const closed = await ended;
  deps.down();
  return closed;
}

/** Sends `hello`. Returns undefined once accepted, otherwise why the connection ended. */
async function greet(deps: LinkDeps, hooks: Hooks, peer: AgentPeer): Promise<ConnectionEnd | undefined> {
  const answer = await peer.request("hello", deps.hello());
  if (answer.is === "refused") {
    return { trouble: "refused", sentence: `The platform refuses this agent: ${answer.refusal.reason}` };
  }
  if (answer.is === "unknown") return { trouble: "away", sentence: "The platform did not answer hello." };
  hooks.taken();
  deps.say("The platform has taken this agent.", false);
  deps.up(peer, answer.data.taken);
  return undefined;
}

function dialFailure(error: unknown): ConnectionEnd {
  if (error instanceof HandshakeRefused && (error.httpStatus === 401 || error.httpStatus === 403)) {
    const sentence = `The platform does not know this agent's key (HTTP ${error.httpStatus}). Enrol the agent and put its key in AGENT_KEY.`;
    return { trouble: "refused", sentence };
  }
  const text = error instanceof Error ? error.message : String(error);
  return { trouble: "away", sentence: `The platform cannot be reached (${text || "no answer"}).` };
}

function closeEnd(code: number, reason: string): ConnectionEnd {
  const because = reason === "" ? `code ${code}` : `code ${code}, ${reason}`;
  if (code === CLOSE.final)
    return { trouble: "refused", sentence: `The platform ended the link for good (${because}).` };
  return { trouble: "away", sentence: `The link to the platform was lost (${because}).` };
}
