import { ROLE_NAMES } from "@longarm/contract/staff-rights";
import type { StaffTables } from "../../modules/staff/accounts/index.ts";
import {
  addPerson,
  endPerson,
  findPersonByName,
  invite,
  listPeople,
  seedRoles,
} from "../../modules/staff/accounts/index.ts";
import { endSignIns } from "../../modules/staff/sign-in/index.ts";
import type { Command, CommandDeps } from "../command.ts";
import { CommandRefused, command, UsageProblem } from "../command.ts";
import { argument, BY, DRY_RUN, flag, oneOf, option, plainText } from "../fields.ts";
import { count, printableLine, sayTable, timeText } from "../output.ts";
import { actorOf, asStaff } from "../staff.ts";

const NAME = argument("of the member of staff, 2 to 40 letters, digits or . _ -", (name) => {
  if (/^[\p{L}\p{N}][\p{L}\p{N}._-]{1,39}$/u.test(name)) return name;
  throw new UsageProblem("The username must have 2 to 40 letters, digits or . _ - and begin with a letter or digit.");
});
const BREAK_GLASS =
  "It works on the database, without a sign-in and without a second person: the audit log says so. From the console two administrators do it.";

/** Prints the one-time link. The token is behind the #, so that no server's log keeps it. */
function sayLink({ say, environment }: CommandDeps, { token, expiresAt }: { token: string; expiresAt: Date }): string {
  const port = environment["STAFF_PORT"];
  const origin = environment["STAFF_PUBLIC_URL"] || (port ? `http://localhost:${port}` : "");
  const link = `${origin}/invitation#${token}`;
  say(`One-time link, good until ${timeText(expiresAt)}, shown once: ${link}`);
  if (origin === "") say("STAFF_PORT is not set here: open this path at the console's address.");
  return link;
}

const staffAdd = command({
  name: "staff add",
  about: "add a member of staff and print a one-time link for the first sign-in",
  more: [
    `  longarm staff add eva --admin`,
    `  longarm staff add can --role cashier --name "Can Demir"`,
    "",
    BREAK_GLASS,
  ].join("\n"),
  arguments: { username: NAME },
  options: {
    admin: flag("an administrator: the first one of a new console"),
    role: option("<role>", `one of ${ROLE_NAMES.join(", ")}`, oneOf(ROLE_NAMES)),
    name: option("<name>", "as colleagues see it; default: the username", plainText),
    by: BY,
    dryRun: DRY_RUN,
  },
  check({ admin, role, name }) {
    if (admin === (role !== undefined)) throw new UsageProblem("Say which role: --admin or --role, not both.");
    if (
      name !== undefined &&
      (name !== printableLine(name) || name.trim() !== name || name === "" || name.length > 100)
    )
      throw new UsageProblem("--name must be plain text of one line, 1 to 100 characters.");
  },
  async run(deps, { username, admin, role, name = username, by, dryRun }) {
    const roles = [admin ? "administrator" : (role ?? "attendant")] as const;
    const made = await asStaff(
      deps,
      by,
      async (transaction) => {
        const trx = transaction.withTables<StaffTables>();
        await seedRoles(trx);
        const added = await addPerson(trx, deps.random, { username, name, roles, addedBy: actorOf(by).slice(0, 100) });
        if (added.is !== "added") throw new CommandRefused(`There is a member of staff called "${username}" already.`);
        return { id: added.id, ...(await invite(trx, deps.random, added.id)) };
      },
      dryRun,
    );
    if (dryRun) {
      deps.say(`Would add ${username} as ${roles[0]}. Nothing was changed.`);
      return { dryRun: true };
    }
    deps.say(`Added ${username} (${made.id}) as ${roles[0]}.`);
    return { id: made.id, username, role: roles[0], link: sayLink(deps, made) };
  },
});

const staffInvite = command({
  name: "staff invite",
  about: "print a new one-time link for a person who lost every way in; passkeys, password and sign-ins end",
  more: `  longarm staff invite eva --yes\n\n${BREAK_GLASS}`,
  arguments: { username: NAME },
  options: { by: BY, dryRun: DRY_RUN },
  confirm: ({ username }) => `Passkeys, password and sign-ins of ${username} end.`,
  async run(deps, { username, by, dryRun }) {
    const made = await asStaff(
      deps,
      by,
      async (transaction) => {
        const trx = transaction.withTables<StaffTables>();
        const person = await openAccount(trx, username);
        await endSignIns(trx, { staffId: person.id }, "ended");
        return await invite(trx, deps.random, person.id);
      },
      dryRun,
    );
    if (dryRun) {
      deps.say(`Would invite ${username} again. Nothing was changed.`);
      return { dryRun: true };
    }
    return { username, link: sayLink(deps, made) };
  },
});

const staffEnd = command({
  name: "staff end",
  about: "end an account of staff for ever: its sign-ins end at once, its acts stay in the audit log",
  more: `  longarm staff end eva --yes\n\n${BREAK_GLASS}`,
  arguments: { username: NAME },
  options: { by: BY, dryRun: DRY_RUN },
  confirm: ({ username }) => `${username} signs in no more.`,
  async run(deps, { username, by, dryRun }) {
    const signIns = await asStaff(
      deps,
      by,
      async (transaction) => {
        const trx = transaction.withTables<StaffTables>();
        const person = await openAccount(trx, username);
        await endPerson(trx, person.id);
        return await endSignIns(trx, { staffId: person.id }, "accountEnded");
      },
      dryRun,
    );
    deps.say(`${dryRun ? "Would end" : "Ended"} the account of ${username}, with ${count(signIns, "sign-in")}.`);
    return { username, signIns, dryRun };
  },
});

async function openAccount(trx: Parameters<typeof findPersonByName>[0], username: string) {
  const person = await findPersonByName(trx, username);
  if (person === undefined || person.ended_at !== null)
    throw new CommandRefused(`There is no member of staff called "${username}".`);
  return person;
}

const staffList = command({
  name: "staff list",
  about: "list the members of staff with their roles",
  more: "  longarm staff list",
  async run({ db, say }) {
    const people = await listPeople(db.withTables<StaffTables>());
    sayTable(say, people, ({ username, id, name, roles, lastSignIn, ended_at }) => [
      username,
      id,
      name,
      roles.join(", "),
      ended_at === null
        ? `last here ${lastSignIn === null ? "never" : timeText(lastSignIn)}`
        : `ended ${timeText(ended_at)}`,
    ]);
    say(`${count(people.length, "account")}.`);
    return { people };
  },
});

export const staffAccounts: readonly Command[] = [staffAdd, staffInvite, staffEnd, staffList];
