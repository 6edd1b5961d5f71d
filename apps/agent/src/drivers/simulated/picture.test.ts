import { drawsOf } from "@longarm/link/testing/whole-run";
import { randomOf } from "@longarm/reels/game/random";
import { paceOf } from "@longarm/reels/game/reveal";
import { stripsOf } from "@longarm/reels/game/strips";
import type { BrandArt } from "@longarm/reels/picture/art";
import { BRANDS, prepareArt } from "@longarm/reels/picture/art";
import { moves, stopsAt, symbolsLeft, symbolsPassed } from "@longarm/reels/picture/motion";
import { moneyText } from "@longarm/reels/picture/numbers";
import { copyRect, planes } from "@longarm/reels/picture/planes";
import { readMeters } from "@longarm/reels/picture/reading/meters";
import type { Pixels } from "@longarm/reels/picture/reading/pixels";
import { readTimeCode, timeCodeAge } from "@longarm/reels/picture/reading/time-code";
import type { Scene } from "@longarm/reels/picture/scene";
import { COUNT_UP_MS, createScene, messageOf } from "@longarm/reels/picture/scene";
import { AV_CODEC_ID_H264, AVERROR_EAGAIN, Codec, CodecContext, FFmpegError, Frame, Packet } from "node-av";
import { beforeAll, describe, expect, test } from "vitest";
import { createVideoEncoder } from "../../media/encoder/video-encoder.ts";
import { faultNotice } from "./faults.ts";
import type { MachineView } from "./view.ts";

const WIDTH = 1280;
const HEIGHT = 720;
const pace = paceOf(2_500);
const arts = new Map<string, BrandArt>();

const played = { wageredTotal: 0, wonTotal: 0, machinePaidTotal: 0, handPaidTotal: 0 };
const totals = { ...played, cashInTotal: 0, cashOutTotal: 0, otherInTotal: 0, otherOutTotal: 0 };

function viewWith(meters: Partial<MachineView["meters"]>, changes: Partial<MachineView> = {}): MachineView {
  return {
    meters: {
      credit: 0,
      bet: 1_200,
      win: 0,
      freeSpins: 0,
      bonus: false,
      inGame: false,
      gamesPlayed: 0,
      activeBand: "20",
      handPays: [],
      jackpots: [{ name: "GRAND", amount: 128_493_040 }],
      totals,
      ...meters,
    },
    notice: "",
    stage: null,
    freeSpinsTotal: 0,
    fromStops: [1, 2, 3, 4, 5],
    stops: [6, 7, 8, 9, 10],
    spin: null,
    picks: [],
    turnAt: 0,
    restAt: 0,
    attendant: false,
    presses: 0,
    ...changes,
  };
}

function sceneOf(brand: string, timeCode = true): Scene {
  const art = arts.get(brand);
  if (art === undefined) throw new Error(`no art for ${brand}`);
  return createScene({ art, strips: stripsOf(brand), pace, timeCode });
}

const pixelsOf = (data: ArrayLike<number>, width = WIDTH, height = HEIGHT): Pixels => ({
  data,
  width,
  height,
  layout: "i420",
});

/** The picture as a canvas would give it. */
function rgba({ y, u, v }: Scene["frame"]): Pixels {
  const data = new Uint8ClampedArray(WIDTH * HEIGHT * 4);
  for (let row = 0; row < HEIGHT; row += 1) {
    for (let column = 0; column < WIDTH; column += 1) {
      const at = row * WIDTH + column;
      const half = (row >> 1) * (WIDTH / 2) + (column >> 1);
      const [light, cu, cv] = [1.164 * (y[at]! - 16), u[half]! - 128, v[half]! - 128];
      data.set([light + 1.596 * cv, light - 0.392 * cu - 0.813 * cv, light + 2.017 * cu, 255], at * 4);
    }
  }
  return { data, width: WIDTH, height: HEIGHT, layout: "rgba" };
}

