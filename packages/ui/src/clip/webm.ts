import type { SegmentFacts } from "./segment.ts";

/* The video of a VP8 segment as WebM (RFC 8794, RFC 9559), without its sound: browsers do not read VP8 in MP4. */

const EBML = 0x1a45dfa3;
const SEGMENT = 0x18538067;
const INFO = 0x1549a966;
const TRACKS = 0x1654ae6b;
const CLUSTER = 0x1f43b675;
const VIDEO = 1;
/** Times in a cluster are two signed bytes, ms. */
const CLUSTER_MS_MAX = 30_000;

/** The same frames at the same times, to the ms. */
export function asWebm({ width, height, frames }: SegmentFacts): Uint8Array<ArrayBuffer> {
  const head = element(
    EBML,
    ...[element(0x4286, number(1)), element(0x42f7, number(1)), element(0x42f2, number(4)), element(0x42f3, number(8))],
    ...[element(0x4282, text("webm")), element(0x4287, number(2)), element(0x4285, number(2))],
  );
  const info = element(
    INFO,
    element(0x2ad7b1, number(1_000_000)),
    element(0x4d80, text("l")),
    element(0x5741, text("l")),
  );
  const size = element(0xe0, element(0xb0, number(width)), element(0xba, number(height)));
  const track = element(
    0xae,
    ...[element(0xd7, number(VIDEO)), element(0x73c5, number(VIDEO)), element(0x83, number(VIDEO))],
    ...[element(0x86, text("V_VP8")), size],
  );
  const clusters: Uint8Array[] = [];
  let open: { readonly fromMs: number; readonly blocks: Uint8Array[] } | undefined;
  const close = (): void => {
    if (open !== undefined) clusters.push(element(CLUSTER, element(0xe7, number(open.fromMs)), ...open.blocks));
  };
  for (const { atMs, keyFrame, bytes } of frames) {
    const at = Math.round(atMs);
    if (open === undefined || at - open.fromMs > CLUSTER_MS_MAX) {
      close();
      open = { fromMs: at, blocks: [] };
    }
    const place = at - open.fromMs;
    open.blocks.push(element(0xa3, Uint8Array.of(0x80 | VIDEO, place >> 8, place & 0xff, keyFrame ? 0x80 : 0), bytes));
  }
  close();
  return joined([head, element(SEGMENT, info, element(TRACKS, track), ...clusters)]);
}

/** Its id, its length in eight bytes, and what is in it. */
function element(id: number, ...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const length = new Uint8Array(8);
  new DataView(length.buffer).setBigUint64(0, BigInt(parts.reduce((sum, part) => sum + part.length, 0)));
  length[0] = 0x01;
  return joined([number(id), length, ...parts]);
}

/** As few bytes as it needs, the highest first. */
function number(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value; rest > 0 || bytes.length === 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Uint8Array.from(bytes);
}

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
