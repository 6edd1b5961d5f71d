import { randomBytes } from "node:crypto";
import { expect, test, vi } from "vitest";
import type { RTCDtlsTransport } from "werift";
import { SrtpSession, StunProtocol, TcpPassiveProtocol, UdpTransport } from "werift";
import { writeRtp } from "../../rtp/rtp.ts";
import { createMediaPath } from "./media-path.ts";

/** A connection that stands, over a socket in which so many bytes wait. */
function standing(waiting: () => number, over: "udp" | "tcp" = "udp") {
  const keys = { localMasterKey: randomBytes(16), localMasterSalt: randomBytes(14) };
  const remote = { remoteMasterKey: randomBytes(16), remoteMasterSalt: randomBytes(14) };
  const send = vi.fn();
  const transport = Object.assign(Object.create(UdpTransport.prototype) as object, {
    ...{ closed: false, socket: { send, getSendQueueSize: waiting } },
  });
  const protocol = Object.assign(Object.create(StunProtocol.prototype) as object, { transport });
  const write = vi.fn();
  const socket = Object.defineProperty({ write }, "writableLength", { get: waiting });
  const listening = Object.assign(Object.create(TcpPassiveProtocol.prototype) as object, {
    getOpenSocket: ([host]: readonly [string, number]) => (host === "127.0.0.1" ? { socket } : undefined),
  });
  const connection = {
    nominated: { protocol: over === "udp" ? protocol : listening, remoteAddr: ["127.0.0.1", 5_000] },
    canSendApplicationData: () => true,
    onData: { subscribe: () => undefined },
  };
  const states: ((state: string) => void)[] = [];
  const dtls = {
    ...{ state: "connected", srtp: new SrtpSession({ keys: { ...keys, ...remote }, profile: 1 }) },
    iceTransport: { connection },
    onStateChange: { subscribe: (listener: (state: string) => void) => states.push(listener) },
    updateSrtpSession: () => undefined,
  };
  const nothing = () => undefined;
  const path = createMediaPath(dtls as unknown as RTCDtlsTransport, { ready: nothing, rtcp: nothing, ended: nothing });
  for (const told of states) told("connected");
  return { path, send, write };
}

const stream = { payloadType: 108, ssrc: 7, playoutDelayId: null, transportSequenceId: null };
const packets = [1, 2].map((sequence) =>
  writeRtp(stream, { payload: randomBytes(99), timestamp: 1, marker: true }, sequence),
);

test("packets leave at once, and are dropped while the system takes no more of them", () => {
  let waiting = 0;
  const { path, send } = standing(() => waiting);
  path.sendRtp(packets);
  expect(send).toHaveBeenCalledTimes(2);
  expect(send).toHaveBeenCalledWith(expect.any(Buffer), 5_000, "127.0.0.1");
  waiting = 200_000;
  path.sendRtp(packets);
  expect(send).toHaveBeenCalledTimes(2);
  waiting = 0;
  path.sendRtp(packets);
  expect(send).toHaveBeenCalledTimes(4);
});

test("over TCP the packets of a frame leave in one write, each after its length, and are dropped while too much waits", () => {
  let waiting = 0;
  const { path, write, send } = standing(() => waiting, "tcp");
  path.sendRtp(packets);
  expect(send).not.toHaveBeenCalled();
  expect(write).toHaveBeenCalledTimes(1);
  const [bytes] = write.mock.calls[0] as [Buffer];
  const sealed = packets[0]!.length + 10;
  expect(bytes).toHaveLength(2 * (2 + sealed));
  expect([bytes.readUInt16BE(0), bytes.readUInt16BE(2 + sealed)]).toEqual([sealed, sealed]);
  expect([bytes.readUInt16BE(4), bytes.readUInt16BE(2 + sealed + 4)]).toEqual([1, 2]);
  waiting = 200_000;
  path.sendRtp(packets);
  expect(write).toHaveBeenCalledTimes(1);
});
