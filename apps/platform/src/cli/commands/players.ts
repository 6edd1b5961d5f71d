import { openLedger } from "@longarm/ledger/ledger";
import { seatOfPlayer } from "../../modules/play/seat/index.ts";
import type { Player, PlayersTables } from "../../modules/players/accounts/index.ts";
import { createPlayers, listPlayers, setBanned } from "../../modules/players/accounts/index.ts";
import type { AuthTables } from "../../modules/players/auth/index.ts";
import { endSessions } from "../../modules/players/auth/index.ts";
import type { LimitsTables } from "../../modules/protection/limits/index.ts";
import { standingLimits } from "../../modules/protection/limits/index.ts";
import type { CommandDeps } from "../command.ts";
import { actCommand, CommandRefused, command, UsageProblem } from "../command.ts";
import { argument, DRY_RUN, flag, option, plainText, rowLimit, USERNAME } from "../fields.ts";
import { printableLine, sayRows, sayTable, timeText, writeAmount } from "../output.ts";
import { asStaff, carryOut, namedPlayer, namedWallet } from "../staff.ts";
import { limitLine } from "./player-limits.ts";
import { GENERATE, newPassword } from "./player-secrets.ts";

export const playersAdd = actCommand({
  name: "players add",
  needs: "player.add",
  about: "add a player",
  more: [
    "  longarm players add deniz.aydin --name Deniz --lastname Aydin --generate",
    "  longarm players add deniz.aydin < file-with-the-password",
    "",
    "The password is asked for without being shown, or read from the input's first line. Money comes by: longarm wallets deposit",
  ].join("\n"),
  arguments: { username: argument("4 to 64 characters; unique however it is spelled", plainText) },
  options: {
    name: option("<text>", "first name", plainText),
    lastname: option("<text>", "last name", plainText),
    email: option("<address>", "e-mail", plainText),
    group: option("<text>", 'group of the token ("player")', plainText),
    generate: GENERATE,
    dryRun: DRY_RUN,
  },
  async run(deps, { username, generate, by, dryRun, ...profile }) {
    const password = dryRun
      ? { text: "not-set-by-a-dry-run", isMade: false }
      : await newPassword(deps, generate, username);
    const given = Object.fromEntries(Object.entries(profile).filter(([, text]) => text !== undefined));
    const added = await asStaff(
      deps,
      by,
      async (transaction) => {
        const ledger = openLedger(transaction);
        const players = await createPlayers({ db: { kysely: transaction }, ledger, random: deps.random });
        return await players.add({ ...given, username, password: password.text });
      },
      dryRun,
    );
    if (added.is === "refused") throw new UsageProblem(`This player cannot be added: ${added.sentence}.`);
    if (added.is === "known") throw new CommandRefused(`There is a player called "${username}" already (${added.id}).`);
    if (dryRun) {
      deps.say(printableLine(`Would add ${username}. Nothing was changed.`));
      return { username, dryRun };
    }
    deps.say(printableLine(`Added ${username} (${added.id}).`));
    if (password.isMade) deps.say(`The password, shown once: ${password.text}`);
    return { id: added.id, username, ...(password.isMade && { password: password.text }) };
  },
});

export const playersList = command({
  name: "players list",
  about: "list the players, by name",
  more: "  longarm players list --search ayd\n  longarm players list --banned",
  options: {
    search: option("<text>", "only names with this in them", plainText),
    banned: flag("only those who are banned"),
    limit: rowLimit({ max: 1_000, usual: 100 }),
  },
  async run({ db, say }, { search, banned, limit }) {
    const query = { search, bannedOnly: banned, limit: limit.query };
    const found = await listPlayers(db.withTables<PlayersTables>(), query);
    const { rows, more } = sayRows(say, limit, found, { word: "player", columns: columnsOf });
    return { players: rows.map(shownOf), more };
  },
});

