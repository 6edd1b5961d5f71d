import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { describe, expect, test } from "vitest";
import type { OpenSource, Source, SourceSink } from "../ports/source.ts";
import type { ConnectionEvents, Transport } from "../ports/transport.ts";
import { OfferProblem, PlacesTaken } from "../ports/transport.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { createBroadcast } from "./broadcast.ts";
import { KEY_FRAME_GAP_MS } from "./lane.ts";
import type { FrameStages } from "./stages.ts";
import { FRAME_STAGES, PRESS_ARRIVAL } from "./stages.ts";
import { until } from "./testing/real-clock.ts";
import type { ViewerRequest } from "./viewer/viewer.ts";

const format = { width: 320, height: 180, frameRate: 30, audio: true };
const stream = { payloadType: 108, ssrc: 0x1234, playoutDelayId: 5, transportSequenceId: 2 };
const streams = { videoCodec: "h264" as const, video: stream, audio: { ...stream, ssrc: 0x99 }, cname: "m" };

function makeVenue(openFails = 0, roomCamera?: Source, crowdFrom?: number) {
  const clock = fakeClock(1_700_000_000_000);
  const opened: SourceSink[] = [];
  let isOpen = false;
  let extra = 0;
  let failures = openFails;
  const source: Source = {
    format,
    async open(sink): Promise<OpenSource> {
      if (failures > 0) {
        failures -= 1;
        throw new Error("no such device");
      }
      isOpen = true;
      opened.push(sink);
      return {
        soon() {
          extra += 1;
        },
        async close() {
          isOpen = false;
        },
      };
    },
    still: () => Promise.reject(new Error("not asked here")),
  };
  const events: ConnectionEvents[] = [];
  const rooms: boolean[] = [];
  const closed: string[] = [];
  const video: Uint8Array[][] = [];
  const data: string[] = [];
  const transport: Transport = {
    async addViewer(request, on) {
      rooms.push(request.roomCamera === true);
      if (request.sdp === "bad") throw new OfferProblem("bad offer");
      const at = events.push(on) - 1;
      video[at] = [];
      return {
        sdp: `answer ${at}`,
        videoCodec: "vp8",
        connection: {
          sendVideo: (packets) => video[at]!.push(...packets),
          sendAudio: () => undefined,
          sendRtcp: () => undefined,
          sendData: (_, message) => data.push(Buffer.from(message).toString()) > 0,
          addCandidate: () => undefined,
          renegotiate: async () => "again",
          close: async () => void closed.push(request.viewerId),
        },
      };
    },
    async publish(_, on) {
      const { connection } = await transport.addViewer({ viewerId: "the crowd", sdp: "ours", iceServers: [] }, on);
      return { videoCodec: "h264", connection };
    },
    close: async () => undefined,
  };
  const problems: string[] = [];
  const crowd = crowdFrom !== undefined && {
    crowd: { from: crowdFrom, random: () => 0, post: () => Promise.reject(new Error("not used here")) },
  };
  const broadcast = createBroadcast({
    source,
    roomCamera,
    ...crowd,
    transport,
    clock,
    viewersMax: 4,
    problem: (text) => problems.push(text),
  });
  const frame = new Uint8Array((format.width * format.height * 3) / 2).fill(100);
  let frames = 0;
  return {
    clock,
    broadcast,
    events,
    rooms,
    closed,
    video,
    data,
    problems,
    opened,
    isOpen: () => isOpen,
    /** How many frames were requested out of turn. */
    extra: () => extra,
    join: (viewerId: string, more: Partial<ViewerRequest> = {}) =>
      broadcast.addViewer({ viewerId, role: "player", sdp: "good", iceServers: [], presses: null, ...more }),
    /** One frame from the source, different from the last. */
    show() {
      clock.advance(34);
      frames += 1;
      frame.fill(60 + ((frames * 37) % 120), 0, 9_000);
      opened.at(-1)?.video({ ...format, data: frame, capturedAtMs: clock.now() });
    },
  };
}

/** Shows frames until something has come out of the encoder's worker thread. */
const showUntil = (venue: ReturnType<typeof makeVenue>, what: string, done: () => boolean) =>
  until(what, () => {
    venue.show();
    return done();
  });

