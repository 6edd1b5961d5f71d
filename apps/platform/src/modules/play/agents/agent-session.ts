import type { Game, Hello, MachineEvent } from "@longarm/contract/agent-link";
import { agentLink } from "@longarm/contract/agent-link";
import { CLOSE } from "@longarm/contract/envelope";
import type { Lockup } from "@longarm/contract/machine";
import type { Handled } from "@longarm/link/answer";
import { done, refused } from "@longarm/link/answer";
import { createPeer } from "@longarm/link/peer";
import type { FrameSocket } from "@longarm/link/socket";
import type { Listeners } from "@longarm/link/types";
import { fromWs } from "@longarm/link/ws-socket";
import type { Stop } from "../../../clock.ts";
import type { Log } from "../../../log.ts";
import type { SocketRoutes } from "../../../plugins/sockets.ts";
import { newId } from "../../../random.ts";
import type { AuditType } from "../../records/audit/index.ts";
import { createThrottledAudit, openAudit } from "../../records/audit/index.ts";
import { noteAnchor } from "../../records/clips/index.ts";
import { closeAlarm } from "../alarms.ts";
import { countedOn, gameCountedOn } from "../counted-on.ts";
import type { PlayDeps } from "../deps.ts";
import { awaitsRamClear } from "../life/index.ts";
import { storeJackpots } from "../machines.ts";
import type { MetersNow } from "../tables.ts";
import { claimMachines, helloProblem } from "./claim.ts";
import type { KnownAgent } from "./keys.ts";
import { agentOfHeader, noteKeyUse } from "./keys.ts";
import type { AgentPeer, Links } from "./links.ts";
import { dropLink } from "./links.ts";

/** What the agents' links report to the play sessions. Every call is about a machine whose link is on this node. */
export interface AgentSink {
  /** Takes one event of the machine's journal, once; answered once it is stored with all its effects. */
  takeGame(game: Game): Promise<Handled<Record<string, never>>>;
  takeEvent(event: MachineEvent): Promise<Handled<Record<string, never>>>;
  /** A link is up, after `hello` is answered. */
  linked(machineId: string): Promise<void>;
  unlinked(machineId: string): Promise<void>;
  /** Live meters; only the newest counts. */
  metersReported(machineId: string, meters: MetersNow): void;
  /** The machine can be played, cannot, or does not answer its agent. */
  stateReported(machineId: string, told: ReportedState): Promise<void>;
}

/** A machine's state as its agent reports it. */
export type ReportedState = { readonly isOffline: boolean; readonly lockup: Lockup | null };

export type AgentSessionParts = {
  readonly links: Links;
  readonly sink: () => AgentSink;
  /** What must be over before the platform closes. */
  readonly pending: Set<Promise<unknown>>;
};

type HelloAnswer = { clock: number; renewMs: number; taken: Record<string, number> };

/** An agent that sends no valid hello after its handshake is disconnected, ms. */
const HELLO_WITHIN_MS = 10_000;

/** One agent's link, from its socket to its end. */
export class AgentSession {
  readonly #deps: PlayDeps;
  readonly #parts: AgentSessionParts;
  readonly #agent: KnownAgent;
  readonly #linkId: string;
  readonly #log: Log;
  readonly #stopWaiting: Stop;
  readonly #peer: AgentPeer;
  /** What is added to each machine's own count of games. */
  #gamesBases: ReadonlyMap<string, number> = new Map();
  #saidHello = false;
  #closed = false;

  constructor(deps: PlayDeps, parts: AgentSessionParts, socket: FrameSocket, agent: KnownAgent) {
    this.#deps = deps;
    this.#parts = parts;
    this.#agent = agent;
    this.#linkId = newId(deps.random, "ln");
    this.#log = deps.log.child({ agent: agent.name, linkId: this.#linkId });
    this.#stopWaiting = deps.clock.after(HELLO_WITHIN_MS, () => socket.close(CLOSE.later, "say hello first"));
    const sink = parts.sink();
    const isMine = (machineId: string): boolean => parts.links.get(machineId)?.linkId === this.#linkId;
    const gamesBaseOf = (machineId: string): number => this.#gamesBases.get(machineId) ?? 0;
    const follow = (what: string, machineId: string, run: () => Promise<void>): void =>
      this.#follow(what, machineId, run);
    this.#peer = createPeer({
      contract: agentLink,
      end: "server",
      socket,
      timers: deps.clock,
      log: (sentence, error) => this.#log.warn({ err: error }, sentence),
      handlers: {
        hello: (input) => this.#hello(input),
        game: (game) =>
          isMine(game.machineId)
            ? sink.takeGame(gameCountedOn(game, gamesBaseOf(game.machineId)))
            : notOnThisLink(game.machineId),
        event: (event) =>
          isMine(event.machineId)
            ? sink.takeEvent({ ...event, meters: countedOn(event.meters, gamesBaseOf(event.machineId)) })
            : notOnThisLink(event.machineId),
        "recording.anchor": async (anchor) => {
          if (!isMine(anchor.machineId)) return notOnThisLink(anchor.machineId);
          await noteAnchor(deps.db, { nodeId: deps.config.play.NODE_ID, agentId: agent.id }, anchor);
          return done({});
        },
      },
      listeners: liveListeners(deps, { isMine, sink, follow, gamesBaseOf, restarted: (id) => this.#restarted(id) }),
      onClose: (code, reason) => this.#onClose(code, reason),
    });
  }

