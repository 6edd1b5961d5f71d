import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DtlsSocket, RTCPeerConnection, StunProtocol, TcpActiveProtocol, TcpPassiveProtocol } from "werift";

/* The guards of this folder replace members that werift keeps to itself: another version may have renamed them without a word. */

const peer = new RTCPeerConnection();
beforeAll(async () => {
  peer.addTransceiver("video", { direction: "sendonly" });
  peer.createDataChannel("press");
  await peer.createOffer();
});
afterAll(async () => await peer.close());

test("the installed werift is the version that the guards were written for", () => {
  // Its package.json is no export, so it is found beside the entry: <package>/lib/….
  const entry = createRequire(import.meta.url).resolve("werift");
  const folder = entry.slice(0, entry.indexOf(join("werift", "lib")) + "werift".length);
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const readme = readFileSync(join(dirname(import.meta.filename), "README.md"), "utf8");
  expect(readme, "the README of this folder says what to do for another version").toContain(`werift (${version})`);
});

test("attack 1–3: the curve that is computed beforehand is the one in the module that werift uses", () => {
  const own = createRequire(import.meta.url);
  expect(createRequire(own.resolve("werift")).resolve("@noble/curves/p256")).toBe(own.resolve("@noble/curves/p256"));
});

const ice = () => peer.iceTransports[0]?.connection;
const dtls = () => peer.dtlsTransports[0];
const sctp = () => peer.sctpTransport?.sctp;

test.each<[owner: string, of: () => unknown, members: readonly string[]]>([
  [
    "the ICE connection",
    ice,
    ["ensureProtocol", "canSendApplicationData", "checkList", "earlyChecks", "userHistory", "protocols", "nominated"],
  ],
  ["the ICE connection's credentials", ice, ["localPassword"]],
  ["the DTLS transport", dtls, ["srtpProfiles", "srtpStarted", "updateSrtpSession", "srtp", "srtcp", "dtls"]],
  ["the SCTP transport", () => peer.sctpTransport, ["datachannelReceive", "dataChannelFlush"]],
  [
    "the SCTP association",
    sctp,
    ["handleData", "receiveChunk", "receive", "transmit", "inboundStreams", "outboundQueue", "sentQueue"],
  ],
  ["the SCTP association's numbers", sctp, ["advertisedRwnd", "localTsn", "sackMisOrdered", "isServer"]],
  ["a DTLS socket", () => DtlsSocket.prototype, ["handleFragmentHandshake"]],
  ["a UDP protocol", () => StunProtocol.prototype, ["datagramReceived"]],
  ["a passive TCP protocol", () => TcpPassiveProtocol.prototype, ["handleFrame"]],
  ["an active TCP protocol", () => TcpActiveProtocol.prototype, ["handleFrame"]],
])("%s has the members that a guard replaces or reads", (_owner, of, members) => {
  const owner = of();
  expect(owner).toBeTypeOf("object");
  expect(members.filter((member) => !(member in (owner as object)))).toEqual([]);
});
