import type { Problem, ProblemName } from "@longarm/contract/problems";
import { runTransaction } from "@longarm/database/run-transaction";
import type { Kysely, RawBuilder, Updateable } from "kysely";
import { sql } from "kysely";
import type { Topic, Topics } from "../../../bus/index.ts";
import { databaseIn } from "../../../database-time.ts";
import type { PlayDeps } from "../deps.ts";
import type { EndReason, PlayDb, PlayState, PlayTables, PlayTransaction } from "../tables.ts";
import { PROTECTIVE_ENDS } from "../tables.ts";
import type { Decision, PlayEvent, PlayTimes } from "./play-states.ts";
import { decide, isAtRest, machineStatus, rowOfState } from "./play-states.ts";
import type { MachineFacts, SeatFactsNow, SeatRow } from "./seat-facts.ts";
import { lockSeat, readFacts } from "./seat-facts.ts";

/** Why it has to end, for `playerEnds` and `houseEnds`; and fields that go into the row with the new state. */
export type Happening = { readonly given?: EndReason; readonly fields?: Updateable<PlayTables["seat"]> };

/** A seat under its lock, inside one transaction. What it announces is published when the transaction is committed. */
export interface OpenSeat {
  /** Once the work has it, `facts` reads the database every time: any statement may have changed them. */
  readonly trx: PlayTransaction;
  readonly row: SeatRow;
  facts(): Promise<SeatFactsNow>;
  /** Applies an event to the seat; returns the problem when the state refuses it. */
  happen(event: PlayEvent, more?: Happening): Promise<ProblemName | null>;
  /** Changes fields that no state decides: the holder's socket, the epoch. */
  change(fields: Updateable<PlayTables["seat"]>): Promise<void>;
  announce<T extends Topic>(topic: T, message: Topics[T]): void;
  /** Announces the machine's status although this transaction did not change it: its agent's link or staff did, outside of it. */
  announceStatus(): void;
}

/** Thrown to leave a seat's transaction with nothing written; `within` answers it as a refusal. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly problem: ProblemName;
  readonly detail: string | undefined;
  /** What the text of the problem needs. */
  readonly params: Problem["params"];
  constructor(
    problem: ProblemName,
    detail?: string,
    options?: ErrorOptions & { readonly params?: Problem["params"] | undefined },
  ) {
    super(detail ?? problem, options);
    this.problem = problem;
    this.detail = detail;
    this.params = options?.params;
  }
}

export type WithinSeat = <T>(machineId: string, work: (seat: OpenSeat) => Promise<T>) => Promise<T>;

/** Opens seats: one transaction, the seat's row locked first. @throws Refusal machine.not_available for an unknown machine. */
export function withinSeats(deps: PlayDeps, times: PlayTimes): WithinSeat {
  return async (machineId, work) => {
    let after: (() => void)[] = [];
    const result = await runTransaction(deps.db, async (trx) => {
      // A transaction that the database took back has announced nothing.
      after = [];
      const row = await lockSeat(trx, machineId);
      if (row === undefined) throw new Refusal("machine.not_available", `There is no machine "${machineId}" here`);
      const seat = new Seat(deps, times, trx, row, after);
      const before = await seat.shown();
      const done = await work(seat);
      announceChange(seat, before, await seat.shown());
      return done;
    });
    for (const run of after) run();
    return result;
  };
}

type Shown = { readonly row: SeatRow; readonly status: number };

/** What others see of a change: the machine's status, the holder's session, and everything for the holder's own socket. */
function announceChange(seat: Seat, before: Shown, now: Shown): void {
  const machineId = now.row.machine_id;
  if (before.status !== now.status || seat.mustAnnounceStatus) {
    const { player_id } = now.row;
    seat.announce("machine.changed", {
      machineId,
      status: now.status,
      ...(player_id !== null && { holderId: player_id }),
    });
  }
  const word = ({ row }: Shown) => rowOfState(row.state).session;
  if (before.row.player_id !== now.row.player_id || word(before) !== word(now)) {
    for (const playerId of new Set([before.row.player_id, now.row.player_id]))
      if (playerId !== null) seat.announce("session.changed", { playerId });
  }
  const ending = saidEnding(now.row);
  const ended = ending !== null && saidEnding(before.row) === null ? endCodes[ending] : undefined;
  const why = isProtective(ending) ? { why: String(ending) } : {};
  if (before.row.state !== now.row.state || String(before.row.due_at) !== String(now.row.due_at) || ended !== undefined)
    seat.announce("seat.changed", { machineId, epoch: now.row.epoch, ...(ended !== undefined && { ended, ...why }) });
}

