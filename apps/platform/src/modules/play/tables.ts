import type { AgentMachine } from "@longarm/contract/agent-link";
import type { Meters } from "@longarm/contract/machine";
import type { HoldReason } from "@longarm/contract/player-protection";
import type { ColumnType, Generated, JSONColumnType, Kysely, RawBuilder, Transaction } from "kysely";
import { sql } from "kysely";
import type * as z from "zod/mini";

/** The states of a seat (architecture.md section 4). `free` is also *settled*: no player has it, the epoch is kept. */
export const PLAY_STATES = [
  "free",
  "seated",
  "playing",
  "idling",
  "inGame",
  "inBonus",
  "waiting",
  "bonusWaiting",
  "ending",
  "transferUnknown",
  "handPay",
  "fault",
  "agentAway",
  "draining",
] as const;
export type PlayState = (typeof PLAY_STATES)[number];

/** Why a play session ends; kept with it. */
export const END_REASONS = [
  "left",
  "noDeposit",
  "idle",
  "lostLink",
  "cancelled",
  "kicked",
  "banned",
  "excluded",
  "limit",
  "house",
  // The player is too young, or was refused or has expired where the market wants a proof.
  "identity",
  // Money of the player went back to a provider of payments, and no person has looked at it yet.
  "payment",
  // What the market wants before play is missing: a limit that the player removed, a fresh answer of a register, listed help.
  "limitMissing",
  "register",
  "help",
  // Others wait, and the time that a player may sit meanwhile is over.
  "turn",
] as const;
export type EndReason = (typeof END_REASONS)[number];

/**
 * Ends by a rule that is known to the player before: a game that runs is finished by its presses and shown to its end before the page says why, and no other begins.
 * What its agent holds the next one for.
 */
export const PROTECTIVE_ENDS: Readonly<Partial<Record<EndReason, HoldReason>>> = {
  limit: "limit",
  excluded: "break",
  identity: "break",
  payment: "break",
  limitMissing: "break",
  register: "break",
  help: "break",
  turn: "turn",
};

/** Meters as the schema gives them. */
export type MetersNow = z.output<typeof Meters>;
/** What a machine is: all of `hello` that does not change while it plays. */
export type MachineFactsKept = Omit<
  z.output<typeof AgentMachine>,
  "meters" | "totals" | "state" | "epoch" | "jackpots"
>;
export type JackpotNow = { readonly name: string; readonly amount: number };

/** A time the database sets by its own clock and the code only reads. */
type StoredAt = ColumnType<Date, never, never>;

/** A time that is written by the database's clock. */
type TimeToCome = ColumnType<Date | null, RawBuilder<Date> | null, RawBuilder<Date> | null>;

/** What was found when machine and ledger differed (`modules/play/books`). */
export type DifferenceKind = "settle" | "late" | "claim" | "meters" | "games";

