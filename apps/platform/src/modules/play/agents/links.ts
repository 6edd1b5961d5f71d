import { agentLink } from "@longarm/contract/agent-link";
import { CLOSE } from "@longarm/contract/envelope";
import { OwnId } from "@longarm/contract/ids";
import { problems } from "@longarm/contract/problems";
import type { Answer } from "@longarm/link/answer";
import type { Peer } from "@longarm/link/peer";
import { sql } from "kysely";
import * as z from "zod/mini";
import type { BusAnswer } from "../../../bus/index.ts";
import { databaseIn, databaseNow } from "../../../database-time.ts";
import { countedOn } from "../counted-on.ts";
import type { PlayDeps } from "../deps.ts";
import { endedKeys } from "./keys.ts";

export type Requests = (typeof agentLink)["server"]["requests"];
export type AgentMethod = keyof Requests;

/** An agent's answer, or `noLink`: there is no link to the agent, so the request was surely not sent. */
export type AgentAnswer<T> = Answer<T> | { readonly is: "noLink" };

export type AgentPeer = Peer<typeof agentLink, "server">;

/** A link that is up on this node. */
export type Link = {
  readonly linkId: string;
  readonly agentId: string;
  /** The key that it was opened with. */
  readonly keyId: string;
  readonly peer: AgentPeer;
  /** What is added to each machine's own count of games. */
  readonly gamesBases: ReadonlyMap<string, number>;
};

/** How much longer than the agent's own deadline another node is waited for, ms. */
const BUS_GRACE_MS = 500;

export type LinksDeps = Pick<PlayDeps, "config" | "db" | "bus" | "log">;

/** The links of this node, and requests over those of other nodes. */
export class Links {
  readonly #deps: LinksDeps;
  readonly #byMachine = new Map<string, Link>();
  readonly #stop: () => void;
  /** Requests that another node was given, by that node. */
  readonly #relayed = new Map<string, Set<() => void>>();

  constructor(deps: LinksDeps) {
    this.#deps = deps;
    this.#stop = deps.bus.respond(subjectOf(deps.config.play.NODE_ID), (message) => this.#relay(message));
  }

  get(machineId: string): Link | undefined {
    return this.#byMachine.get(machineId);
  }

  add(machineIds: readonly string[], link: Link): void {
    for (const machineId of machineIds) this.#byMachine.set(machineId, link);
  }

