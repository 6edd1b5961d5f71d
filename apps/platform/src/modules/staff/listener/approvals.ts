import { RoleRow } from "@longarm/contract/staff-people";
import type { RoleName } from "@longarm/contract/staff-rights";
import { PermissionField, RoleField } from "@longarm/contract/staff-sign-in";
import * as z from "zod/mini";
import type { Log } from "../../../log.ts";
import type { StaffTransaction } from "../accounts/index.ts";
import { addPerson, findPerson, invite, rightsOf, roleMark, separateIn, setRole, setRoles } from "../accounts/index.ts";
import type { ActDeps, ShownApproval, StaffCaller } from "../sign-in/index.ts";
import {
  doAct,
  endSignIns,
  findApproval,
  listApprovals,
  maySign,
  Refused,
  refuseApproval,
  requestApproval,
  signApproval,
  withdrawAbout,
  withdrawApproval,
} from "../sign-in/index.ts";
import type { Executes } from "./desk.ts";
import { listed } from "./people.ts";
import type { Handlers } from "./routes.ts";

export type ApprovalDeps = Omit<ActDeps, "log"> & {
  readonly log: Pick<Log, "error">;
  readonly origin: () => string;
  /** False: a venue of one person, by a setting of the server. */
  readonly secondPerson: boolean;
  readonly executes: Executes;
};

/** What an approval of `staff.change` holds. */
const StaffChange = z.strictObject({ person: z.string(), roles: z.array(RoleField), before: z.array(RoleField) });

async function changeRoles(
  trx: StaffTransaction,
  { person, roles, before }: z.output<typeof StaffChange>,
): Promise<void> {
  const outcome = await setRoles(trx, person, { roles, before });
  if (outcome === "changed") throw new Refused("approval.changed");
  if (outcome === "unknown") throw new Refused("thing.unknown", { kind: "person" });
  if (outcome === "separateRoles")
    throw new Refused("signIn.separateRoles", { role: roles[0] ?? "", other: roles[1] ?? "" });
  if (outcome === "lastAdministrator")
    throw new Refused("act.refused", { sentence: "The platform needs an administrator: add another one first." });
}

/** What is done when a second person has signed, here; the other kinds come from the rooms of their acts. */
const EXECUTE = {
  "staff.change": (trx, content) =>
    "role" in content ? changeRole(trx, z.parse(RoleChange, content)) : changeRoles(trx, z.parse(StaffChange, content)),
} as const satisfies Executes;

/** What an approval of `staff.change` holds that is about a role. */
const RoleChange = z.strictObject({
  role: RoleField,
  permissions: z.array(PermissionField),
  limits: RoleRow.shape.limits,
  before: z.string(),
});

async function changeRole(trx: StaffTransaction, change: z.output<typeof RoleChange>): Promise<void> {
  const { role, before, permissions, limits } = change;
  if (!(await setRole(trx, role, { permissions, limits }, before))) throw new Refused("approval.changed");
}

/** Approvals, and the acts of staff that need one. */
export function approvalHandlers(deps: ApprovalDeps): Handlers {
  return { ...decisions(deps), ...rolesOfStaff(deps), ...rolesThemselves(deps) };
}

function decisions(deps: ApprovalDeps): Handlers {
  const { db, secondPerson } = deps;
  return {
    approvals: async ({ caller, query }) => {
      const found = await listApprovals(db, caller(), { ...query, after: query.after });
      return await listed(
        db,
        found.map((row) => shown(caller(), row, secondPerson)),
        found.length === query.limit ? (found.at(-1)?.id ?? null) : null,
      );
    },
    approval: async ({ caller, params }) =>
      shown(caller(), await findApproval(db, caller(), params["id"] ?? ""), secondPerson),
    signApproval: ({ act, caller, params, body }) =>
      doAct(deps, act(), async (trx, after) => {
        const execute = { ...deps.executes, ...EXECUTE };
        await signApproval(trx, caller(), { id: params["id"] ?? "", hash: body.hash }, execute, after);
        return {};
      }),
    refuseApproval: ({ act, caller, params, body }) =>
      doAct(deps, act(), async (trx) => {
        await refuseApproval(trx, caller(), params["id"] ?? "", body.reason);
        return {};
      }),
    withdrawApproval: ({ act, caller, params }) =>
      doAct(deps, act(), async (trx) => {
        await withdrawApproval(trx, caller(), params["id"] ?? "");
        return {};
      }),
  };
}