const isProtective = (ending: EndReason | null): boolean => ending !== null && PROTECTIVE_ENDS[ending] !== undefined;

/** Why a play session ends, once its page may say so. */
const saidEnding = ({ ending, state }: SeatRow): EndReason | null =>
  isProtective(ending) && state === "draining" ? null : ending;

/** Ends that `ended` reports to the player with the specification's code 18801; a player who left or cancelled needs no report. */
const endCodes: Readonly<Partial<Record<EndReason, string>>> = {
  noDeposit: "CODE_18801",
  idle: "CODE_18801",
  kicked: "CODE_18801",
  banned: "CODE_18801",
  excluded: "CODE_18801",
  limit: "CODE_18801",
  house: "CODE_18801",
  identity: "CODE_18801",
  payment: "CODE_18801",
  limitMissing: "CODE_18801",
  register: "CODE_18801",
  help: "CODE_18801",
  turn: "CODE_18801",
};

class Seat implements OpenSeat {
  row: SeatRow;
  readonly #deps: PlayDeps;
  readonly #times: PlayTimes;
  readonly #after: (() => void)[];
  readonly #trx: PlayTransaction;
  /** The facts since the seat was opened; used only while nothing but the seat's own row was written, in which there are none. */
  #opened: MachineFacts | undefined;
  #handedOut = false;
  mustAnnounceStatus = false;

  constructor(deps: PlayDeps, times: PlayTimes, trx: PlayTransaction, row: SeatRow, after: (() => void)[]) {
    this.#deps = deps;
    this.#times = times;
    this.#after = after;
    this.#trx = trx;
    this.row = row;
  }

  /** From here on the work may write what the facts are read from, at any time and in any way. */
  get trx(): PlayTransaction {
    this.#handedOut = true;
    return this.#trx;
  }

  async facts(): Promise<SeatFactsNow> {
    return { ...(await this.#machineFacts()), holder: this.row.holder_socket !== null, ending: this.row.ending };
  }

  async #machineFacts(): Promise<MachineFacts> {
    if (this.#handedOut) return await readFacts(this.#trx, this.row.machine_id);
    this.#opened ??= await readFacts(this.#trx, this.row.machine_id);
    return this.#opened;
  }

  async shown(): Promise<Shown> {
    const facts = await this.facts();
    return { row: this.row, status: machineStatus({ ...facts, state: this.row.state }) };
  }

  async happen(event: PlayEvent, { given, fields }: Happening = {}): Promise<ProblemName | null> {
    const facts = await this.facts();
    const holder = typeof fields?.holder_socket === "string" || facts.holder;
    const decision = decide(this.row.state, event, { ...facts, holder }, given);
    if (decision.is === "refused") return decision.problem;
    this.row = await storeState(this.#trx, this.row, decision, this.#times, { ...facts, fields });
    if (decision.alarm) await this.#callStaff(event);
    return null;
  }

  /** In the seat's own transaction: what is taken back calls no person. */
  async #callStaff(event: PlayEvent): Promise<void> {
    const { machine_id: machineId, state, play_session_id: playSessionId } = this.row;
    await this.#deps.alarms.keep(this.#trx, {
      alarm: "seat",
      subject: `machine:${machineId}`,
      machineId,
      facts: { machineId, playSessionId, state, event },
      sentence: "a seat needs staff",
    });
  }

  async change(fields: Updateable<PlayTables["seat"]>): Promise<void> {
    this.row = await this.#trx
      .updateTable("seat")
      .set(fields)
      .where("machine_id", "=", this.row.machine_id)
      .returningAll()
      .executeTakeFirstOrThrow();
  }

  announce<T extends Topic>(topic: T, message: Topics[T]): void {
    this.#after.push(() => this.#deps.bus.publish(topic, message));
  }

  announceStatus(): void {
    this.mustAnnounceStatus = true;
  }
}

type Next = Extract<Decision, { is: "next" }>;

/**
 * Writes a decided state; its time runs by the database's clock. A free seat keeps its epoch and nothing else.
 * @param credit by the ledger, minor units.
 */
