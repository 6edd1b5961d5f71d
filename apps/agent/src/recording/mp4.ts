import type { VideoCodec } from "../ports/transport.ts";

/*
 * Fragmented MP4 (ISO 14496-12; H.264 by 14496-15, Opus by its encapsulation of 2018, VP8 as `vp08`): a head, and then fragments that can each
 * be read as soon as they are whole. A file that breaks off is playable up to its last whole fragment.
 */

/** Ticks a second of the video and of the sound of a file. */
export const VIDEO_TICKS = 90_000;
export const SOUND_TICKS = 48_000;

const VIDEO_TRACK = 1;
const SOUND_TRACK = 2;
/** Samples of Opus that a decoder throws away when it begins, by libopus. */
const OPUS_PRE_SKIP = 312;
const KEY_FRAME = 0x02000000;
const OTHER_FRAME = 0x01010000;

/** What is the same for all of a file. */
export interface Mp4Format {
  readonly codec: VideoCodec;
  readonly width: number;
  readonly height: number;
  /** Of H.264: sequence and picture parameter set, without start codes. */
  readonly parameterSets: ParameterSets | undefined;
  readonly sound: boolean;
}

export type ParameterSets = { readonly sps: Uint8Array; readonly pps: Uint8Array };

/** One encoded frame or packet of sound; H.264 with a length of four bytes before each unit. */
export type Sample = { readonly bytes: Uint8Array; readonly ticks: number; readonly keyFrame: boolean };

/** Samples of one track in a row; `at`: ticks from the beginning of the file. */
export type Run = { readonly at: number; readonly samples: readonly Sample[] };

/** The beginning of a file. */
export function mp4Head(format: Mp4Format): Buffer {
  const tracks = [videoTrack(format), ...(format.sound ? [soundTrack()] : [])];
  const extended = [VIDEO_TRACK, ...(format.sound ? [SOUND_TRACK] : [])].map((id) =>
    box("trex", u32(0, id, 1, 0, 0, id === SOUND_TRACK ? KEY_FRAME : OTHER_FRAME)),
  );
  const movie = box("mvhd", u32(0, 0, 0, 1_000, 0, 0x00010000), u16(0x0100, 0), u32(0, 0), MATRIX, zeros(24), u32(3));
  return Buffer.concat([
    box("ftyp", text("iso6"), u32(0), text("iso6"), text("isom"), text("mp41")),
    box("moov", movie, ...tracks, box("mvex", ...extended)),
  ]);
}

/** One fragment. `number` grows by one in a file, from 1. */
export function mp4Fragment(number: number, video: Run, sound: Run): Buffer {
  const runs = [
    { id: VIDEO_TRACK, ...video },
    { id: SOUND_TRACK, ...sound },
  ].filter(({ samples }) => samples.length > 0);
  const head = (offsets: readonly number[]) =>
    box("moof", box("mfhd", u32(0, number)), ...runs.map((run, n) => trackFragment(run, offsets[n] ?? 0)));
  const sizes = runs.map(({ samples }) => samples.reduce((sum, { bytes }) => sum + bytes.length, 0));
  // Where each run lies is known once the length of the head is, which does not depend on it.
  const dataAt = head([]).length + 8;
  const offsets = sizes.map((_, n) => dataAt + sizes.slice(0, n).reduce((sum, size) => sum + size, 0));
  const data = runs.flatMap(({ samples }) => samples.map(({ bytes }) => bytes));
  return Buffer.concat([head(offsets), box("mdat", ...data)]);
}

function trackFragment({ id, at, samples }: Run & { readonly id: number }, offset: number): Buffer {
  const fields = samples.flatMap(({ bytes, ticks, keyFrame }) =>
    id === VIDEO_TRACK ? [ticks, bytes.length, keyFrame ? KEY_FRAME : OTHER_FRAME] : [ticks, bytes.length],
  );
  const flags = id === VIDEO_TRACK ? 0x701 : 0x301;
  return box(
    "traf",
    box("tfhd", u32(0x00020000, id)),
    box("tfdt", u32(0x01000000), u64(at)),
    box("trun", u32(flags, samples.length, offset, ...fields)),
  );
}

