import { afterEach, describe, expect, test } from "vitest";
import type { Clock } from "../../ports/clock.ts";
import { fakeClock } from "../../testing/fake-clock.ts";
import { realClock } from "../testing/real-clock.ts";
import type { OpenEncoder } from "./promises.ts";
import { PROMISES } from "./promises.ts";
import { tryEncoder } from "./trial.ts";
import type { VideoEncoder } from "./video-encoder.ts";
import { createVideoEncoder } from "./video-encoder.ts";

/* Encoders that break one promise each. They are x264, spoilt. */

type Encoded = Awaited<ReturnType<VideoEncoder["encode"]>>;
type Spoil = (encoder: VideoEncoder) => Partial<Pick<VideoEncoder, "encode" | "setBitrate">>;

const open: VideoEncoder[] = [];
afterEach(async () => {
  for (const encoder of open.splice(0)) await encoder.close();
});

const spoilt =
  (spoil: Spoil): OpenEncoder =>
  async (settings) => {
    const encoder = await createVideoEncoder(settings);
    open.push(encoder);
    const same: VideoEncoder = {
      busy: false,
      encode: (...given) => encoder.encode(...given),
      setBitrate: (bitsPerSecond) => encoder.setBitrate(bitsPerSecond),
      close: () => encoder.close(),
    };
    return { ...same, ...spoil(encoder) };
  };

/** What comes out, changed. */
const output = (change: (encoded: Encoded, n: number) => Encoded): Spoil => {
  return (encoder) => {
    let n = -1;
    return {
      async encode(...given) {
        n += 1;
        return change(await encoder.encode(...given), n);
      },
    };
  };
};
/** Which key frames are requested, changed. */
const keys = (change: (wanted: boolean, n: number) => boolean): Spoil => {
  return (encoder) => {
    let n = -1;
    return {
      encode(image, keyFrame, changed) {
        n += 1;
        return encoder.encode(image, change(keyFrame, n), changed);
      },
    };
  };
};

const units = (...parts: Uint8Array[]): Buffer =>
  Buffer.concat(parts.flatMap((part) => [Uint8Array.of(0, 0, 0, 1), part]));
/** A slice of type B: the first macroblock 0, the type 1. */
const LATER = Uint8Array.of(0x01, 0b1010_0000, 0x80);
const withUnit = (encoded: Encoded, part: Uint8Array): Encoded =>
  encoded && { ...encoded, unit: Buffer.concat([encoded.unit, units(part)]) };
/** In each parameter set of an access unit, the byte behind its type and profile. */
const withFlags = (encoded: Encoded, change: (unit: Buffer, at: number) => void): Encoded => {
  if (encoded === null) return null;
  const unit = Buffer.from(encoded.unit);
  for (let at = unit.indexOf(SPS); at >= 0; at = unit.indexOf(SPS, at + 1)) change(unit, at + SPS.length);
  return { ...encoded, unit };
};
const SPS = Uint8Array.of(0, 0, 0, 1, 0x67);

const AT_ONCE = "gives each frame at once, in order, as a decoder shows it";
const KEYS = "makes a key frame where one is requested, and nowhere else";
const SAYS = "says constrained baseline, and that no frame leaves out of order";
const BITRATE = "takes a new bitrate without a key frame";
const BUFFER = "keeps to its rate buffer";

let before: Encoded = null;
const late = output((encoded, n) => {
  const last = n === 0 ? null : before;
  before = encoded;
  return last;
});
const lateUnseen = output((encoded, n) => {
  const last = n === 0 ? encoded : before;
  before = encoded;
  return n === 1 ? withUnit(last, Uint8Array.of(0x0c, 0xff, 0x80)) : last;
});

