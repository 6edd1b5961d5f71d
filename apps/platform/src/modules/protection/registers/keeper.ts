import type { Problem } from "@longarm/contract/problems";
import type { ColumnType, Generated, Insertable, RawBuilder } from "kysely";
import { sql } from "kysely";
import type { Clock } from "../../../clock.ts";
import type { AnyDb } from "../../../deps.ts";
import type { Log } from "../../../log.ts";
import type { Random } from "../../../random.ts";
import { newId } from "../../../random.ts";
import { identitiesOf, personOf } from "../identity/index.ts";
import type { MarketTables, Register, Rules } from "../markets/index.ts";
import { REGISTERS, rulesOf, rulesOfAll } from "../markets/index.ts";

/** What one question came to. `cause`: what went wrong, without personal data. */
export type RegisterAnswer = {
  readonly answer: "clear" | "excluded" | "error";
  readonly responseId?: string;
  readonly cause?: string;
};
/** Questions a register about a player. Never rejects. Null: too little is known of the player for a question, so none was sent. */
export type AskRegister = (
  about: { readonly personalNumber: string | null; readonly requestId: string },
  signal: AbortSignal,
) => Promise<RegisterAnswer | null>;

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
/** Players whom one look questions. */
const AT_ONCE = 50;

/** Why a player may not play or pay in by the registers of the rules; null: may. Problems: register.excluded, register.unanswered. */
export async function registerProblem(
  db: Db,
  playerId: string,
  { registers }: Pick<Rules, "registers">,
): Promise<Problem | null> {
  const answers = await answersOf(db, playerId);
  // Of any account of the person. Also where the market of today has no register: what ends play by an exclusion must not let it begin.
  if ([...answers.values()].some(({ isExcluded }) => isExcluded)) return { name: "register.excluded" };
  const isClear = registers.every((register) => answers.get(register)?.isClear === true);
  return isClear ? null : { name: "register.unanswered" };
}

/** What a register says of a player now. */
type Said = {
  /** Until the register says otherwise: an error lifts no exclusion. */
  readonly isExcluded: boolean;
  /** Its newest answer of all, and it still holds: an error ends it (record 0205). */
  readonly isClear: boolean;
};

async function answersOf(db: Db, playerId: string): Promise<ReadonlyMap<string, Said>> {
  const { rows } = await sql<Said & { register: string }>`
    select register, bool_or("isExcluded") as "isExcluded", bool_or("isClear" and player_id = ${playerId}) as "isClear" from (
      select register, player_id, (array_agg(answer order by id desc) filter (where answer <> 'error'))[1] is not distinct from 'excluded' as "isExcluded",
        (array_agg(answer = 'clear' and answered_at > clock_timestamp() - make_interval(hours => ${HOLDS_HOURS}) order by id desc))[1] as "isClear"
      from register_answer where player_id = any(array(select person_accounts(${playerId}))) group by register, player_id) theirs
    group by register`.execute(db);
  return new Map(rows.map(({ register, ...said }) => [register, said]));
}

/** Of these players the registers that once answered *clear*, whose newest such answer is too old now. Errors since then count for nothing: an hour's outage ends no game. */
export async function staleRegistersOf(
  db: Db,
  playerIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await sql<{ playerId: string; registers: string[] }>`
    select player_id as "playerId", array_agg(register) as registers from (
      select player_id, register from register_answer where player_id = any(${[...playerIds]}::text[]) and answer = 'clear'
      group by player_id, register having max(answered_at) <= clock_timestamp() - make_interval(hours => ${HOLDS_HOURS})) stale
    group by player_id`.execute(db);
  return new Map(rows.map(({ playerId, registers }) => [playerId, registers]));
}

/** For queries of other rooms: whether a register's newest answer about an account of the person of the column `id` is an exclusion. */
export function isInRegister(id: string): RawBuilder<boolean> {
  return sql<boolean>`exists (select from (select distinct on (register, player_id) answer from register_answer
    where player_id = any(array${personOf(id)}) and answer <> 'error' order by register, player_id, id desc) newest where answer = 'excluded')`;
}

/** A register without an answer since then: its newest try failed, and none has succeeded after the first failure. */
export type SilentRegister = { readonly register: string; readonly since: Date; readonly cause: string };

/** Registers whose newest try within the last day was an error. A few looks into an index, however many players were questioned. */
export async function silentRegisters(db: Db): Promise<SilentRegister[]> {
  const { rows } = await sql<SilentRegister>`
    select newest.register, coalesce(newest.cause, '') as cause, failed.answered_at as since
    from unnest(${[...REGISTERS]}::text[]) as r (name)
      cross join lateral (select a.register, a.answer, a.cause, a.answered_at from register_answer a where a.register = r.name order by a.id desc limit 1) newest
      cross join lateral (select coalesce((select g.id from register_answer g where g.register = r.name and g.answer <> 'error' order by g.id desc limit 1), 0) as id) good
      cross join lateral (select e.answered_at from register_answer e where e.register = r.name and e.id > good.id order by e.id limit 1) failed
    where newest.answer = 'error' and newest.answered_at > clock_timestamp() - interval '1 day' order by newest.register`.execute(
    db,
  );
  return rows;
}

