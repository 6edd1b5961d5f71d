import type { LimitAdvice } from "@longarm/contract/player-care";
import type { CareOutcome } from "@longarm/contract/staff-care";
import { sql } from "kysely";
import type { AnyDb } from "../../../deps.ts";
import type { Random } from "../../../random.ts";
import { addStep, closeCase, letterFrom, lockCase, sendLetter } from "../../protection/cases/index.ts";
import type { LimitsTables } from "../../protection/limits/index.ts";
import { holdsFrom, setLimit } from "../../protection/limits/index.ts";
import { Refused } from "../sign-in/index.ts";

/* What staff does in a case. Each act locks the player's cases first, so of two people one is second and is refused. */

/** Who acts: the staff id, and the name that players read. */
export type CareActor = { readonly staffId: string; readonly username: string; readonly name: string };

/** A case that is locked and open. @throws Refused. */
async function openCaseAt(trx: AnyDb, id: string) {
  const found = await lockCase(trx, id);
  if (found === undefined) throw new Refused("thing.unknown", { kind: "case" });
  if (found.closedAt !== null) throw new Refused("act.refused", { sentence: "The case is closed." });
  return found;
}

/** The same, of the person who has it. @throws Refused. */
async function ownCaseAt(trx: AnyDb, id: string, { staffId }: CareActor) {
  const found = await openCaseAt(trx, id);
  if (found.owner !== staffId) throw new Refused("act.refused", { sentence: "Take the case first." });
  return found;
}

/** Takes a case, also from somebody else. `expected`: who has it, as the person saw it. @throws Refused: another has taken it since. */
export async function takeCase(trx: AnyDb, id: string, { staffId }: CareActor, expected: string | null): Promise<void> {
  const { owner } = await openCaseAt(trx, id);
  if (owner !== expected)
    throw new Refused("act.refused", { sentence: "Somebody else has taken the case meanwhile: look again." });
  if (owner === staffId) throw new Refused("act.refused", { sentence: "You have the case already." });
  await addStep(trx, { caseId: id, kind: "taken", by: staffId, text: null });
}

/** Keeps a note. Who may act in cases may add what they know. @throws Refused. */
export async function noteCase(trx: AnyDb, id: string, { staffId }: CareActor, text: string): Promise<void> {
  await openCaseAt(trx, id);
  await addStep(trx, { caseId: id, kind: "note", by: staffId, text });
}

/** Writes to the player. @throws Refused: the last letter is too recent. */
export async function writeLetter(
  trx: AnyDb,
  random: Random,
  id: string,
  actor: CareActor,
  { text, advice }: { readonly text: string; readonly advice: LimitAdvice | null },
): Promise<string> {
  const { playerId } = await ownCaseAt(trx, id, actor);
  const from = await letterFrom(trx, playerId);
  if (from !== null)
    throw new Refused("act.refused", {
      sentence: `A player gets one letter in 14 days: the next from ${from.toISOString().slice(0, 10)} on.`,
    });
  const { staffId: by, name: sender } = actor;
  return await sendLetter(trx, random, { caseId: id, playerId, by, sender, text, advice });
}

/** Closes play for the player for so many days, as an exclusion by the operator. @throws Refused: play is closed for longer already. */
export async function timeOut(
  trx: AnyDb,
  id: string,
  actor: CareActor,
  { days, reason, timeZone }: { readonly days: number; readonly reason: string; readonly timeZone: string },
): Promise<{ until: Date; playerId: string }> {
  const { playerId } = await ownCaseAt(trx, id, actor);
  const { rows } = await sql<{ until: Date }>`
    select date_trunc('second', clock_timestamp() + make_interval(days => ${days}::int)) as until`.execute(trx);
  const until = rows[0]?.until ?? new Date(0);
  const limits = trx.withTables<LimitsTables>();
  const order = {
    playerId,
    kind: "exclusion",
    owner: "house",
    value: until.getTime(),
    by: actor.username,
    timeZone,
  } as const;
  if ((await holdsFrom(limits, order)) === "later")
    throw new Refused("act.refused", { sentence: "Play is closed for longer already." });
  await setLimit(limits, order);
  await addStep(trx, { caseId: id, kind: "timeOut", by: actor.staffId, text: reason, until });
  return { until, playerId };
}

/** Closes a case with what came of it. @throws Refused. */
export async function endCase(
  trx: AnyDb,
  id: string,
  actor: CareActor,
  { outcome, reason }: { readonly outcome: CareOutcome; readonly reason: string },
): Promise<void> {
  await ownCaseAt(trx, id, actor);
  await closeCase(trx, { caseId: id, by: actor.staffId, outcome, reason });
}
