import { agentLink } from "@longarm/contract/agent-link";
import type { Answer } from "@longarm/link/answer";
import type { Peer } from "@longarm/link/peer";
import type * as z from "zod/mini";
import { databaseNow } from "../../play-base/database-time.ts";
import type { PlayPartDeps } from "../../play-base/play-deps.ts";

type Requests = (typeof agentLink)["server"]["requests"];
export type AgentMethod = keyof Requests;
export type AgentPeer = Peer<typeof agentLink, "server">;

/** An agent's answer, or `nobody`: there is no link, so it was surely not asked. */
export type Asked<T> = Answer<T> | { readonly is: "nobody" };

/** A link that is up on this node. */
export type Link = { readonly linkId: string; readonly agentId: string; readonly peer: AgentPeer };

/** How much longer than the agent's own deadline another node is waited for, ms. */
const BUS_GRACE_MS = 500;

export type LinksDeps = Pick<PlayPartDeps, "config" | "db" | "bus" | "log">;

/** The links of this node, and the way to those of others. */
export class Links {
  readonly #deps: LinksDeps;
  readonly #byMachine = new Map<string, Link>();
  readonly #stop: () => void;

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

  /** Forgets a link and answers the machines that it still carried. */
  remove(linkId: string): string[] {
    const carried = [...this.#byMachine].filter(([, link]) => link.linkId === linkId).map(([machineId]) => machineId);
    for (const machineId of carried) this.#byMachine.delete(machineId);
    return carried;
  }

  machineIds(): string[] {
    return [...this.#byMachine.keys()];
  }

  /** Asks the machine's agent, over the node that holds its link. Never rejects. */
  async ask<M extends AgentMethod>(
    method: M,
    data: z.input<Requests[M]["input"]> & { readonly machineId: string },
    deadlineMs?: number,
  ): Promise<Asked<z.output<Requests[M]["output"]>>> {
    const limitMs = deadlineMs ?? agentLink.server.requests[method].deadlineMs;
    const local = this.#byMachine.get(data.machineId);
    if (local) return await local.peer.request(method, data as never, { deadlineMs: limitMs });
    const nodeId = await this.#nodeOf(data.machineId);
    if (nodeId === undefined || nodeId === this.#deps.config.play.NODE_ID) return { is: "nobody" };
    const relayed = await this.#deps.bus.request(subjectOf(nodeId), { method, data, limitMs }, limitMs + BUS_GRACE_MS);
    if (relayed.is === "done") return relayed.data as Asked<z.output<Requests[M]["output"]>>;
    return relayed.is === "nobody" ? { is: "nobody" } : { is: "unknown", cause: "deadline" };
  }

  /** Tells the agent an ICE candidate; lost when the link is on another node that is not there. Never rejects. */
  async candidate(data: z.input<(typeof agentLink)["server"]["notifications"]["rtc.candidate"]>): Promise<void> {
    const local = this.#byMachine.get(data.machineId);
    if (local) return local.peer.notify("rtc.candidate", data);
    const nodeId = await this.#nodeOf(data.machineId);
    if (nodeId !== undefined) await this.#deps.bus.request(subjectOf(nodeId), { candidate: data }, BUS_GRACE_MS);
  }

  close(): void {
    this.#stop();
  }

  /** Undefined also while the database cannot be asked: then nobody is asked, and that is surely no. */
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

  /** Another node asks an agent of ours. The bus copies JSON; what it carries was checked by the node that asks. */
  async #relay(message: unknown): Promise<unknown> {
    const asked = message as Relayed;
    if (asked.candidate !== undefined) {
      this.#byMachine.get(asked.candidate.machineId)?.peer.notify("rtc.candidate", asked.candidate);
      return null;
    }
    const link = this.#byMachine.get(asked.data.machineId);
    if (!link) return { is: "nobody" };
    return await link.peer.request(asked.method, asked.data as never, { deadlineMs: asked.limitMs });
  }
}

type Relayed =
  | { readonly candidate: z.input<(typeof agentLink)["server"]["notifications"]["rtc.candidate"]> }
  | {
      readonly candidate?: undefined;
      readonly method: AgentMethod;
      readonly data: { readonly machineId: string };
      readonly limitMs: number;
    };

function subjectOf(nodeId: string): string {
  return `agents.ask.${nodeId}`;
}
