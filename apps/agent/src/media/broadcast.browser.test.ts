import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Source } from "../ports/source.ts";
import type { Broadcast, BroadcastDeps } from "./broadcast.ts";
import { createBroadcast } from "./broadcast.ts";
import { postOffer } from "./crowd/whip.ts";
import { answerPort, answerThrough, damagePath } from "./testing/damaged-path.ts";
import { paintedSource } from "./testing/painted-source.ts";
import { realClock, until } from "./testing/real-clock.ts";
import type { WatchingPage } from "./testing/watching-page.ts";
import { openWatchingPage } from "./testing/watching-page.ts";
import { createWeriftTransport } from "./transport/werift/transport.ts";
import type { BroadcastViewer } from "./viewer/viewer.ts";

interface PageStats {
  video?: {
    framesDecoded: number;
    jitterBufferDelay: number;
    jitterBufferEmittedCount: number;
    keyFramesDecoded: number;
    fecPacketsReceived?: number;
  };
  audio?: { packetsReceived: number };
  protocol?: string;
  codec?: string;
}

let watching: WatchingPage;
const call = <T>(name: string, ...given: unknown[]): Promise<T> =>
  watching.page.evaluate(`window.${name}(...${JSON.stringify(given)})`) as Promise<T>;
const read = <T>(expression: string): Promise<T> => watching.page.evaluate(expression) as Promise<T>;
const statsOf = (name: string) => call<PageStats>("readStats", name);

const broadcasts: Broadcast[] = [];
const undo: (() => Promise<void>)[] = [];
/** A rate that never falls so low that the room would step back, however loaded the computer is. */
const WIDE = { frameRate: 30, bitrateStart: 1e6, bitrateMin: 1e6, bitrateMax: 3e6, preset: "superfast" } as const;

function makeBroadcast(
  size: { width?: number; height?: number } = {},
  roomCamera?: Source,
  crowd?: BroadcastDeps["crowd"],
) {
  const source = paintedSource(realClock, size);
  const transport = createWeriftTransport(realClock, { extraAddresses: ["127.0.0.1"], onlyExtraAddresses: true });
  const problems: string[] = [];
  const broadcast = createBroadcast({
    source,
    ...{ roomCamera, crowd },
    ...(roomCamera && { profile: WIDE }),
    transport,
    clock: realClock,
    problem: (text) => problems.push(text),
  });
  broadcasts.push(broadcast);
  return { broadcast, source, transport, problems };
}

interface Joined {
  viewer: BroadcastViewer;
  answer: string;
  events: string[];
}

async function join(
  broadcast: Broadcast,
  name: string,
  options: {
    codec?: string;
    roomCamera?: "recvonly" | "inactive";
    role?: "player" | "spectator";
    rewrite?: (sdp: string) => string | Promise<string>;
  } = {},
): Promise<Joined> {
  const sdp = await call<string>("startViewer", name, options);
  const events: string[] = [];
  const joined = await broadcast.addViewer({
    viewerId: name,
    role: options.role ?? "player",
    sdp,
    iceServers: [],
    presses: {
      receive: async (message) =>
        Buffer.from(JSON.stringify({ seq: JSON.parse(Buffer.from(message).toString()).seq, outcome: "done", at: 1 })),
    },
    connected: () => events.push("connected"),
    closed: (reason) => events.push(reason),
    candidate: (candidate) => void call("trickleViewer", name, candidate),
  });
  const answer = await (options.rewrite ?? ((text) => text))(joined.sdp);
  await call("answerViewer", name, answer);
  return { viewer: joined.viewer, answer, events };
}

const framesOf = (name: string) => read<number>(`window.viewers["${name}"].frames`);
const moreFrames = async (name: string, count: number) => {
  const before = await framesOf(name);
  await until(`${count} more frames for ${name}`, async () => (await framesOf(name)) >= before + count, 90_000);
};

beforeAll(async () => {
  watching = await openWatchingPage();
});
afterAll(async () => {
  for (const broadcast of broadcasts) await broadcast.close();
  for (const step of undo) await step();
  await watching?.close();
});

