import { RoleField } from "@longarm/contract/staff-people";
import type { RoleName } from "@longarm/contract/staff-rights";
import * as z from "zod/mini";
import type { StaffTransaction } from "../accounts/index.ts";
import { addPerson, findPerson, invite, rightsOf, separateIn, setRoles } from "../accounts/index.ts";
import type { ActDeps, Execute, ShownApproval, StaffCaller } from "../sign-in/index.ts";
import {
  doAct,
  findApproval,
  listApprovals,
  maySign,
  Refused,
  refuseApproval,
  requestApproval,
  signApproval,
  withdrawApproval,
} from "../sign-in/index.ts";
import { listed } from "./people.ts";
import type { Handlers } from "./routes.ts";

export type ApprovalDeps = ActDeps & {
  readonly origin: () => string;
  /** False: a venue of one person, by a setting of the server. */
  readonly secondPerson: boolean;
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

/** What is done when a second person has signed. */
const EXECUTE = {
  "staff.change": (trx, content) => changeRoles(trx, z.parse(StaffChange, content)),
} as const satisfies Partial<Record<string, Execute>>;

/** Approvals, and the acts of staff that need one. */
export function approvalHandlers(deps: ApprovalDeps): Handlers {
  return { ...decisions(deps), ...rolesOfStaff(deps) };
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
      doAct(deps, act(), async (trx) => {
        await signApproval(trx, caller(), { id: params["id"] ?? "", hash: body.hash }, EXECUTE);
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

function rolesOfStaff(deps: ApprovalDeps): Handlers {
  const { random, secondPerson } = deps;

  /** Changes roles now, or writes down what a second administrator must sign. */
  async function rolesOrRequest(
    trx: StaffTransaction,
    caller: StaffCaller,
    person: string,
    roles: readonly RoleName[],
    reason: string,
  ) {
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
  }

  return {
    changeRoles: ({ act, caller, params, body }) =>
      doAct(deps, act(), async (trx) => {
        const person = await findPerson(trx, params["id"] ?? "");
        if (person === undefined || person.ended_at !== null) throw new Refused("thing.unknown", { kind: "person" });
        return (await rolesOrRequest(trx, caller(), person.id, body.roles, body.reason)) ?? {};
      }),
    inviteStaff: ({ act, caller, body }) =>
      doAct(
        deps,
        act(),
        async (trx) => {
          const { username, name, roles, reason } = body;
          const added = await addPerson(trx, random, { username, name, roles: [], addedBy: caller().username });
          if (added.is !== "added") throw new Refused("act.refused", { sentence: "This username is taken." });
          const { token, expiresAt } = await invite(trx, random, added.id);
          const request = roles.length === 0 ? undefined : await rolesOrRequest(trx, caller(), added.id, roles, reason);
          return {
            person: added.id,
            link: `${deps.origin()}/invitation#${token}`,
            expiresAt: expiresAt.toISOString(),
            approval: request?.waits.approval ?? null,
          };
        },
        { secret: true },
      ),
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
    evidence: [],
    maySign: secondPerson && maySign(caller, row),
  };
}
