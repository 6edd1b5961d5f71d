import { randomBytes } from "node:crypto";
import { expect, test, vi } from "vitest";
import type { RTCDtlsTransport } from "werift";
import { SrtpSession, StunProtocol, UdpTransport } from "werift";
import { writeRtp } from "../../rtp/rtp.ts";
import { createMediaPath } from "./media-path.ts";

/** A connection that stands, over a UDP socket in which so many bytes wait. */
function standing(waiting: () => number) {
  const keys = { localMasterKey: randomBytes(16), localMasterSalt: randomBytes(14) };
  const remote = { remoteMasterKey: randomBytes(16), remoteMasterSalt: randomBytes(14) };
  const send = vi.fn();
  const transport = Object.assign(Object.create(UdpTransport.prototype) as object, {
    ...{ closed: false, socket: { send, getSendQueueSize: waiting } },
  });
  const protocol = Object.assign(Object.create(StunProtocol.prototype) as object, { transport });
  const connection = {
    nominated: { protocol, remoteAddr: ["127.0.0.1", 5_000] },
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
  return { path, send };
}

const stream = { payloadType: 108, ssrc: 7, playoutDelayId: null, absSendTimeId: null };
const packets = [1, 2].map((sequence) =>
  writeRtp(stream, { payload: randomBytes(99), timestamp: 1, marker: true }, sequence, 0),
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
