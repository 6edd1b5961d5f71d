import { openLedger } from "@longarm/ledger/ledger";
import type { Transaction } from "kysely";
import type { Players } from "../../modules/players/accounts/index.ts";
import {
  createPlayers,
  NEW_PASSWORD_MIN,
  newPasswordProblem,
  newPlayerPassword,
  randomText,
} from "../../modules/players/accounts/index.ts";
import type { AuthTables } from "../../modules/players/auth/index.ts";
import { endSessions } from "../../modules/players/auth/index.ts";
import type { PasskeyTables } from "../../modules/players/passkeys/index.ts";
import { removeAllKeys } from "../../modules/players/passkeys/index.ts";
import type { CommandDeps } from "../command.ts";
import { actCommand, UsageProblem } from "../command.ts";
import { DRY_RUN, flag, USERNAME } from "../fields.ts";
import { asStaff, carryOut, namedPlayer, noticesOf } from "../staff.ts";

/** A password or PIN is never part of the command line, which other users of the computer can see. */
export const GENERATE = flag("make one and show it once, instead of asking for it");

export const playersPassword = actCommand({
  name: "players password",
  needs: "player.lock",
  about: "set another password; the player is signed out everywhere",
  more: [
    "  longarm players password deniz.aydin --generate",
    "",
    "Without --generate it is asked for without being shown, or read from the input's first line; it is never part of the",
    "command line, which others can see.",
  ].join("\n"),
  arguments: { username: USERNAME },
  options: { generate: GENERATE, dryRun: DRY_RUN },
  confirm: ({ username }) => `${username} is signed out everywhere.`,
  async run(deps, { username: name, generate, by, dryRun }) {
    const { id, username } = await namedPlayer(deps.db, name);
    if (dryRun) return sayDryRun(deps, `Would set another password for ${username} (${id})`);
    const password = await newPassword(deps, generate, username);
    await asStaff(deps, by, async (transaction) => {
      await (await playersIn(deps, transaction)).setPassword(id, password.text);
      await noticesOf(deps)?.changed(transaction, id, "passwordChanged");
      await endSessions(transaction.withTables<AuthTables>(), { playerId: id }, "logged out");
    });
    deps.say(`${username} (${id}) has another password.`);
    if (password.isMade) deps.say(`The password, shown once: ${password.text}`);
    const carriedOut = await carryOut(deps, { kind: "player", body: { playerId: id, signOut: true }, by });
    return { player: id, carriedOut, ...(password.isMade && { password: password.text }) };
  },
});

export const playersRemoveKeys = actCommand({
  name: "players remove-keys",
  needs: "player.lock",
  about:
    "remove every passkey, recovery code, authenticator app and link with an issuer; the player is signed out everywhere",
  more: "  longarm players remove-keys deniz.aydin\n\nFor a player whose device somebody else has, or who lost it. The password stays: longarm players password sets another.",
  arguments: { username: USERNAME },
  options: { dryRun: DRY_RUN },
  confirm: ({ username }) => `${username} is signed out everywhere.`,
  async run(deps, { username: name, by, dryRun }) {
    const { id, username } = await namedPlayer(deps.db, name);
    if (dryRun)
      return sayDryRun(
        deps,
        `Would remove the passkeys, recovery codes, authenticator app and links with issuers of ${username} (${id})`,
      );
    const had = await asStaff(deps, by, async (transaction) => {
      await endSessions(transaction.withTables<AuthTables>(), { playerId: id }, "logged out");
      const keys = await removeAllKeys(transaction.withTables<PasskeyTables>(), id);
      if (Object.values(keys).some(Boolean)) await noticesOf(deps)?.changed(transaction, id, "keysRemoved");
      return keys;
    });
    deps.say(
      `Removed from ${username} (${id}): ${had.passkeys} passkeys, ${had.recoveryCodes} recovery codes${had.hasApp ? ", the authenticator app" : ""}${had.hasLink ? ", the links with issuers" : ""}.`,
    );
    const carriedOut = await carryOut(deps, { kind: "player", body: { playerId: id, signOut: true }, by });
    return { player: id, carriedOut, ...had };
  },
});

export const playersPin = actCommand({
  name: "players pin",
  needs: "player.lock",
  about: "set another PIN for the idle lock, or none",
  more: "  longarm players pin deniz.aydin --generate\n  longarm players pin deniz.aydin --none",
  arguments: { username: USERNAME },
  options: {
    generate: GENERATE,
    none: flag("take the PIN away: the screen is not locked any more"),
    dryRun: DRY_RUN,
  },
  check({ generate, none }) {
    if (none && generate) throw new UsageProblem("Either --generate or --none, not both.");
  },
  async run(deps, { username: name, generate, none, by, dryRun }) {
    const { id, username } = await namedPlayer(deps.db, name);
    if (dryRun) return sayDryRun(deps, `Would set another PIN for ${username} (${id})`);
    const pin = none ? null : await newPin(deps, generate, username);
    await asStaff(deps, by, async (transaction) => (await playersIn(deps, transaction)).setPin(id, pin?.text ?? null));
    deps.say(pin === null ? `${username} (${id}) has no PIN any more.` : `${username} (${id}) has another PIN.`);
    if (pin?.isMade) deps.say(`The PIN, shown once: ${pin.text}`);
    return { player: id, hasPin: pin !== null, ...(pin?.isMade && { pin: pin.text }) };
  },
});

function sayDryRun(deps: CommandDeps, what: string): object {
  deps.say(`${what}. Nothing was changed.`);
  return { dryRun: true };
}

function playersIn({ random }: CommandDeps, transaction: Transaction<unknown>): Promise<Players> {
  return createPlayers({ db: { kysely: transaction }, ledger: openLedger(transaction), random });
}

const PASSWORD_LENGTH_MAX = 256;
const GENERATED_PIN_DIGITS = 6;

/** A secret to be set; `isMade`: it was generated and has to be shown. */
type Secret = { readonly text: string; readonly isMade: boolean };

/** A password that was typed, or a generated one. @throws UsageProblem. */
export async function newPassword(deps: CommandDeps, generate: boolean, username: string): Promise<Secret> {
  if (generate) return { text: newPlayerPassword(deps.random), isMade: true };
  const text = await deps.secret(`New password of ${username}: `);
  const problem = await passwordProblem(text, username);
  if (problem !== undefined) throw new UsageProblem(problem);
  return { text, isMade: false };
}

async function passwordProblem(password: string, username: string): Promise<string | undefined> {
  if (password.length > PASSWORD_LENGTH_MAX || !password.isWellFormed() || password.includes("\0"))
    return `The password must be text of at most ${PASSWORD_LENGTH_MAX} characters. Nothing was changed.`;
  if (password.toLowerCase().includes(username.toLowerCase()))
    return "The password must not contain the name of the player. Nothing was changed.";
  const weak = await newPasswordProblem(password, username);
  if (weak === "password.too_short")
    return `The password needs at least ${NEW_PASSWORD_MIN} characters. Nothing was changed.`;
  return weak === null ? undefined : "Many people use this password: choose another one. Nothing was changed.";
}

/** A PIN that was typed, or a generated one. @throws UsageProblem. */
async function newPin(deps: CommandDeps, generate: boolean, username: string): Promise<Secret> {
  if (generate) return { text: randomText(deps.random, "0123456789", GENERATED_PIN_DIGITS), isMade: true };
  const text = await deps.secret(`New PIN of ${username}, 4 to 12 digits: `);
  if (!/^\d{4,12}$/.test(text)) throw new UsageProblem("A PIN has 4 to 12 digits. Nothing was changed.");
  return { text, isMade: false };
}
