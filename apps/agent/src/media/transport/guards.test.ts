import { createSocket } from "node:dgram";
import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { classes, Message, methods, RTCPeerConnection } from "werift";
import type { Transport } from "../../ports/transport.ts";
import { realClock } from "../testing/real-clock.ts";
import { sctpChunk as chunk, sctpPacket } from "../testing/sctp-packets.ts";
import { createWeriftTransport } from "./werift/transport.ts";

/* A viewer that speaks DTLS and SCTP as no browser does. */

const SOON = { timeout: 60_000, interval: 20 };
const FIRST = 2;
const LAST = 1;
const UNORDERED = 4;
/** What the bytes are to a data channel. */
const TEXT = 51;
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

type Piece = { flags: number; bytes: number; skip?: number; kind?: number; stream?: number; fill?: number };

/** A connected viewer whose `press` channel is open, and what the agent says of its end. `tcp`: it has no other way. */
async function viewer({ tcp = false } = {}) {
  const transport: Transport = createWeriftTransport(realClock, {
    extraAddresses: ["127.0.0.1"],
    onlyExtraAddresses: true,
    remoteCandidates: { closed: [], open: ["127.0.0.0/8"] },
  });
  ends.push(() => transport.close());
  const page = new RTCPeerConnection({ iceAdditionalHostAddresses: ["127.0.0.1"], iceServers: [], iceUseTcp: tcp });
  ends.push(() => page.close());
  const waysOf = (sdp: string) => (tcp ? sdp.replace(/^a=candidate:.* udp .*\r\n/gim, "") : sdp);
  const channel = page.createDataChannel("press", { ordered: false, maxRetransmits: 0 });
  await page.setLocalDescription(await page.createOffer());
  await vi.waitFor(() => expect(page.iceGatheringState).toBe("complete"), SOON);
  const heard: string[] = [];
  let closed: string | undefined;
  const nothing = (): void => undefined;
  const { sdp } = await transport.addViewer(
    { viewerId: "v", sdp: waysOf(page.localDescription?.sdp ?? ""), iceServers: [] },
    {
      ...{ connected: nothing, interrupted: nothing, candidate: nothing, channelOpen: nothing, rtcp: nothing },
      data: (_, message) => void heard.push(Buffer.from(message).toString()),
      closed: (reason) => {
        closed = reason;
      },
    },
  );
  await page.setRemoteDescription({ type: "answer", sdp: waysOf(sdp) });
  await vi.waitFor(() => expect(channel.readyState).toBe("open"), SOON);
  const sctp = page.sctpTransport?.sctp as unknown as {
    localTsn: number;
    remoteVerificationTag: number;
    remotePort: number;
    localPort: number;
    lastReceivedTsn: number;
    transport: { send(bytes: Buffer): Promise<void> };
    sendChunk(chunk: { type: number; bytes: Buffer }): Promise<void>;
    receive(stream: number, kind: number, message: Buffer): void;
  };
  // What comes back for channels that it does not know would end the test's own side.
  const receive = sctp.receive.bind(sctp);
  sctp.receive = (stream, ...message) => {
    if (stream === channel.id) receive(stream, ...message);
  };
  const { connection } = page.dtlsTransports[0]!.iceTransport;
  return {
    channel,
    open: (name: string) => page.createDataChannel(name),
    /** Our side's port, to which the viewer has connected. */
    port: connection.nominated?.remoteAddr[1] ?? 0,
    /** Sends a packet of SCTP that is none. */
    packet: (bytes: Buffer) => sctp.transport.send(bytes),
    /** Sends chunks in one packet with a right header; `tag` other than the right one. */
    async chunks(bytes: Buffer, tag = sctp.remoteVerificationTag) {
      await sctp.transport.send(sctpPacket(bytes, { tag, from: sctp.localPort, to: sctp.remotePort }));
    },
    sctp,
    /** The last piece of the agent that the viewer has. */
    acknowledged: () => sctp.lastReceivedTsn,
    /** Sends one piece of a handshake message whose end never comes. */
    async handshake(number: number) {
      const record = Buffer.alloc(13 + 12 + 1_000);
      record.set([22, 0xfe, 0xfd]);
      record.writeUInt32BE(1_000 + number, 7);
      record.writeUInt16BE(12 + 1_000, 11);
      record.set([11, 0x0f, 0x42, 0x40], 13);
      record.writeUIntBE(1_000, 22, 3);
      await connection.send(record);
    },
    heard,
    closed: () => closed,
    /** Sends one piece as it is told to. */
    async piece({ flags, bytes, skip = 0, kind = TEXT, stream = channel.id ?? 0, fill = 0x20 }: Piece) {
      sctp.localTsn += skip;
      const head = Buffer.alloc(16);
      head.writeUInt8(flags | UNORDERED, 1);
      head.writeUInt16BE(head.length + bytes, 2);
      head.writeUInt32BE(sctp.localTsn, 4);
      head.writeUInt16BE(stream, 8);
      head.writeUInt32BE(kind, 12);
      sctp.localTsn += 1;
      await sctp.sendChunk({ type: 0, bytes: Buffer.concat([head, Buffer.alloc(bytes, fill)]) });
    },
  };
}

