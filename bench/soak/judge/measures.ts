import type { Bound } from "./judge.ts";

/** What is read again and again of a running venue. */
export type Measure = {
  readonly name: string;
  readonly unit: "MB" | "times";
  readonly bound: Bound;
};

/** Of a level that people do not move: what it may gain in an hour. */
const SHARE = 0.05;

const megabytes = (name: string, most: number): Measure => ({ name, unit: "MB", bound: { most, shareAnHour: SHARE } });
const count = (name: string, most: number): Measure => ({ name, unit: "times", bound: { most, shareAnHour: SHARE } });

/**
 * A program's memory as the system sees it moves by some megabytes with the moment's buffers; its heap after a collection, its handles and
 * sockets are exact, but for whoever is just coming or going.
 */
export const ofProgram = (name: string) => ({
  resident: megabytes(`${name}: memory (resident)`, 16),
  heap: megabytes(`${name}: heap after collection`, 2),
  external: megabytes(`${name}: memory outside of the heap`, 2),
  resources: count(`${name}: timers, sockets, work under way`, 12),
  files: count(`${name}: open files and sockets`, 8),
  connected: count(`${name}: TCP connections`, 6),
  halfClosed: count(`${name}: TCP connections half closed`, 2),
  udp: count(`${name}: UDP sockets`, 6),
  threads: count(`${name}: threads`, 2),
});

export const OF_DATABASE = {
  own: megabytes("PostgreSQL: memory of its own, all processes", 16),
  connections: count("PostgreSQL: connections", 3),
  beyond: megabytes("tables: what rows do not explain", 4),
  dead: count("tables: dead rows beyond autovacuum's", 4_000),
};

export const OF_PAGE = {
  heap: megabytes("page: memory of scripts", 2),
  nodes: count("page: nodes", 300),
  listeners: count("page: listeners", 100),
};

/** Tables that keep what happened: everybody who plays adds rows to them. All others must stay as they are. */
const HISTORIES: readonly string[] = [
  ...["ledger.holds", "ledger.postings", "ledger.transfers", "wallet_entry", "machine_transfer", "transfer_recovery"],
  ...["play_session", "game", "machine_event", "hand_pay", "meter_reading", "reconciliation", "auth_session"],
  ...["audit.entries", "audit.links", "discount_claim", "bonus_grant", "team_chat_message"],
];

/** Of one table; those of histories have no bound of rows. */
export const ofTable = (name: string) => ({
  beyond: megabytes(`table ${name}: what rows do not explain`, 2),
  dead: count(`table ${name}: dead rows beyond autovacuum's`, 3_000),
  rows: HISTORIES.includes(name) ? undefined : count(`table ${name}: rows`, 25),
});