function columnsOf(player: Player): string[] {
  const { username, id, name, lastname, last_logon, banned_at } = player;
  const last = last_logon ? `last here ${timeText(last_logon)}` : "never here";
  return [username, id, `${name} ${lastname}`.trim(), last, banned_at ? `banned ${timeText(banned_at)}` : ""];
}

/** A player without what is secret. */
function shownOf(player: Player) {
  const { id, username, name, lastname, email, player_group: group, type, demo } = player;
  return {
    id,
    username,
    name,
    lastname,
    email,
    group,
    type,
    demo,
    hasPin: player.pin !== null,
    added: player.created_at,
    lastLogon: player.last_logon,
    lastLogonAddress: player.last_logon_ip,
    passwordChanged: player.password_changed_at,
    banned: player.banned_at,
  };
}

export const playersShow = command({
  name: "players show",
  about: "show a player's profile, wallet, seat and limits",
  more: "  longarm players show deniz.aydin",
  arguments: { username: USERNAME },
  async run({ db, say }, { username }) {
    const { player, balance } = await namedWallet(db, username);
    const seat = await seatOfPlayer(db, player.id);
    const limits = await standingLimits(db.withTables<LimitsTables>(), player.id);
    const shown = shownOf(player);
    const lines = Object.entries(shown).map(([name, value]) => [name, text(value)] as const);
    lines.push(["balance", writeAmount(balance.balance)]);
    if (balance.onMachine !== undefined) lines.push(["on machine", writeAmount(balance.onMachine)]);
    if (balance.pending !== undefined) lines.push(["being checked", writeAmount(balance.pending)]);
    lines.push(["plays", seat ? `${seat.machine_id} (${seat.state}, ${seat.play_session_id})` : "nothing"]);
    sayTable(say, lines, ([name, value]) => [name, value || "-"]);
    for (const limit of limits) say(`limit  ${limitLine(limit)}`);
    return { ...shown, balance, machine: seat?.machine_id ?? null, limits };
  },
});

function text(value: string | boolean | Date | null): string {
  if (value instanceof Date) return timeText(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  return value ?? "";
}

export const playersBan = actCommand({
  name: "players ban",
  needs: "player.lock",
  about: "keep a player out: sign-ins end, the play session ends and its credits go to the wallet",
  more: "  longarm players ban deniz.aydin --yes\n\nThe money stays the player's: longarm wallets withdraw pays it out.",
  arguments: { username: USERNAME },
  options: { dryRun: DRY_RUN },
  confirm: ({ username }) => `${username} is signed out everywhere and loses the seat.`,
  run: (deps, input) => setBan(deps, input, true),
});

export const playersUnban = actCommand({
  name: "players unban",
  needs: "player.lock",
  about: "let a banned player sign in again",
  more: "  longarm players unban deniz.aydin",
  arguments: { username: USERNAME },
  options: { dryRun: DRY_RUN },
  run: (deps, input) => setBan(deps, input, false),
});

type Ban = { readonly username: string; readonly by: string; readonly dryRun: boolean };

async function setBan(deps: CommandDeps, { username: name, by, dryRun }: Ban, banned: boolean): Promise<object> {
  const { id, username, banned_at } = await namedPlayer(deps.db, name);
  if ((banned_at !== null) === banned)
    throw new CommandRefused(banned ? `${username} is banned already.` : `${username} is not banned.`);
  if (dryRun) {
    deps.say(`Would ${banned ? "ban" : "unban"} ${username} (${id}). Nothing was changed.`);
    return { player: id, dryRun };
  }
  await asStaff(deps, by, async (transaction) => {
    await setBanned(transaction.withTables<PlayersTables>(), id, banned);
    if (banned) await endSessions(transaction.withTables<AuthTables>(), { playerId: id }, "banned");
  });
  deps.say(banned ? `${username} (${id}) is banned.` : `${username} (${id}) may sign in again.`);
  if (!banned) return { player: id, banned };
  return { player: id, banned, carriedOut: await carryOut(deps, { kind: "player", body: { playerId: id }, by }) };
}
