import { openLedger } from "@longarm/ledger/ledger";
import { createPlayers } from "../../../modules/players/accounts/index.ts";
import { asStaff } from "../../as-staff.ts";
import { BY, readBy, whoAsks } from "../../ask-platform.ts";
import type { Command, CommandDeps, Given } from "../../command.ts";
import { CommandRefused, DRY_RUN, UsageProblem } from "../../command.ts";
import { printableLine } from "../../printable.ts";
import { GENERATE, newPassword } from "../../reading/secrets.ts";

/** Adds a player. */
export const playersAdd: Command = {
  words: "players add",
  about: "add a player",
  more: [
    "  longarm players add deniz.aydin --name Deniz --lastname Aydin --generate",
    "  longarm players add deniz.aydin < file-with-the-password",
    "",
    "The password is asked for without being shown, or read from the input's first line. Money comes by: longarm wallets deposit",
  ].join("\n"),
  places: [{ name: "username", about: "4 to 64 characters; unique however it is spelled" }],
  options: {
    name: { type: "string", value: "<text>", about: "first name" },
    lastname: { type: "string", value: "<text>", about: "last name" },
    email: { type: "string", value: "<address>", about: "e-mail" },
    group: { type: "string", value: "<text>", about: 'group of the token ("player")' },
    generate: GENERATE,
    by: BY,
    "dry-run": DRY_RUN,
  },
  prepare(given) {
    const by = readBy(given);
    return (deps) => add(deps, given, by);
  },
};

const FIELDS = ["name", "lastname", "email", "group"] as const;

async function add(deps: CommandDeps, given: Given, by: string | undefined) {
  const who = whoAsks(deps, by);
  const username = String(given.get("username"));
  const dryRun = given.has("dry-run");
  const password = dryRun ? { text: "not-set-by-a-dry-run", isMade: false } : await newPassword(deps, given, username);
  const more = Object.fromEntries(FIELDS.flatMap((name) => (given.has(name) ? [[name, given.get(name)]] : [])));
  try {
    const added = await asStaff(deps, who, async (transaction) => {
      const ledger = openLedger(transaction);
      const players = await createPlayers({ db: { kysely: transaction }, ledger, random: deps.random });
      const done = await players.add({ ...more, username, password: password.text });
      if (dryRun && done.is === "added") throw new Undone();
      return done;
    });
    if (added.is === "refused") throw new UsageProblem(`This player cannot be added: ${added.sentence}.`);
    if (added.is === "known") throw new CommandRefused(`There is a player called "${username}" already (${added.id}).`);
    deps.say(printableLine(`Added ${username} (${added.id}).`));
    if (password.isMade) deps.say(`The password, shown once: ${password.text}`);
    return { id: added.id, username, ...(password.isMade && { password: password.text }) };
  } catch (error) {
    if (!(error instanceof Undone)) throw error;
    deps.say(printableLine(`Would add ${username}. Nothing was changed.`));
    return { username, dryRun };
  }
}

/** Takes a dry run's transaction back. */
class Undone extends Error {}
