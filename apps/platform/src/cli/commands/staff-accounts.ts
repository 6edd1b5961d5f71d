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
import type { StaffCaller } from "../../modules/staff/sign-in/index.ts";
import { endSignIns } from "../../modules/staff/sign-in/index.ts";
import type { ActingDeps, Command, CommandDeps } from "../command.ts";
import { actCommand, CommandRefused, command, UsageProblem } from "../command.ts";
import { actAtDesk, sayOutcome } from "../desk.ts";
import { argument, DRY_RUN, flag, oneOf, option, plainText, withDefault } from "../fields.ts";
import { count, printableLine, sayTable, timeText } from "../output.ts";
import { actorOf, asStaff, consoleOrigin } from "../staff.ts";

const NAME = argument("of the member of staff, 2 to 40 letters, digits or . _ -", (name) => {
  if (/^[\p{L}\p{N}][\p{L}\p{N}._-]{1,39}$/u.test(name)) return name;
  throw new UsageProblem("The username must have 2 to 40 letters, digits or . _ - and begin with a letter or digit.");
});
const BREAK_GLASS =
  "The first administrator comes with --as-root: no second person signs it, and the audit log says so. Signed in, another administrator signs the roles.";
const REASON = withDefault("<text>", "why, kept with it; at most 200 characters", "", plainText);

/** Prints the one-time link. The token is behind the #, so that no server's log keeps it. */
function sayLink(deps: CommandDeps, { token, expiresAt }: { token: string; expiresAt: Date }): string {
  const { say } = deps;
  const origin = consoleOrigin(deps);
  const link = `${origin}/invitation#${token}`;
  say(`One-time link, good until ${timeText(expiresAt)}, shown once: ${link}`);
  if (origin === "") say("STAFF_PORT is not set here: open this path at the console's address.");
  return link;
}

const staffAdd = actCommand({
  name: "staff add",
  needs: "staff.manage",
  about: "add a member of staff and print a one-time link for the first sign-in",
  more: [
    `  longarm staff add eva --admin --as-root "the first administrator"`,
    `  longarm staff add can --role cashier --name "Can Demir" --reason "new cashier"`,
    "",
    BREAK_GLASS,
  ].join("\n"),
  arguments: { username: NAME },
  options: {
    admin: flag("an administrator: the first one of a new console"),
    role: option("<role>", `one of ${ROLE_NAMES.join(", ")}`, oneOf(ROLE_NAMES)),
    name: option("<name>", "as colleagues see it; default: the username", plainText),
    reason: REASON,
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
  async run(deps, { username, admin, role, name = username, reason, by, dryRun }) {
    const roles = [admin ? "administrator" : (role ?? "attendant")] as const;
    if (deps.acting.caller !== null)
      return await inviteAtDesk(deps, deps.acting.caller, "inviteStaff", {
        params: {},
        fields: { username, name, roles, reason },
        username,
        dryRun,
      });
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

const staffInvite = actCommand({
  name: "staff invite",
  needs: "staff.manage",
  about: "print a new one-time link for a person who lost every way in; passkeys, password and sign-ins end",
  more: `  longarm staff invite eva --reason "lost her phone" --yes\n\n${BREAK_GLASS}`,
  arguments: { username: NAME },
  options: { reason: REASON, dryRun: DRY_RUN },
  confirm: ({ username }) => `Passkeys, password and sign-ins of ${username} end.`,
  async run(deps, { username, reason, by, dryRun }) {
    if (deps.acting.caller !== null) {
      const { id } = await openAccount(deps.db.withTables<StaffTables>(), username);
      const sent = { params: { id }, fields: { reason }, username, dryRun };
      return await inviteAtDesk(deps, deps.acting.caller, "renewInvitation", sent);
    }
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

const staffEnd = actCommand({
  name: "staff end",
  needs: "staff.manage",
  about: "end an account of staff for ever: its sign-ins end at once, its acts stay in the audit log",
  more: `  longarm staff end eva --yes\n\n${BREAK_GLASS}`,
  arguments: { username: NAME },
  options: { dryRun: DRY_RUN },
  confirm: ({ username }) => `${username} signs in no more.`,
  async run(deps, { username, by, dryRun }) {
    const ownId = deps.acting.caller?.staffId;
    const signIns = await asStaff(
      deps,
      by,
      async (transaction) => {
        const trx = transaction.withTables<StaffTables>();
        const person = await openAccount(trx, username);
        if (person.id === ownId) throw new CommandRefused("No person ends their own account.");
        const ended = await endPerson(trx, person.id, ownId);
        if (ownId !== undefined && ended !== "ended")
          throw new CommandRefused("The platform needs an administrator: add another one first.");
        return await endSignIns(trx, { staffId: person.id }, "accountEnded");
      },
      dryRun,
    );
    deps.say(`${dryRun ? "Would end" : "Ended"} the account of ${username}, with ${count(signIns, "sign-in")}.`);
    return { username, signIns, dryRun };
  },
});

type Invited = {
  readonly params: Readonly<Record<string, string>>;
  readonly fields: object;
  readonly username: string;
  readonly dryRun: boolean;
};

/** Invites as the console does: the link comes at once, the roles with another administrator's signature. A link is not shown by a dry run. */
async function inviteAtDesk(
  deps: ActingDeps,
  caller: StaffCaller,
  name: "inviteStaff" | "renewInvitation",
  { username, dryRun, ...sent }: Invited,
): Promise<object> {
  if (dryRun) {
    deps.say(`Would invite ${username}; another administrator signs the roles. Nothing was changed.`);
    return { dryRun };
  }
  const outcome = await actAtDesk(deps, caller, name, { ...sent, dryRun });
  const done = ({ link, expiresAt }: Record<string, unknown>) =>
    `One-time link of ${username}, good until ${timeText(new Date(String(expiresAt)))}, shown once: ${String(link)}`;
  return sayOutcome(deps, outcome, { done, would: `invite ${username}` });
}

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
