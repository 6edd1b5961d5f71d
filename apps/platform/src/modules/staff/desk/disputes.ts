import type { DisputeVerdict } from "@longarm/contract/player-disputes";
import type { Ledger } from "@longarm/ledger/ledger";
import { playerAccount } from "@longarm/ledger/rules/address";
import type { AnyDb } from "../../../deps.ts";
import { staffActor } from "../../records/audit/index.ts";
import { clipReads, gameWish } from "../../records/clips/index.ts";
import type { DisputeRow } from "../../records/disputes/index.ts";
import {
  addStaffStep,
  decideDispute,
  gameIdOf,
  listDisputes,
  lockDispute,
  stepsOf,
} from "../../records/disputes/index.ts";
import type { HistoryTables } from "../../records/history/index.ts";
import { gameOn } from "../../records/history/index.ts";
import { Refused } from "../sign-in/index.ts";

/* What staff does with a question about a game. Each act locks the question, so of two people one is second and is refused. */

/** Who acts: the staff id, the name that players read, and the name of the ledger's actor. */
type Actor = { readonly staffId: string; readonly name: string; readonly username: string };

/** A question that is locked and open. @throws Refused. */
async function openAt(trx: AnyDb, id: string): Promise<DisputeRow> {
  const found = await lockDispute(trx, { id });
  if (found === undefined) throw new Refused("thing.unknown", { kind: "question" });
  if (found.decidedAt !== null) throw new Refused("act.refused", { sentence: "The question is decided." });
  return found;
}

/** The same, of the person who has it. @throws Refused. */
async function ownAt(trx: AnyDb, id: string, { staffId }: Pick<Actor, "staffId">): Promise<DisputeRow> {
  const found = await openAt(trx, id);
  if (found.owner !== staffId) throw new Refused("act.refused", { sentence: "Take the question first." });
  return found;
}

async function add(...step: Parameters<typeof addStaffStep>): Promise<void> {
  if (!(await addStaffStep(...step)))
    throw new Refused("act.refused", { sentence: "The question has too many entries: decide it." });
}

/** Takes a question, also from somebody else. `expected`: who has it, as the person saw it. @throws Refused: another has taken it since. */
export async function takeOver(trx: AnyDb, id: string, actor: Actor, expected: string | null): Promise<void> {
  const { owner } = await openAt(trx, id);
  if (owner !== expected)
    throw new Refused("act.refused", { sentence: "Somebody else has taken the question meanwhile: look again." });
  if (owner === actor.staffId) throw new Refused("act.refused", { sentence: "You have the question already." });
  await add(trx, id, "taken", actor, null);
}

/** Keeps a note, which the player never reads; with a moment of the recording, a mark, which an export has too. @throws Refused. */
export async function noteOn(trx: AnyDb, id: string, actor: Actor, text: string, momentMs?: number): Promise<void> {
  await openAt(trx, id);
  if (momentMs === undefined) await add(trx, id, "note", actor, text);
  else await add(trx, id, "mark", actor, text, { momentMs });
}

/** Before a mark: its moment is one of the recording that is here. `db` is in no transaction. @throws Refused. */
export async function checkMoment(db: AnyDb, id: string, momentMs: number): Promise<void> {
  const [found] = await listDisputes(db, { id });
  if (found === undefined) throw new Refused("thing.unknown", { kind: "question" });
  const game = await gameOn(db.withTables<HistoryTables>(), gameIdOf(found));
  const clip = game && (await clipReads(db).findClip(gameWish(game)));
  if (clip?.state !== "ready" || !(momentMs >= clip.fromMs && momentMs <= clip.toMs))
    throw new Refused("act.refused", { sentence: "The recording that is here does not have this moment." });
}

/** Asks the player back, once. @returns whom. @throws Refused. */
export async function askBack(
  trx: AnyDb,
  id: string,
  actor: Actor,
  text: string,
): Promise<{ readonly playerId: string }> {
  const { playerId } = await ownAt(trx, id, actor);
  if ((await stepsOf(trx, id, "staff")).some(({ kind }) => kind === "question"))
    throw new Refused("act.refused", { sentence: "The player got a question before: one is all." });
  await add(trx, id, "question", actor, text);
  return { playerId };
}

export type WantedVerdict = {
  readonly verdict: DisputeVerdict;
  readonly sentence: string;
  readonly letter: string;
  /** Minor units; null: no money moves. */
  readonly amount: number | null;
};

/** Checks a verdict before anything is done. @throws Refused. */
export async function checkVerdict(
  trx: AnyDb,
  id: string,
  actor: Pick<Actor, "staffId">,
  { verdict, amount }: WantedVerdict,
) {
  const found = await ownAt(trx, id, actor);
  if ((verdict === "houseOwes") !== (amount !== null))
    throw new Refused("act.refused", {
      sentence: verdict === "houseOwes" ? "Say how much the venue owes." : "No money moves with this verdict.",
    });
  return found;
}

/**
 * Keeps the words of a verdict that a second person must sign with the question, where they can be erased: approval, ledger and audit log name it alone.
 * @returns how many entries the question has now. @throws Refused.
 */
export async function keepRequested(
  trx: AnyDb,
  id: string,
  actor: Actor,
  { letter, sentence }: Pick<WantedVerdict, "letter" | "sentence">,
): Promise<number> {
  await add(trx, id, "requested", actor, letter, { sentence });
  return (await stepsOf(trx, id, "staff")).length;
}

/** The words of the verdict that was requested as the newest of so many entries. @throws Refused: the question has others by now. */
export async function requestedWords(
  trx: AnyDb,
  id: string,
  entries: number,
): Promise<Pick<WantedVerdict, "letter" | "sentence">> {
  const steps = await stepsOf(trx, id, "staff");
  const { kind, text, sentence } = steps.at(-1) ?? {};
  if (steps.length !== entries || kind !== "requested" || text == null || sentence == null)
    throw new Refused("approval.changed");
  return { letter: text, sentence };
}

/** Ends a question of who has it, and pays what the venue owes: one transfer that names question and game. @throws Refused. */
export async function payAndDecide(
  trx: AnyDb,
  ledger: Ledger,
  id: string,
  actor: Actor,
  wanted: WantedVerdict,
): Promise<{ readonly transfer: string | null; readonly playerId: string }> {
  const found = await checkVerdict(trx, id, actor, wanted);
  const { verdict, sentence, letter, amount } = wanted;
  const paid = amount === null ? null : { amount, transferId: await pay(ledger, found, actor, amount) };
  await decideDispute(trx, id, actor, { verdict, sentence, letter, paid });
  return { transfer: paid?.transferId ?? null, playerId: found.playerId };
}

/** A claim, as the books call what the venue pays outside of play; nothing that was booked before is changed. */
async function pay(ledger: Ledger, dispute: DisputeRow, { username }: Actor, amountMinor: number): Promise<string> {
  const { id, number, machineId, playerId } = dispute;
  const done = await ledger.transfer({
    id: `dispute:${id}`,
    kind: "suspense",
    from: "house",
    to: playerAccount(playerId),
    amountMinor,
    about: {
      ...{ machineId, reason: `question ${number}`, dispute: id, disputedGame: gameIdOf(dispute) },
      actor: staffActor(username).slice(0, 100),
    },
  });
  if (done.is === "refused")
    throw new Refused("act.refused", { sentence: `The ledger refuses: ${done.problem.detail}.` });
  return done.transfer.id;
}
