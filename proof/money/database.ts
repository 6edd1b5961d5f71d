import { openDatabase, typeParsers } from "@longarm/database/connection";
import { silentLog } from "@longarm/database/log";
import { migrate } from "@longarm/database/migrations";
import { addressOf, dropDatabase, endConnections, onServer } from "@longarm/database/testing/server";
import pg from "pg";
import { platformMigrations } from "../../apps/platform/src/migration-sets.ts";
import { Habits, isEqual, isRead, isTimeless } from "./habits.ts";
import type { Chance, Life, Schedule } from "./schedule.ts";
import { never } from "./schedule.ts";
import type { Result, Sql } from "./statement.ts";
import { GuessFailed, runStatement } from "./statement.ts";

/** What happens to a statement: nothing, the connection breaks before or behind it, or its process dies there. */
type StatementFault = "none" | "lostBefore" | "lostAfter" | "killedBefore" | "killedAfter";

/** Called before each statement of a life. */
type Faults = { statement(life: Life, sql: string): StatementFault; kill(life: Life): void };

/** Observes every statement, with the virtual time at which it runs, ms. */
export type Observe = (sql: string, values: readonly unknown[], nowMs: number) => void;

/** The connection as a driver sees one that broke. */
class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
  readonly code = "08006";
  constructor() {
    super("Connection terminated unexpectedly");
  }
}

type Turn = { readonly life: Life; lost: boolean; open: boolean };
type Waiting = { readonly life: Life; readonly grant: () => void };

/** What Kysely asks of a pool. */
export type GatePool = {
  connect(): Promise<{ query(sql: string, parameters?: readonly unknown[]): Promise<Result>; release(): void }>;
  end(): Promise<void>;
};

/** Sets the time that the database of a run takes for its own clock. */
const SET_NOW = "select set_config('proof.now', $1, false)";

/**
 * One real connection that everybody takes in turns, a whole transaction at a time, so that the order of all statements comes from the
 * seed alone. Statements are prepared once and always sent with the virtual time, which the database of a run takes for its own clock.
 */
export class Gate {
  readonly #schedule: Schedule;
  readonly #client: pg.Client;
  readonly #chance: Chance;
  readonly #faults: Faults;
  readonly #observed: Observe | undefined;
  readonly #waiting: Waiting[] = [];
  #turn: Turn | undefined;
  #sentNow: number | undefined;
  #inTransaction = false;
  /** The end of the transaction before and the beginning of this one, as long as no statement has taken them along. */
  #ends: "commit" | "rollback" | undefined;
  #begins: string | undefined;
  /** The transaction may be refused at its end. */
  #mayFail = false;
  readonly #habits = new Habits();
  /** Reads that ran behind the last statement, before the platform has requested them. */
  #guessed: Guessed[] = [];
  /** How long a caller waits for its turn, ms. */
  slowMs: () => number = () => 0;
  statements = 0;

  constructor(parts: {
    schedule: Schedule;
    client: pg.Client;
    chance: Chance;
    faults: Faults;
    observed?: Observe | undefined;
  }) {
    this.#schedule = parts.schedule;
    this.#client = parts.client;
    this.#chance = parts.chance;
    this.#faults = parts.faults;
    this.#observed = parts.observed;
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

  /** What a check may read between two turns. */
  async read<Row>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    const { rows } = await this.#schedule.outside(() => this.#send(sql, parameters));
    return rows as Row[];
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
    if (this.#inTransaction) this.#end("rollback");
  }

  async #send(sql: string, values: readonly unknown[]): Promise<Result> {
    this.statements += 1;
    this.#observed?.(sql, values, this.#schedule.now());
    const first = /^\w+/.exec(sql)?.[0];
    if (first === "begin" || first === "start") {
      this.#habits.restart();
      this.#guessed = [];
      this.#begins = sql;
      this.#inTransaction = true;
      return { command: "BEGIN", rowCount: null, rows: [] };
    }
    if (first === "rollback") return this.#end("rollback");
    if (first !== "commit") return await this.#runOrTake({ text: sql, values });
    const fails = this.#begins === undefined && this.#mayFail;
    const result = this.#end("commit");
    return fails ? await this.#endNow() : result;
  }

