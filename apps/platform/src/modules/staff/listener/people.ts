import type { StaffCallName } from "@longarm/contract/staff";
import { staffCalls } from "@longarm/contract/staff";
import type { StaffCall } from "@longarm/contract/staff-call";
import type { RoleName } from "@longarm/contract/staff-rights";
import { databaseTime } from "@longarm/database/clock";
import * as z from "zod/mini";
import { openAudit } from "../../records/audit/index.ts";
import type { StaffDb } from "../accounts/index.ts";
import { endPerson, findPerson, listPeople, listRoles } from "../accounts/index.ts";
import type { StaffCaller, WhichSignIns } from "../sign-in/index.ts";
import {
  actorOf,
  askNewPasskey,
  contentOf,
  createStepUps,
  decideDevice,
  doAct,
  endSignIns,
  keepPasskey,
  listSignIns,
  lockSignIn,
  lookDevice,
  passkeysOf,
  Refused,
  renewRecoveryCodes,
  spendStepUp,
  takeCeremony,
  touchSignIn,
} from "../sign-in/index.ts";
import { setCookie } from "./guard.ts";
import type { PeopleDeps } from "./me.ts";
import { enterAs, meOf, unlockedMe } from "./me.ts";
import type { Handlers, Incoming } from "./routes.ts";

/** Signing in, one's own account, staff, roles and sign-ins. */
export function peopleHandlers(deps: PeopleDeps): Handlers {
  return { ...signingIn(deps), ...ownAccount(deps), ...ownPasskeys(deps), ...ownDevices(deps), ...others(deps) };
}

function signingIn(deps: PeopleDeps): Handlers {
  const { db, signIn, origin } = deps;
  const enter = ({ reply }: Pick<Incoming<never>, "reply">, secret: string) => enterAs(deps, reply, secret);
  const fresh = (caller: StaffCaller) => unlockedMe(deps, caller);

  return {
    signInWays: async () => ({ directory: deps.directory === undefined ? null : { label: deps.directory.label } }),
    passkeyBegin: () => signIn.askPasskey(),
    passkeyFinish: async (call) => await enter(call, await signIn.byPasskey(call.body, call.whence)),
    passwordSignIn: async (call) => {
      const { username, password, code } = call.body;
      return await enter(call, await signIn.byPassword(username, password, { code }, call.whence));
    },
    recoverySignIn: async (call) => {
      const { username, password, recoveryCode } = call.body;
      return await enter(call, await signIn.byPassword(username, password, { recoveryCode }, call.whence));
    },
    invitation: async ({ body }) => {
      const { person, roles, expiresAt } = await signIn.invitation(body.token);
      return { username: person.username, name: person.name, roles: [...roles], expiresAt: expiresAt.toISOString() };
    },
    invitationPasskeyBegin: ({ body }) => signIn.askInvitedPasskey(body.token),
    invitationPasskeyFinish: async (call) => {
      const { secret, recoveryCodes } = await signIn.acceptWithPasskey(call.body, call.whence);
      return { me: await enter(call, secret), recoveryCodes };
    },
    invitationPasswordBegin: ({ body }) => signIn.askInvitedPassword(body.token, body.password),
    invitationPasswordFinish: async (call) => {
      const { secret, recoveryCodes } = await signIn.acceptWithPassword(call.body, call.whence);
      return { me: await enter(call, secret), recoveryCodes };
    },
    me: ({ caller }) => meOf(deps, caller()),
    signOut: async ({ caller, reply }) => {
      await endAs(deps, caller(), { id: caller().signIn.id }, "signedOut");
      setCookie(reply, origin(), null);
      return {};
    },
    lock: async ({ caller }) => {
      await lockSignIn(db, caller().signIn.id);
      return {};
    },
    unlockPasskeyBegin: ({ caller }) => signIn.askUnlock(caller()),
    unlockPasskeyFinish: async ({ caller, body, whence }) => {
      await signIn.unlockByPasskey(caller(), body, whence);
      return await fresh(caller());
    },
    unlockPassword: async ({ caller, body, whence }) => {
      await signIn.unlockByPassword(caller(), body.password, body.code, whence);
      return await fresh(caller());
    },
    active: async ({ caller }) => {
      await touchSignIn(db, caller().signIn.id);
      return {};
    },
  };
}

