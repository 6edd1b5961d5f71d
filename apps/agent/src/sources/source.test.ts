import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PictureConfig, SoundConfig } from "../config/pictures.ts";
import { createSimulatedMachine, loadPainter } from "../drivers/simulated/index.ts";
import { splitAnnexB } from "../media/rtp/frame-packets.ts";
import { readSps } from "../media/rtp/sps.ts";
import { realClock } from "../media/testing/real-clock.ts";
import type { SourceUnderTest } from "../ports/source.conformance.ts";
import { sourceConformance } from "../ports/source.conformance.ts";
import { wallNow } from "../system-clock.ts";
import { configuredSource } from "./device-source.ts";
import type { InputSpec } from "./inputs.ts";
import { videoInput } from "./inputs.ts";
import type { OpenedInput, OpenInput } from "./open-input.ts";
import { openInput } from "./open-input.ts";
import type { SessionDeps } from "./session.ts";
import { startRtspCamera } from "./testing/rtsp-camera.ts";

const problems: string[] = [];
const depsWith = (open: OpenInput): SessionDeps => ({
  clock: realClock,
  wallNow,
  openInput: open,
  problem: (sentence) => problems.push(sentence),
});
const source = (picture: object, sound: object = { kind: "none" }, open: OpenInput = openInput) =>
  configuredSource(PictureConfig.parse(picture), SoundConfig.parse(sound), depsWith(open));
const nothing = async () => undefined;

async function simulated(): Promise<{ folder: string; machine: Awaited<ReturnType<typeof createSimulatedMachine>> }> {
  const folder = await mkdtemp(join(tmpdir(), "longarm-source-"));
  const machine = await createSimulatedMachine({
    id: "nar-01",
    name: "Nar 01",
    brand: "nar",
    seed: "s",
    folder,
    clock: realClock,
  });
  return { folder, machine };
}

const fromSimulator = (which: "source" | "roomCamera") => async (): Promise<SourceUnderTest> => {
  const { folder, machine } = await simulated();
  const end = async () => {
    await machine.close();
    await rm(folder, { recursive: true });
  };
  const { paintedPictures } = await loadPainter();
  const pictures = paintedPictures({ brand: "nar", minCycleMs: 2_500, timeCode: false }, machine.glass, realClock);
  return { source: pictures[which], clock: realClock, end };
};

/** A kernel device or a screen that is not here: the order is the real one, the frames are those of the test pattern. */
function pretendDevice(expected: Partial<InputSpec>) {
  let pull: (() => void) | undefined;
  const open: OpenInput = async (order, wants, sink) => {
    expect(order).toMatchObject(expected);
    const pattern = videoInput(PictureConfig.parse({ kind: "test", size: "640x480", rate: 30 }));
    let pulled = false;
    const input: OpenedInput = await openInput(pattern, wants, {
      ...sink,
      video: (frame, stamp) => (pulled ? frame.free() : sink.video(frame, stamp)),
    });
    pull = () => {
      pulled = true;
      void openInput({ ...order, format: "v4l2", url: "/dev/video999" }, wants, sink).catch(sink.ended);
    };
    return input;
  };
  return { open, unplug: async () => pull?.() };
}

const fromDevice = (picture: object, expected: Partial<InputSpec>) => async (): Promise<SourceUnderTest> => {
  const device = pretendDevice(expected);
  return { source: source(picture, undefined, device.open), clock: realClock, unplug: device.unplug, end: nothing };
};

sourceConformance("the simulated machine", fromSimulator("source"));
sourceConformance("the simulated room", fromSimulator("roomCamera"));
sourceConformance("a test pattern with its tone", async () => ({
  source: source({ kind: "test", size: "640x360", rate: 30 }, { kind: "test" }),
  clock: realClock,
  end: nothing,
}));
sourceConformance(
  "an RTSP camera of another shape",
  async () => {
    const camera = await startRtspCamera("eye:s3cret%");
    const url = `rtsp://eye:s3cret%25@127.0.0.1:${camera.port}/live`;
    return {
      source: source({ kind: "rtsp", url, size: "640x360", rate: 25 }),
      clock: realClock,
      unplug: async () => camera.cut(),
      end: camera.close,
    };
  },
  true,
);
sourceConformance(
  "a capture device, its opener injected",
  fromDevice(
    { kind: "v4l2", device: "/dev/video0", size: "640x360", rate: 30, format: "mjpeg" },
    {
      format: "v4l2",
      url: "/dev/video0",
      options: { video_size: "640x360", framerate: "30", input_format: "mjpeg", timestamps: "abs" },
    },
  ),
  true,
);
sourceConformance(
  "a screen, its opener injected",
  fromDevice(
    { kind: "x11", display: ":7", region: { x: 10, y: 20, width: 640, height: 360 }, rate: 30 },
    {
      format: "x11grab",
      url: ":7",
      options: { video_size: "640x360", framerate: "30", grab_x: "10", grab_y: "20", draw_mouse: "0" },
    },
  ),
  true,
);

