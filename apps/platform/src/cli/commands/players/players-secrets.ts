import { openLedger } from "@longarm/ledger/ledger";
import type { Transaction } from "kysely";
import type { Players } from "../../../modules/players/accounts/index.ts";
import { createPlayers } from "../../../modules/players/accounts/index.ts";
import type { AuthTables } from "../../../modules/players/auth/index.ts";
import { endSessions } from "../../../modules/players/auth/index.ts";
import { asStaff, haveCarriedOut } from "../../as-staff.ts";
import { BY, readBy, whoAsks } from "../../ask-platform.ts";
import type { Command, CommandDeps, Given } from "../../command.ts";
import { DRY_RUN, UsageProblem } from "../../command.ts";
import { namedPlayer } from "../../named-player.ts";
import { GENERATE, newPassword, newPin } from "../../reading/secrets.ts";

const PLAYER = { name: "username", about: "of the player" };

/** Sets another password. */
export const playersPassword: Command = {
  words: "players password",
  about: "set another password; the player is signed out everywhere",
  more: [
    "  longarm players password deniz.aydin --generate",
    "",
    "Without --generate it is asked for without being shown, or read from the input's first line; it never stands on the",
    "command line, which others can see.",
  ].join("\n"),
  places: [PLAYER],
  options: { generate: GENERATE, by: BY, "dry-run": DRY_RUN },
  asks: (given) => `${given.get("username")} is signed out everywhere.`,
  prepare: (given) => async (deps) => {
    const { id, username, who, dryRun } = await whose(deps, given);
    if (dryRun) return nothing(deps, `Would set another password for ${username} (${id})`);
    const password = await newPassword(deps, given, username);
    await asStaff(deps, who, async (transaction) => {
      await (await playersIn(deps, transaction)).setPassword(id, password.text);
      await endSessions(transaction.withTables<AuthTables>(), { playerId: id }, "logged out");
    });
    deps.say(`${username} (${id}) has another password.`);
    if (password.isMade) deps.say(`The password, shown once: ${password.text}`);
    const carriedOut = await haveCarriedOut(deps, { kind: "player", body: { playerId: id, signOut: true }, by: who });
    return { player: id, carriedOut, ...(password.isMade && { password: password.text }) };
  },
};

/** Sets another PIN, or none. */
export const playersPin: Command = {
  words: "players pin",
  about: "set another PIN for the idle lock, or none",
  more: "  longarm players pin deniz.aydin --generate\n  longarm players pin deniz.aydin --none",
  places: [PLAYER],
  options: {
    generate: GENERATE,
    none: { type: "boolean", about: "take the PIN away: the screen is not locked any more" },
    by: BY,
    "dry-run": DRY_RUN,
  },
  prepare: (given) => {
    if (given.has("none") && given.has("generate")) throw new UsageProblem("Either --generate or --none, not both.");
    return async (deps) => {
      const { id, username, who, dryRun } = await whose(deps, given);
      if (dryRun) return nothing(deps, `Would set another PIN for ${username} (${id})`);
      const pin = given.has("none") ? null : await newPin(deps, given, username);
      await asStaff(deps, who, async (transaction) =>
        (await playersIn(deps, transaction)).setPin(id, pin?.text ?? null),
      );
      deps.say(pin === null ? `${username} (${id}) has no PIN any more.` : `${username} (${id}) has another PIN.`);
      if (pin?.isMade) deps.say(`The PIN, shown once: ${pin.text}`);
      return { player: id, hasPin: pin !== null, ...(pin?.isMade && { pin: pin.text }) };
    };
  },
};

async function whose(deps: CommandDeps, given: Given) {
  const who = whoAsks(deps, readBy(given));
  const { id, username } = await namedPlayer(deps.db, String(given.get("username")));
  return { id, username, who, dryRun: given.has("dry-run") };
}

function nothing(deps: CommandDeps, what: string) {
  deps.say(`${what}. Nothing was changed.`);
  return { dryRun: true };
}

function playersIn({ random }: CommandDeps, transaction: Transaction<unknown>): Promise<Players> {
  return createPlayers({ db: { kysely: transaction }, ledger: openLedger(transaction), random });
}