function videoTrack(format: Mp4Format): Buffer {
  const { width, height, codec, parameterSets } = format;
  const visual = [zeros(6), u16(1), zeros(16), u16(width, height), u32(0x00480000, 0x00480000, 0), u16(1), zeros(32)];
  const entry = [...visual, u16(0x0018, 0xffff)];
  const described =
    codec === "h264"
      ? box("avc1", ...entry, box("avcC", configuration(parameterSets)))
      : box("vp08", ...entry, box("vpcC", u32(0x01000000), bytes(0, 10, 0x82, 6, 6, 6), u16(0)));
  return track(
    { id: VIDEO_TRACK, handler: "vide", ticks: VIDEO_TICKS, width, height },
    box("vmhd", u32(1, 0, 0)),
    described,
  );
}

function soundTrack(): Buffer {
  const entry = [zeros(6), u16(1), zeros(8), u16(2, 16), zeros(4), u32(SOUND_TICKS * 0x10000)];
  const opus = box("dOps", bytes(0, 2), u16(OPUS_PRE_SKIP), u32(SOUND_TICKS), u16(0), bytes(0));
  const about = { id: SOUND_TRACK, handler: "soun", ticks: SOUND_TICKS, width: 0, height: 0 };
  return track(about, box("smhd", u32(0, 0)), box("Opus", ...entry, opus));
}

type TrackFacts = {
  readonly id: number;
  readonly handler: string;
  readonly ticks: number;
  readonly width: number;
  readonly height: number;
};

function track({ id, handler, ticks, width, height }: TrackFacts, media: Buffer, described: Buffer): Buffer {
  const volume = handler === "soun" ? 0x0100 : 0;
  const head = box(
    "tkhd",
    u32(3, 0, 0, id, 0, 0, 0, 0),
    u16(0, 0, volume, 0),
    MATRIX,
    u32(width * 0x10000, height * 0x10000),
  );
  const table = box(
    "stbl",
    box("stsd", u32(0, 1), described),
    box("stts", u32(0, 0)),
    box("stsc", u32(0, 0)),
    box("stsz", u32(0, 0, 0)),
    box("stco", u32(0, 0)),
  );
  return box(
    "trak",
    head,
    box(
      "mdia",
      // 0x55c4: no language.
      box("mdhd", u32(0, 0, 0, ticks, 0), u16(0x55c4, 0)),
      box("hdlr", u32(0, 0), text(handler), zeros(13)),
      box("minf", media, box("dinf", box("dref", u32(0, 1), box("url ", u32(1)))), table),
    ),
  );
}

function configuration(sets: ParameterSets | undefined): Buffer {
  if (sets === undefined) throw new Error("H.264 without its parameter sets cannot be recorded.");
  const { sps, pps } = sets;
  const profile = [sps[1] ?? 0, sps[2] ?? 0, sps[3] ?? 0];
  return Buffer.concat([bytes(1, ...profile, 0xff, 0xe1), u16(sps.length), sps, bytes(1), u16(pps.length), pps]);
}

function box(type: string, ...parts: readonly Uint8Array[]): Buffer {
  const size = parts.reduce((sum, part) => sum + part.length, 8);
  return Buffer.concat([u32(size), text(type), ...parts], size);
}

const text = (value: string): Buffer => Buffer.from(value, "latin1");
const bytes = (...values: readonly number[]): Buffer => Buffer.from(values);
const zeros = (count: number): Buffer => Buffer.alloc(count);

function u16(...values: readonly number[]): Buffer {
  const out = Buffer.alloc(2 * values.length);
  for (const [n, value] of values.entries()) out.writeUInt16BE(value, 2 * n);
  return out;
}

function u32(...values: readonly number[]): Buffer {
  const out = Buffer.alloc(4 * values.length);
  for (const [n, value] of values.entries()) out.writeUInt32BE(value, 4 * n);
  return out;
}

function u64(value: number): Buffer {
  const out = Buffer.alloc(8);
  out.writeBigUInt64BE(BigInt(value));
  return out;
}

/** Nothing is turned or scaled. */
const MATRIX = u32(0x00010000, 0, 0, 0, 0x00010000, 0, 0, 0, 0x40000000);
