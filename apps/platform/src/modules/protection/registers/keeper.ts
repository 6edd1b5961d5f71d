import type { Problem } from "@longarm/contract/problems";
import type { ColumnType, Generated, RawBuilder } from "kysely";
import { sql } from "kysely";
import type { Clock } from "../../../clock.ts";
import type { AnyDb } from "../../../deps.ts";
import type { Log } from "../../../log.ts";
import type { Random } from "../../../random.ts";
import { newId } from "../../../random.ts";
import { identitiesOf } from "../identity/index.ts";
import type { MarketTables, Register, Rules } from "../markets/index.ts";
import { rulesOf, rulesOfAll } from "../markets/index.ts";

/** What one question came to. `cause`: what went wrong, without personal data. */
export type RegisterAnswer = {
  readonly answer: "clear" | "excluded" | "error";
  readonly responseId?: string;
  readonly cause?: string;
};
/** Questions a register about a player. Never rejects. */
export type AskRegister = (
  about: { readonly personalNumber: string | null; readonly requestId: string },
  signal: AbortSignal,
) => Promise<RegisterAnswer>;

/** `migrations/protection`: rows are only added. */
export type RegistersTables = {
  register_answer: {
    id: Generated<number>;
    player_id: string;
    register: Register;
    answer: RegisterAnswer["answer"];
    request_id: string;
    response_id: string | null;
    cause: string | null;
    answered_at: ColumnType<Date, never, never>;
  };
};
type Db = AnyDb;

/** How long an answer holds, hours: registers are questioned at each sign-in, and twice in this time while a player plays. */
const HOLDS_HOURS = 12;
/** How often players at machines are looked at whose answers grow old, ms. */
const LOOK_MS = 60_000;
/** An error is tried again after this long, ms. */
const AGAIN_MS = 60_000;
/** Players of one look. */
const AT_ONCE = 50;

/** Why a player may not play or pay in by the registers of the rules; null: may. Problems: register.excluded, register.unanswered. */
export async function registerProblem(
  db: Db,
  playerId: string,
  { registers }: Pick<Rules, "registers">,
): Promise<Problem | null> {
  const answers = await answersOf(db, playerId);
  // Also where the market of today has no register: what ends play by an exclusion must not let it begin.
  if ([...answers.values()].includes("excluded")) return { name: "register.excluded" };
  const isClear = registers.every((register) => answers.get(register) === "clear");
  return isClear ? null : { name: "register.unanswered" };
}

/** The newest answer of each register about a player that still holds. An exclusion holds until the register says otherwise. */
async function answersOf(db: Db, playerId: string): Promise<ReadonlyMap<string, RegisterAnswer["answer"]>> {
  const { rows } = await sql<{ register: string; answer: RegisterAnswer["answer"] }>`
    select register, answer from (select distinct on (register) * from register_answer where player_id = ${playerId} and answer <> 'error'
      order by register, id desc) newest
    where answer = 'excluded' or answered_at > clock_timestamp() - make_interval(hours => ${HOLDS_HOURS})`.execute(db);
  return new Map(rows.map(({ register, answer }) => [register, answer]));
}

/** For queries of other rooms: whether a register's newest answer about the player of the column `id` is an exclusion. */
export function isInRegister(id: string): RawBuilder<boolean> {
  return sql<boolean>`exists (select from (select distinct on (register) answer from register_answer where player_id = ${sql.ref(id)}
    and answer <> 'error' order by register, id desc) newest where answer = 'excluded')`;
}

/** A register without an answer since then: its newest try failed, and none has succeeded after the first failure. */
export type SilentRegister = { readonly register: string; readonly since: Date; readonly cause: string };

/** Registers whose newest try within the last day was an error. */
export async function silentRegisters(db: Db): Promise<SilentRegister[]> {
  const { rows } = await sql<SilentRegister>`
    select newest.register, coalesce(newest.cause, '') as cause, (select min(answered_at) from register_answer e where e.register = newest.register
      and e.id > coalesce((select max(id) from register_answer g where g.register = newest.register and g.answer <> 'error'), 0)) as since
    from (select distinct on (register) * from register_answer where answered_at > clock_timestamp() - interval '1 day' order by register, id desc) newest
    where newest.answer = 'error' order by newest.register`.execute(db);
  return rows;
}

export type RegistersParts = {
  readonly db: Db;
  readonly clock: Pick<Clock, "every">;
  readonly random: Random;
  readonly log: Log;
  /** Registers that can be questioned; one that is missing answers nothing, and keeps its market closed. */
  readonly registers: Readonly<Partial<Record<Register, AskRegister>>>;
  /** Ends the play of a player who is excluded: a running game is finished, credits go home. */
  endPlay(playerId: string): Promise<unknown>;
};