export type RegistersParts = {
  readonly db: Db;
  /** Of this node: it questions about the players whose game sockets it has, so that no two nodes question about one. */
  readonly nodeId: string;
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
  /** A player may not play at a machine before its registers have answered: they are questioned, at most once a minute. */
  wanted(playerId: string, machineId: string): void;
  start(): void;
  close(): Promise<void>;
}

/** Questions registers about players and keeps what they answer; one question at a time for a player: signing in ten times at once is one. */
class Questions {
  readonly #parts: RegistersParts;
  readonly #ending = new AbortController();
  readonly #underWay = new Map<string, Promise<void>>();
  #unkept: Insertable<RegistersTables["register_answer"]>[] = [];

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
    const { random, log, registers, endPlay } = this.#parts;
    const requestId = newId(random, "rq");
    const said = await (registers[register] ?? notConnected)({ personalNumber, requestId }, this.#ending.signal);
    if (said === null || this.#ending.signal.aborted) return;
    const { answer, responseId, cause } = said;
    this.#unkept.push({
      ...{ player_id: playerId, register, answer, request_id: requestId },
      ...{ response_id: responseId ?? null, cause: cause ?? null },
    });
    // Play ends also while the database takes no answers.
    if (answer === "excluded")
      await endPlay(playerId).catch((error: unknown) => log.error({ playerId, err: error }, ENDS_NOT));
    await this.keep();
    if (answer === "error")
      log.error(
        { alarm: "register", playerId, register, cause },
        "a national register gave no answer, play stays closed",
      );
  }

  /** Keeps the answers in the order in which they came. One that the database does not take now is kept at the next look. */
  async keep(): Promise<void> {
    for (let next = this.#unkept[0]; next !== undefined; next = this.#unkept[0]) {
      await this.#parts.db.withTables<RegistersTables>().insertInto("register_answer").values(next).execute();
      this.#unkept = this.#unkept.filter((one) => one !== next);
    }
  }
}

const ENDS_NOT = "a player whom a national register excludes could not be sent home, it is tried again";

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
    await questions.keep();
    const players = await seatsToQuestion(db, parts.nodeId);
    const rules = await rulesOfAll(db.withTables<MarketTables>(), players);
    // Who is under no register is not questioned, and takes no other player's place.
    const ruled = players.flatMap(({ playerId }, at) => {
      const registers = rules[at]?.registers ?? [];
      return registers.length === 0 ? [] : [{ playerId, registers }];
    });
    await Promise.all(ruled.slice(0, AT_ONCE).map(({ playerId, registers }) => questions.about(playerId, registers)));
  }

  async function questionAt(playerId: string, machineId: string): Promise<void> {
    const { registers } = await rulesOf(db.withTables<MarketTables>(), { playerId, machineId });
    if (registers.length > 0 && !(await wasJustAsked(db, playerId))) await questions.about(playerId, registers);
  }

  return {
    signedIn: (playerId) => void follow(questionFor(playerId), { playerId }),
    wanted: (playerId, machineId) => void follow(questionAt(playerId, machineId), { playerId, machineId }),
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

/** Players at machines of this node without a clear answer of the last half of its time, and without any in the last minute. */
async function seatsToQuestion(
  db: Db,
  nodeId: string,
): Promise<{ readonly playerId: string; readonly machineId: string }[]> {
  const { rows } = await sql<{ playerId: string; machineId: string }>`
    select s.player_id as "playerId", s.machine_id as "machineId" from seat s
    where s.player_id is not null and s.holder_node = ${nodeId} and exists (select from market_choice)
      and not exists (select from register_answer a where a.player_id = s.player_id and a.answer = 'clear'
        and a.answered_at > clock_timestamp() - make_interval(hours => ${HOLDS_HOURS / 2})
        and not exists (select from register_answer e where e.player_id = s.player_id and e.id > a.id and e.answer = 'error'))
      and not ${isJustAsked(sql.ref("s.player_id"))}
    order by s.player_id`.execute(db);
  return rows;
}

const isJustAsked = (player: RawBuilder<unknown>) =>
  sql<boolean>`exists (select from register_answer a where a.player_id = ${player}
    and a.answered_at > clock_timestamp() - interval '1 millisecond' * ${AGAIN_MS})`;

async function wasJustAsked(db: Db, playerId: string): Promise<boolean> {
  const { rows } = await sql<{ was: boolean }>`select ${isJustAsked(sql`${playerId}`)} as was`.execute(db);
  return rows[0]?.was === true;
}
