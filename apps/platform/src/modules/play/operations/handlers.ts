import { MINOR_PER_UNIT } from "@longarm/contract/money";
import { sql } from "kysely";
import type { PlayersTables } from "../../players/accounts/index.ts";
import { bannedAt } from "../../players/accounts/index.ts";
import type { LimitsTables } from "../../protection/limits/index.ts";
import { exclusionSetAt, limitsOf } from "../../protection/limits/index.ts";
import type { CarriedOut } from "../control/index.ts";
import type { PlayDeps } from "../deps.ts";
import type { Ended, EndedAt } from "../session/index.ts";
import { recoverTransfer } from "../wallet/index.ts";
import type { OperationParts, Operations } from "./parts.ts";

export function operationHandlers(parts: OperationParts): Operations {
  const { deps, agents, sessions, calls, queues } = parts;
  return {
    ...floorOperations(parts),
    ...accountOperations(parts),

    async call(_about, { id }) {
      await calls.changed(id);
      return { is: "done", sentence: "The player's page shows it." };
    },

    async queue({ machineId }) {
      await queues.changedAt(machineId);
      return { is: "done", sentence: "Those who wait see it." };
    },

    async askTransfer({ machineId }) {
      const decided = await recoverTransfer(parts.wallet, machineId);
      return { is: "done", sentence: decided ? "The transfer is decided." : "The machine does not say it yet." };
    },

    async simulate({ machineId }, { what }) {
      const answer = await agents.request("egm.simulate", { machineId, what });
      if (answer.is === "done") return { is: "done", sentence: answer.data.said };
      if (answer.is === "refused") return { is: "refused", sentence: answer.refusal.reason };
      if (answer.is === "noLink") return { is: "refused", sentence: `The agent of ${machineId} is away.` };
      return { is: "unknown", sentence: `The agent of ${machineId} did not say whether it was done.` };
    },

    async confirmHandPay({ machineId, by }, { handPayId: named, announce }) {
      const owed = await owedAt(deps, machineId, named);
      if (owed === undefined) return { is: "refused", sentence: `The machine ${machineId} owes no hand pay.` };
      const { handPayId, amount } = owed;
      const paid = await sessions.confirmHandPay({ machineId, handPayId, staff: by, announce });
      if (paid.is === "refused") return { is: "refused", sentence: paid.problem.detail ?? paid.problem.name };
      const money = (amount / MINOR_PER_UNIT).toFixed(2);
      const what = {
        player: `The hand pay ${handPayId} of ${money} is paid`,
        before: announce
          ? `The hand pay ${handPayId} of ${money} is paid`
          : `The hand pay ${handPayId} was paid before`,
        unknownPlayer: `The hand pay ${handPayId} of ${money} is confirmed, but the player who won it is unknown and no wallet was paid`,
      }[paid.paid];
      const machine = paid.reset
        ? "the machine is reset"
        : "the machine could not be reset: ask again once its agent is there";
      return { is: "done", sentence: `${what}, and ${machine}.`, reset: paid.reset };
    },
  };
}

/** A hand pay of a machine, amount in minor units. */
export type Owed = { readonly handPayId: string; readonly amount: number };

/** The hand pay of this id, or without one that waits for staff, else one that was paid while its machine could not be reset. */
export async function owedAt(
  { db }: Pick<PlayDeps, "db">,
  machineId: string,
  handPayId?: string,
): Promise<Owed | undefined> {
  const waiting = await db
    .selectFrom("hand_pay")
    .select(["hand_pay_id", "amount"])
    .where("machine_id", "=", machineId)
    .$if(handPayId === undefined, (query) => query.where("confirmed_at", "is", null))
    .$if(handPayId !== undefined, (query) => query.where("hand_pay_id", "=", handPayId ?? ""))
    .orderBy("pending_since")
    .executeTakeFirst();
  if (waiting) return { handPayId: waiting.hand_pay_id, amount: waiting.amount };
  const machine = await db.selectFrom("machine").select("meters").where("id", "=", machineId).executeTakeFirst();
  const shown = machine?.meters.handPay;
  return shown && { handPayId: shown.id, amount: shown.amount };
}

