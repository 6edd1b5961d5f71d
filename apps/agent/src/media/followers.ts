import type { VideoFrame } from "../ports/source.ts";
import type { VideoEncoder } from "./encoder/video-encoder.ts";
import type { FramePackets } from "./rtp/frame-packets.ts";
import { createFramePacketizer } from "./rtp/frame-packets.ts";
import type { StreamHead } from "./rtp/slices.ts";
import { frameNumberOf, readHead, renumbered, withParameters } from "./rtp/slices.ts";

/** An encoder that uses less than this share of its bits is as sharp as it is to be; after so many frames all of the picture is. */
const SHARP_SHARE = 0.75;
const SHARP_FRAMES = 6;
/** An encoder behind whose key frame so many frames wait has failed: two seconds at thirty a second. */
const WAITING_MAX = 60;

/** What a frame of the player's stream becomes for those who follow. */
interface Turn {
  readonly frame: FramePackets;
  /** A key frame takes the frame's place: of this image, by this encoder. */
  readonly key: { readonly image: VideoFrame; readonly encoder: VideoEncoder } | undefined;
}

/** A key frame that takes the place of a frame. */
interface KeyFrame {
  readonly packets: FramePackets;
  /** The number of the replaced frame in the player's stream. */
  readonly number: number;
}

export interface FollowersDeps {
  /** What a frame of the player's may have at its link's rate, bytes. */
  frameBytes(): number;
  /** A key frame is due: the last one took the place of a frame that was not sharp, or could not be made. */
  again(): void;
  /** A frame for those who follow. */
  follow(frame: FramePackets): void;
  failed(encoder: VideoEncoder, error: unknown): void;
}

/** The player's video for those who do not play, with key frames of its own. */
export interface Followers {
  /** False: the encoder of key frames makes another kind of stream, and only the player's encoder can make one. */
  readonly fits: boolean;
  /** The next frame of the player's stream. Whatever comes behind a key frame waits until that is encoded. */
  add(frame: FramePackets, key?: Turn["key"]): void;
}

/**
 * Key frames of H.264 that do not come from the player's encoder, because there each must fit into the rate buffer of the player's link and blurs what the player
 * sees for a part of a second. One takes the place of a frame, and the frames after it count from there. They are differences to the player's own frame, which is
 * not quite the same picture: what differs stays until it is drawn anew. Between two pictures that are both sharp that is not visible; after a frame that the
 * player's link had not made sharp yet, another key frame follows once it has.
 */
export function createFollowers({ follow, failed, frameBytes, again }: FollowersDeps): Followers {
  const packetize = createFramePacketizer("h264");
  let head: StreamHead | undefined;
  /** By how much the numbers of the player's frames are too high. */
  let less = 0;
  let fits = true;
  const judge = createJudge({ frameBytes, again });
  const repacked = (unit: Uint8Array, keyFrame: boolean, { capturedAtMs, takenAtMs, clock }: FramePackets) => ({
    ...packetize(unit, keyFrame, capturedAtMs),
    ...{ takenAtMs, clock },
  });
  const pass = (frame: FramePackets): void => {
    if (frame.keyFrame) {
      head = readHead(frame.unit);
      less = 0;
    }
    const isOther = head !== undefined && less !== 0;
    follow(isOther && head ? repacked(renumbered(frame.unit, head.says.frameNumberBits, less), false, frame) : frame);
  };
  const keyFrameFor = async ({ frame, key }: Turn): Promise<KeyFrame | undefined> => {
    const number = head && frameNumberOf(frame.unit, head.says.frameNumberBits);
    if (key === undefined || head === undefined || number === undefined) return undefined;
    const encoded = await key.encoder.encode(key.image, true);
    const unit = encoded && withParameters(encoded.unit, head);
    fits &&= encoded === null || unit !== undefined;
    if (!unit) {
      again();
      return undefined;
    }
    return { packets: repacked(unit, true, frame), number };
  };
  const queue = createTurns({
    keyFrameFor,
    pass,
    replace(key) {
      less = key.number;
      follow(key.packets);
    },
    failed,
  });

  return {
    get fits() {
      return fits;
    },
    add(frame, key) {
      judge(frame, key !== undefined);
      queue.add({ frame, key });
    },
  };
}

interface TurnsDeps extends Pick<FollowersDeps, "failed"> {
  /** Encodes the key frame of a turn; undefined: it cannot be made. */
  keyFrameFor(one: Turn): Promise<KeyFrame | undefined>;
  /** The player's own frame. */
  pass(frame: FramePackets): void;
  /** A key frame in the place of the player's own. */
  replace(key: KeyFrame): void;
}

/** Turns one after the other: what comes behind a key frame waits until that is encoded, or has failed. */
function createTurns({ keyFrameFor, pass, replace, failed }: TurnsDeps): { add(one: Turn): void } {
  const waiting: Turn[] = [];
  /** Whose key frame is being encoded. */
  let busy: Turn | undefined;
  const over = (one: Turn, key: KeyFrame | undefined): void => {
    // Given up already: the frame that it was to replace has passed.
    if (busy !== one) return;
    busy = undefined;
    if (key) replace(key);
    else pass(one.frame);
    goOn();
  };
  const giveUp = (one: Turn, error: unknown): void => {
    if (busy === one && one.key) failed(one.key.encoder, error);
    over(one, undefined);
  };
  const goOn = (): void => {
    while (busy === undefined) {
      const one = waiting.shift();
      if (one === undefined) return;
      if (one.key === undefined) pass(one.frame);
      else {
        busy = one;
        keyFrameFor(one).then(
          (key) => over(one, key),
          (error: unknown) => giveUp(one, error),
        );
      }
    }
  };
  return {
    add(one) {
      waiting.push(one);
      if (busy && waiting.length > WAITING_MAX) giveUp(busy, new Error("A key frame took too long."));
      goOn();
    },
  };
}

/** Requests another key frame where one took the place of a frame that was not sharp, as soon as the picture is. */
function createJudge({ frameBytes, again }: Pick<FollowersDeps, "frameBytes" | "again">) {
  /** Frames in a row that had all the bits they wanted. */
  let sharp = 0;
  let owed = false;
  return ({ keyFrame, bytes }: FramePackets, isReplaced: boolean): void => {
    sharp = keyFrame || bytes > frameBytes() * SHARP_SHARE ? 0 : sharp + 1;
    if (keyFrame) owed = false;
    else if (isReplaced) owed = sharp < SHARP_FRAMES;
    else if (owed && sharp >= SHARP_FRAMES) {
      owed = false;
      again();
    }
  };
}
