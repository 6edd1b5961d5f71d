import type pg from "pg";
import type { Chance } from "./chance.ts";
import type { Life } from "./life.ts";
import { never } from "./life.ts";
import type { Schedule } from "./schedule.ts";

/** What happens to a statement: nothing, the connection breaks before or behind it, or its process dies there. */
export type StatementFault = "none" | "lostBefore" | "lostAfter" | "killedBefore" | "killedAfter";

/** Asked before each statement of a life. */
export type Faults = { statement(life: Life, sql: string): StatementFault; kill(life: Life): void };

/** The connection as a driver sees one that broke. */
class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
  readonly code = "08006";
  constructor() {
    super("Connection terminated unexpectedly");
  }
}

type Result = { command: string; rowCount: number | null; rows: unknown[] };
type Turn = { readonly life: Life; lost: boolean; open: boolean };
type Waiting = { readonly life: Life; readonly grant: () => void };

/** What Kysely asks of a pool. */
export type GatePool = {
  connect(): Promise<{ query(sql: string, parameters?: readonly unknown[]): Promise<Result>; release(): void }>;
  end(): Promise<void>;
};

/** Statements that a connection knows by a name, whichever world runs on it. */
const prepared = new WeakMap<pg.Client, Map<string, string>>();

/**
 * One real connection that everybody takes in turns, a whole transaction at a time, so that the order of all statements comes from the
 * seed alone. Statements are prepared once and always sent with the virtual time, which the database of a run takes for its own clock.
 */
export class Gate {
  readonly #schedule: Schedule;
  readonly #client: pg.Client;
  readonly #chance: Chance;
  readonly #faults: Faults;
  readonly #waiting: Waiting[] = [];
  readonly #names: Map<string, string>;
  #turn: Turn | undefined;
  #told: number | undefined;
  #inTransaction = false;
  /** How long a caller waits for its turn, ms. */
  slowMs: () => number = () => 0;
  statements = 0;

  constructor(parts: { schedule: Schedule; client: pg.Client; chance: Chance; faults: Faults }) {
    this.#schedule = parts.schedule;
    this.#client = parts.client;
    this.#chance = parts.chance;
    this.#faults = parts.faults;
    this.#names = prepared.get(parts.client) ?? new Map();
    prepared.set(parts.client, this.#names);
  }

  poolFor(life: Life): GatePool {
    return { connect: () => this.#connect(life), end: async () => undefined };
  }

  /** The process is gone: what it had not committed is taken back. */
  died(life: Life): void {
    this.#waiting.splice(0, this.#waiting.length, ...this.#waiting.filter((one) => one.life !== life));
    const turn = this.#turn;
    if (turn?.life !== life || turn.open) return;
    turn.lost = true;
    void this.#schedule.outside(() => this.#takeBack()).then(() => this.#free(turn), this.#schedule.fail);
  }

  /** Everything that may be said between two turns, for whoever checks. */
  async read<Row>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    const { rows } = await this.#schedule.outside(() => this.#send(sql, parameters));
    return rows as Row[];
  }

  /** Leaves no transaction behind. */
  async ended(): Promise<void> {
    await this.#client.query("rollback");
  }

  get idle(): boolean {
    return this.#turn === undefined;
  }

  #connect(life: Life): ReturnType<GatePool["connect"]> {
    if (life.dead) return never();
    return new Promise((granted) => {
      const grant = (): void => {
        const turn: Turn = { life, lost: false, open: false };
        this.#turn = turn;
        granted({
          query: (sql, parameters = []) => this.#query(turn, sql, parameters),
          release: () => {
            if (!life.dead) this.#free(turn);
          },
        });
      };
      const wait = (): void => {
        if (life.dead) return;
        this.#waiting.push({ life, grant });
        this.#next();
      };
      this.#schedule.after(this.slowMs(), wait);
    });
  }

  #free(turn: Turn): void {
    if (this.#turn !== turn) return;
    this.#turn = undefined;
    this.#next();
  }

  #next(): void {
    if (this.#turn !== undefined || this.#waiting.length === 0) return;
    const [next] = this.#waiting.splice(this.#chance.whole(0, this.#waiting.length - 1), 1);
    next?.grant();
  }

  async #query(turn: Turn, sql: string, parameters: readonly unknown[]): Promise<Result> {
    const { life } = turn;
    if (life.dead) return await never();
    if (turn.lost) throw new ConnectionLost();
    const fault = this.#faults.statement(life, sql);
    turn.open = true;
    const answer =
      fault === "none" ? await this.#run(sql, parameters) : await this.#broken(turn, fault, sql, parameters);
    turn.open = false;
    if (life.dead) {
      // Killed while the statement ran: a commit that ran is committed, all else is taken back.
      await this.#schedule.outside(() => this.#takeBack());
      this.#free(turn);
      return await never();
    }
    if (answer.is === "failed") throw answer.error;
    return answer.result;
  }

  async #broken(turn: Turn, fault: StatementFault, sql: string, parameters: readonly unknown[]): Promise<Ran> {
    const behind = fault === "lostAfter" || fault === "killedAfter";
    if (behind) await this.#run(sql, parameters);
    await this.#schedule.outside(() => this.#takeBack());
    turn.lost = true;
    if (fault === "killedBefore" || fault === "killedAfter") this.#faults.kill(turn.life);
    return { is: "failed", error: new ConnectionLost() };
  }

  async #run(sql: string, parameters: readonly unknown[]): Promise<Ran> {
    return await this.#schedule.outside(async () => {
      try {
        return { is: "ran", result: await this.#send(sql, parameters) };
      } catch (error) {
        return { is: "failed", error };
      }
    });
  }

  async #takeBack(): Promise<void> {
    if (!this.#inTransaction) return;
    await this.#client.query("rollback");
    this.#inTransaction = false;
    this.#told = undefined;
  }

  async #send(sql: string, parameters: readonly unknown[]): Promise<Result> {
    this.statements += 1;
    const first = /^\w+/.exec(sql)?.[0];
    if (first === "commit" || first === "rollback") {
      this.#inTransaction = false;
      const result = await this.#client.query(sql);
      if (result.command === "ROLLBACK") this.#told = undefined;
      return result;
    }
    const now = this.#schedule.now();
    const tell = this.#told === now ? "" : `set proof.now = '${now}'; `;
    this.#told = now;
    if (first === "begin" || first === "start") {
      this.#inTransaction = true;
      this.#ahead(`${tell}${sql}`);
      return { command: "BEGIN", rowCount: null, rows: [] };
    }
    if (tell !== "") this.#ahead(tell);
    return await this.#client.query({ name: this.#nameOf(sql), text: sql, values: [...parameters] });
  }

  /** Sent without waiting: the next statement follows at once on the same connection, behind it. */
  #ahead(sql: string): void {
    this.#client.query(sql).catch(this.#schedule.fail);
  }

  #nameOf(sql: string): string {
    const known = this.#names.get(sql);
    if (known !== undefined) return known;
    const name = `p${this.#names.size}`;
    this.#names.set(sql, name);
    return name;
  }
}

type Ran = { readonly is: "ran"; readonly result: Result } | { readonly is: "failed"; readonly error: unknown };
