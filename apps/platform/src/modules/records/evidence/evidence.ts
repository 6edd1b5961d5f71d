import { readFile } from "node:fs/promises";
import type { EvidenceFile, EvidenceFileName } from "@longarm/contract/evidence/format";
import { CHAIN_FILE, INDEX_FILE, segmentFile, VIEWER_NAME } from "@longarm/contract/evidence/format";
import type { PackedEvidence, PackedFile } from "@longarm/contract/evidence/pack";
import { packEvidence, packedFile, packedJson } from "@longarm/contract/evidence/pack";
import { sql } from "kysely";
import { databaseNow } from "../../../database-time.ts";
import type { AnyDb } from "../../../deps.ts";
import type { Audit } from "../audit/index.ts";
import { auditTail, linksAbout, linkWaiting } from "../audit/index.ts";
import type { Clip, ClipReads } from "../clips/index.ts";
import { gameWish } from "../clips/index.ts";
import { bookedBeside, gameIdOf, listDisputes, noteReading, stepsOf } from "../disputes/index.ts";
import type { GameOfPlayer, HistoryTables } from "../history/index.ts";
import { gameOn } from "../history/index.ts";

export type EvidenceDeps = { readonly db: AnyDb; readonly clips: ClipReads };

/** Before and after a game, ms: what the ledger moved beside it. */
const BESIDE_MS = 30_000;
/** Entries of the audit log that one statement links. */
const LINKS_PER_STATEMENT = 1_000;

/** What is known of one game, in the words of an export. */
type Gathered = { readonly [Name in Exclude<EvidenceFileName, "question.json">]: EvidenceFile<Name> } & {
  readonly clip: Clip | undefined;
};

/** Gathers what recording, meters, ledger and audit log say of a game. @param dispute a question about it, whose entries belong to it. */
export async function gatherGame(
  { db, clips }: EvidenceDeps,
  found: GameOfPlayer,
  dispute: string | null,
): Promise<Gathered> {
  const { machineId, playerId, game } = found;
  const wish = gameWish(found);
  const clip = await clips.findClip(wish);
  const from = new Date(Date.parse(game.start) - BESIDE_MS);
  const to = new Date(Date.parse(game.end) + BESIDE_MS);
  const booked = await bookedBeside(db, { machineId, gameNumber: game.number }, { from, to });
  await linkWaiting(db, LINKS_PER_STATEMENT);
  const links = await linksAbout(db, { session: game.session, player: playerId, dispute });
  const ready = clip?.state === "ready" ? clip : undefined;
  return {
    clip: ready,
    "game.json": game,
    "ledger.json": {
      ...{ from: from.toISOString(), to: to.toISOString() },
      booked: booked.map(({ at, ...one }) => ({ ...one, at: at.toISOString() })),
    },
    "clip.json": {
      ...{ machineId, playSessionId: game.session, fromMs: wish.from.getTime(), toMs: wish.to.getTime() },
      ...{ state: clip?.state ?? "none", reason: clip?.reason ?? null },
      ...{ segments: [...(ready?.segments ?? [])], gaps: [...(ready?.gaps ?? [])] },
      ...{ skewMs: clip?.skewMs ?? null, skewWithinMs: clip?.skewWithinMs ?? null },
    },
    "audit.json": { links, tail: await auditTail(db) },
  };
}

export type Evidence = PackedEvidence & {
  readonly id: string;
  readonly name: string;
  readonly game: string;
  /** Of the recording in it; null: there is none. */
  readonly clipId: string | null;
};

/**
 * The export of a question. Undefined: there is no such question, or no such game. `tooLarge`: it is longer than an export may be.
 * @param seesAudit whether the log's entries about the question are in it; those that prove the recording always are.
 */
export async function makeEvidence(
  deps: EvidenceDeps,
  id: string,
  seesAudit: boolean,
): Promise<Evidence | "tooLarge" | undefined> {
  const { db, clips } = deps;
  const [row] = await listDisputes(db, { id });
  const found = row && (await gameOn(db.withTables<HistoryTables>(), gameIdOf(row)));
  if (row === undefined || found === undefined) return undefined;
  const { clip, ...gathered } = await gatherGame(deps, found, seesAudit ? id : null);
  const steps = await stepsOf(db, id, "staff");
  const question: EvidenceFile<"question.json"> = {
    ...{ id, number: row.number, player: row.playerId, machine: row.machineId, kind: row.kind },
    ...{ openedAt: row.openedAt.toISOString(), dueAt: row.dueAt.toISOString() },
    ...{ decidedAt: row.decidedAt?.toISOString() ?? null, verdict: row.verdict },
    ...{ amount: row.amount, transfer: row.transferId },
    steps: steps.flatMap(({ at, kind, sentence, text }) =>
      kind === "note" || kind === "mark" || kind === "requested"
        ? []
        : [{ at: at.toISOString(), kind, sentence, text }],
    ),
    marks: steps.flatMap(({ at, momentMs, text }) =>
      momentMs === null ? [] : [{ at: at.toISOString(), momentMs, text }],
    ),
  };
  const files = [await packedFile(VIEWER_NAME, await readFile(new URL("./viewer.html", import.meta.url)))];
  for (const [name, value] of Object.entries({ "question.json": question, ...gathered }))
    files.push(await packedJson(name, value));
  if (clip !== undefined) files.push(...clipFiles(clips, clip));
  const { rows } = await sql<{ now: Date }>`select ${databaseNow()} as now`.execute(db);
  const packed = await packEvidence({ question: id, madeAt: (rows[0]?.now ?? new Date(0)).toISOString() }, files);
  if (packed === undefined) return "tooLarge";
  return { ...packed, id, name: `question-${row.number}.zip`, game: gameIdOf(row), clipId: clip?.id ?? null };
}

/** Writes down that an export leaves the venue, before it does: with its fingerprint, and as a reading of question and recording. */
export async function noteExport(
  { db, clips, audit }: EvidenceDeps & { readonly audit: Audit },
  { id, game, fingerprint, clipId }: Evidence,
  { actor, staffId }: { readonly actor: string; readonly staffId: string | null },
): Promise<void> {
  await audit.write({ type: "data.exported", actor, subject: `dispute:${id}`, facts: { game, fingerprint } });
  if (staffId === null) return;
  await noteReading(db, id, staffId);
  if (clipId !== null) await clips.noteReading(clipId, staffId);
}

function clipFiles(clips: ClipReads, { id, index, chain, segments }: Clip): PackedFile[] {
  const parts = [
    ...(index === null ? [] : [{ ...index, file: INDEX_FILE }]),
    ...(chain === null ? [] : [{ ...chain, file: CHAIN_FILE }]),
    ...segments.map((segment) => ({ ...segment, file: segmentFile(segment.name) })),
  ];
  return parts.map(({ name, bytes, sha256, file }) => ({
    ...{ name: file, bytes, sha256 },
    async open() {
      const content = await clips.openPart(id, name);
      if (content === undefined) throw new Error("The clip was removed while it was exported.");
      return content;
    },
  }));
}