  /** The end of a transaction goes with the next statement: it cannot fail. */
  #end(how: "commit" | "rollback"): Result {
    const hasRun = this.#inTransaction && this.#begins === undefined;
    this.#habits.restart();
    this.#guessed = [];
    this.#begins = undefined;
    this.#inTransaction = false;
    this.#mayFail = false;
    if (hasRun) this.#ends = how;
    // What is taken back takes the time back that was set with it.
    if (hasRun && how === "rollback") this.#sentNow = undefined;
    return { command: how.toUpperCase(), rowCount: null, rows: [] };
  }

  /** The end of a transaction whose checks run with it, or that has failed before: the database says what became of it. */
  async #endNow(): Promise<Result> {
    this.#ends = undefined;
    const result = await this.#client.query("commit");
    if (result.command === "ROLLBACK") this.#sentNow = undefined;
    return result;
  }

  async #runOrTake(statement: Sql): Promise<Result> {
    const { text, values } = statement;
    if (this.#inTransaction) this.#habits.follow(statement);
    const guessed = this.#guessed.shift();
    const isTheOne = guessed?.text === text && isEqual(guessed.values, values);
    if (isTheOne && (isTimeless(text) || guessed.at === this.#schedule.now())) return guessed.result;
    this.#guessed = [];
    this.#mayFail ||= !isRead(text) && CHECKED_AT_THE_END.test(text);
    try {
      const at = this.#schedule.now();
      const guesses = this.#inTransaction ? this.#habits.guesses() : [];
      const { result, behind } = await runStatement(this.#client, statement, this.#ahead(), guesses);
      this.#guessed = guesses.flatMap((guess, index) => {
        const found = behind[index];
        return found === undefined ? [] : [{ ...guess, result: found, at }];
      });
      return result;
    } catch (error) {
      if (error instanceof GuessFailed) this.#schedule.fail(error);
      // What fails takes the time back that was set with it, and its transaction ends with a rollback, whatever is requested.
      this.#sentNow = undefined;
      this.#mayFail = true;
      throw error;
    }
  }

  /** What has to be there before the next statement: the end of the transaction before, the beginning of its own, and the time. */
  #ahead(): Sql[] {
    const now = this.#schedule.now();
    const ahead: Sql[] = [this.#ends, this.#begins].flatMap((text) =>
      text === undefined ? [] : [{ text, values: [] }],
    );
    this.#ends = undefined;
    this.#begins = undefined;
    if (this.#sentNow !== now) ahead.push({ text: SET_NOW, values: [String(now)] });
    this.#sentNow = now;
    return ahead;
  }
}

/** A read that has run, at which virtual time, ms. */
type Guessed = Sql & { readonly result: Result; readonly at: number };

/** Statements whose work is checked once more when their transaction ends: the ledger's own. */
const CHECKED_AT_THE_END = /\bledger\b/;

type Ran = { readonly is: "ran"; readonly result: Result } | { readonly is: "failed"; readonly error: unknown };

/** Where something will break, counted from now. */
type StatementDoom = { left: number; readonly fault: Exclude<StatementFault, "none"> };
type Owner = string;

/** Waiting breakdowns: of a statement of the platform, of a use of a disk, at a step of a money path. */
export class Dooms {
  #statement: StatementDoom | undefined;
  readonly #disks = new Map<Owner, { left: number; strike: () => void }>();
  readonly #steps = new Map<Owner, { name: string; strike: () => void }>();

  statementAt(doom: StatementDoom): void {
    this.#statement = doom;
  }

  /** `strike` runs before the disk is used for so many times. */
  diskAt(owner: Owner, left: number, strike: () => void): void {
    this.#disks.set(owner, { left, strike });
  }

  stepAt(owner: Owner, name: string, strike: () => void): void {
    this.#steps.set(owner, { name, strike });
  }

  clear(): void {
    this.#statement = undefined;
    this.#disks.clear();
    this.#steps.clear();
  }