/** A WHIP server whose WebRTC is Chromium's. */
async function openWhipServer(setup: "active" | "passive") {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      requests.push(`${request.method} ${request.url} ${request.headers.authorization}`);
      if (request.method !== "POST") return void response.writeHead(200).end();
      const name = `publication ${requests.length}`;
      void call<string>("takeOffer", name, Buffer.concat(parts).toString(), setup).then((answer) =>
        response.writeHead(201, { "content-type": "application/sdp", location: "/session/1", etag: '"1"' }).end(answer),
      );
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  undo.push(() => new Promise<void>((closed) => server.close(() => closed())));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/whip/m`, requests };
}

describe("a media server", () => {
  test.each(["active", "passive"] as const)(
    "is sent the player's own frames once, whichever side begins DTLS (%s)",
    async (setup) => {
      const { url, requests } = await openWhipServer(setup);
      const { broadcast, problems } = makeBroadcast({}, undefined, {
        from: 1,
        random: () => 0.5,
        post: (offer, signal) => postOffer({ url, token: "secret" }, offer, { clock: realClock, signal }),
      });
      await join(broadcast, "player");
      await moreFrames("player", 5);
      expect(requests, "only the player watches").toEqual([]);
      await join(broadcast, "watcher", { role: "spectator" });
      await until("it is published", () => requests.length === 1);
      await moreFrames("publication 1", 30);
      const stats = await until("sound arrives", async () => {
        const seen = await statsOf("publication 1");
        return (seen.audio?.packetsReceived ?? 0) > 20 && seen;
      });
      expect(stats.codec).toBe("video/H264");
      expect(broadcast.stats(), "one encoder for all").toHaveLength(1);
      await broadcast.close();
      expect(requests).toEqual(["POST /whip/m Bearer secret", "DELETE /session/1 Bearer secret"]);
      expect(problems).toEqual([]);
    },
  );
});

describe("a real browser", () => {
  test("sees, hears, presses and asks the clock; the encoder stops when it leaves", async () => {
    const { broadcast, source, problems } = makeBroadcast();
    const { viewer, answer, events } = await join(broadcast, "one", { roomCamera: "recvonly" });
    await moreFrames("one", 60);
    expect(events).toEqual(["connected"]);
    expect(answer).toContain("playout-delay");
    expect(answer.split("m=video")[2]).toContain("a=inactive");
    const stats = await until("sound arrives", async () => {
      const seen = await statsOf("one");
      return (seen.audio?.packetsReceived ?? 0) > 20 && seen.protocol !== undefined && seen;
    });
    expect(stats.codec).toBe("video/H264");
    expect(stats.protocol).toBe("udp");

    await until("both channels are open", async () => (await read<string[]>(`window.viewers.one.open`)).length === 2);
    await read(`window.viewers.one.channels.press.send('{"epoch":1,"seq":7,"button":"spin","at":0}')`);
    await until(
      "the press is answered",
      async () => (await read<{ seq: number }[]>(`window.viewers.one.press`))[0]?.seq === 7,
    );
    await read(`window.viewers.one.channels.clock.send('{"t0":5}')`);
    const [clock] = await until("the clock answers", async () => {
      const answers = await read<{ t0: number; rtp: number; capturedAt: number }[]>(`window.viewers.one.clock`);
      return answers.length > 0 && answers;
    });
    expect(clock!.t0).toBe(5);
    expect(Math.round(clock!.capturedAt * 90) % 2 ** 32).toBe(clock!.rtp);

    const keyFramesBefore = broadcast.stats()[0]!.keyFrames;
    broadcast.requestKeyFrame();
    await until("a key frame is made", () => broadcast.stats()[0]!.keyFrames > keyFramesBefore);

    await viewer.close();
    await until("the source is closed", () => !source.isOpen());
    expect(broadcast.stats()).toEqual([]);
    expect(problems).toEqual([]);
  });

  test("shows the room beside the machine, and switches it off and on in the same connection", async () => {
    const room = paintedSource(realClock, { width: 640, height: 360, frameRate: 12, audio: false });
    const { broadcast, problems } = makeBroadcast({}, room);
    const { viewer, answer } = await join(broadcast, "room", { roomCamera: "recvonly" });
    expect(answer.split("m=video")[2]).toContain("a=sendonly");
    const roomFrames = () => read<number>(`window.viewers.room.roomFrames`);
    await until("the room is seen", async () => (await roomFrames()) > 10, 90_000);
    await moreFrames("room", 30);
    await until("both are encoded", () => broadcast.roomStats().length === 1 && broadcast.stats().length === 1);

    const turn = async (direction: string) => {
      const offer = await call<string>("switchRoom", "room", direction);
      await call("answerViewer", "room", await viewer.renegotiate(offer));
    };
    await turn("inactive");
    await until("its camera is closed", () => !room.isOpen() && broadcast.roomStats().length === 0);
    await moreFrames("room", 30);
    const before = await roomFrames();
    await turn("recvonly");
    await until("the room is seen again", async () => (await roomFrames()) > before + 5, 90_000);
    await moreFrames("room", 10);
    await viewer.close();
    await until("both are closed", () => !room.isOpen() && broadcast.roomStats().length === 0);
    expect(problems).toEqual([]);
  });

  test("answers a room camera of which there is one but nobody wants it yet", async () => {
    const room = paintedSource(realClock, { width: 640, height: 360, frameRate: 12, audio: false });
    const { broadcast } = makeBroadcast({}, room);
    const { answer } = await join(broadcast, "later", { roomCamera: "inactive" });
    expect(answer.split("m=video")[2]).toContain("a=inactive");
    await moreFrames("later", 10);
    expect(room.isOpen()).toBe(false);
    await broadcast.close();
  });

  test("shares one encoder with a spectator", async () => {
    const { broadcast } = makeBroadcast();
    await join(broadcast, "player");
    await moreFrames("player", 10);
    await join(broadcast, "spectator", { role: "spectator" });
    await moreFrames("spectator", 30);
    expect(broadcast.stats()).toHaveLength(1);
    expect(broadcast.viewers()).toHaveLength(2);
    await broadcast.close();
  });

  test("connects over TCP when the browser cannot use UDP", async () => {
    const { broadcast } = makeBroadcast();
    const dropUdp = (sdp: string) =>
      sdp
        .split("\r\n")
        .filter((line) => !/^a=candidate:.* udp /i.test(line))
        .join("\r\n");
    await join(broadcast, "tcp", { rewrite: dropUdp });
    await moreFrames("tcp", 30);
    expect((await statsOf("tcp")).protocol).toBe("tcp");
    await broadcast.close();
  });

  test("speaks VP8 to a browser without H.264", async () => {
    const { broadcast } = makeBroadcast();
    await join(broadcast, "vp8", { codec: "video/VP8" });
    await moreFrames("vp8", 30);
    expect((await statsOf("vp8")).codec).toBe("video/VP8");
    expect(broadcast.stats()[0]!.codec).toBe("vp8");
    await broadcast.close();
  });

  test("goes on after an ICE restart by a new offer", async () => {
    const { broadcast } = makeBroadcast();
    const { viewer } = await join(broadcast, "again");
    await moreFrames("again", 10);
    const offer = await call<string>("restartViewer", "again");
    await call("answerViewer", "again", await viewer.renegotiate(offer));
    await moreFrames("again", 60);
    expect(await read(`window.viewers.again.peer.iceConnectionState`)).toMatch(/connected|completed/);
    await broadcast.close();
  });

  test("sends no frames and encodes none while the page is hidden, and begins again with a key frame", async () => {
    const { broadcast, problems } = makeBroadcast();
    const { viewer } = await join(broadcast, "hidden");
    await moreFrames("hidden", 10);
    const turn = async (direction: string) => {
      const offer = await call<string>("switchVideo", "hidden", direction);
      await call("answerViewer", "hidden", await viewer.renegotiate(offer));
    };
    await turn("inactive");
    await until("nothing is encoded", () => broadcast.stats().length === 0);
    const { frames } = viewer.stats();
    const heard = (await statsOf("hidden")).audio?.packetsReceived ?? 0;
    await until("sound goes on", async () => ((await statsOf("hidden")).audio?.packetsReceived ?? 0) > heard + 20);
    expect(viewer.stats().frames).toBe(frames);
    await turn("recvonly");
    await moreFrames("hidden", 10);
    expect(problems).toEqual([]);
    await broadcast.close();
  });

  test("repairs a path that loses 3 % and takes 40 ms each way, with repeats and repair packets", async () => {
    const { broadcast } = makeBroadcast();
    let path: Awaited<ReturnType<typeof damagePath>> | undefined;
    const { viewer } = await join(broadcast, "lossy", {
      async rewrite(sdp) {
        path = await damagePath(answerPort(sdp), { loss: 0.03, delayMs: 40, bitsPerSecond: 0, queueMs: 0 });
        return answerThrough(sdp, path.port);
      },
    });
    await moreFrames("lossy", 150);
    expect(path!.figures.lost).toBeGreaterThan(0);
    await until("lost packets were repeated", () => viewer.stats().repeated > 0);
    await until(
      "the browser takes repair packets",
      async () => ((await statsOf("lossy")).video?.fecPacketsReceived ?? 0) > 0,
    );
    expect(viewer.stats().roundTripMs).toBeGreaterThan(70);
    await broadcast.close();
    path!.close();
  });

  test("settles on a path of 1.5 Mbit/s and keeps playing", { tags: ["long"] }, async () => {
    const { broadcast, source } = makeBroadcast({ width: 1280, height: 720 });
    source.noise = 0.3;
    let path: Awaited<ReturnType<typeof damagePath>> | undefined;
    const { viewer } = await join(broadcast, "narrow", {
      async rewrite(sdp) {
        path = await damagePath(answerPort(sdp), { loss: 0, delayMs: 20, bitsPerSecond: 1_500_000, queueMs: 300 });
        return answerThrough(sdp, path.port);
      },
    });
    await moreFrames("narrow", 150);
    await until("the bitrate is within the path", () => viewer.stats().bitrate < 1_700_000, 60_000);
    await moreFrames("narrow", 60);
    // A computer under load may have pushed it to its floor for a while.
    await until("the bitrate is above its floor", () => viewer.stats().bitrate > 250_000, 60_000);
    await broadcast.close();
    path!.close();
  });

  test("hands a WebP of the machine to the lobby", async () => {
    const { broadcast } = makeBroadcast();
    expect((await broadcast.still()).subarray(8, 12).toString("latin1")).toBe("WEBP");
  });
});
