import type { Kysely } from "kysely";
import { sql } from "kysely";
import type { Clock, Stop } from "../../../clock.ts";
import type { Log } from "../../../log.ts";
import { endedNodes } from "../../../nodes.ts";

/** Changes within this time are written together, ms. */
const TOGETHER_MS = 300;
/** What could not be written, and nodes that have ended, are looked at this often, ms. */
const SWEEP_MS = 60_000;

export type PresenceParts = {
  readonly db: Kysely<unknown>;
  readonly clock: Clock;
  readonly log: Log;
  readonly nodeId: string;
  /** Whether the player has a page open on this node now. */
  readonly isHere: (playerId: string) => boolean;
};

/** Keeps written down who has a page open on this node, for all nodes to read. A hint: it may be a second late, and longer after a crash. */
export class Presence {
  readonly #parts: PresenceParts;
  readonly #changed = new Set<string>();
  #waiting: Stop | undefined;
  #writing: Promise<void> = Promise.resolve();
  readonly #stopSweep: Stop;

  constructor(parts: PresenceParts) {
    this.#parts = parts;
    // Rows of this name are those of a process that has ended.
    this.#do(() => this.#forgetOwn());
    this.#stopSweep = parts.clock.every(SWEEP_MS, () => {
      this.#do(() => this.#forgetEnded());
      this.#soon();
    });
  }

  /** The first page of a player has come, or the last one has gone. */
  changed(playerId: string): void {
    this.#changed.add(playerId);
    this.#soon();
  }

  /** Removes all players of this node. */
  async close(): Promise<void> {
    this.#stopSweep();
    this.#waiting?.();
    this.#do(() => this.#forgetOwn());
    await this.#writing;
  }

  #soon(): void {
    if (this.#changed.size === 0) return;
    this.#waiting ??= this.#parts.clock.after(TOGETHER_MS, () => {
      this.#waiting = undefined;
      this.#do(() => this.#write());
    });
  }

  /** One at a time, in order. */
  #do(work: () => Promise<void>): void {
    this.#writing = this.#writing
      .then(work)
      .catch((error: unknown) =>
        this.#parts.log.warn({ err: error }, "who is here could not be written, it is tried again"),
      );
  }

  async #write(): Promise<void> {
    const { db, nodeId, isHere } = this.#parts;
    const players = [...this.#changed];
    this.#changed.clear();
    try {
      const here = players.filter(isHere);
      const gone = players.filter((playerId) => !isHere(playerId));
      if (gone.length > 0)
        await sql`delete from team_chat_presence where node_id = ${nodeId} and player_id = any(${gone}::text[])`.execute(
          db,
        );
      if (here.length > 0)
        await sql`insert into team_chat_presence (player_id, node_id)
          select id, ${nodeId} from unnest(${here}::text[]) as id on conflict do nothing`.execute(db);
    } catch (error) {
      for (const playerId of players) this.#changed.add(playerId);
      throw error;
    }
  }

  async #forgetOwn(): Promise<void> {
    const { db, nodeId } = this.#parts;
    await sql`delete from team_chat_presence where node_id = ${nodeId}`.execute(db);
  }

  async #forgetEnded(): Promise<void> {
    const { db, nodeId } = this.#parts;
    const { rows } = await sql<{ id: string }>`
      select distinct node_id as id from team_chat_presence where node_id <> ${nodeId}`.execute(db);
    const others = rows.map(({ id }) => id);
    if (others.length === 0) return;
    const ended = await endedNodes(db, others);
    await sql`delete from team_chat_presence where node_id = any(${ended}::text[])`.execute(db);
  }
}