  statement(life: Life): StatementFault {
    const doom = this.#statement;
    if (doom === undefined || !life.name.startsWith("platform")) return "none";
    doom.left -= 1;
    if (doom.left > 0) return "none";
    this.#statement = undefined;
    return doom.fault;
  }

  disk(owner: Owner): void {
    const doom = this.#disks.get(owner);
    if (doom === undefined) return;
    doom.left -= 1;
    if (doom.left > 0) return;
    this.#disks.delete(owner);
    doom.strike();
  }

  step(owner: Owner, name: string): boolean {
    const doom = this.#steps.get(owner);
    if (doom?.name !== name) return false;
    this.#steps.delete(owner);
    doom.strike();
    return true;
  }
}

/*
 * A database whose clock is the schedule's: `now()` and `clock_timestamp()` of its public schema, found before the built-in ones, answer
 * the time that the connection was set to. The migrations, and the functions in them, are the released ones.
 */
const VIRTUAL_CLOCK = ["now", "clock_timestamp"].map(
  (name) => `create function public.${name}() returns timestamptz language sql volatile as
    $$ select to_timestamp(coalesce(nullif(current_setting('proof.now', true), ''), '0')::double precision / 1000) $$`,
);

/** It works by the real clock, and what it learns of a table changes plans, and with them the order of rows. */
const NO_AUTOVACUUM = `do $$ declare one regclass; begin
  for one in select oid from pg_class where relkind = 'r' and relnamespace::regnamespace::text !~ '^(pg_|information_schema)' loop
    execute format('alter table %s set (autovacuum_enabled = off)', one);
  end loop; end $$`;

/** Makes the migrated database that all others are copied from. Answers its name. */
export async function makeTemplate(server: string, name: string): Promise<string> {
  await onServer(server, async (client) => {
    await client.query(`drop database if exists ${name} with (force)`);
    await client.query(`create database ${name}`);
    // Before the migrations: defaults and functions are bound to what is found when they are made.
    await client.query(`alter database ${name} set search_path = public, pg_catalog`);
  });
  const { pool, close } = openDatabase({ url: addressOf(server, name), maxConnections: 1, log: silentLog });
  try {
    for (const statement of VIRTUAL_CLOCK) await pool.query(statement);
    await migrate({ pool, sets: platformMigrations, log: silentLog });
    await pool.query(NO_AUTOVACUUM);
  } finally {
    await close();
  }
  return name;
}

/** A fresh copy with one open connection. */
type ProofDatabase = { readonly client: pg.Client; drop(): Promise<void> };

async function copyDatabase(server: string, template: string, name: string): Promise<ProofDatabase> {
  await onServer(server, async (client) => {
    await endConnections(client, template);
    await client.query(`drop database if exists ${name} with (force)`);
    await client.query(`create database ${name} template ${template}`);
    await client.query(`alter database ${name} set search_path = public, pg_catalog`);
  });
  const client = new pg.Client({ connectionString: addressOf(server, name), types: typeParsers, pipeline: true });
  await client.connect();
  // Plans are kept from when all tables were empty; without this they would read what grows from end to end.
  await client.query(
    `set synchronous_commit = off; set plan_cache_mode = force_generic_plan; set enable_seqscan = off;
     set track_activities = off; set track_counts = off; set update_process_title = off`,
  );
  return {
    client,
    drop: async () => {
      await client.end();
      await dropDatabase(server, name);
    },
  };
}

/** Gives each story a fresh copy of the template, so that nothing of one story is in another: neither its rows nor their order. */
export type Databases = { client(): Promise<pg.Client>; end(): Promise<void> };

export function databases(server: string, template: string, name: string): Databases {
  let now: ProofDatabase | undefined;
  let copies = 0;
  const end = async (): Promise<void> => {
    await now?.drop();
    now = undefined;
  };
  return {
    end,
    async client() {
      await end();
      copies += 1;
      now = await copyDatabase(server, template, `${name}_${copies}`);
      return now.client;
    },
  };
}