async function storeState(
  trx: PlayTransaction,
  row: SeatRow,
  decision: Next,
  times: PlayTimes,
  {
    credit,
    checked,
    fields = {},
  }: Pick<SeatFactsNow, "credit" | "checked"> & { readonly fields?: Updateable<PlayTables["seat"]> | undefined },
): Promise<SeatRow> {
  const isStill = checked && isAtRest(decision.state);
  return await trx
    .updateTable("seat")
    .set({
      ...fields,
      state: decision.state,
      ending: decision.ending,
      deposit_until: isEmpty(decision, credit) && !isStill ? depositUntil(times) : null,
      ...(decision.restart ? { due_at: isStill ? null : dueAt(decision, times, credit) } : {}),
      ...(HELD_ON.has(decision.state) ? {} : { hold_until: null }),
      ...(decision.state === "free" ? freed : {}),
    })
    .where("machine_id", "=", row.machine_id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** States in which a player who has held the seat and left is still away. */
const HELD_ON: ReadonlySet<PlayState> = new Set(["waiting", "agentAway", "fault"]);

/** Somebody has the seat and could put money in, but has none on the machine. */
function isEmpty({ state }: Next, credit: number): boolean {
  return (state === "seated" || state === "waiting") && credit === 0;
}

const inMs = (ms: number) => sql<Date>`clock_timestamp() + ${ms} * interval '1 millisecond'`;

/** The time to put money in runs once: neither a word of the player nor a new socket begins it anew. */
const depositUntil = ({ noDepositMs }: PlayTimes) => sql<Date>`coalesce(deposit_until, ${inMs(noDepositMs)})`;

function dueAt(decision: Next, times: PlayTimes, credit: number): RawBuilder<Date> | null {
  const { after } = rowOfState(decision.state);
  if (after === undefined) return null;
  if (decision.state === "waiting" && credit > 0) return sql<Date>`greatest(${inMs(times[after])}, hold_until)`;
  if (!isEmpty(decision, credit)) return inMs(times[after]);
  if (decision.state === "seated") return depositUntil(times);
  return sql<Date>`least(${inMs(times[after])}, ${depositUntil(times)} + ${times[after]} * interval '1 millisecond')`;
}

const freed = { player_id: null, play_session_id: null, holder_socket: null, holder_node: null, holder_until: null };

/** The seat of a machine whose agent said hello. An agent that has seen a higher epoch outlived a restored database: continue above it. */
export async function ensureSeat(trx: PlayTransaction, machineId: string, epoch: number): Promise<void> {
  await trx
    .insertInto("seat")
    .values({ machine_id: machineId, epoch, state: "free" })
    .onConflict((conflict) =>
      conflict.column("machine_id").doUpdateSet({ epoch: sql<number>`greatest(seat.epoch, excluded.epoch)` }),
    )
    .execute();
}

/** Keeps holders on their seats for so long. @returns the game sockets that still hold one. */
export async function keepHolders(db: PlayDb, socketIds: readonly string[], ms: number): Promise<Set<string | null>> {
  const kept = await db
    .updateTable("seat")
    .set({ holder_until: databaseIn(ms) })
    .where("holder_socket", "in", [...socketIds])
    .returning("holder_socket")
    .execute();
  return new Set(kept.map(({ holder_socket }) => holder_socket));
}

/** The seat that a player holds; undefined: none. */
export async function seatOfPlayer(db: Kysely<unknown>, playerId: string): Promise<SeatRow | undefined> {
  return await db
    .withTables<PlayTables>()
    .selectFrom("seat")
    .selectAll()
    .where("player_id", "=", playerId)
    .executeTakeFirst();
}

/** Where players sit: these, or all who do; by player. */
export async function seatsOfPlayers(
  db: Kysely<unknown>,
  playerIds?: readonly string[],
): Promise<ReadonlyMap<string, { readonly id: string; readonly name: string }>> {
  const rows = await db
    .withTables<PlayTables>()
    .selectFrom("seat as s")
    .innerJoin("machine as m", "m.id", "s.machine_id")
    .select(["s.player_id", "m.id", "m.facts"])
    .where("s.player_id", "is not", null)
    .$if(playerIds !== undefined, (query) =>
      query.where(sql<boolean>`s.player_id = any(${[...(playerIds ?? [])]}::text[])`),
    )
    .execute();
  return new Map(
    rows.flatMap(({ player_id, id, facts }) => (player_id === null ? [] : [[player_id, { id, name: facts.name }]])),
  );
}