test("a device that cannot be opened says what is wrong and what to change, without a password", async () => {
  const camera = await startRtspCamera("eye:right");
  const sayings = async (picture: object) => {
    try {
      await source(picture).still();
      return "opened";
    } catch (error) {
      return String(error);
    }
  };
  const at = `127.0.0.1:${camera.port}`;
  expect(await sayings({ kind: "rtsp", url: `rtsp://eye:wrong@${at}/live?password=wrong` })).toMatch(
    /The network camera rtsp:\/\/127\.0\.0\.1:\d+\/live wants another name or password. Correct them in the address/,
  );
  expect(await sayings({ kind: "rtsp", url: `rtsp://eye:right@${at}/other` })).toMatch(/has no such stream/);
  await camera.close();
  const refused = await sayings({ kind: "rtsp", url: `rtsp://eye:right@${at}/live` });
  expect(refused).toMatch(/refuses connections. Switch it on/);
  expect(refused).not.toContain("right");
  expect(await sayings({ kind: "v4l2", device: "/dev/video999" })).toMatch(
    /\/dev\/video999 does not exist. Plug it in/,
  );
  expect(await sayings({ kind: "x11", display: ":977", region: { x: 0, y: 0, width: 64, height: 64 } })).toMatch(
    /The screen :977 cannot be opened. Start the X server/,
  );
});

test("a camera whose parameters promise frames out of order that never come is not waited for", async () => {
  // The end of x264's parameter set: nothing is reordered, one frame is held. Here four are, and each decoder that believes it waits for four.
  const holding = (unit: Buffer): Buffer => {
    const parts = splitAnnexB(unit).map((part) => {
      if (((part[0] ?? 0) & 31) !== 7) return part;
      const bits = [...part].map((byte) => byte.toString(2).padStart(8, "0")).join("");
      const changed = bits.replace(/101010*$/, "00101001011");
      return Uint8Array.from(changed.match(/.{8}|.+$/g) ?? [], (byte) => Number.parseInt(byte.padEnd(8, "0"), 2));
    });
    const set = parts.find((part) => ((part[0] ?? 0) & 31) === 7);
    if (set !== undefined) expect(readSps(set)).toMatchObject({ reordered: 4, buffered: 4 });
    return Buffer.concat(parts.flatMap((part) => [Buffer.of(0, 0, 0, 1), part]));
  };
  const camera = await startRtspCamera(undefined, { unit: holding });
  const order = videoInput(PictureConfig.parse({ kind: "rtsp", url: `rtsp://127.0.0.1:${camera.port}/live` }));
  let shown = 0;
  let behind = Number.POSITIVE_INFINITY;
  const opened = await openInput(
    order,
    { video: true, audio: false },
    {
      video(frame) {
        frame.free();
        shown += 1;
        behind = Math.min(behind, camera.sent() - shown);
      },
      audio: () => undefined,
      ended: () => undefined,
    },
  );
  await expect.poll(() => shown, { timeout: 20_000 }).toBeGreaterThan(20);
  await opened.close();
  await camera.close();
  // FFmpeg's reader knows the end of a frame by the next one.
  expect(behind).toBeLessThanOrEqual(2);
});

test("a sound device that fails takes nothing from the picture, and is told", async () => {
  problems.length = 0;
  const both = source({ kind: "test", size: "320x240", rate: 10 }, { kind: "pulse", device: "speakers.monitor" });
  expect(both.format.audio).toBe(true);
  let pictures = 0;
  const opened = await both.open({
    video: () => {
      pictures += 1;
    },
    audio: () => undefined,
    ended: () => undefined,
  });
  await expect.poll(() => pictures).toBeGreaterThan(3);
  await expect.poll(() => problems.join()).toMatch(/There is no sound\..*"device": "pulse"/);
  await opened.close();
});

test("a device with pictures that would fill the memory is refused with what to change", async () => {
  const endless = { format: "lavfi", url: "color=size=6000x4000:rate=25", options: {} } as const;
  const order: InputSpec = { ...endless, stamps: "stream", said: "the camera" };
  const sink = { video: () => undefined, audio: () => undefined, ended: () => undefined };
  const opened = openInput(order, { video: true, audio: false }, sink);
  await expect(opened).rejects.toThrow("The camera does not take these settings. Choose a size, rate and format");
});