test.each<{ what: string; breaks: string; says: RegExp; spoil: Spoil }>([
  { what: "is one frame late", breaks: AT_ONCE, says: /Frame 0 does not come out when it goes in/, spoil: late },
  { what: "gives an old frame for each", breaks: AT_ONCE, says: /In the place of frame 1 comes/, spoil: lateUnseen },
  {
    what: "drops a frame",
    breaks: AT_ONCE,
    says: /Frame 7 does not come out/,
    spoil: output((encoded, n) => (n === 7 ? null : encoded)),
  },
  {
    what: "damages a frame",
    breaks: AT_ONCE,
    says: /refuses a frame|shows nothing/,
    spoil: output((encoded, n) =>
      n === 3 && encoded ? { ...encoded, unit: units(Uint8Array.of(0x61, 0xff)) } : encoded,
    ),
  },
  {
    what: "makes no key frame",
    breaks: KEYS,
    says: /Frame 9 is no key frame/,
    spoil: keys((wanted, n) => wanted && n === 0),
  },
  {
    what: "makes one at a change of scene",
    breaks: KEYS,
    says: /Frame 12 is a key frame that was not requested/,
    spoil: keys((wanted, n) => wanted || n === 12),
  },
  {
    what: "calls a frame what it is not",
    breaks: KEYS,
    says: /Frame 4 is not what FFmpeg calls it/,
    spoil: output((encoded, n) => (n === 4 && encoded ? { ...encoded, keyFrame: true } : encoded)),
  },
  {
    what: "gives its parameter sets once",
    breaks: KEYS,
    says: /The key frame 9 comes without its parameter sets/,
    spoil: output((encoded, n) => (n === 0 ? encoded : withFlags(encoded, (unit, at) => unit.fill(0x0c, at - 1, at)))),
  },
  {
    what: "is of the main profile",
    breaks: SAYS,
    says: /Its profile is 77/,
    spoil: output((encoded) => withFlags(encoded, (unit, at) => unit.fill(77, at, at + 1))),
  },
  {
    what: "is of a baseline that is not constrained",
    breaks: SAYS,
    says: /Its profile is 66 with the flags/,
    spoil: output((encoded) => withFlags(encoded, (unit, at) => unit.fill(0x80, at + 1, at + 2))),
  },
  {
    what: "has a frame that needs a later one",
    breaks: SAYS,
    says: /Frame 5 needs a later one/,
    spoil: output((encoded, n) => (n === 5 ? withUnit(encoded, LATER) : encoded)),
  },
  {
    what: "keeps its bitrate",
    breaks: BITRATE,
    says: /At 500 kbit\/s it gives \d{3} % of that/,
    spoil: () => ({ setBitrate: () => undefined }),
  },
  {
    what: "makes a key frame of each new bitrate",
    breaks: BITRATE,
    says: /Frame 30 is a key frame that was not requested, at a new bitrate/,
    spoil: (encoder) => {
      let isNew = false;
      return {
        setBitrate(bitsPerSecond) {
          isNew = true;
          encoder.setBitrate(bitsPerSecond);
        },
        encode(image, keyFrame, changed) {
          const made = encoder.encode(image, keyFrame || isNew, changed);
          isNew = false;
          return made;
        },
      };
    },
  },
  {
    what: "gives what it has at once",
    breaks: BUFFER,
    says: /Frame \d+ makes a burst of \d+ ms of its bitrate/,
    spoil: (encoder) => {
      encoder.setBitrate(12_000_000);
      return {};
    },
  },
])("an encoder that $what is found out", { timeout: 60_000 }, async ({ breaks, says, spoil }) => {
  await expect(PROMISES[breaks]?.(spoilt(spoil))).rejects.toThrow(says);
});

describe("a trial", { timeout: 60_000 }, () => {
  test.each<{ what: string; is: string; why: RegExp; clock?: Clock; tried: OpenEncoder }>([
    {
      what: "does not open",
      is: "absent",
      why: /no device/,
      tried: async () => Promise.reject(new Error("no device")),
    },
    {
      what: "hangs when it opens",
      is: "absent",
      why: /does not open within/,
      clock: realClock,
      tried: () => new Promise(() => undefined),
    },
    {
      what: "fails at a frame",
      is: "broken",
      why: /"gives each frame at once.*GPU is gone/,
      tried: spoilt(() => ({ encode: () => Promise.reject(new Error("GPU is gone")) })),
    },
    {
      what: "hangs at a frame",
      is: "broken",
      why: /"gives each frame at once.*A frame does not come out within 300 ms/,
      clock: realClock,
      tried: spoilt(() => ({ encode: () => new Promise(() => undefined) })),
    },
    {
      what: "breaks a promise",
      is: "broken",
      why: /^Not so: "makes a key frame.*Frame 9 is no key frame|A key frame was requested and did not come/,
      tried: spoilt(keys((wanted, n) => wanted && n === 0)),
    },
  ])("of an encoder that $what says so", async ({ is, why, tried, clock = fakeClock() }) => {
    expect(await tryEncoder(tried, { clock, processorMs: () => 0 })).toEqual({ is, why: expect.stringMatching(why) });
  });
});
