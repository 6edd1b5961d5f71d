import * as z from "zod/mini";

/**
 * Where money can be: `player:<id>`, `machine:<id>`, `house` (what the games win and pay), `cage` (the world outside:
 * deposits come from it, withdrawals go to it), `provider:<name>` (the same through a provider of payments), `owed:<id>` (below zero by
 * what a player owes, because a provider took back more than the wallet had), `suspense` (differences that wait for a person),
 * `promotions` and `fees` (what players pay the venue for a service).
 * The id behind a colon: 1 to 64 letters, digits and `_ . : -`.
 */
export const AccountAddress = z
  .string()
  .check(
    z.maxLength(72),
    z.regex(
      /^(house|cage|suspense|promotions|fees|(player|machine|owed):[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}|provider:[a-z][a-z0-9-]{0,31})$/,
      "must be player:<id>, machine:<id>, owed:<id>, provider:<name>, house, cage, suspense, promotions or fees",
    ),
  );
export type AccountAddress = z.infer<typeof AccountAddress>;

/** The wallet of a player. */
export const playerAccount = (playerId: string): AccountAddress => `player:${playerId}`;

/** The credits that stand on a machine, as far as the ledger knows. */
export const machineAccount = (machineId: string): AccountAddress => `machine:${machineId}`;

/** What came from a provider of payments and went to it. */
export const providerAccount = (name: string): AccountAddress => `provider:${name}`;

/** What a player owes, below zero. */
export const owedAccount = (playerId: string): AccountAddress => `owed:${playerId}`;

/** Players may never give more than they have; every other account may go below zero. */
export const isGuarded = (address: AccountAddress): boolean => address.startsWith("player:");