/** Tables of seats, play sessions, machines and agents (`migrations/play`). Amounts in minor units. */
export type PlayTables = {
  agent: { id: string; name: string; created_at: StoredAt; revoked_at: Date | null };
  /** Keys of agents; one that ended stays. */
  agent_key: {
    id: string;
    agent_id: string;
    key_sha256: string;
    made_at: StoredAt;
    ends_at: TimeToCome;
    last_used_at: TimeToCome;
    reason: string;
  };
  agent_hello: { agent_id: string; version: string; clock_off_ms: number; at: TimeToCome };
  machine: {
    id: string;
    agent_id: string;
    facts: JSONColumnType<MachineFactsKept>;
    meters: JSONColumnType<MetersNow>;
    meters_at: Date;
    lockup: string | null;
    /** The machine does not answer its agent. */
    offline: Generated<boolean>;
    jackpots: JSONColumnType<JackpotNow[]>;
    watchable: Generated<boolean>;
    taken_seq: Generated<number>;
    taken_game: Generated<number>;
    /** Added to the machine's own count of games: it restarts with each RAM clear. */
    games_base: Generated<number>;
    last_seen_at: Generated<Date>;
  };
  agent_link: { machine_id: string; agent_id: string; node_id: string; link_id: string; lease_until: Date };
  play_session: {
    id: string;
    machine_id: string;
    player_id: string;
    started_at: StoredAt;
    ended_at: Date | null;
    end_reason: string | null;
    net: Generated<number>;
    wagered: Generated<number>;
    cashed_in: Generated<number>;
    cashed_out: Generated<number>;
    games: Generated<number>;
    /** Null: the machine did not say those of each game. */
    free_spins: Generated<number | null>;
  };
  seat: {
    machine_id: string;
    epoch: number;
    state: PlayState;
    player_id: string | null;
    play_session_id: string | null;
    ending: EndReason | null;
    holder_socket: string | null;
    holder_node: string | null;
    holder_until: TimeToCome;
    due_at: TimeToCome;
    /** Until when money must be on the machine; null while it is, or while the state does not ask for it. */
    deposit_until: TimeToCome;
    /** A seat that its player has left waits until then at least. */
    hold_until: ColumnType<Date | null, RawBuilder<Date> | null | undefined, RawBuilder<Date> | null>;
  };
  /** Each time a player has held a seat. */
  seat_hold: {
    id: string;
    player_id: string;
    play_session_id: string;
    begun_at: StoredAt;
    until_at: ColumnType<Date, RawBuilder<Date>, never>;
    /** What was paid for it, minor units, and by which transfer; null: it was free. */
    price: number;
    transfer_id: string | null;
  };
  machine_transfer: {
    id: string;
    told_id: string | null;
    machine_id: string;
    play_session_id: string;
    player_id: string;
    epoch: number;
    direction: "cashIn" | "cashOut";
    asked: number | null;
    expected: Generated<number>;
    node_id: string;
    state: Generated<"asking" | "unknown" | "done" | "refused">;
    amount: Generated<number>;
    reason: string | null;
    refusal: string | null;
    created_at: StoredAt;
    decided_at: ColumnType<Date | null, Date | RawBuilder<Date> | null, Date | RawBuilder<Date> | null>;
  };
  game: {
    machine_id: string;
    game_number: number;
    play_session_id: string | null;
    stake: number;
    win: number;
    credit_before: number;
    credit_after: number;
    hand_paid: number;
    /** Null, as `bonus` may be: the machine did not say. */
    free_spins: number | null;
    bonus: boolean | null;
    started_at: Date | string;
    ended_at: Date | string;
    taken_at: StoredAt;
  };
  machine_event: {
    machine_id: string;
    seq: number;
    kind: string;
    play_session_id: string | null;
    happened_at: Date | string;
    taken_at: StoredAt;
    body: JSONColumnType<Record<string, unknown>>;
  };
  hand_pay: {
    machine_id: string;
    hand_pay_id: string;
    amount: number;
    kind: "win" | "jackpot" | "cancelledCredits";
    play_session_id: string | null;
    player_id: string | null;
    pending_since: StoredAt;
    confirmed_at: Date | null;
    confirmed_by: string | null;
  };
  discrepancy: {
    id: Generated<number>;
    machine_id: string;
    play_session_id: string | null;
    ledger_amount: number;
    machine_amount: number;
    transfer_id: string | null;
    found_at: StoredAt;
    kind: DifferenceKind;
    about: JSONColumnType<Record<string, unknown>>;
    explained_at: TimeToCome;
    explained_by: string | null;
    explanation: string | null;
    /** The transfer that took the money out of suspense again. */
    cleared_by: string | null;
  };
};

export type PlayDb = Kysely<PlayTables>;
export type PlayTransaction = Transaction<PlayTables>;

/**
 * Whether a query's one transfer has no outcome yet. The states are literals in the statement: otherwise the planner cannot use the index over open
 * transfers.
 */
export function isOpen(): RawBuilder<boolean> {
  return sql<boolean>`machine_transfer.state in ('asking', 'unknown')`;
}

/** What several nodes share (`migrations/nodes`). */
export type NodesTables = {
  machine_still: { machine_id: string; tag: string; webp: Buffer; taken_at: ColumnType<Date, never, RawBuilder<Date>> };
  /** `crowd`: watches at a media server, without a place of the agent. */
  watcher: { socket_id: string; machine_id: string; player_id: string; node_id: string; crowd: boolean };
};
