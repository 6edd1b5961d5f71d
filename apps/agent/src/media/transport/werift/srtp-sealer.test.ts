import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { SrtpSession } from "werift";
import type { RtpStream } from "../../../ports/transport.ts";
import { writeRtp } from "../../rtp/rtp.ts";
import { createSrtpSealer } from "./srtp-sealer.ts";

const AES_CM_SHA1_80 = 1;
const stream: RtpStream = { payloadType: 108, ssrc: 0x1234_5678, playoutDelayId: 5, transportSequenceId: 2 };
const sound = { payloadType: 111, ssrc: 0x0fed_cba9, playoutDelayId: null, transportSequenceId: null };

/** Ours as the sender, and werift's as who receives it. */
function pairOf() {
  const [ours, theirs] = [randomBytes(30), randomBytes(30)];
  const keysOf = (local: Buffer, remote: Buffer) => ({
    localMasterKey: local.subarray(0, 16),
    localMasterSalt: local.subarray(16),
    remoteMasterKey: remote.subarray(0, 16),
    remoteMasterSalt: remote.subarray(16),
  });
  const { localContext } = new SrtpSession({ keys: keysOf(ours, theirs), profile: AES_CM_SHA1_80 });
  const receiver = new SrtpSession({ keys: keysOf(theirs, ours), profile: AES_CM_SHA1_80 });
  const seal = createSrtpSealer({
    key: localContext.srtpSessionKey,
    salt: localContext.srtpSessionSalt,
    authentication: localContext.srtpSessionAuthTag,
  });
  return { seal, receiver };
}

const packetOf = (sequence: number, bytes: number, of = stream) =>
  writeRtp(of, { payload: randomBytes(bytes), timestamp: sequence * 90, marker: bytes % 2 === 0 }, sequence & 0xffff);

describe("the sealer", () => {
  test("makes what another implementation takes for genuine, whatever the length of the packets", () => {
    const { seal, receiver } = pairOf();
    for (let length = 0; length < 60; length += 1) {
      const packets = [
        packetOf(length * 3, 1140 - length),
        packetOf(length * 3 + 1, length),
        packetOf(length, length, sound),
      ];
      const sealed = seal(packets);
      expect(sealed.map((packet) => packet.length)).toEqual(packets.map((packet) => packet.length + 10));
      for (const [n, packet] of sealed.entries()) expect(receiver.decrypt(packet)).toEqual(packets[n]);
    }
    expect(seal([])).toEqual([]);
  });
  test("goes on over the end of the numbers, and repeats what lies before it", () => {
    const { seal, receiver } = pairOf();
    const packets = Array.from({ length: 140 }, (_, n) => packetOf(65_400 + n, 200));
    for (const packet of packets) expect(receiver.decrypt(seal([packet])[0]!)).toEqual(packet);
    const beforeTheEnd = packets[120]!;
    const repeated = seal([beforeTheEnd])[0]!;
    expect(receiver.decrypt(repeated)).toEqual(beforeTheEnd);
    const next = packetOf(65_400 + 140, 200);
    expect(receiver.decrypt(seal([next])[0]!)).toEqual(next);
  });
  test("signs: a packet that was changed on its way is none", () => {
    const { seal, receiver } = pairOf();
    const [sealed] = seal([packetOf(1, 300)]);
    sealed![40]! ^= 1;
    expect(() => receiver.decrypt(sealed!)).toThrow();
  });
  test("leaves the packets that it was given as they are, for others get them too", () => {
    const { seal } = pairOf();
    const packet = packetOf(9, 500);
    const before = Buffer.from(packet);
    seal([packet, packetOf(10, 20)]);
    expect(packet).toEqual(before);
  });
});