describe("a broadcast", () => {
  test("requests a frame at once for a player whose connection is made, and none for others", async () => {
    const venue = makeVenue();
    const { viewer } = await venue.join("one");
    await venue.join("two", { role: "spectator" });
    await until("the source is open", venue.isOpen);
    expect(venue.extra()).toBe(0);
    for (const on of venue.events) on.connected(streams);
    expect(venue.extra()).toBe(1);
    await viewer.close();
  });

  test("opens its source for the first viewer, encodes for the connected, and stops after the last", async () => {
    const venue = makeVenue();
    expect(venue.isOpen()).toBe(false);
    const { sdp, viewer } = await venue.join("one");
    expect(sdp).toBe("answer 0");
    await until("the source is open", venue.isOpen);
    venue.show();
    expect(venue.broadcast.stats(), "its encoder is open").toMatchObject([{ codec: "vp8", encoded: 0, skipped: 0 }]);
    venue.events[0]!.connected(streams);
    await showUntil(venue, "frames are sent", () => venue.video[0]!.length > 3);
    await viewer.close();
    await until("the source is closed", () => !venue.isOpen());
    expect(venue.broadcast.stats()).toEqual([]);
    expect(venue.closed).toEqual(["one"]);
    await venue.broadcast.close();
  });

  test("gives the player the lower rate it wishes for, and spectators no say", async () => {
    const venue = makeVenue();
    await venue.join("watcher", { role: "spectator", framesPerSecond: 5 });
    venue.events[0]!.connected(streams);
    const times = () => [...new Set(venue.video[0]!.map((packet) => Buffer.from(packet).readUInt32BE(4)))];
    const gapsMs = () =>
      times()
        .slice(1)
        .map((time, at) => (time - times()[at]!) / 90);
    await showUntil(venue, "frames are sent", () => times().length > 8);
    expect(Math.min(...gapsMs())).toBeLessThan(60);
    await venue.join("player", { framesPerSecond: 10 });
    venue.events[1]!.connected(streams);
    venue.video[0]!.length = 0;
    await showUntil(venue, "the player's frames are sent", () => venue.video[1]!.length > 0);
    venue.video[0]!.length = 0;
    await showUntil(venue, "more frames are sent", () => times().length > 6);
    expect(Math.min(...gapsMs())).toBeGreaterThan(60);
    expect(venue.broadcast.stats()).toHaveLength(1);
    await venue.broadcast.close();
  });

  test("reports to a measurement in this process when each frame passed each stage, and when a press arrived", async () => {
    const venue = makeVenue();
    const frames: FrameStages[] = [];
    const presses: unknown[] = [];
    const onFrame = (stages: unknown) => void frames.push(stages as FrameStages);
    const onPress = (press: unknown) => void presses.push(press);
    subscribe(FRAME_STAGES, onFrame);
    subscribe(PRESS_ARRIVAL, onPress);
    try {
      await venue.join("one");
      venue.events[0]!.connected(streams);
      await showUntil(venue, "frames are sent", () => frames.length > 1);
      venue.events[0]!.data("press", Buffer.from("{}"));
    } finally {
      unsubscribe(FRAME_STAGES, onFrame);
      unsubscribe(PRESS_ARRIVAL, onPress);
    }
    const sent = venue.video[0]!.map((packet) => Buffer.from(packet).readUInt32BE(4));
    for (const { timestamp, capturedAtMs, encodeFromMs, encodedAtMs, sentAtMs } of frames) {
      expect(sent).toContain(timestamp);
      const inOrder = [capturedAtMs, encodeFromMs, encodedAtMs, sentAtMs];
      expect(inOrder.toSorted((one, other) => one - other)).toEqual(inOrder);
    }
    expect(presses).toEqual([{ atMs: venue.clock.now() }]);
    await venue.broadcast.close();
  });

  test("refuses a bad offer, one viewer too many, and everybody after its end; keeps the rest", async () => {
    const venue = makeVenue();
    await expect(venue.join("x", { sdp: "bad" })).rejects.toThrow(OfferProblem);
    for (const name of ["a", "b", "c", "d"]) await venue.join(name);
    await expect(venue.join("e")).rejects.toThrow(PlacesTaken);
    expect(venue.broadcast.viewers().map(({ viewerId }) => viewerId)).toEqual(["a", "b", "c", "d"]);
    await venue.broadcast.close();
    await expect(venue.join("f")).rejects.toThrow("closed");
  });

  test("spectators leave places for the player, and one who joins anew takes no second one", async () => {
    const venue = makeVenue();
    await venue.join("eyes", { role: "spectator" });
    await venue.join("eyes", { role: "spectator" });
    await expect(venue.join("more", { role: "spectator" })).rejects.toThrow(PlacesTaken);
    for (const name of ["player", "player again"]) await venue.join(name);
    expect(venue.broadcast.viewers()).toHaveLength(3);
    await venue.broadcast.close();
  });

  test("consoles take no place of a spectator, and have two of their own", async () => {
    const venue = makeVenue();
    for (const name of ["desk", "tablet"]) await venue.join(name, { role: "staff" });
    await expect(venue.join("third", { role: "staff" })).rejects.toThrow(PlacesTaken);
    await venue.join("eyes", { role: "spectator" });
    for (const name of ["player", "player again", "player once more"]) await venue.join(name);
    expect(venue.broadcast.viewers()).toHaveLength(6);
    await venue.broadcast.close();
  });

  test("a crowd's media server takes no place, has no encoder of its own beside a player, and does not rule", async () => {
    const venue = makeVenue(0, undefined, 1);
    await venue.join("eyes", { role: "spectator" });
    await until("it is published", () => venue.events.length === 2);
    venue.events[1]!.connected(streams);
    await showUntil(venue, "frames reach the media server", () => venue.video[1]!.length > 3);
    for (const name of ["a", "b", "c"]) await venue.join(name);
    await expect(venue.join("d")).rejects.toThrow(PlacesTaken);
    venue.events[0]!.closed("gone");
    venue.events[2]!.connected({ ...streams, videoCodec: "vp8" });
    await showUntil(venue, "the player's codec is the only one", () => {
      venue.clock.advance(300);
      return venue.broadcast.stats().every(({ codec }) => codec === "vp8");
    });
    venue.video[1]!.length = 0;
    await showUntil(venue, "the player has frames", () => venue.video[2]!.length > 8);
    expect(venue.video[1]).toEqual([]);
    await venue.broadcast.close();
    expect(venue.closed).toContain("the crowd");
  });

  test("a machine that is always published is open without a viewer", async () => {
    const venue = makeVenue(0, undefined, 0);
    await until("the source is open", venue.isOpen);
    await venue.broadcast.close();
    expect(venue.isOpen()).toBe(false);
  });

  test("shows the room to the player alone", async () => {
    const room: Source = {
      format,
      open: () => Promise.reject(new Error("nobody wants it")),
      still: () => Promise.reject(),
    };
    const venue = makeVenue(0, room);
    await venue.join("player");
    await venue.join("eyes", { role: "spectator" });
    expect(venue.rooms).toEqual([true, false]);
    await venue.broadcast.close();
  });

  test("a second join of the same viewer takes the place of the first and the source stays open", async () => {
    const venue = makeVenue();
    const reasons: string[] = [];
    await venue.join("a", { closed: (reason) => reasons.push(reason) });
    await until("the source is open", venue.isOpen);
    await venue.join("a");
    expect(venue.closed).toEqual(["a"]);
    expect(reasons).toEqual(["The same viewer has joined again."]);
    expect(venue.opened).toHaveLength(1);
    expect(venue.broadcast.viewers()).toHaveLength(1);
    await venue.broadcast.close();
  });

  test("a player who joins again is sent frames over the old connection until the new one stands", async () => {
    const venue = makeVenue();
    const reasons: string[] = [];
    await venue.join("a", { closed: (reason) => reasons.push(reason) });
    venue.events[0]!.connected(streams);
    const { viewer } = await venue.join("a");
    await showUntil(venue, "a frame goes over the old one", () => venue.video[0]!.length > 0);
    expect(venue.closed).toEqual([]);
    expect(venue.broadcast.viewers()).toHaveLength(1);
    venue.events[1]!.connected(streams);
    await until("the old one is ended", () => reasons.length === 1);
    expect(venue.closed).toEqual(["a"]);
    await showUntil(venue, "a frame goes over the new one", () => venue.video[1]!.length > 0);
    await viewer.close();
    expect(venue.closed).toEqual(["a", "a"]);
    expect(venue.broadcast.viewers()).toEqual([]);
    await venue.broadcast.close();
  });

  test("a new connection that fails leaves the old one, which is the viewer's from then on", async () => {
    const venue = makeVenue();
    const reported: string[] = [];
    await venue.join("a");
    venue.events[0]!.connected(streams);
    const { viewer } = await venue.join("a", {
      connected: () => reported.push("connected"),
      closed: (reason) => reported.push(reason),
    });
    venue.events[1]!.closed("It did not connect.");
    await until("the old one is taken for it", () => reported.length === 1);
    expect(reported).toEqual(["connected"]);
    await showUntil(venue, "a frame comes", () => venue.video[0]!.length > 0);
    await venue.join("a");
    await venue.join("a");
    expect(venue.broadcast.viewers()).toHaveLength(1);
    venue.events[0]!.closed("gone");
    await viewer.close();
    expect(venue.broadcast.viewers()).toHaveLength(1);
    await venue.broadcast.close();
    expect(venue.closed).toHaveLength(4);
  });

  test("leaving ends the connection of before, too", async () => {
    const venue = makeVenue();
    await venue.join("a");
    venue.events[0]!.connected(streams);
    const { viewer } = await venue.join("a");
    await viewer.close();
    expect(venue.closed).toEqual(["a", "a"]);
    expect(venue.broadcast.viewers()).toEqual([]);
    await venue.broadcast.close();
  });

  test("opens a source again that failed or ended, while somebody watches", async () => {
    const venue = makeVenue(1);
    await venue.join("a");
    await until("the failure is reported", () => venue.problems.length === 1);
    expect(venue.problems[0]).toContain("no such device");
    venue.clock.advance(2_000);
    await until("the source is open", venue.isOpen);
    venue.show();
    venue.opened[0]!.ended("unplugged");
    await until("it is closed", () => !venue.isOpen());
    venue.clock.advance(2_000);
    await until("it is open again", () => venue.opened.length === 2);
    await venue.broadcast.close();
    expect(venue.isOpen()).toBe(false);
  });

  test("passes presses on and answers the clock, and survives a throwing press", async () => {
    const venue = makeVenue();
    const receive = async (message: Uint8Array) => {
      if (message.length === 0) throw new Error("empty");
      return Buffer.from(message.toReversed());
    };
    await venue.join("a", { presses: { receive } });
    venue.events[0]!.data("press", Uint8Array.from([50, 49]));
    venue.events[0]!.data("press", new Uint8Array(0));
    venue.events[0]!.data("clock", Buffer.from('{"t0":1}'));
    await until("both answers", () => venue.data.length === 2 && venue.problems.length === 1);
    expect(venue.data.toSorted()[0]).toBe("12");
    expect(JSON.parse(venue.data.find((text) => text.startsWith("{"))!)).toMatchObject({ t0: 1, rtp: null });
    await venue.broadcast.close();
  });

  test("a page that misses frames asks for a key frame with its question for the time, and the limit holds", async () => {
    const venue = makeVenue();
    await venue.join("p");
    for (const on of venue.events) on.connected(streams);
    const figures = () => venue.broadcast.stats()[0];
    await showUntil(venue, "the first key frame", () => (figures()?.keyFrames ?? 0) >= 1);
    const before = figures()?.keyFrames ?? 0;
    venue.events[0]!.data("clock", Buffer.from('{"t0":1,"keyFrame":true}'));
    await showUntil(venue, "the key frame asked for", () => (figures()?.keyFrames ?? 0) > before);
    const start = { keys: figures()?.keyFrames ?? 0, encoded: figures()?.encoded ?? 0, atMs: venue.clock.now() };
    await showUntil(venue, "30 frames of asking", () => {
      venue.events[0]!.data("clock", Buffer.from('{"t0":1,"keyFrame":true}'));
      return (figures()?.encoded ?? 0) >= start.encoded + 30;
    });
    const gaps = (venue.clock.now() - start.atMs) / KEY_FRAME_GAP_MS;
    expect((figures()?.keyFrames ?? 0) - start.keys).toBeLessThanOrEqual(Math.ceil(gaps));
    await venue.broadcast.close();
  });

  test("a spectator's wish for key frames costs the player little, the player's own is answered soon", async () => {
    const venue = makeVenue();
    await venue.join("p");
    await venue.join("s", { role: "spectator" });
    for (const on of venue.events) on.connected(streams);
    const pli = Buffer.from("81ce00020000000100001234", "hex");
    const keyFrames = () => venue.broadcast.stats()[0]?.keyFrames ?? 0;
    const encoded = () => venue.broadcast.stats()[0]?.encoded ?? 0;
    await showUntil(venue, "the first key frame", () => keyFrames() >= 1);
    const start = { keys: keyFrames(), encoded: encoded() };
    await showUntil(venue, "50 frames of a spectator asking", () => {
      venue.events[1]!.rtcp(pli);
      return encoded() >= start.encoded + 50;
    });
    // At least 1.7 s of frames; with more dropped while the encoder was busy it may be some seconds.
    const elapsedMs = venue.clock.now() - 1_700_000_000_000;
    expect(keyFrames() - start.keys).toBeLessThanOrEqual(Math.ceil(elapsedMs / 2_000));
    const before = keyFrames();
    venue.events[0]!.rtcp(pli);
    await showUntil(venue, "the player's key frame", () => keyFrames() > before);
    await venue.broadcast.close();
  });
});
