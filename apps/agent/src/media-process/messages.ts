import { CHANNEL_FRAME_BYTES_MAX } from "@longarm/contract/data-channel";
import { Sdp } from "@longarm/contract/game-socket";
import { STILL_BYTES_MAX } from "@longarm/contract/http";
import { OwnId } from "@longarm/contract/ids";
import * as z from "zod/mini";
import type { Config } from "../config/config.ts";
import type { MachineConfig } from "../config/entry.ts";
import type { EncoderName } from "../media/encoder/h264-encoders.ts";
import { ENCODER_NAMES } from "../media/encoder/h264-encoders.ts";
import type { IceCandidate, IceServer } from "../ports/transport.ts";
import { Segment } from "../recording/segment.ts";

/*
 * The messages between core and media process. Both have the same sources, but unauthenticated packets reach the media process, so the core
 * trusts no message of it: each has a schema, and `media-process.ts` limits their size and number.
 */

/** Largest frame of each direction, bytes: a still in base64; the configuration of 32 machines. */
export const FROM_MEDIA_BYTES_MAX = 512 * 1024;
export const FROM_CORE_BYTES_MAX = 1024 * 1024;
/** Encoders of one machine whose figures the core keeps. */
const LANES_MAX = 8;

const base64Max = (bytes: number): number => Math.ceil(bytes / 3) * 4;
const Sentence = z.string().check(z.maxLength(500));
const Count = z.int().check(z.gte(0));
const Figure = z.number().check(z.gte(0));
const machine = OwnId;
/** When the newest picture that went to viewers was taken, ms of the common clock. */
const picturedAt = z.optional(z.number());

/** Figures of one encoder. */
const LaneStats = z.object({
  codec: z.enum(["h264", "vp8"]),
  /** Bit/s. */
  bitrate: Figure,
  /** Frames. */
  encoded: Count,
  /** Frames left out because the last one was still being encoded. */
  skipped: Count,
  keyFrames: Count,
  /** Mean time of one encode, ms. */
  encodeMs: Figure,
});
export type LaneStats = Readonly<z.infer<typeof LaneStats>>;

/** Answers of the media process to requests of the core. */
const MediaAnswer = z.discriminatedUnion("is", [
  z.object({ is: z.literal("answer"), ask: Count, sdp: Sdp }),
  z.object({ is: z.literal("still"), ask: Count, webp: z.string().check(z.maxLength(base64Max(STILL_BYTES_MAX))) }),
  z.object({ is: z.literal("done"), ask: Count }),
  /** The offer cannot be answered; the sentence says why. */
  z.object({ is: z.literal("refused"), ask: Count, sentence: Sentence }),
  /** No place is free for the viewer of this offer. */
  z.object({ is: z.literal("full"), ask: Count }),
  z.object({ is: z.literal("failed"), ask: Count, sentence: Sentence }),
]);
export type MediaAnswer = z.infer<typeof MediaAnswer>;

/** Events of one viewer. `viewer` is the number that the core assigned. */
const ViewerMessage = z.discriminatedUnion("is", [
  z.object({
    is: z.literal("state"),
    machine,
    viewer: Count,
    state: z.enum(["connected", "interrupted", "closed"]),
  }),
  z.object({
    is: z.literal("candidate"),
    machine,
    viewer: Count,
    candidate: z.string().check(z.maxLength(1_024)),
    sdpMid: z.nullable(z.string().check(z.maxLength(32))),
  }),
  /** One message of a player's `press` channel, in base64, unchecked. */
  z.object({
    is: z.literal("press"),
    machine,
    viewer: Count,
    press: Count,
    frame: z.string().check(z.maxLength(base64Max(CHANNEL_FRAME_BYTES_MAX))),
    picturedAt,
  }),
]);
export type ViewerMessage = z.infer<typeof ViewerMessage>;

/** What became of a machine's record. */
const RecordMessage = z.discriminatedUnion("is", [
  /** A segment is on the disk. */
  z.object({ is: z.literal("recorded"), machine, segment: Segment }),
  /** Nothing could be recorded for a while. */
  z.object({ is: z.literal("unrecorded"), machine, sentence: Sentence }),
]);
export type RecordMessage = z.infer<typeof RecordMessage>;

/** Every message of the media process. */
export const MediaMessage = z.discriminatedUnion("is", [
  /** The event loop runs. */
  z.object({
    is: z.literal("beat"),
    /** Memory of the whole process, bytes. */
    memory: Figure,
    /** What is opened next for H.264; absent until the process knows. */
    encoder: z.optional(z.enum(ENCODER_NAMES)),
    lanes: z
      .array(z.object({ machine, lanes: z.array(LaneStats).check(z.maxLength(LANES_MAX)), picturedAt }))
      .check(z.maxLength(64)),
  }),
  /** Everything is imported: from now on heartbeats must arrive. */
  z.object({ is: z.literal("ready") }),
  z.object({ is: z.literal("problem"), machine: z.optional(OwnId), sentence: Sentence }),
  MediaAnswer,
  ViewerMessage,
  RecordMessage,
]);
export type MediaMessage = z.infer<typeof MediaMessage>;

/** What the media process must know of a machine: its video sources, and nothing of its money. */
export type MediaMachine = Pick<MachineConfig, "id" | "driver" | "picture" | "sound" | "roomCamera"> & {
  /** What its driver's painter must know. */
  readonly paint: unknown;
};

/** The first message of the core. */
export type MediaStart = {
  readonly machines: readonly MediaMachine[];
  readonly media: Config["media"];
  readonly crowd?: Config["crowd"];
  /** What shall encode H.264, once it was tried; by default x264. */
  readonly encoder?: EncoderName;
  /** The core's clock at the moment when this computer's monotonic clock was zero, ms: both processes have one time. */
  readonly epochMs: number;
};

/** Every message of the core. The media process trusts it. */
export type CoreMessage =
  | ({ readonly is: "start" } & MediaStart)
  /** A machine is open and may be watched. `view`: the state of its screen, for the painter. */
  | { readonly is: "open" | "view"; readonly machine: string; readonly view: unknown }
  | { readonly is: "shut" | "still"; readonly ask: number; readonly machine: string }
  | {
      readonly is: "offer";
      readonly ask: number;
      readonly machine: string;
      readonly viewer: number;
      readonly viewerId: string;
      readonly role: "player" | "spectator" | "staff";
      readonly sdp: string;
      readonly iceServers: readonly IceServer[];
      readonly framesPerSecond?: number | undefined;
      readonly complete?: boolean | undefined;
    }
  | {
      readonly is: "restart";
      readonly ask: number;
      readonly machine: string;
      readonly viewer: number;
      readonly sdp: string;
    }
  | ({ readonly is: "candidate"; readonly machine: string; readonly viewer: number } & IceCandidate)
  | { readonly is: "leave"; readonly ask: number; readonly machine: string; readonly viewer: number }
  /** Play is recorded from now on, in this folder, with a key (hex) of this play session alone. The segments begin with number `first`. */
  | {
      readonly is: "record";
      readonly ask: number;
      readonly machine: string;
      readonly place?: { readonly folder: string; readonly key: string; readonly first: number } | undefined;
    }
  /** A game begins. */
  | { readonly is: "game"; readonly machine: string }
  /** The answer to a press; null: nothing is sent back. */
  | {
      readonly is: "reply";
      readonly machine: string;
      readonly viewer: number;
      readonly press: number;
      readonly frame: string | null;
    };