async function endAs(
  { db, node }: PeopleDeps,
  caller: StaffCaller,
  which: WhichSignIns,
  reason: string,
): Promise<number> {
  return await db.transaction().execute(async (trx) => {
    await openAudit(trx, node).actAs(actorOf(caller));
    return await endSignIns(trx, which, reason);
  });
}

const passkeyRow = (row: Awaited<ReturnType<typeof passkeysOf>>[number]) => ({
  id: row.id,
  label: row.label,
  addedAt: row.added_at.toISOString(),
  lastUsedAt: row.last_used_at?.toISOString() ?? null,
});

async function signInRows({ db, idleMs }: PeopleDeps, caller: StaffCaller, staffId?: string) {
  const rows = await listSignIns(db, idleMs, staffId);
  return await listed(
    db,
    rows.map((row) => ({
      id: row.id,
      person: { id: row.staffId, name: row.name },
      how: row.how,
      device: row.device,
      address: row.address,
      since: row.created_at.toISOString(),
      lastActive: row.active_at.toISOString(),
      locked: row.isLocked || row.idle,
      isThis: row.id === caller.signIn.id,
    })),
  );
}

function ownAccount(deps: PeopleDeps): Handlers {
  const { random } = deps;
  const stepUps = createStepUps(deps);
  return {
    mySignIns: ({ caller }) => signInRows(deps, caller(), caller().staffId),
    endMySignIn: ({ act, caller, params }) =>
      doAct(deps, act(), async (trx) => {
        const ended = await endSignIns(trx, { id: params["id"] ?? "", staffId: caller().staffId }, "ended");
        if (ended === 0) throw new Refused("thing.unknown", { kind: "sign-in" });
        return {};
      }),
    renewRecoveryCodes: ({ act, caller }) =>
      doAct(deps, act(), async (trx) => ({ recoveryCodes: await renewRecoveryCodes(trx, random, caller().staffId) }), {
        secret: true,
      }),
    stepUpBegin: async ({ caller, body }) => {
      const call: StaffCall | undefined = Object.hasOwn(staffCalls, body.call)
        ? staffCalls[body.call as StaffCallName]
        : undefined;
      const schema = call?.body;
      if (schema === undefined) throw new Refused("request.invalid", { where: "call" });
      const read = z.safeParse(schema, body.body);
      if (!read.success) throw new Refused("request.invalid", { where: "body" }, read.error.issues[0]?.message);
      return await stepUps.ask(caller(), contentOf(body.call, body.params, read.data as object, call));
    },
    stepUpFinish: ({ caller, body }) => stepUps.confirm(caller(), body),
  };
}

/** The first passkey comes with an invitation: a password alone must not make the key that confirms money. @throws Refused. */
function firstOnlyInvited({ how }: StaffCaller["signIn"]): void {
  if (how !== "invitation") throw new Refused("passkey.first");
}

function ownPasskeys(deps: PeopleDeps): Handlers {
  const { db, random, rp } = deps;
  return {
    myPasskeys: async ({ caller }) => await listed(db, (await passkeysOf(db, caller().staffId)).map(passkeyRow)),
    addPasskeyBegin: async ({ caller }) => {
      const { staffId: id, username, name, signIn } = caller();
      if ((await passkeysOf(db, id)).length === 0) firstOnlyInvited(signIn);
      return await askNewPasskey(
        db,
        { random, rp: rp() },
        { id, username, name },
        { purpose: "passkey", signInId: signIn.id },
      );
    },
    addPasskeyFinish: async ({ caller, body }) => {
      const { staffId, signIn } = caller();
      const { stepUp, ...registration } = body;
      const begun = await takeCeremony(db, { id: body.ceremony, purpose: "passkey", signInId: signIn.id });
      const { challenge } = begun ?? {};
      if (!challenge) throw new Refused("ceremony.invalid");
      return await db.transaction().execute(async (trx) => {
        await openAudit(trx, deps.node).actAs(actorOf(caller()));
        const own = await passkeysOf(trx, staffId);
        if (own.length === 0) firstOnlyInvited(signIn);
        else await spendStepUp(trx, caller(), stepUp, contentOf("addPasskeyFinish", {}, registration));
        const kept = await keepPasskey(
          trx,
          { random, rp: rp() },
          { staffId, challenge, label: body.label, answer: body.response },
        );
        if ("problem" in kept) throw new Refused(kept.problem);
        const row = (await passkeysOf(trx, staffId)).find(({ id }) => id === kept.id);
        if (row === undefined) throw new Error("a passkey that was kept is in its table");
        return passkeyRow(row);
      });
    },
    removePasskey: ({ act, caller, params }) =>
      doAct(deps, act(), async (trx) => {
        const { staffId } = caller();
        const person = await findPerson(trx, staffId);
        const own = await passkeysOf(trx, staffId);
        if (!own.some(({ id }) => id === params["id"])) throw new Refused("thing.unknown", { kind: "passkey" });
        if (own.length === 1 && person?.password === null) throw new Refused("passkey.last");
        await trx
          .deleteFrom("staff_passkey")
          .where("id", "=", params["id"] ?? "")
          .where("staff_id", "=", staffId)
          .execute();
        return {};
      }),
  };
}