/** Half the size, as a video element on a small screen would show it. */
function shrunk(from: Uint8Array, width: number, height: number): Pixels {
  const data = new Uint8Array(width * height);
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      data[row * width + column] =
        from[Math.round((row * HEIGHT) / height) * WIDTH + Math.round((column * WIDTH) / width)]!;
    }
  }
  return pixelsOf(data, width, height);
}

/** Through x264 as the agent sets it, and back. */
async function throughVideo(
  frames: { data: Uint8Array; capturedAtMs: number }[],
  bitrate: number,
): Promise<Uint8Array[]> {
  const encoder = await createVideoEncoder({
    codec: "h264",
    width: WIDTH,
    height: HEIGHT,
    frameRate: 30,
    bitrate,
    preset: "superfast",
  });
  const codec = Codec.findDecoder(AV_CODEC_ID_H264);
  if (codec === null) throw new Error("no H.264 decoder");
  using context = new CodecContext();
  context.allocContext3(codec);
  FFmpegError.throwIfError(await context.open2(codec, null), "open");
  using packet = new Packet();
  using frame = new Frame();
  packet.alloc();
  frame.alloc();
  const out: Uint8Array[] = [];
  const take = async (): Promise<void> => {
    for (;;) {
      const got = await context.receiveFrame(frame);
      if (got < 0) return;
      out.push(Uint8Array.from(frame.toBuffer()));
      frame.unref();
    }
  };
  for (const { data, capturedAtMs } of frames) {
    const encoded = await encoder.encode({ width: WIDTH, height: HEIGHT, data, capturedAtMs }, false);
    if (encoded === null) continue;
    packet.data = encoded.unit;
    const sent = await context.sendPacket(packet);
    if (sent !== AVERROR_EAGAIN) FFmpegError.throwIfError(sent, "sendPacket");
    await take();
  }
  await context.sendPacket(null);
  await take();
  await encoder.close();
  return out;
}

beforeAll(async () => {
  for (const brand of BRANDS) arts.set(brand, await prepareArt(brand));
}, 120_000);

describe("meters in the picture", () => {
  test.each(BRANDS)("of %s are read back as they were painted", (brand) => {
    const scene = sceneOf(brand);
    const random = randomOf(brand, "amounts");
    for (let turn = 0; turn < drawsOf(60); turn += 1) {
      const [credit, bet, win] = [
        random.whole(10 ** (1 + (turn % 9))),
        random.whole(100_000),
        random.whole(10 ** (1 + (turn % 8))),
      ];
      scene.paint(viewWith({ credit, bet, win }), 1_000);
      expect(readMeters(pixelsOf(scene.frame.data))).toEqual({ credit, bet, win });
    }
  });
  test("are read from a canvas and from a smaller picture too", () => {
    const scene = sceneOf("nar");
    scene.paint(viewWith({ credit: 482_050, win: 38_400 }), 54_321);
    expect(readMeters(rgba(scene.frame))).toEqual({ credit: 482_050, bet: 1_200, win: 38_400 });
    expect(readMeters(shrunk(scene.frame.y, 960, 540))).toEqual({ credit: 482_050, bet: 1_200, win: 38_400 });
    expect(readTimeCode(shrunk(scene.frame.y, 640, 360))?.time).toBe(54_321);
  });
  test("are not invented where there are none", () => {
    const scene = sceneOf("kuzey", false);
    scene.paint(viewWith({ lockup: "disabled", credit: 5_000 }), 1_000);
    expect(readMeters(pixelsOf(scene.frame.data))).toEqual({ credit: null, bet: null, win: null });
    expect(readTimeCode(pixelsOf(scene.frame.data))).toBeNull();
    const noise = Uint8Array.from({ length: WIDTH * HEIGHT }, (_, at) => (at * 2_654_435_761) >>> 24);
    expect(readMeters(pixelsOf(noise))).toEqual({ credit: null, bet: null, win: null });
    expect(readTimeCode(pixelsOf(noise))).toBeNull();
  });
  test("survive x264 at a low rate, and so does the time code", { timeout: 30_000 }, async () => {
    const scene = sceneOf("mercan");
    const start = 1_700_000_000_000;
    const view = viewWith({ credit: 1_234_567, bet: 6_000, win: 98_765 }, { presses: 1 });
    const frames = Array.from({ length: 12 }, (_, n) => {
      const capturedAtMs = start + n * 33;
      scene.paint(view, capturedAtMs);
      return { data: Uint8Array.from(scene.frame.data), capturedAtMs };
    });
    const pictures = await throughVideo(frames, 1_000_000);
    expect(pictures.length).toBeGreaterThan(8);
    const last = pictures.at(-1)!;
    expect(readMeters(pixelsOf(last))).toEqual({ credit: 1_234_567, bet: 6_000, win: 98_765 });
    for (const [n, picture] of pictures.entries()) {
      expect(readTimeCode(pixelsOf(picture))).toEqual({ time: (start + n * 33) & 0xffff, marker: true });
    }
  });
});

