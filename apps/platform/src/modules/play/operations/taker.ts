import { sql } from "kysely";
import type { PlayDeps } from "../deps.ts";
import type { OperationAnswer, OperationKind } from "./kinds.ts";
import { isKind, KINDS } from "./kinds.ts";
import type { Operations } from "./parts.ts";
import type { OperationsTables } from "./tables.ts";

/** How often a node looks for commands, ms. */
const LOOK_MS = 250;
const TAKEN_AT_ONCE = 20;

type Row = {
  readonly id: string;
  readonly kind: string;
  readonly machine_id: string | null;
  readonly body: unknown;
  readonly asked_by: string;
};

/**
 * Takes what staff asks and answers it. The row's lock gives a command to one node; one that ends before it answered leaves the command taken
 * without an answer, and it is never begun again.
 */
export class Taker {
  readonly #deps: PlayDeps;
  readonly #operations: Operations;
  readonly #pending = new Set<Promise<unknown>>();
  #stop = (): void => {};
  #looking = false;
  /** The last look failed. */
  #blind = false;

  constructor(deps: PlayDeps, operations: Operations) {
    this.#deps = deps;
    this.#operations = operations;
  }

  start(): void {
    this.#stop = this.#deps.clock.every(LOOK_MS, () => {
      if (!this.#looking) this.#follow(() => this.#look());
    });
  }

  /** Waits for what was begun. */
  async close(): Promise<void> {
    this.#stop();
    while (this.#pending.size > 0) await Promise.allSettled([...this.#pending]);
  }

  async #look(): Promise<void> {
    this.#looking = true;
    try {
      for (const row of await this.#take()) this.#follow(() => this.#answer(row));
      this.#blind = false;
    } catch (error) {
      // One line an outage: a database that is away for long would fill the log.
      if (!this.#blind) this.#deps.log.warn({ err: error }, "what staff asks cannot be read");
      this.#blind = true;
    } finally {
      this.#looking = false;
    }
  }

  async #take(): Promise<Row[]> {
    const { db, config } = this.#deps;
    const node = config.play.NODE_ID;
    const forAnyNode = Object.entries(KINDS).flatMap(([kind, { needsLink }]) => (needsLink ? [] : [kind]));
    const { rows } = await sql<Row>`
      update operator_command set taken_at = clock_timestamp(), taken_by = ${node} where id in (
        select c.id from operator_command c
        left join agent_link l on l.machine_id = c.machine_id and l.lease_until > clock_timestamp()
        where c.taken_at is null and c.answered_at is null and c.expires_at > clock_timestamp()
          and (l.node_id = ${node} or c.machine_id is null or (l.machine_id is null and c.kind = any(${forAnyNode})))
        order by c.asked_at limit ${TAKEN_AT_ONCE} for update of c skip locked)
      returning id, kind, machine_id, body, asked_by`.execute(db);
    return rows;
  }

  async #answer({ id, kind, machine_id: machineId, body, asked_by: by }: Row): Promise<void> {
    const { db, log } = this.#deps;
    const answer = await this.#run(kind, body, { machineId: machineId ?? "", by });
    log.info({ operation: id, kind, machineId, body, by, answer }, "staff asked");
    await db
      .withTables<OperationsTables>()
      .updateTable("operator_command")
      .set({ answer: JSON.stringify(answer), answered_at: sql<Date>`clock_timestamp()` })
      .where("id", "=", id)
      .execute();
  }

  async #run(kind: string, body: unknown, about: { machineId: string; by: string }): Promise<OperationAnswer> {
    // Another version of the command line may ask for what this one does not know.
    if (!isKind(kind)) return { is: "refused", sentence: `This platform knows no command "${kind.slice(0, 64)}".` };
    const read = KINDS[kind].body.safeParse(body);
    if (!read.success) return { is: "refused", sentence: `This platform does not understand this "${kind}".` };
    try {
      return await (this.#operations[kind] as Operations[OperationKind])(about, read.data as never);
    } catch (error) {
      this.#deps.log.error({ err: error, kind, ...about }, "what staff asked failed");
      return {
        is: "unknown",
        sentence: "It failed on the platform; see its log before retrying.",
      };
    }
  }

  #follow(run: () => Promise<void>): void {
    const running = run()
      .catch((error: unknown) => this.#deps.log.warn({ err: error }, "an answer to staff could not be written"))
      .finally(() => this.#pending.delete(running));
    this.#pending.add(running);
  }
}