/** Command lines that ask to be signed in as the caller. */
function ownDevices(deps: PeopleDeps): Handlers {
  const decide =
    (state: "confirmed" | "refused") =>
    async ({ act, caller, body, whence }: Pick<Incoming<"refuseDevice">, "act" | "caller" | "body" | "whence">) => {
      const { id } = await lookDevice(deps, caller(), body.code, whence.address);
      return await doAct(deps, act(), async (trx) => {
        await decideDevice(trx, caller(), { id, state });
        return {};
      });
    };
  return {
    lookDevice: async ({ caller, body, whence }) => {
      const found = await lookDevice(deps, caller(), body.code, whence.address);
      if (found.state !== "waiting") throw new Refused("device.unknown");
      return {
        computer: found.computer,
        systemUser: found.os_user,
        requestedAt: found.requested_at.toISOString(),
        expiresAt: found.expires_at.toISOString(),
      };
    },
    confirmDevice: decide("confirmed"),
    refuseDevice: decide("refused"),
  };
}

function others(deps: PeopleDeps): Handlers {
  const { db, directory } = deps;
  return {
    staff: async () =>
      await listed(
        db,
        (await listPeople(db)).map((row) => ({
          id: row.id,
          username: row.username,
          name: row.name,
          roles: row.roles as RoleName[],
          state: stateOf(row),
          directory: directory === undefined ? null : row.directory,
          addedAt: row.added_at.toISOString(),
          addedBy: row.added_by,
          lastSignIn: row.lastSignIn?.toISOString() ?? null,
          passkeys: row.passkeys,
          hasPassword: row.hasPassword,
          invitationExpiresAt: row.invitationExpiresAt?.toISOString() ?? null,
        })),
      ),
    roles: async () =>
      await listed(
        db,
        (await listRoles(db)).map(({ role, permissions, limits, people }) => ({
          role: role as RoleName,
          permissions: permissions as never[],
          limits,
          people,
        })),
      ),
    signIns: ({ caller }) => signInRows(deps, caller()),
    endSignIn: ({ act, params }) =>
      doAct(deps, act(), async (trx) => {
        if ((await endSignIns(trx, { id: params["id"] ?? "" }, "ended")) === 0)
          throw new Refused("thing.unknown", { kind: "sign-in" });
        return {};
      }),
    endStaff: ({ act, params, caller }) =>
      doAct(deps, act(), async (trx) => {
        const id = params["id"] ?? "";
        if (id === caller().staffId)
          throw new Refused("act.refused", { sentence: "No person ends their own account." });
        const ended = await endPerson(trx, id, caller().staffId);
        if (ended === "callerEnded") throw new Refused("signIn.needed");
        if (ended === "unknown") throw new Refused("thing.unknown", { kind: "person" });
        if (ended === "lastAdministrator")
          throw new Refused("act.refused", { sentence: "The platform needs an administrator: add another one first." });
        await endSignIns(trx, { staffId: id }, "accountEnded");
        return {};
      }),
  };
}

function stateOf(row: { ended_at: Date | null; passkeys: number; hasPassword: boolean; directory: string | null }) {
  if (row.ended_at !== null) return "ended" as const;
  return row.passkeys > 0 || row.hasPassword || row.directory !== null ? ("active" as const) : ("invited" as const);
}

/** A whole list, with the time at which it was read. */
export async function listed<Row>(db: StaffDb, rows: Row[], next: string | null = null) {
  return { rows, next, asOf: (await databaseTime(db)).toISOString() };
}