describe("time code", () => {
  test("is read for any time and marker", () => {
    const scene = sceneOf("pera");
    for (const time of [0, 1, 65_535, 65_536, 1_234_567, 43_690]) {
      scene.paint(viewWith({}, { presses: time % 2 }), time);
      expect(readTimeCode(pixelsOf(scene.frame.data))).toEqual({ time: time % 65_536, marker: time % 2 === 1 });
    }
  });
  test("that is damaged is no time code", () => {
    const scene = sceneOf("pera");
    scene.paint(viewWith({}), 1_234);
    scene.frame.y.fill(235, 690 * WIDTH + 200, 690 * WIDTH + 400);
    for (let row = 688; row < 720; row += 1) scene.frame.y.fill(235, row * WIDTH + 160, row * WIDTH + 400);
    expect(readTimeCode(pixelsOf(scene.frame.data))).toBeNull();
  });
  test("ages over its end", () => {
    expect(timeCodeAge({ time: 65_530, marker: false }, 65_536 + 10)).toBe(16);
  });
});

describe("what the glass shows", () => {
  test("messages for each state", () => {
    const handPay = { id: "HP1", amount: 5_200_000, kind: "win" as const, gameNumber: 1 };
    expect(messageOf(viewWith({ handPays: [handPay] }), 0)).toBe("HAND PAY 52.000,00 - CALL ATTENDANT");
    expect(messageOf(viewWith({}, { notice: faultNotice({ tilt: "reel 3 ✗" }) }), 0)).toBe("TILT - REEL 3");
    expect(messageOf(viewWith({}, { notice: faultNotice({ door: "" }) }), 0)).toBe("DOOR OPEN");
    expect(messageOf(viewWith({}), 38_400)).toBe("WIN 384,00");
    expect(messageOf(viewWith({}), 0)).toBe("");
    const free = viewWith({}, { freeSpinsTotal: 8, stage: { is: "spin", spin: 3, startedAt: 1, spinAt: 1 } });
    expect(messageOf(free, 1_000)).toBe("FREE SPIN 3/8 - WIN 10,00");
  });
  test("a win counts up and then stays", () => {
    const scene = sceneOf("nar");
    const view = viewWith({ win: 38_400 }, { restAt: 10_000 });
    scene.paint(view, 10_000 + COUNT_UP_MS / 2);
    expect(readMeters(pixelsOf(scene.frame.data)).win).toBe(19_200);
    scene.paint(view, 10_000 + COUNT_UP_MS);
    expect(readMeters(pixelsOf(scene.frame.data)).win).toBe(38_400);
  });
  test("a picture painted over others is the same as a fresh one", () => {
    const used = sceneOf("nar");
    const turning = viewWith(
      { inGame: true, credit: 99 },
      { stage: { is: "spin", spin: 0, startedAt: 5_000, spinAt: 5_000 }, turnAt: 5_000 },
    );
    used.paint(viewWith({ credit: 5 }, { notice: "DOOR OPEN" }), 1_000);
    for (let ms = 0; ms < 1_900; ms += 33) used.paint(turning, 5_000 + ms);
    used.paint(
      viewWith(
        { bonus: true, inGame: true },
        { stage: { is: "bonus", picked: 1, startedAt: 1, spinAt: 1 }, picks: [100] },
      ),
      8_000,
    );
    used.paint(viewWith({ lockup: "disabled" }), 8_500);
    const end = viewWith({ credit: 777_777 });
    used.paint(end, 9_000);
    const fresh = sceneOf("nar");
    fresh.paint(end, 9_000);
    expect(Buffer.compare(used.frame.data, fresh.frame.data)).toBe(0);
  });
  test("every painted area is reported, and looks as in a fresh picture", { timeout: 120_000 }, () => {
    const random = randomOf("picture", "places");
    const used = sceneOf("nar");
    const stopsOf = () => Array.from({ length: 5 }, () => random.whole(20));
    const rest: (() => MachineView)[] = [
      () => viewWith({ credit: random.whole(10 ** random.whole(9)), win: random.whole(100_000) }),
      () => viewWith({ win: 384 }, { spin: { stops: [1, 2, 3, 4, 5], win: 384, lines: [], scatters: 3 } as never }),
      () =>
        viewWith(
          { bonus: true, inGame: true },
          { stage: { is: "bonus", picked: 1, startedAt: 1, spinAt: 1 }, picks: [100] },
        ),
      () => viewWith({ lockup: "disabled" }),
      () => viewWith({ jackpots: [{ name: "GRAND", amount: random.whole(10 ** 9) }] }, { notice: "DOOR OPEN" }),
    ];
    let now = 100_000;
    for (let turn = 0; turn < Math.max(rest.length, drawsOf(24)); turn += 1) {
      const turnAt = now;
      const turning = viewWith(
        { inGame: true, credit: random.whole(100_000) },
        {
          stage: { is: "spin", spin: 0, startedAt: turnAt, spinAt: turnAt },
          fromStops: stopsOf(),
          stops: stopsOf(),
          turnAt,
        },
      );
      const last = rest[turn % rest.length]!();
      for (const view of [turning, turning, turning, turning, turning, turning, last, last]) {
        const before = planes(WIDTH, HEIGHT, Uint8Array.from(used.frame.data));
        for (const place of used.paint(view, now)) copyRect(before, used.frame, place);
        expect(Buffer.compare(before.data, used.frame.data)).toBe(0);
        const fresh = sceneOf("nar");
        fresh.paint(view, now);
        expect(Buffer.compare(used.frame.data, fresh.frame.data)).toBe(0);
        now += 1 + random.whole(600);
      }
    }
  });
  test("a picture in which nothing changed touches nothing", () => {
    const scene = sceneOf("pera", false);
    scene.paint(viewWith({ credit: 500 }), 1_000);
    expect(scene.paint(viewWith({ credit: 500 }), 1_033)).toEqual([]);
  });
  test("amounts are spelled as on the page", () => {
    expect([0, 5, 100, 123_456, 128_493_040].map(moneyText)).toEqual([
      "0,00",
      "0,05",
      "1,00",
      "1.234,56",
      "1.284.930,40",
    ]);
  });
});

describe("reels", () => {
  test("run down to their place without a jump, one after the other", () => {
    for (let reel = 0; reel < 5; reel += 1) {
      const turn = { spinMs: 1_900, reel };
      expect(symbolsLeft(turn, 0)).toBe(symbolsPassed(turn));
      let before = symbolsLeft(turn, 0);
      for (let ms = 1; ms < stopsAt(turn); ms += 1) {
        const left = symbolsLeft(turn, ms);
        expect(left).toBeLessThanOrEqual(before);
        expect(before - left).toBeLessThan(0.1);
        before = left;
      }
      expect(before).toBeLessThan(0.1);
      expect(moves(turn, 10_000)).toBe(false);
      expect(Math.abs(symbolsLeft(turn, 10_000))).toBe(0);
    }
    expect(stopsAt({ spinMs: 1_900, reel: 4 })).toBeLessThanOrEqual(1_900);
  });
  test("a brand without art is said in a sentence", async () => {
    await expect(prepareArt("unknown")).rejects.toThrow(/no art for the brand "unknown"; known are nar/);
  });
});
