import type { FastifyReply } from "fastify";
import { sql } from "kysely";
import type { ActDeps, DirectorySignIn, StaffCaller, StaffSignIn } from "../sign-in/index.ts";
import { directoryLinkOf, findCaller, previousSignIn, Refused } from "../sign-in/index.ts";
import { setCookie } from "./guard.ts";

/** What the handlers of people, their sign-ins and accounts need. */
export type PeopleDeps = ActDeps & {
  readonly signIn: StaffSignIn;
  /** Undefined: the operator set none. */
  readonly directory: DirectorySignIn | undefined;
  readonly idleMs: number;
  readonly origin: () => string;
  readonly venue: {
    readonly name: string;
    readonly node: string;
    readonly version: string;
    readonly timeZone: string;
    readonly dayBeginsMinutes: number;
    readonly secondPerson: boolean;
    readonly operatorWallet: boolean;
  };
};

/** Who is signed in, as the page reads it. */
export async function meOf({ db, idleMs, venue, directory }: PeopleDeps, caller: StaffCaller) {
  const { signIn } = caller;
  const { rows } = await sql<{ now: Date; passkeys: number; codes: number }>`select clock_timestamp() as now,
    (select count(*)::int from staff_passkey where staff_id = ${caller.staffId}) as passkeys,
    (select count(*)::int from staff_recovery_code where staff_id = ${caller.staffId} and used_at is null) as codes`.execute(
    db,
  );
  const [counts] = rows;
  if (counts === undefined) throw new Error("a statement without a table answers one row");
  const before = await previousSignIn(db, caller);
  const link = directory && (await directoryLinkOf(db, caller.staffId));
  return {
    person: { id: caller.staffId, username: caller.username, name: caller.name, roles: [...caller.roles] },
    permissions: [...caller.permissions],
    limits: caller.limits,
    signIn: {
      id: signIn.id,
      how: signIn.how,
      since: signIn.since.toISOString(),
      expiresAt: signIn.expiresAt.toISOString(),
      locked: signIn.locked,
      idleMs,
    },
    csrf: caller.csrf,
    passkeys: counts.passkeys,
    recoveryCodesLeft: counts.codes,
    directory: link ? { label: directory.label, name: link.name, linkedAt: link.linked_at.toISOString() } : null,
    previousSignIn: before ? { at: before.created_at.toISOString(), address: before.address } : null,
    venue: { ...venue, now: counts.now.toISOString() },
  };
}

/** Sets the cookie of a new sign-in, always another one than before, and answers who that is. @throws Refused. */
export async function enterAs(deps: PeopleDeps, reply: FastifyReply, secret: string) {
  const caller = await findCaller(deps.db, secret, deps.idleMs);
  if (caller === undefined) throw new Refused("signIn.wrong");
  setCookie(reply, deps.origin(), secret);
  return await meOf(deps, caller);
}

/** Who is signed in, once the lock was taken away. */
export const unlockedMe = (deps: PeopleDeps, caller: StaffCaller) =>
  meOf(deps, { ...caller, signIn: { ...caller.signIn, locked: false } });
