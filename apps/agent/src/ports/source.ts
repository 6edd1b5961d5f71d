import type { FrameClock as Known } from "@longarm/contract/recording";

/** A part of a frame, in its pixels. */
export interface FrameArea {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/**
 * One frame in I420 (4:2:0), colours as BT.601 limited range (luma 16 to 235).
 *
 * `data` holds Y (width × height), then U, then V (each width/2 × height/2), without any padding between rows.
 */
export interface VideoFrame {
  /** Pixels; even, 16 to 4096. */
  readonly width: number;
  /** Pixels; even, 16 to 4096. */
  readonly height: number;
  /** Exactly width × height × 3 / 2 bytes. */
  readonly data: Uint8Array;
  /** When the frame was taken, on the agent's `Clock`, in milliseconds with fractions. */
  readonly capturedAtMs: number;
  /** When it was really taken, where `capturedAtMs` is later: it is repeated, or came after a repeat. A recording has it at this time. */
  readonly takenAtMs?: number;
  /** How these times are known. Absent: it was stamped where it was made, on this computer. */
  readonly clock?: FrameClock;
  /** One more frame than `frameRate` promises, because a player waits for what it shows; it is never thinned. At most a few a second. */
  readonly outOfTurn?: boolean;
  /**
   * Where it may differ from the frame that the source gave just before it, which was taken at `sinceMs`; everything else is the same to the
   * bit. Absent where the source does not know: a camera never sees the same twice. An encoder skips what did not change.
   */
  readonly changed?: { readonly sinceMs: number; readonly places: readonly FrameArea[] };
}

/**
 * 20 ms of sound: 48 kHz, stereo, interleaved, 16 bit.
 */
export interface SoundBlock {
  /** Exactly 1920 values: 960 pairs of left and right. */
  readonly samples: Int16Array;
  /** When the first sample was taken, on the agent's `Clock`, in milliseconds with fractions. */
  readonly capturedAtMs: number;
}

/**
 * Where a source puts what it captures.
 *
 * `data` and `samples` belong to the source and are valid only during the call: the sink copies what it keeps, so a
 * source may paint the next frame into the same memory. A sink returns at once and never throws.
 */
export interface SourceSink {
  video(frame: VideoFrame): void;
  audio(block: SoundBlock): void;
  /** The capture stopped by itself (unplugged, stream lost). Nothing follows; `reason` is a sentence for the log. */
  ended(reason: string): void;
}

/**
 * How the times of frames are known. `computer`: stamped on the agent's computer, less `delayMs` as the machine's configuration says. `camera`: by
 * the camera's own clock, after which its quickest frame came here `delayMs` later. `arrival`: when they came here, less `delayMs` as configured.
 */
export type FrameClock = Known & {
  /** How long the quickest frame took by the camera's own clock, which must be wrong, ms. */
  readonly cameraMs?: number;
};

/** What a source gives while it is open. Fixed for the life of the source. */
export interface SourceFormat {
  readonly width: number;
  readonly height: number;
  /** Frames a second while open, 1 to 60. A source that has nothing new still repeats its frame: a painted one at this rate, a device for a second. */
  readonly frameRate: number;
  /** False when the source has no sound; then `audio` is never called. */
  readonly audio: boolean;
  /** The frames are painted, not filmed: free of noise, so that a quick encoder is good enough for them. */
  readonly painted?: boolean;
}

export interface OpenSource {
  /** After this resolves the sink is not called any more. Closing again does nothing. */
  close(): Promise<void>;
  /** Captures one more frame now, out of turn, because a viewer waits for the first. Absent: the source gives frames when it has them. */
  soon?(): void;
}

/** Part of a frame that shows the reels and what belongs to them, as shares (0 to 1) of the whole. */
export type Glass = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

/**
 * The machine's video and sound, whatever the source: painted, v4l2, rtsp or x11 capture.
 *
 * A source costs nothing while it is closed. It is open at most once at a time.
 */
export interface Source {
  readonly format: SourceFormat;
  /** What the lobby's still shows of the frame; absent: its middle. */
  readonly glass?: Glass;
  /** Starts capturing. Rejects with a sentence when it is open already or the device cannot be opened. */
  open(sink: SourceSink): Promise<OpenSource>;
  /**
   * The frame as it is now, whether open or not; `data` belongs to the caller. Rejects with a sentence when no
   * frame can be had.
   */
  still(): Promise<VideoFrame>;
}

/** Sample pairs in one `SoundBlock`. */
export const SOUND_BLOCK_FRAMES = 960;
/** Samples a second of every `SoundBlock`. */
export const SOUND_SAMPLE_RATE = 48_000;
/** Length of one `SoundBlock`. */
export const SOUND_BLOCK_MS = 20;