test("attack 1: a chunk or a parameter of length 0 is dropped, whatever tag it has", async () => {
  const who = await viewer();
  const nothing = Buffer.alloc(4);
  for (const tag of [undefined, 0, 1]) {
    for (const type of [0, 1, 3, 4, 6, 9, 130, 192]) await who.chunks(chunk(type, Buffer.alloc(0), 0), tag);
    for (const type of [4, 5, 6, 9, 130]) await who.chunks(chunk(type, nothing), tag);
    await who.chunks(chunk(1, Buffer.concat([Buffer.alloc(16, 1), nothing])), tag);
  }
  await expectPresses(who);
});

test("attack 2: nothing of a handshake or an ending is heard once it is established, and no foreign channel opens", async () => {
  const unheard = vi.fn();
  process.on("unhandledRejection", unheard);
  ends.push(async () => void process.off("unhandledRejection", unheard));
  const who = await viewer();
  const init = Buffer.alloc(16, 1);
  const opening = Buffer.concat([Buffer.from([3, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0]), Buffer.from("other")]);
  const data = Buffer.alloc(12);
  data.writeUInt32BE(who.sctp.localTsn, 0);
  data.writeUInt16BE(9, 4);
  data.writeUInt32BE(50, 8);
  const head = chunk(0, Buffer.concat([data, opening]));
  head[1] = FIRST | LAST;
  who.sctp.localTsn += 1;
  await who.chunks(chunk(7, Buffer.alloc(4)));
  await who.chunks(chunk(1, init), 0);
  await who.chunks(head);
  for (const cookie of [Buffer.alloc(24), Buffer.alloc(24, 1)]) await who.chunks(chunk(10, cookie));
  for (const type of [8, 11, 14]) await who.chunks(chunk(type));
  await expectPresses(who);
  expect(unheard).not.toHaveBeenCalled();
});

/** How many values were put into sets since. */
function countRemembered(): () => number {
  const { add } = Set.prototype;
  let count = 0;
  Set.prototype.add = function (value) {
    count += 1;
    return add.call(this, value);
  };
  ends.push(async () => {
    Set.prototype.add = add;
  });
  return () => count;
}

test("attack 3: an acknowledgement of what was never sent is dropped", async () => {
  const who = await viewer();
  const sack = Buffer.alloc(12 + 4 * 280);
  sack.writeUInt32BE(0xffff_ffff, 4);
  sack.writeUInt16BE(280, 8);
  for (let gap = 0; gap < 280; gap += 1) sack.writeUInt16BE(65_535, 12 + 4 * gap + 2);
  const remembered = countRemembered();
  for (const acknowledged of [who.acknowledged(), who.acknowledged() - 1, 0]) {
    sack.writeUInt32BE(acknowledged >>> 0, 0);
    await who.chunks(chunk(3, sack));
  }
  await expectPresses(who);
  // It remembered each of the 18 million numbers, which took over four seconds; a connection's own work is some thousand.
  expect(remembered()).toBeLessThan(100_000);
});

test("a flood of packets that are right ends its own connection", async () => {
  const { chunks, closed } = await viewer();
  const heartbeats = Buffer.concat(Array(60).fill(chunk(4, Buffer.from([0, 1, 0, 8, 0, 0, 0, 0]))));
  await vi.waitFor(async () => {
    for (let n = 0; n < 20; n += 1) await chunks(heartbeats);
    expect(closed()).toBe("The browser sends more than a page does.");
  }, SOON);
});

test("a page's own messages come through, also after pieces were lost", async () => {
  const { channel, heard, closed, piece } = await viewer();
  for (let n = 0; n < 100; n += 1) await piece({ flags: FIRST | LAST, bytes: 100, ...(n % 10 === 0 && { skip: 1 }) });
  await vi.waitFor(() => {
    channel.send("press");
    expect(heard).toContain("press");
  }, SOON);
  expect(closed()).toBeUndefined();
});

