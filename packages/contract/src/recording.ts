import * as z from "zod/mini";
import { OwnId } from "./ids.ts";

/** The longest clip, ms: a game with all that belongs to it. */
export const CLIP_MS_MAX = 1_800_000;
/** Segments of a clip at most; none is shorter than two seconds, but at the ends of a record. */
export const CLIP_SEGMENTS_MAX = 1_000;
/** Largest part of a clip, bytes: a segment, or the index of a long session. */
export const CLIP_PART_BYTES_MAX = 32 * 1024 * 1024;

/** The parts of a clip: its segments by number, the lines of the index beside them, and the session's whole chain. */
export const ClipPartName = z.string().check(z.regex(/^(\d{7}\.mp4|index\.jsonl|chain\.jsonl)$/));
const Sha256 = z.string().check(z.regex(/^[0-9a-f]{64}$/));
/** Ms since 1970 by the agent's clock. */
const Time = z.number().check(z.gte(0));

/** One file of a clip, as it was uploaded. */
export const ClipPart = z.object({
  name: ClipPartName,
  bytes: z.int().check(z.gte(0), z.lte(CLIP_PART_BYTES_MAX)),
  sha256: Sha256,
});
export type ClipPart = z.infer<typeof ClipPart>;

/**
 * How the times of a segment's frames are known. `computer`: stamped on the agent's computer. `camera`: by the camera's own clock. `arrival`: when
 * they came to the agent. `delayMs`: how long before that the frames were taken, by the camera's clock for its quickest frame, else as was set for
 * the machine (0: nothing was).
 */
export const FrameClock = z.object({
  by: z.enum(["computer", "camera", "arrival"]),
  delayMs: z.number().check(z.gte(0), z.lte(2_000)),
});
export type FrameClock = z.infer<typeof FrameClock>;

/** A whole MP4. Its media time begins at 0, which is `fromMs`, when its first frame was captured; its last one ends at `toMs`. */
export const ClipSegment = z.extend(ClipPart, {
  number: z.int().check(z.gte(1)),
  fromMs: Time,
  toMs: Time,
  frames: z.int().check(z.gte(1)),
  /** Absent: not known, as the segment was found after a crash or is older than this field. */
  frameClock: z.optional(FrameClock),
});
export type ClipSegment = z.infer<typeof ClipSegment>;

/** A time of the clip of which there is no picture. */
export const ClipGap = z.object({ fromMs: Time, toMs: Time, why: z.string().check(z.maxLength(500)) });
export type ClipGap = z.infer<typeof ClipGap>;

/** What a clip consists of, put by the agent after all parts. Without segments nothing of it is kept any more. */
export const ClipManifest = z.object({
  segments: z.array(ClipSegment).check(z.maxLength(CLIP_SEGMENTS_MAX)),
  index: z.nullable(ClipPart),
  chain: z.nullable(ClipPart),
  gaps: z.array(ClipGap).check(z.maxLength(CLIP_SEGMENTS_MAX)),
});
export type ClipManifest = z.infer<typeof ClipManifest>;

const Session = { machineId: OwnId, playSessionId: OwnId };

/** The platform wants a clip. The agent uploads what the platform does not `have` in the background, and then its manifest. */
export const ClipRequest = z.object({
  ...Session,
  clipId: OwnId,
  fromMs: Time,
  toMs: Time,
  /** Segments that the platform has already; a segment never changes. */
  have: z.array(ClipPartName).check(z.maxLength(CLIP_SEGMENTS_MAX)),
});
/** `clock`: the agent's clock now. */
export const ClipRequestAnswer = z.object({ clock: z.number(), found: z.boolean() });

/** A case holds a session's record, or no longer. `found` false: the agent has none. */
export const RecordHold = z.object({ ...Session, caseId: OwnId, held: z.boolean() });

/** The newest sealed line of a session's index, for the platform's audit log. */
export const RecordAnchor = z.object({ ...Session, links: z.int().check(z.gte(1)), head: Sha256 });

/** Whether play is recorded as it should be. */
export const RecordState = z.object({
  machineId: OwnId,
  /** Why it is not; absent: it is. */
  problem: z.optional(z.string().check(z.maxLength(300))),
});

/** The agent puts the parts of a clip (bytes), and then its manifest (JSON), with its key as Bearer. */
export const AGENT_CLIP_PATH = "agent/clips/{id}";
export const AGENT_CLIP_PART_PATH = "agent/clips/{id}/parts/{name}";
export const ClipParams = z.object({ id: OwnId });
export const ClipPartParams = z.object({ id: OwnId, name: ClipPartName });
