import type { Frame } from "node-av";
import { AV_FRAME_DATA_VIDEO_HINT, AV_VIDEO_HINT_TYPE_CHANGED } from "node-av";
import type { Picture, PicturePlace } from "../../ports/source.ts";

/** FFmpeg's AVVideoHint: three sizes and an int, then a rectangle of four 32 bit numbers for each place. */
const HEAD_BYTES = 32;
const PLACE_BYTES = 16;

/**
 * Tells x264 (with its option `mb_info`) which places differ from the picture it was given last; macroblocks outside are taken over without a look
 * as soon as they are as sharp as the bitrate allows. Null: any may differ.
 */
export function tellChanged(frame: Frame, places: readonly PicturePlace[] | null): void {
  // The frame is used again and again, and so would be what was told with it.
  frame.removeSideData(AV_FRAME_DATA_VIDEO_HINT);
  if (places === null) return;
  const hint = frame.newSideData(AV_FRAME_DATA_VIDEO_HINT, HEAD_BYTES + PLACE_BYTES * places.length);
  hint.fill(0);
  hint.writeBigUInt64LE(BigInt(places.length), 0);
  hint.writeBigUInt64LE(BigInt(HEAD_BYTES), 8);
  hint.writeBigUInt64LE(BigInt(PLACE_BYTES), 16);
  hint.writeInt32LE(AV_VIDEO_HINT_TYPE_CHANGED, 24);
  for (const [n, { x, y, width, height }] of places.entries()) {
    const left = Math.max(0, x);
    const top = Math.max(0, y);
    const right = Math.max(left, Math.min(frame.width, x + width));
    const bottom = Math.max(top, Math.min(frame.height, y + height));
    const at = HEAD_BYTES + n * PLACE_BYTES;
    hint.writeUInt32LE(left, at);
    hint.writeUInt32LE(top, at + 4);
    hint.writeUInt32LE(right - left, at + 8);
    hint.writeUInt32LE(bottom - top, at + 12);
  }
}

/**
 * Brings `to`, which holds the picture that was encoded last, to `picture`: the rows in which it may have changed, over their whole width, for that is
 * one copy of each plane. Null: all of them.
 */
export function copyChanged(to: Uint8Array, picture: Picture, places: readonly PicturePlace[] | null): void {
  const { width, height, data } = picture;
  if (places === null) {
    to.set(data);
    return;
  }
  let [top, bottom] = [height, 0];
  for (const place of places) {
    top = Math.min(top, Math.max(0, place.y));
    bottom = Math.max(bottom, Math.min(height, place.y + place.height));
  }
  if (top >= bottom) return;
  // Two rows have one of each colour.
  [top, bottom] = [top - (top % 2), bottom + (bottom % 2)];
  const luma = width * height;
  const copy = (from: number, till: number): void => to.set(data.subarray(from, till), from);
  copy(top * width, bottom * width);
  for (const plane of [luma, luma * 1.25]) copy(plane + (top * width) / 4, plane + (bottom * width) / 4);
}