  async #hello(hello: Hello): Promise<Handled<HelloAnswer>> {
    if (this.#saidHello) return refused("request.invalid", { detail: "hello was said before on this link" });
    this.#saidHello = true;
    const claimed = await this.#claim(hello);
    if (claimed.is === "refused") {
      const { detail } = claimed.problem;
      this.#log.warn({ detail }, "an agent was refused");
      this.#tell("agent.refused", { detail });
      this.#saidHello = false;
      return claimed;
    }
    if (this.#closed) {
      await dropLink(this.#deps, this.#linkId);
      return refused("request.invalid", { detail: "the link is closed" });
    }
    const machineIds = hello.machines.map(({ id }) => id).filter((id) => Object.hasOwn(claimed.taken, id));
    this.#gamesBases = claimed.gamesBases;
    this.#parts.links.add(machineIds, {
      gamesBases: claimed.gamesBases,
      linkId: this.#linkId,
      agentId: this.#agent.id,
      keyId: this.#agent.keyId,
      peer: this.#peer,
    });
    this.#stopWaiting();
    const { skipped } = claimed;
    this.#log.info({ machines: machineIds, version: hello.version }, "agent linked");
    if (skipped.length > 0) this.#log.warn({ skipped }, "machines of an agent are not taken");
    this.#tell("agent.linked", {
      machines: machineIds,
      version: hello.version,
      ...(skipped.length > 0 && { skipped: skipped.slice(0, 10) }),
    });
    for (const machineId of machineIds) this.#follow("linked", machineId, () => this.#parts.sink().linked(machineId));
    const { clock, config } = this.#deps;
    return done({ clock: clock.now(), renewMs: Math.round(config.play.SEAT_LEASE_MS / 3), taken: claimed.taken });
  }

  async #claim(hello: Hello): ReturnType<typeof claimMachines> {
    const problem = helloProblem(hello, this.#deps.clock.now());
    if (problem) return { is: "refused", problem };
    try {
      const claim = { agentId: this.#agent.id, linkId: this.#linkId, hello };
      return await claimMachines(this.#deps, this.#parts.links, claim);
    } catch (error) {
      // Our own trouble is no refusal: a refused agent waits for a person, this one is to come back soon.
      this.#peer.close(CLOSE.later, "try again");
      throw error;
    }
  }

  /** The meters of a machine began anew under the link: where staff ordered its RAM clear, a new hello makes the baseline. */
  #restarted(machineId: string): void {
    this.#follow("meters", machineId, async () => {
      if (await awaitsRamClear(this.#deps.db, machineId)) this.#peer.close(CLOSE.later, "RAM cleared");
    });
  }

  #onClose(code: number, reason: string): void {
    this.#closed = true;
    this.#stopWaiting();
    const carried = this.#parts.links.remove(this.#linkId);
    this.#log.info({ code, reason, machines: carried }, "agent link closed");
    this.#tell("agent.away", { code, reason, machines: carried });
    this.#follow("unlinked", carried.join(","), async () => {
      await dropLink(this.#deps, this.#linkId);
      for (const machineId of carried) await this.#parts.sink().unlinked(machineId);
    });
  }

  #tell(type: AuditType, facts: object): void {
    const { db, config } = this.#deps;
    const agent = `agent:${this.#agent.id}`;
    const entry = {
      type,
      actor: agent,
      subject: agent,
      facts: { name: this.#agent.name, linkId: this.#linkId, ...facts },
    };
    this.#follow(type, agent, () => openAudit(db, config.play.NODE_ID).write(entry));
  }

  #follow(what: string, machineId: string, run: () => Promise<void>): void {
    const { pending } = this.#parts;
    const running = run()
      .catch((error: unknown) =>
        this.#log.error({ err: error, machineId, what }, "following an agent failed, the next round repairs it"),
      )
      .finally(() => pending.delete(running));
    pending.add(running);
  }
}