test("what cannot be read is passed over, and the agent lives on", async () => {
  const { channel, heard, closed, piece, packet } = await viewer();
  const whole = { flags: FIRST | LAST };
  for (const kind of [0, 50, 52, 54, 99, 4_000_000_000])
    for (const bytes of [1, 4]) await piece({ ...whole, bytes, kind });
  // Acknowledgements of a channel that nobody opened, and openings that are cut short.
  for (const bytes of [1, 2, 11])
    for (const fill of [2, 3]) await piece({ ...whole, bytes, kind: 50, stream: 4_320 + fill, fill });
  for (const bytes of [1, 11, 12, 13, 16, 40, 1_100]) await packet(Buffer.alloc(bytes, 0xff));
  await vi.waitFor(() => {
    channel.send("press");
    expect(heard).toContain("press");
  }, SOON);
  expect(closed()).toBeUndefined();
});

test("a message without an end ends the connection instead of filling the agent's memory", {
  timeout: 90_000,
}, async () => {
  const { heard, closed, piece } = await viewer();
  await piece({ flags: FIRST, bytes: 1_000 });
  await vi.waitFor(async () => {
    await piece({ flags: 0, bytes: 1_000 });
    expect(closed()).toBe("The browser sends more than a page does.");
  }, SOON);
  expect(heard).toEqual([]);
});

test("pieces that are always too early end it too", async () => {
  const { closed, piece } = await viewer();
  // A burst may lose some of its packets; bursts with less than a rate that would end it by itself.
  await vi.waitFor(async () => {
    for (let n = 0; n < 8; n += 1) await piece({ flags: FIRST | LAST, bytes: 4, skip: 1 });
    expect(closed()).toBe("The browser sends more than a page does.");
  }, SOON);
});

test("a handshake without an end ends it as well", async () => {
  const { handshake, closed } = await viewer();
  let number = 0;
  await vi.waitFor(async () => {
    for (let n = 0; n < 8; n += 1) await handshake(number++);
    expect(closed()).toBe("The browser sends more than a page does.");
  }, SOON);
});

test("channels without number end it too", async () => {
  const { open, closed } = await viewer();
  for (let n = 0; n < 3; n += 1) open(`press ${n}`);
  expect(closed()).toBeUndefined();
  for (let n = 3; n < 12; n += 1) open(`press ${n}`);
  await vi.waitFor(() => expect(closed()).toBe("The browser sends more than a page does."), SOON);
});

/** What ends a connection, what no kind of record is, an empty hello, and a check that nobody signed. */
function strangePackets(): Buffer[] {
  const record = (kind: number, ...bytes: number[]) =>
    Buffer.from([kind, 0xfe, 0xfd, 0, 0, 0, 0, 0, 0, 0, 9, 0, bytes.length, ...bytes]);
  const check = new Message(methods.BINDING, classes.REQUEST)
    .setAttribute("USERNAME", "a:b")
    .setAttribute("PRIORITY", 1);
  return [record(21, 1, 0), record(40, 0), record(22, 1, ...Buffer.alloc(11)), check.addFingerprint().bytes];
}

async function expectPresses({ channel, heard, closed }: Awaited<ReturnType<typeof viewer>>) {
  for (const word of ["press", "again"])
    await vi.waitFor(() => {
      channel.send(word);
      expect(heard).toContain(word);
    }, SOON);
  expect(closed()).toBeUndefined();
}

test("a stranger's packets end nothing, and are not answered", async () => {
  const who = await viewer();
  const stranger = createSocket("udp4");
  const answered = vi.fn();
  stranger.on("message", answered);
  ends.push(() => new Promise((over) => stranger.close(() => over(undefined))));
  for (const packet of strangePackets())
    await new Promise((sent) => stranger.send(packet, who.port, "127.0.0.1", sent));
  await expectPresses(who);
  expect(answered).not.toHaveBeenCalled();
});

test("nor do those of one who comes by TCP", async () => {
  const who = await viewer({ tcp: true });
  const stranger = connect(who.port, "127.0.0.1");
  const answered = vi.fn();
  stranger.on("data", answered);
  ends.push(async () => stranger.destroy());
  await once(stranger, "connect");
  for (const packet of strangePackets()) {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(packet.length);
    await new Promise((sent) => stranger.write(Buffer.concat([length, packet]), sent));
  }
  await expectPresses(who);
  expect(answered).not.toHaveBeenCalled();
});
