import { sql } from "kysely";
import type { GameParts } from "../socket/connection.ts";
import { releaseLostHolders } from "./holder.ts";

/** How often a node looks whether others have ended, ms. */
export const NODES_LOOK_MS = 500;

/**
 * What other nodes left when they ended without a word: links, game sockets, spectators and transfers in flight. Every node does this for every
 * other one; the rows' locks let each thing happen once.
 */
export class EndedNodes {
  readonly #parts: GameParts;
  readonly #noticeLostAgents: () => Promise<void>;
  /** Nodes that were found ended by the last look: a node whose database connection broke has its name back by the next one. */
  #suspects: ReadonlySet<string> = new Set();
  #looking = false;

  constructor(parts: GameParts, noticeLostAgents: () => Promise<void>) {
    this.#parts = parts;
    this.#noticeLostAgents = noticeLostAgents;
  }

  async look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    try {
      const ended = await this.#parts.deps.nodes.ended(await this.#named());
      const sure = ended.filter((nodeId) => this.#suspects.has(nodeId));
      this.#suspects = new Set(ended);
      if (sure.length > 0) await this.#release(sure);
    } finally {
      this.#looking = false;
    }
  }

  /** Every other node that holds something. */
  async #named(): Promise<string[]> {
    const { db, config } = this.#parts.deps;
    const { rows } = await sql<{ id: string }>`
      select node_id as id from agent_link union select holder_node from seat where holder_node is not null
      union select node_id from machine_transfer where state = 'asking' union select node_id from watcher`.execute(db);
    return rows.flatMap(({ id }) => (id === config.play.NODE_ID ? [] : [id]));
  }

  async #release(nodeIds: readonly string[]): Promise<void> {
    const { deps, agents, wallet, watchers } = this.#parts;
    deps.log.warn({ nodes: nodeIds }, "nodes have ended without a word: what they held is released");
    await agents.nodesEnded(nodeIds);
    await releaseLostHolders(this.#parts, { ofNodes: nodeIds });
    await wallet.nodesEnded(nodeIds);
    await watchers.forgetNodes(nodeIds);
    await this.#noticeLostAgents();
  }
}
