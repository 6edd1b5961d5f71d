import { readEnvironment } from "@longarm/link/environment";
import { platformVariables } from "../config/variables.ts";
import { openAudit, ROOT } from "../modules/records/audit/index.ts";
import type { StaffTables } from "../modules/staff/accounts/index.ts";
import type { StaffCaller } from "../modules/staff/sign-in/index.ts";
import { endSignIns, findDeviceCaller, touchSignIn } from "../modules/staff/sign-in/index.ts";
import type { Acting, CommandDeps, Needs } from "./command.ts";
import { CommandRefused } from "./command.ts";
import { actorOf, asStaff, SOURCE } from "./staff.ts";
import { readToken } from "./token-file.ts";

const SIGN_IN = "Run longarm sign-in. On the server itself --as-root <why> works without one.";

type Wanted = { readonly needs: Needs | null; readonly asRoot: string | undefined };

/** Who acts by this command, once it is known that they may. @throws CommandRefused. */
export async function actingOf(
  deps: CommandDeps,
  commandName: string,
  { needs, asRoot }: Wanted,
  dryRun: boolean,
): Promise<Acting> {
  if (asRoot !== undefined) return await asRootUser(deps, commandName, asRoot, dryRun);
  // What only reads with this input needs no sign-in.
  if (needs === null) return rootOf(deps);
  const caller = await signedInCaller(deps);
  const any = typeof needs === "string" ? [needs] : needs;
  if (!any.some((one) => caller.permissions.has(one)))
    throw new CommandRefused(`${caller.username} lacks the permission ${any[0]}. Nothing was changed.`);
  await touchSignIn(deps.db.withTables<StaffTables>(), caller.signIn.id);
  return { by: caller.username, id: caller.staffId, caller };
}

const NAME_MAX = 64;

/** The system user, who acts without a sign-in. */
export function rootOf({ staff }: Pick<CommandDeps, "staff">): Acting {
  const by = `${ROOT}${staff.slice(0, NAME_MAX)}`;
  return { by, id: by, caller: null };
}

/** Break-glass: a user who may read DATABASE_URL acts without a sign-in, and the audit log says so first. */
export async function asRootUser(
  deps: CommandDeps,
  commandName: string,
  why: string,
  dryRun: boolean,
): Promise<Acting> {
  if (deps.staff === "")
    throw new CommandRefused("The system does not say who you are: so no command acts as root here.");
  const acting = rootOf(deps);
  if (dryRun) return acting;
  await openAudit(deps.db, SOURCE).write({
    type: "staff.actedAsRoot",
    actor: actorOf(acting.by),
    facts: { command: commandName, why, computer: deps.computer },
  });
  return acting;
}

/** The member of staff who is signed in here. @throws CommandRefused: no one is, or the sign-in is over. */
export async function signedInCaller(deps: CommandDeps): Promise<StaffCaller> {
  const kept = await readToken(deps);
  if (kept === undefined) throw new CommandRefused(`No person is signed in here. ${SIGN_IN}`);
  const db = deps.db.withTables<StaffTables>();
  const caller = await findDeviceCaller(db, kept.token, idleMsOf(deps));
  if (caller === undefined) throw new CommandRefused(`The sign-in of ${kept.username} is over. ${SIGN_IN}`);
  if (!caller.signIn.locked) return caller;
  // A terminal has no passkey to unlock it with.
  await asStaff(deps, caller.username, (trx) =>
    endSignIns(trx.withTables<StaffTables>(), { id: caller.signIn.id }, "idle"),
  );
  throw new CommandRefused(`The sign-in of ${kept.username} was not used for too long. ${SIGN_IN}`);
}

const { STAFF_IDLE_MS, STAFF_SIGN_IN_HOURS } = platformVariables;

/** The platform's own settings where this process has them (`/etc/longarm/platform.env`), else their defaults. */
const settingsOf = ({ environment }: Pick<CommandDeps, "environment">) =>
  readEnvironment({ STAFF_IDLE_MS, STAFF_SIGN_IN_HOURS }, environment);
export const idleMsOf = (deps: CommandDeps): number => settingsOf(deps).STAFF_IDLE_MS;
export const signInHoursOf = (deps: CommandDeps): number => settingsOf(deps).STAFF_SIGN_IN_HOURS;