/** A machine that this link did not name in its hello belongs to another link. */
function notOnThisLink(machineId: string): Handled<Record<string, never>> {
  return refused("request.invalid", {
    detail: `The machine ${machineId} is not on this link: say hello with it first`,
  });
}

type LiveParts = {
  /** What is added to a machine's own count of games. */
  gamesBaseOf(machineId: string): number;
  /** The machine counts fewer games than a moment ago. */
  restarted(machineId: string): void;
  isMine(machineId: string): boolean;
  readonly sink: AgentSink;
  follow(what: string, machineId: string, run: () => Promise<void>): void;
};

/**
 * Stores reports of a machine one at a time, and of those that arrive meanwhile only the newest: an agent that floods delays only itself
 * and leaves the database to the others. It adds no delay.
 */
function newestOnly(follow: LiveParts["follow"]): LiveParts["follow"] {
  const running = new Map<string, (() => Promise<void>) | null>();
  return function begin(what, machineId, run) {
    const key = `${what} ${machineId}`;
    if (running.has(key)) return void running.set(key, run);
    running.set(key, null);
    follow(what, machineId, async () => {
      try {
        await run();
      } finally {
        const next = running.get(key);
        running.delete(key);
        if (next) begin(what, machineId, next);
      }
    });
  };
}

/** Reports that need no answer: each is replaced by the next one. */
export function liveListeners(
  deps: PlayDeps,
  { isMine, sink, follow, gamesBaseOf, restarted }: LiveParts,
): Listeners<(typeof agentLink)["client"]["notifications"]> {
  const followNewest = newestOnly(follow);
  const counted = new Map<string, number>();
  return {
    meters({ machineId, meters }) {
      if (!isMine(machineId)) return;
      const now = countedOn(meters, gamesBaseOf(machineId));
      const before = counted.get(machineId) ?? 0;
      counted.set(machineId, now.gamesPlayed);
      if (now.gamesPlayed < before) restarted(machineId);
      sink.metersReported(machineId, now);
    },
    machine({ id, state, lockup }) {
      if (!isMine(id)) return;
      followNewest("machine", id, () =>
        sink.stateReported(id, { isOffline: state === "offline", lockup: lockup ?? null }),
      );
    },
    jackpots({ machineId, jackpots }) {
      if (!isMine(machineId)) return;
      followNewest("jackpots", machineId, () => storeJackpots(deps.db, machineId, jackpots));
    },
    recording({ machineId, problem }) {
      if (isMine(machineId)) followNewest("recording", machineId, () => recordingReported(deps, machineId, problem));
    },
    viewers({ machineId, count, viewerId, state }) {
      if (isMine(machineId)) deps.bus.publish("machine.viewers", { machineId, count, viewerId, state });
    },
    "rtc.candidate"({ machineId, viewerId, candidate, sdpMid }) {
      if (!isMine(machineId)) return;
      deps.bus.publish("rtc.candidate", { machineId, viewerId, candidate, ...(sdpMid !== undefined && { sdpMid }) });
    },
  };
}

/** Play is not recorded, or is again. */
async function recordingReported(deps: PlayDeps, machineId: string, why: string | undefined): Promise<void> {
  const subject = `machine:${machineId}`;
  if (why === undefined) return await closeAlarm(deps.db, "recording", subject);
  const sentence = "play at a machine is not recorded";
  await deps.alarms.keep(deps.db, { alarm: "recording", subject, machineId, facts: { machineId, why }, sentence });
}

/** A machine reports about ten meters a second, events and media candidates beside them; a link of the wire may
 * carry 64 machines (`hello`), our own agent stops at 32 (its `MACHINES_MAX`). */
const MESSAGES_PER_SECOND = 2_000;

/** Adds the agents' socket: only with a key, never from a page. */
export function addAgentSocket(deps: PlayDeps, sockets: SocketRoutes, parts: AgentSessionParts): void {
  const throttled = createThrottledAudit({ ...deps, audit: openAudit(deps.db, deps.config.play.NODE_ID) });
  sockets.add<KnownAgent>({
    path: "/agent",
    frameBytesMax: agentLink.frameBytesMax,
    messagesPerSecondMax: MESSAGES_PER_SECOND,
    caller: "agent",
    async admit({ headers, address }) {
      const agent = await agentOfHeader(deps.db, headers.authorization);
      if (agent) {
        await noteKeyUse(deps.db, agent.keyId);
        return { is: "admitted", context: agent };
      }
      throttled.note(`agent ${address}`, {
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
