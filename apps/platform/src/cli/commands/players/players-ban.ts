import type { PlayersTables } from "../../../modules/players/accounts/index.ts";
import { setBanned } from "../../../modules/players/accounts/index.ts";
import type { AuthTables } from "../../../modules/players/auth/index.ts";
import { endSessions } from "../../../modules/players/auth/index.ts";
import { asStaff, haveCarriedOut } from "../../as-staff.ts";
import { BY, readBy, whoAsks } from "../../ask-platform.ts";
import type { Command, CommandDeps, Given } from "../../command.ts";
import { CommandRefused, DRY_RUN } from "../../command.ts";
import { namedPlayer } from "../../named-player.ts";

const PLAYER = { name: "username", about: "of the player" };

/** Keeps a player out. */
export const playersBan: Command = {
  words: "players ban",
  about: "keep a player out: sign-ins end, the play session ends and its credits go to the wallet",
  more: "  longarm players ban deniz.aydin --yes\n\nThe money stays the player's: longarm wallets withdraw pays it out.",
  places: [PLAYER],
  options: { by: BY, "dry-run": DRY_RUN },
  asks: (given) => `${given.get("username")} is signed out everywhere and loses the seat.`,
  prepare: (given) => (deps) => setBan(deps, given, true),
};

/** Lets a banned player in again. */
export const playersUnban: Command = {
  words: "players unban",
  about: "let a banned player sign in again",
  more: "  longarm players unban deniz.aydin",
  places: [PLAYER],
  options: { by: BY, "dry-run": DRY_RUN },
  prepare: (given) => (deps) => setBan(deps, given, false),
};

async function setBan(deps: CommandDeps, given: Given, banned: boolean) {
  const who = whoAsks(deps, readBy(given));
  const player = await namedPlayer(deps.db, String(given.get("username")));
  const { id, username } = player;
  if ((player.banned_at !== null) === banned)
    throw new CommandRefused(banned ? `${username} is banned already.` : `${username} is not banned.`);
  const word = banned ? "ban" : "unban";
  if (given.has("dry-run")) {
    deps.say(`Would ${word} ${username} (${id}). Nothing was changed.`);
    return { player: id, dryRun: true };
  }
  await asStaff(deps, who, async (transaction) => {
    await setBanned(transaction.withTables<PlayersTables>(), id, banned);
    if (banned) await endSessions(transaction.withTables<AuthTables>(), { playerId: id }, "banned");
  });
  deps.say(banned ? `${username} (${id}) is banned.` : `${username} (${id}) may sign in again.`);
  const carriedOut = banned && (await haveCarriedOut(deps, { kind: "player", body: { playerId: id }, by: who }));
  return { player: id, banned, ...(banned && { carriedOut }) };
}
