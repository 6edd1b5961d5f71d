import * as z from "zod/mini";
import { OwnId } from "../ids.ts";
import { DISPUTE_KINDS, DISPUTE_STEPS, DISPUTE_VERDICTS } from "../player-disputes.ts";
import { PlayedGame } from "../player-record.ts";
import { CLIP_SEGMENTS_MAX, ClipGap, ClipSegment } from "../recording.ts";

/* What leaves the venue about one question: the files of an export (record 0224). Each JSON file is written as `JSON.stringify` writes it. */

/** A larger export is neither made nor read, bytes. */
export const EVIDENCE_BYTES_MAX = 512 * 1024 * 1024;
/** Files of an export at most: the segments, and some ten others. */
const FILES_MAX = CLIP_SEGMENTS_MAX + 16;

export const MANIFEST_NAME = "manifest.json";
export const VIEWER_NAME = "viewer.html";

const When = z.iso.datetime({ offset: true });
export const Sha256 = z.string().check(z.regex(/^[0-9a-f]{64}$/));
const Line = z.string().check(z.maxLength(500));
const Position = z.int().check(z.gte(1));
const EvidenceName = z.string().check(z.regex(/^[a-z]{2,12}\/?[a-z0-9]{0,12}\.(json|jsonl|html|mp4)$/));

/** What the export consists of, the manifest itself left out. Its own hash is the fingerprint of the whole. */
export const EvidenceManifest = z.strictObject({
  v: z.literal(1),
  question: OwnId,
  madeAt: When,
  files: z
    .array(z.strictObject({ name: EvidenceName, bytes: z.int().check(z.gte(0)), sha256: Sha256 }))
    .check(z.maxLength(FILES_MAX)),
});
export type EvidenceManifest = z.infer<typeof EvidenceManifest>;

/** The question and what was said, with the marks of staff and without their notes; staff is left out by name. */
export const EvidenceQuestion = z.strictObject({
  ...{ id: OwnId, number: z.int(), player: Line, machine: OwnId, kind: z.enum(DISPUTE_KINDS) },
  ...{ openedAt: When, dueAt: When, decidedAt: z.nullable(When), verdict: z.nullable(z.enum(DISPUTE_VERDICTS)) },
  amount: z.nullable(z.int()),
  transfer: z.nullable(Line),
  steps: z
    .array(
      z.strictObject({
        at: When,
        kind: z.enum(DISPUTE_STEPS),
        sentence: z.nullable(z.string()),
        text: z.nullable(z.string()),
      }),
    )
    .check(z.maxLength(1_000)),
  /** Moments of the recording that staff marked, ms since 1970 by the agent's clock. Exports of before have none. */
  marks: z.optional(
    z.array(z.strictObject({ at: When, momentMs: z.number(), text: z.nullable(z.string()) })).check(z.maxLength(1_000)),
  ),
});
export type EvidenceQuestion = z.infer<typeof EvidenceQuestion>;

/** What the ledger moved at the machine about the time of the game, minor units. */
export const EvidenceLedger = z.strictObject({
  from: When,
  to: When,
  booked: z
    .array(
      z.strictObject({
        ...{ id: Line, kind: Line, from: Line, to: Line, amount: z.int(), at: When },
        /** It is the game's own: what the game won or lost. */
        isOfGame: z.boolean(),
      }),
    )
    .check(z.maxLength(1_000)),
});
export type EvidenceLedger = z.infer<typeof EvidenceLedger>;

/** The recording: times are ms since 1970 by the agent's clock, which is `skewMs` ahead of the platform's. */
export const EvidenceClip = z.strictObject({
  ...{ machineId: OwnId, playSessionId: OwnId, fromMs: z.number(), toMs: z.number() },
  state: Line,
  reason: z.nullable(Line),
  segments: z.array(ClipSegment).check(z.maxLength(CLIP_SEGMENTS_MAX)),
  gaps: z.array(ClipGap).check(z.maxLength(CLIP_SEGMENTS_MAX)),
  skewMs: z.nullable(z.number()),
  skewWithinMs: z.nullable(z.number()),
});
export type EvidenceClip = z.infer<typeof EvidenceClip>;

const Text = z.string().check(z.maxLength(65_536));
/** An entry of the audit log as its hash is made of it. */
export const AuditText = z.strictObject({
  ...{ id: Text, at: Text, source: Text, type: Text, actor: Text, subject: z.nullable(Text) },
  ...{ address: z.nullable(Text), before: z.nullable(Text), after: z.nullable(Text), facts: Text },
});
export type AuditText = z.infer<typeof AuditText>;

/** Links of the audit log's chain: each hash is over the one before it, the position and the entry. */
export const EvidenceAudit = z.strictObject({
  links: z
    .array(z.strictObject({ position: Position, previous: Sha256, hash: Sha256, entry: AuditText }))
    .check(z.maxLength(1_000)),
  /** The newest link when this was made. */
  tail: z.nullable(z.strictObject({ position: Position, hash: Sha256 })),
});
export type EvidenceAudit = z.infer<typeof EvidenceAudit>;

/** The JSON files of an export beside its manifest. */
export const EVIDENCE_FILES = {
  "question.json": EvidenceQuestion,
  "game.json": PlayedGame,
  "ledger.json": EvidenceLedger,
  "clip.json": EvidenceClip,
  "audit.json": EvidenceAudit,
} as const;
export type EvidenceFileName = keyof typeof EVIDENCE_FILES;
export type EvidenceFile<Name extends EvidenceFileName> = z.infer<(typeof EVIDENCE_FILES)[Name]>;

/** Where the bytes of a segment are. */
export const segmentFile = (name: string): string => `segments/${name}`;
export const INDEX_FILE = "index.jsonl";
export const CHAIN_FILE = "chain.jsonl";
