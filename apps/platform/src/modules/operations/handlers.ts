import { MINOR_PER_UNIT } from "@longarm/contract/money";
import type { PlayPartDeps } from "../../play-base/play-deps.ts";
import { accountOperations } from "./account-operations.ts";
import { floorOperations } from "./floor-operations.ts";
import type { OperationParts, Operations } from "./parts.ts";

export function operationHandlers(parts: OperationParts): Operations {
  const { deps, agents, play, calls } = parts;
  return {
    ...floorOperations(parts),
    ...accountOperations(parts),

    async call(_about, { id }) {
      await calls.changed(id);
      return { is: "done", sentence: "The player's page shows it." };
    },

    async simulate({ machineId }, { what }) {
      const answer = await agents.ask("egm.simulate", { machineId, what });
      if (answer.is === "done") return { is: "done", sentence: answer.data.said };
      if (answer.is === "refused") return { is: "refused", sentence: answer.refusal.reason };
      if (answer.is === "nobody") return { is: "refused", sentence: `The agent of ${machineId} is away.` };
      return { is: "unknown", sentence: `The agent of ${machineId} did not say whether it was done.` };
    },

    async confirmHandPay({ machineId, by }) {
      const owed = await owedAt(deps, machineId);
      if (owed === undefined) return { is: "refused", sentence: `The machine ${machineId} owes no hand pay.` };
      const { handPayId, amount } = owed;
      const paid = await play.confirmHandPay({ machineId, handPayId, staff: by });
      if (paid.is === "refused") return { is: "refused", sentence: paid.problem.detail ?? paid.problem.name };
      const money = (amount / MINOR_PER_UNIT).toFixed(2);
      const what = {
        player: `The hand pay ${handPayId} of ${money} is paid`,
        before: `The hand pay ${handPayId} was paid before`,
        nobody: `The hand pay ${handPayId} of ${money} is confirmed, but nobody is known who won it and no wallet was paid`,
      }[paid.paid];
      const machine = paid.reset
        ? "the machine is reset"
        : "the machine could not be reset: ask again once its agent is there";
      return { is: "done", sentence: `${what}, and ${machine}.` };
    },
  };
}

/** A hand pay of a machine, amount in minor units. */
export type Owed = { readonly handPayId: string; readonly amount: number };

/** The hand pay that waits for staff, else one that was paid while its machine could not be reset. */
export async function owedAt({ db }: Pick<PlayPartDeps, "db">, machineId: string): Promise<Owed | undefined> {
  const waiting = await db
    .selectFrom("hand_pay")
    .select(["hand_pay_id", "amount"])
    .where("machine_id", "=", machineId)
    .where("confirmed_at", "is", null)
    .orderBy("pending_since")
    .executeTakeFirst();
  if (waiting) return { handPayId: waiting.hand_pay_id, amount: waiting.amount };
  const machine = await db.selectFrom("machine").select("meters").where("id", "=", machineId).executeTakeFirst();
  const shown = machine?.meters.handPay;
  return shown && { handPayId: shown.id, amount: shown.amount };
}