/** Changes roles now, or writes down what a second administrator must sign. */
function createRoleChange({ random, secondPerson }: ApprovalDeps) {
  return async (
    trx: StaffTransaction,
    caller: StaffCaller,
    person: string,
    { roles, reason }: { readonly roles: readonly RoleName[]; readonly reason: string },
  ) => {
    const before = [...(await rightsOf(trx, person)).roles];
    const content = { person, roles: [...roles], before };
    const apart = separateIn(roles);
    if (apart !== undefined) throw new Refused("signIn.separateRoles", { role: apart[0], other: apart[1] });
    if (secondPerson)
      return await requestApproval(trx, random, caller, {
        kind: "staff.change",
        subject: `staff:${person}`,
        reason,
        content,
      });
    await changeRoles(trx, content);
    return undefined;
  };
}

function rolesOfStaff(deps: ApprovalDeps): Handlers {
  const { random, secondPerson } = deps;
  const rolesOrRequest = createRoleChange(deps);

  /** A one-time link that gives `roles` once they are signed: the link alone gives no rights. */
  async function link(
    trx: StaffTransaction,
    caller: StaffCaller,
    person: string,
    wanted: { readonly roles: readonly RoleName[]; readonly reason: string },
  ) {
    const { token, expiresAt } = await invite(trx, random, person);
    const request = wanted.roles.length === 0 ? undefined : await rolesOrRequest(trx, caller, person, wanted);
    return {
      link: `${deps.origin()}/invitation#${token}`,
      expiresAt: expiresAt.toISOString(),
      approval: request?.waits.approval ?? null,
    };
  }

  return {
    changeRoles: ({ act, caller, params, body }) =>
      doAct(deps, act(), async (trx) => {
        const person = await findPerson(trx, params["id"] ?? "");
        if (person === undefined || person.ended_at !== null) throw new Refused("thing.unknown", { kind: "person" });
        return (await rolesOrRequest(trx, caller(), person.id, body)) ?? {};
      }),
    inviteStaff: ({ act, caller, body }) =>
      doAct(
        deps,
        act(),
        async (trx) => {
          const { username, name } = body;
          const added = await addPerson(trx, random, { username, name, roles: [], addedBy: caller().username });
          if (added.is !== "added") throw new Refused("act.refused", { sentence: "This username is taken." });
          return { person: added.id, ...(await link(trx, caller(), added.id, body)) };
        },
        { secret: true },
      ),
    renewInvitation: ({ act, caller, params, body }) =>
      doAct(
        deps,
        act(),
        async (trx) => {
          const person = await findPerson(trx, params["id"] ?? "");
          if (person === undefined || person.ended_at !== null) throw new Refused("thing.unknown", { kind: "person" });
          if (person.id === caller().staffId)
            throw new Refused("act.refused", { sentence: "No person renews their own invitation." });
          await withdrawAbout(trx, caller(), `staff:${person.id}`);
          const before = [...(await rightsOf(trx, person.id)).roles];
          if (secondPerson) await changeRoles(trx, { person: person.id, roles: [], before });
          await endSignIns(trx, { staffId: person.id }, "ended");
          return await link(trx, caller(), person.id, { roles: secondPerson ? before : [], reason: body.reason });
        },
        { secret: true },
      ),
  };
}

function rolesThemselves(deps: ApprovalDeps): Handlers {
  const { random, secondPerson } = deps;
  return {
    changeRole: ({ act, caller, params, body }) =>
      doAct(deps, act(), async (trx) => {
        const read = z.safeParse(RoleField, params["role"]);
        if (!read.success) throw new Refused("thing.unknown", { kind: "role" });
        const { permissions, limits, reason } = body;
        const role = read.data;
        // Rights are given out by administrators alone, and never by themselves to themselves: one administrator must not lock all out.
        if (role === "administrator" && !permissions.includes("staff.manage"))
          throw new Refused("act.refused", { sentence: "An administrator manages staff." });
        if (role !== "administrator" && permissions.includes("staff.manage"))
          throw new Refused("act.refused", { sentence: "Only an administrator manages staff." });
        const content = { role, permissions, limits, before: await roleMark(trx, role) };
        if (!secondPerson) {
          await changeRole(trx, content);
          return {};
        }
        return await requestApproval(trx, random, caller(), {
          kind: "staff.change",
          subject: `role:${role}`,
          reason,
          content,
        });
      }),
  };
}

function shown(caller: StaffCaller, row: ShownApproval, secondPerson: boolean) {
  return {
    id: row.id,
    kind: row.kind,
    subject: row.subject,
    amount: row.amount,
    reason: row.reason,
    requestedBy: { id: row.requested_by, name: row.requestedName },
    requestedAt: row.requested_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    state: row.over ? ("expired" as const) : row.state,
    decidedBy: row.decided_by === null ? null : { id: row.decided_by, name: row.decidedName ?? "" },
    decidedAt: row.decided_at?.toISOString() ?? null,
    refusal: row.refusal,
    hash: row.hash,
    content: row.content,
    evidence: [...row.evidence],
    maySign: secondPerson && maySign(caller, row),
  };
}