/** Questions the national registers. */
export interface Registers {
  /** A player has signed in: those of the player's market are questioned. */
  signedIn(playerId: string): void;
  start(): void;
  close(): Promise<void>;
}

/** Questions registers about players and keeps what they answer; one question at a time for a player: signing in ten times at once is one. */
class Questions {
  readonly #parts: RegistersParts;
  readonly #ending = new AbortController();
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(parts: RegistersParts) {
    this.#parts = parts;
  }

  about(playerId: string, registers: readonly Register[]): Promise<void> {
    const underWay = this.#underWay.get(playerId);
    if (underWay !== undefined) return underWay;
    const run = this.#questionAll(playerId, registers).finally(() => this.#underWay.delete(playerId));
    this.#underWay.set(playerId, run);
    return run;
  }

  async end(): Promise<void> {
    this.#ending.abort();
    await Promise.allSettled(this.#underWay.values());
  }

  async #questionAll(playerId: string, registers: readonly Register[]): Promise<void> {
    const identity = (await identitiesOf(this.#parts.db, [playerId])).get(playerId);
    const personalNumber = identity?.personalNumber ?? null;
    await Promise.all(registers.map((register) => this.#question(playerId, personalNumber, register)));
  }

  async #question(playerId: string, personalNumber: string | null, register: Register): Promise<void> {
    const { db, random, log, registers, endPlay } = this.#parts;
    const requestId = newId(random, "rq");
    const { answer, responseId, cause } = await (registers[register] ?? notConnected)(
      { personalNumber, requestId },
      this.#ending.signal,
    );
    if (this.#ending.signal.aborted) return;
    await db
      .withTables<RegistersTables>()
      .insertInto("register_answer")
      .values({
        ...{ player_id: playerId, register, answer, request_id: requestId },
        ...{ response_id: responseId ?? null, cause: cause ?? null },
      })
      .execute();
    if (answer === "error")
      log.error(
        { alarm: "register", playerId, register, cause },
        "a national register gave no answer, play stays closed",
      );
    if (answer === "excluded") await endPlay(playerId);
  }
}

const notConnected: AskRegister = async () => ({ answer: "error", cause: "this register is not connected" });

export function createRegisters(parts: RegistersParts): Registers {
  const { db, clock, log } = parts;
  const questions = new Questions(parts);
  const pending = new Set<Promise<unknown>>();
  let looking = false;
  let stop = (): void => {};

  function follow(run: Promise<unknown>, facts: object): Promise<void> {
    const followed = run
      .then(() => {})
      .catch((error: unknown) => log.error({ ...facts, err: error }, "the registers could not be questioned"))
      .finally(() => pending.delete(followed));
    pending.add(followed);
    return followed;
  }

  async function questionFor(playerId: string): Promise<void> {
    const { registers } = await rulesOf(db.withTables<MarketTables>(), { playerId });
    if (registers.length > 0) await questions.about(playerId, registers);
  }

  async function look(): Promise<void> {
    const players = await playersToQuestion(db);
    const rules = await rulesOfAll(db.withTables<MarketTables>(), players);
    await Promise.all(
      players.map(async ({ playerId }, at) => {
        const registers = rules[at]?.registers ?? [];
        if (registers.length > 0) await questions.about(playerId, registers);
      }),
    );
  }

  return {
    signedIn: (playerId) => void follow(questionFor(playerId), { playerId }),
    start() {
      stop = clock.every(LOOK_MS, () => {
        if (looking) return;
        looking = true;
        void follow(look(), {}).then(() => {
          looking = false;
        });
      });
    },
    async close() {
      stop();
      await questions.end();
      while (pending.size > 0) await Promise.allSettled([...pending]);
    },
  };
}

/** Players at machines whose newest answer is half as old as it may be, and was no error within the last minute. */
async function playersToQuestion(db: Db): Promise<{ readonly playerId: string; readonly machineId: string }[]> {
  const { rows } = await sql<{ playerId: string; machineId: string }>`
    select s.player_id as "playerId", s.machine_id as "machineId" from seat s
    where s.player_id is not null and exists (select from market_choice)
      and not exists (select from register_answer a where a.player_id = s.player_id and a.answer <> 'error'
        and a.answered_at > clock_timestamp() - make_interval(hours => ${HOLDS_HOURS / 2}))
      and not exists (select from register_answer a where a.player_id = s.player_id
        and a.answered_at > clock_timestamp() - interval '1 millisecond' * ${AGAIN_MS})
    order by s.player_id limit ${AT_ONCE}`.execute(db);
  return rows;
}
