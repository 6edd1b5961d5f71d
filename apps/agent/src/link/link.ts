import type { Hello } from "@longarm/contract/agent-link";
import { agentLink } from "@longarm/contract/agent-link";
import { CLOSE } from "@longarm/contract/envelope";
import { createPeer } from "@longarm/link/peer";
import type { FrameSocket } from "@longarm/link/socket";
import { HandshakeRefused } from "@longarm/link/ws-socket";
import type { Clock, Stop } from "../ports/clock.ts";
import type { AgentPeer } from "./agent-peer.ts";
import type { AgentHandlers, AgentListeners } from "./handlers.ts";

const GOODBYE_MS = 1_000;

/** The link to the platform: dials, says hello, comes back by itself for ever. */
export interface PlatformLink {
  /** Says hello anew on a fresh connection: the machines have changed. */
  renew(): void;
  stop(): Promise<void>;
}

/** Starts at once and never gives up until stopped. */
export function startLink(deps: LinkDeps): PlatformLink {
  const { clock, say } = deps;
  let failures = 0;
  let stopped = false;
  let renewing = false;
  let peer: AgentPeer | undefined;
  let wake: (() => void) | undefined;

  const hooks = {
    opened: (opened: AgentPeer): void => {
      peer = opened;
      if (stopped) opened.close(1000, "stopping");
    },
    taken: (): void => {
      failures = 0;
    },
  };

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const stopTimer: Stop = clock.after(ms, resolve);
      wake = () => {
        stopTimer();
        resolve();
      };
    });
  }

  async function run(): Promise<void> {
    while (!stopped) {
      const { trouble, sentence } = await connectOnce(deps, hooks);
      peer = undefined;
      if (stopped) return;
      if (!renewing) {
        const ms = waitMs(trouble, failures, deps.random());
        failures += 1;
        deps.failed?.();
        say(`${sentence} Next try in ${Math.round(ms / 100) / 10} s.`, trouble === "refused");
        await pause(ms);
      }
      renewing = false;
    }
  }

  const running = run();
  return {
    renew: () => {
      if (peer === undefined) return;
      renewing = true;
      peer.close(1000, "the machines have changed");
    },
    stop: async () => {
      stopped = true;
      wake?.();
      peer?.close(1001, "the agent stops");
      // A platform that does not say goodbye back is not waited for.
      await Promise.race([running, new Promise<void>((resolve) => clock.after(GOODBYE_MS, resolve))]);
    },
  };
}

type LinkDeps = {
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
type ConnectionEnd = { trouble: Trouble; sentence: string };

/** Told while a connection lives: the socket is open; the platform has taken our hello. */
type Hooks = { opened: (peer: AgentPeer) => void; taken: () => void };

/** One connection from dialling to its end. Never rejects. */
async function connectOnce(deps: LinkDeps, hooks: Hooks): Promise<ConnectionEnd> {
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

/** `away`: the platform cannot be reached, so the agent tries again soon. `refused`: a person must act, or another link must end first. */
type Trouble = "away" | "refused";

const WAITS: Record<Trouble, { firstMs: number; lastMs: number }> = {
  away: { firstMs: 250, lastMs: 5_000 },
  refused: { firstMs: 2_000, lastMs: 30_000 },
};

/** The wait before the next try: doubles with every failure, spread over its upper half. `random` is 0 to below 1. */
export function waitMs(trouble: Trouble, failures: number, random: number): number {
  const { firstMs, lastMs } = WAITS[trouble];
  const wait = Math.min(lastMs, firstMs * 2 ** Math.min(failures, 16));
  return Math.round(wait * (0.5 + random / 2));
}