  /** Every machine whose link is on this node. */
  all(): { readonly machineId: string; readonly link: Link }[] {
    return [...this.#byMachine].map(([machineId, link]) => ({ machineId, link }));
  }

  /** Takes one machine off its link: it is no longer that agent's. Answers whether it was here. */
  release(machineId: string): Link | undefined {
    const link = this.#byMachine.get(machineId);
    this.#byMachine.delete(machineId);
    return link;
  }

  /** Forgets a link and answers the machines that it still carried. */
  remove(linkId: string): string[] {
    const carried = [...this.#byMachine].filter(([, link]) => link.linkId === linkId).map(([machineId]) => machineId);
    for (const machineId of carried) this.#byMachine.delete(machineId);
    return carried;
  }

  /** Ends every link whose key has ended; its agent comes back with one that holds, or not at all. */
  async closeEnded(): Promise<void> {
    const links = [...this.#byMachine.values()];
    const ended = await endedKeys(this.#deps.db, [...new Set(links.map(({ keyId }) => keyId))]);
    const peers = new Set(links.filter(({ keyId }) => ended.has(keyId)).map(({ peer }) => peer));
    for (const peer of peers) peer.close(CLOSE.later, "key changed");
  }

  machineIds(): string[] {
    return [...this.#byMachine.keys()];
  }

  /** Sends a request to the machine's agent, over the node that holds its link. Never rejects. */
  async request<M extends AgentMethod>(
    method: M,
    data: z.input<Requests[M]["input"]> & { readonly machineId: string },
    deadlineMs?: number,
  ): Promise<AgentAnswer<z.output<Requests[M]["output"]>>> {
    const limitMs = deadlineMs ?? agentLink.server.requests[method].deadlineMs;
    const local = this.#byMachine.get(data.machineId);
    if (local) return await requestOver(local, method, data, limitMs);
    const nodeId = await this.#nodeOf(data.machineId);
    if (nodeId === undefined || nodeId === this.#deps.config.play.NODE_ID) return { is: "noLink" };
    const isAway = this.#deps.bus.state() === "away";
    const answer = await this.#requestFrom(nodeId, { method, data, limitMs }, limitMs);
    // The bus's server reports without a seal that no node responds, and any client of that server could do the same: it proves nothing about money.
    if (answer.is === "noResponder" && !isAway && movesMoney.has(method)) return { is: "unknown", cause: "closed" };
    return parseRelayedAnswer(method, answer);
  }

  /** Whether the machine's link is on another node, as far as the database knows. */
  async isElsewhere(machineId: string): Promise<boolean> {
    const nodeId = await this.#nodeOf(machineId);
    return nodeId !== undefined && nodeId !== this.#deps.config.play.NODE_ID;
  }

  /** Whether the link of a machine lives on another node, by that node's own word; one that says nothing is believed to hold it. */
  async isHeldBy(nodeId: string, machineId: string, withinMs: number): Promise<boolean> {
    const answer = await this.#requestFrom(nodeId, { probe: machineId, withinMs }, withinMs);
    return !(answer.is === "done" && answer.data === "gone");
  }

  /** Whether the agent of a link of this node answers. Asking is the only proof: a broken connection can look open for minutes. */
  async isAlive(machineId: string, withinMs: number): Promise<boolean> {
    const link = this.#byMachine.get(machineId);
    if (link === undefined) return false;
    const answer = await link.peer.request("egm.meters", { machineId }, { deadlineMs: withinMs });
    if (answer.is !== "unknown") return true;
    link.peer.close(CLOSE.later, "silent");
    return false;
  }

  /** What a node that has ended was given is not waited for any more; it may have been done. */
  nodeEnded(nodeId: string): void {
    for (const giveUp of this.#relayed.get(nodeId) ?? []) giveUp();
  }

  /** Passes an ICE candidate to the agent; lost when the link is on another node that is not there. Never rejects. */
  async candidate(data: z.input<(typeof agentLink)["server"]["notifications"]["rtc.candidate"]>): Promise<void> {
    const local = this.#byMachine.get(data.machineId);
    if (local) return local.peer.notify("rtc.candidate", data);
    const nodeId = await this.#nodeOf(data.machineId);
    if (nodeId !== undefined) await this.#deps.bus.request(subjectOf(nodeId), { candidate: data }, BUS_GRACE_MS);
  }

  async #requestFrom(nodeId: string, message: object, withinMs: number): Promise<BusAnswer> {
    const waiting = this.#relayed.get(nodeId) ?? new Set();
    this.#relayed.set(nodeId, waiting);
    const ended = Promise.withResolvers<BusAnswer>();
    const giveUp = (): void => ended.resolve({ is: "unknown", cause: "failed" });
    waiting.add(giveUp);
    try {
      return await Promise.race([
        this.#deps.bus.request(subjectOf(nodeId), message, withinMs + BUS_GRACE_MS),
        ended.promise,
      ]);
    } finally {
      waiting.delete(giveUp);
      if (waiting.size === 0) this.#relayed.delete(nodeId);
    }
  }

  close(): void {
    this.#stop();
  }

  /** Undefined also while the database cannot be queried: then no request is sent, which is a sure no. */
  async #nodeOf(machineId: string): Promise<string | undefined> {
    try {
      const row = await this.#deps.db
        .selectFrom("agent_link")
        .select("node_id")
        .where("machine_id", "=", machineId)
        .where("lease_until", ">", databaseNow())
        .executeTakeFirst();
      return row?.node_id;
    } catch (error) {
      this.#deps.log.warn({ err: error, machineId }, "the database could not say which node holds an agent's link");
      return undefined;
    }
  }

  /** Another node sends a request to an agent of this node. */
  async #relay(message: unknown): Promise<unknown> {
    const relayed = parseRelayed(message);
    if (relayed.is === "candidate") {
      this.#byMachine.get(relayed.data.machineId)?.peer.notify("rtc.candidate", relayed.data);
      return null;
    }
    if (relayed.is === "probe") return (await this.isAlive(relayed.machineId, relayed.withinMs)) ? "held" : "gone";
    const link = this.#byMachine.get(relayed.data.machineId);
    if (!link) return { is: "noLink" };
    return await requestOver(link, relayed.method, relayed.data, relayed.limitMs);
  }
}

/** Sends a request over a link of this node; the machine's count of games comes back as the platform counts. */
async function requestOver<M extends AgentMethod>(
  { peer, gamesBases }: Link,
  method: M,
  data: { readonly machineId: string },
  deadlineMs: number,
): Promise<Answer<z.output<Requests[M]["output"]>>> {
  const answer = await peer.request(method, data as never, { deadlineMs });
  if (method !== "egm.meters" || answer.is !== "done") return answer;
  const shown = answer.data as z.output<Requests["egm.meters"]["output"]>;
  const meters = countedOn(shown.meters, gamesBases.get(data.machineId) ?? 0);
  return { ...answer, data: { ...shown, meters } as z.output<Requests[M]["output"]> };
}

const movesMoney: ReadonlySet<AgentMethod> = new Set(["egm.cashIn", "egm.cashOut"] as const);

function subjectOf(nodeId: string): string {
  return `agents.ask.${nodeId}`;
}

const requests = agentLink.server.requests;
const Candidate = z.object({ candidate: agentLink.server.notifications["rtc.candidate"] });
const limit = z.number().check(z.gte(1), z.lte(60_000));
const Probe = z.object({ probe: OwnId, withinMs: limit });
const Head = z.object({
  method: z.string().check(z.refine((method) => Object.hasOwn(requests, method))),
  data: z.unknown(),
  limitMs: limit,
});

/** A request of another node to an agent of this node. */
type Relayed =
  | {
      readonly is: "candidate";
      readonly data: z.output<(typeof agentLink)["server"]["notifications"]["rtc.candidate"]>;
    }
  /** Whether the machine's link lives. */
  | { readonly is: "probe"; readonly machineId: string; readonly withinMs: number }
  | {
      readonly is: "request";
      readonly method: AgentMethod;
      readonly data: { readonly machineId: string };
      readonly limitMs: number;
    };

/** Parses a request of another node. @throws Error for one that this version does not know: its outcome is unknown to the other node. */
function parseRelayed(message: unknown): Relayed {
  const candidate = Candidate.safeParse(message);
  if (candidate.success) return { is: "candidate", data: candidate.data.candidate };
  const probe = Probe.safeParse(message);
  if (probe.success) return { is: "probe", machineId: probe.data.probe, withinMs: probe.data.withinMs };
  const { method, data, limitMs } = z.parse(Head, message);
  const name = method as AgentMethod;
  return { is: "request", method: name, data: z.parse(requests[name].input, data), limitMs };
}

const Refused = z.object({
  is: z.literal("refused"),
  refusal: z.object({
    code: z.union([z.number(), z.string()]),
    reason: z.string(),
    params: z.record(z.string(), z.union([z.string(), z.number()])),
    name: z.optional(z.string().check(z.refine((name) => Object.hasOwn(problems, name)))),
  }),
});
const Silent = z.union([z.object({ is: z.literal("noLink") }), z.object({ is: z.literal("unknown") })]);

/** Parses what another node answers for its agent. An answer that cannot be parsed may have been done. */
function parseRelayedAnswer<M extends AgentMethod>(
  method: M,
  answer: BusAnswer,
): AgentAnswer<z.output<(typeof requests)[M]["output"]>> {
  type Answered = AgentAnswer<z.output<(typeof requests)[M]["output"]>>;
  if (answer.is === "noResponder") return { is: "noLink" };
  if (answer.is === "unknown") return { is: "unknown", cause: "deadline" };
  const done = z.safeParse(z.object({ is: z.literal("done"), data: requests[method].output }), answer.data);
  if (done.success) return done.data as Answered;
  const refused = z.safeParse(Refused, answer.data);
  if (refused.success) return refused.data as Answered;
  const silent = z.safeParse(Silent, answer.data);
  return silent.success && silent.data.is === "noLink" ? { is: "noLink" } : { is: "unknown", cause: "malformed" };
}

/** A process that starts under a node's name has no links: what that name held before is free. */
export async function dropOwnLinks({ db, config }: PlayDeps): Promise<void> {
  await db.deleteFrom("agent_link").where("node_id", "=", config.play.NODE_ID).execute();
}

/** Gives back the machines of one link; another link that has taken one over keeps it. */
export async function dropLink({ db }: Pick<PlayDeps, "db">, linkId: string): Promise<void> {
  await db.deleteFrom("agent_link").where("link_id", "=", linkId).execute();
}

/** Gives back one machine that this node's link carried. */
export async function releaseMachine({ db, config }: PlayDeps, machineId: string): Promise<void> {
  await db
    .deleteFrom("agent_link")
    .where("machine_id", "=", machineId)
    .where("node_id", "=", config.play.NODE_ID)
    .execute();
}

/** Forgets the links of nodes that have ended: their machines are free. */
export async function dropLinksOf({ db }: PlayDeps, nodeIds: readonly string[]): Promise<void> {
  if (nodeIds.length > 0)
    await db
      .deleteFrom("agent_link")
      .where("node_id", "in", [...nodeIds])
      .execute();
}

/**
 * Renews the leases of this node's links. A link that was forgotten meanwhile, because this node was taken for dead, is stored again.
 * @returns ids of machines that another link holds by now.
 */
export async function renewLinks({ db, config }: PlayDeps, links: Links): Promise<string[]> {
  const lease_until = databaseIn(config.play.NODE_LEASE_MS);
  const held = links.all();
  if (held.length === 0) return [];
  const rows = held.map(({ machineId, link }) => ({
    machine_id: machineId,
    agent_id: link.agentId,
    node_id: config.play.NODE_ID,
    link_id: link.linkId,
    lease_until,
  }));
  const kept = await db
    .insertInto("agent_link")
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .column("machine_id")
        .doUpdateSet({ lease_until })
        .whereRef("agent_link.link_id", "=", sql.ref("excluded.link_id")),
    )
    .returning("machine_id")
    .execute();
  // A link that closed while it was stored is dropped again.
  const closed = held.filter(({ machineId, link }) => links.get(machineId)?.linkId !== link.linkId);
  for (const linkId of new Set(closed.map(({ link }) => link.linkId))) await dropLink({ db }, linkId);
  const mine = new Set(kept.map(({ machine_id }) => machine_id));
  return held.flatMap(({ machineId }) => (mine.has(machineId) ? [] : [machineId]));
}