/** Play sessions that the latest ban or exclusion has ended, whichever node or look was the first to end them. */
async function endedFor({ db }: PlayDeps, playerId: string, reason: "banned" | "excluded"): Promise<EndedAt[]> {
  const { rows } = await sql<{ machineId: string; amount: number }>`
    select p.machine_id as "machineId", coalesce(sum(t.amount), 0)::bigint as amount from play_session p
      left join machine_transfer t on t.play_session_id = p.id and t.told_id is null and t.state = 'done'
    where p.player_id = ${playerId} and p.end_reason = ${reason} and p.ended_at >= coalesce(
      ${(await bannedAt(db.withTables<PlayersTables>(), playerId)) ?? null}::timestamptz, ${exclusionSetAt(playerId)})
    group by p.id`.execute(db);
  return rows.map((row) => ({ outcome: "done", ...row }));
}

/** What the database says of players and agents, carried out at those who are here. */
function accountOperations(parts: OperationParts): Pick<Operations, "player" | "agentKey"> {
  const { deps, agents } = parts;
  return {
    async player(_about, { playerId, signOut }) {
      const bannedSince = await bannedAt(deps.db.withTables<PlayersTables>(), playerId);
      if (bannedSince === undefined) return { is: "refused", sentence: "There is no such player." };
      const banned = bannedSince !== null;
      const { exclusion } = await limitsOf(deps.db.withTables<LimitsTables>(), { playerId });
      const said: string[] = [];
      const reason = banned ? "banned" : "excluded";
      // Begun first: each node that receives a ban ends the play session too.
      const ending = banned || exclusion !== null ? parts.sessions.endSessionsOf(playerId, reason) : [];
      if (banned || signOut) {
        await parts.auth.end({ playerId }, banned ? "banned" : "logged out");
        said.push("All sign-ins have ended, and their sockets are closed.");
      }
      const open = (await ending).filter(({ outcome }) => outcome === "unknown");
      if (banned || exclusion !== null)
        for (const one of [...(await endedFor(deps, playerId, reason)), ...open])
          said.push(endedAt(one.machineId, one));
      deps.bus.publish("balance.changed", { playerId });
      return { is: "done", sentence: said.join(" ") };
    },

    async agentKey(_about, { agentId }) {
      agents.keyChanged(agentId);
      return { is: "done", sentence: "Links whose key has ended are closed." };
    },
  };
}

/** What staff does to machines and to the play sessions on them. */
function floorOperations(parts: OperationParts): Pick<Operations, "carryOut" | "endSession" | "release" | "compare"> {
  const { control, sessions, agents, reconciliation } = parts;
  return {
    async release({ machineId }) {
      agents.release(machineId);
      return { is: "done", sentence: `${machineId} has left its link.` };
    },
    async compare({ machineId }) {
      if (await reconciliation.readNow(machineId))
        return { is: "done", sentence: `${machineId} agrees with the books.` };
      return { is: "refused", sentence: `${machineId} could not be read and compared now.` };
    },
    async carryOut({ machineId }) {
      return { is: "done", sentence: carriedOut(machineId, await control.carryOut(machineId)) };
    },
    async endSession({ machineId }, { playSessionId }) {
      const ended = await sessions.endSessionAt(machineId, "house", playSessionId);
      if (ended === null) return { is: "refused", sentence: `No such play session runs at ${machineId}.` };
      return { is: "done", sentence: endedAt(machineId, ended) };
    },
  };
}

const MODE_SENTENCES: Readonly<Record<Exclude<CarriedOut["mode"], "open">, string>> = {
  draining: "accepts no new player",
  disabled: "is disabled: no new game and no new player, cashing out works",
  stopped: "is stopped: every press is refused",
};

const MACHINE_SENTENCES: Readonly<Record<CarriedOut["machine"], string>> = {
  set: "",
  untouched: "",
  away: " The machine does not answer now: it receives the change as soon as it does.",
  unable: " The machine itself cannot be switched from here: use its own switch, its buttons work as they did.",
};

function carriedOut(machineId: string, { mode, machine, ended }: CarriedOut): string {
  const set = MACHINE_SENTENCES[machine];
  // The sender knows what opened it: a mode, a reservation, an explanation.
  if (mode === "open") return set.trimStart();
  return `${machineId} ${MODE_SENTENCES[mode]}.${set}${ended === null ? "" : ` ${endedAt(machineId, ended)}`}`;
}

/** What became of a play session and its credits. */
function endedAt(machineId: string, { outcome, amount }: Ended): string {
  if (outcome === "done")
    return `The play session at ${machineId} has ended: ${(amount / MINOR_PER_UNIT).toFixed(2)} went back to the wallet.`;
  return `The play session at ${machineId} is ending: its credits go back to the wallet as soon as its game is over and the machine answers.`;
}
