import { OwnId } from "@longarm/contract/ids";
import { readCode } from "@longarm/contract/payments";
import type { PaymentRow as ShownPayment } from "@longarm/contract/staff-payments";
import * as z from "zod/mini";
import type { PaymentRow } from "../../payments/book/index.ts";
import { endPayment, findPayment, listPayments, lockPayment } from "../../payments/book/index.ts";
import type { PlayersTables } from "../../players/accounts/index.ts";
import { findPlayer } from "../../players/accounts/index.ts";
import { staffActor } from "../../records/audit/index.ts";
import { wholeOf } from "../accounts/index.ts";
import { doAct, Refused } from "../sign-in/index.ts";
import type { ActsDeps } from "./desk.ts";
import { idIn } from "./floor.ts";
import { listed } from "./people.ts";
import type { Handlers } from "./routes.ts";

/** Money that players add and withdraw: the payment of a code, all that are open, and a refusal. */
export function paymentHandlers(deps: ActsDeps): Handlers {
  const { db, source, ledger, bus } = deps;
  return {
    paymentOfCode: async ({ params }) => {
      const code = readCode(params["code"] ?? "");
      const row = code === null ? undefined : await findPayment(source, { code });
      if (row === undefined || row.isOver) throw new Refused("thing.unknown", { kind: "code" });
      return await shown(deps, row);
    },
    payments: async ({ query: { state, after, limit } }) => {
      if (after !== undefined && !z.safeParse(OwnId, after).success)
        throw new Refused("request.invalid", { where: "after" });
      const rows = await listPayments(source, { state, after, limit });
      const all = await Promise.all(rows.map((row) => shown(deps, row)));
      return await listed(db, all, rows.length === limit ? (rows.at(-1)?.id ?? null) : null);
    },
    refusePayment: ({ act, caller, params, body }) =>
      doAct(deps, act(), async (trx, after) => {
        const row = await lockPayment(wholeOf(trx), idIn(params, "payment"));
        if (row === undefined) throw new Refused("thing.unknown", { kind: "payment" });
        const change = { to: "refused", by: staffActor(caller().username), reason: body.reason } as const;
        if (!(await endPayment(wholeOf(trx), ledger, row, change)))
          throw new Refused("act.refused", { sentence: "It is decided already." });
        after.push(async () => bus.publish("balance.changed", { playerId: row.playerId }));
        return {};
      }),
  };
}

async function shown({ source }: Pick<ActsDeps, "source">, row: PaymentRow): Promise<z.input<typeof ShownPayment>> {
  const { id, kind, way, amount, moved, state, reason, playerId } = row;
  const player = await findPlayer(source.withTables<PlayersTables>(), playerId);
  return {
    ...{ id, kind, way, amount, moved, state, reason },
    player: { id: playerId, username: player?.username ?? playerId },
    name: player === undefined ? null : `${player.name} ${player.lastname}`.trim() || null,
    madeAt: row.madeAt.toISOString(),
    until: row.expiresAt?.toISOString() ?? null,
    by: row.changedBy,
  };
}
