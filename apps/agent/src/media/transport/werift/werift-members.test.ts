import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, sep } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  CandidatePair,
  DtlsServer,
  ProtectionProfileAes128CmHmacSha1_80,
  RTCDtlsTransport,
  RTCPeerConnection,
  StunOverTurnProtocol,
  StunProtocol,
  TcpActiveProtocol,
  TcpPassiveProtocol,
  TurnProtocol,
} from "werift";

/* The guards of this folder replace private members of werift: another version may have renamed them silently. */

const folder = import.meta.dirname;
const peer = new RTCPeerConnection();
let dtlsSocket: DtlsServer;

const silentTransport = () =>
  ({
    type: "udp",
    address: ["127.0.0.1", 0],
    closed: false,
    onData: undefined,
    send: async () => undefined,
    close: async () => undefined,
  }) as never;

beforeAll(async () => {
  peer.addTransceiver("video", { direction: "sendonly" });
  peer.createDataChannel("press");
  await peer.createOffer();
  const { certPem: cert, privateKey: key, signatureHash } = await RTCDtlsTransport.SetupCertificate();
  const srtpProfiles = [ProtectionProfileAes128CmHmacSha1_80] as never;
  dtlsSocket = new DtlsServer({ cert, key, signatureHash, srtpProfiles, transport: silentTransport() });
});
afterAll(async () => await peer.close());

test("the installed werift is the version that the guards were written for", () => {
  // Its package.json is no export, so it is found beside the entry: <package>/lib/….
  const entry = createRequire(import.meta.url).resolve("werift");
  const root = entry.slice(0, entry.indexOf(join("werift", "lib")) + "werift".length);
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const readme = readFileSync(join(folder, "README.md"), "utf8");
  expect(readme, "the README of this folder says what to do for another version").toContain(`werift (${version})`);
});

test("attack 1–3: the curve that is computed beforehand is the one in the module that werift uses", () => {
  const own = createRequire(import.meta.url);
  expect(createRequire(own.resolve("werift")).resolve("@noble/curves/p256")).toBe(own.resolve("@noble/curves/p256"));
});

test("no other source of the agent imports werift", () => {
  const sources = join(folder, "../../..");
  const importing = readdirSync(sources, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts") && !path.split(sep).includes("testing"))
    .filter((path) => /from "werift"|import\("werift"\)/.test(readFileSync(join(sources, path), "utf8")));
  expect(importing.filter((path) => dirname(path) !== relative(sources, folder))).toEqual([]);
  expect(importing.length).toBeGreaterThan(0);
});

const ice = () => peer.iceTransports[0]?.connection;
const dtls = () => peer.dtlsTransports[0];
const sctp = () => peer.sctpTransport?.sctp;
const stunProtocol = () => new StunProtocol();
const turn = () => new TurnProtocol(["127.0.0.1", 3478], "name", "password", 600, silentTransport());
const pair = () => new CandidatePair(stunProtocol(), {} as never, false);

test.each<[owner: string, of: () => unknown, members: readonly string[]]>([
  [
    "the ICE connection",
    ice,
    ["ensureProtocol", "canSendApplicationData", "checkList", "earlyChecks", "userHistory", "protocols", "nominated"],
  ],
  ["the ICE connection's credentials", ice, ["localPassword"]],
  ["a candidate pair", pair, ["remoteAddr", "state", "requestTransactionIds"]],
  ["the DTLS transport", dtls, ["srtpProfiles", "srtpStarted", "updateSrtpSession", "srtp", "srtcp", "dtls"]],
  ["a DTLS socket", () => dtlsSocket, ["handleFragmentHandshake", "bufferFragmentedHandshakes"]],
  ["a DTLS socket's handshake", () => dtlsSocket, ["onHandleHandshakes", "transport", "dtls"]],
  ["a DTLS socket's transport", () => dtlsSocket.transport, ["send", "socket"]],
  ["a DTLS socket's state", () => dtlsSocket.dtls, ["flight", "sequenceNumber", "bufferHandshakeCache"]],
  ["the SCTP transport", () => peer.sctpTransport, ["datachannelReceive", "dataChannelFlush"]],
  [
    "the SCTP association",
    sctp,
    ["handleData", "receiveChunk", "receive", "transmit", "inboundStreams", "outboundQueue", "sentQueue"],
  ],
  [
    "the SCTP association's numbers",
    sctp,
    ["advertisedRwnd", "localTsn", "lastSackedTsn", "localPort", "localVerificationTag", "sackMisOrdered"],
  ],
  ["the SCTP association's state", sctp, ["associationState", "isStopped", "isServer"]],
  ["a UDP protocol", () => StunProtocol.prototype, ["datagramReceived"]],
  ["a passive TCP protocol", () => TcpPassiveProtocol.prototype, ["handleFrame", "getOpenSocket"]],
  ["an active TCP protocol", () => TcpActiveProtocol.prototype, ["handleFrame"]],
  ["a TURN protocol", () => new StunOverTurnProtocol(turn()), ["handleStunMessage", "turn"]],
  [
    "a TURN client",
    turn,
    ["dataReceived", "handleChannelData", "handleSTUNMessage", "transport", "serverEndpoint", "requestWithRetry"],
  ],
])("%s has the members that a guard replaces or reads", (_owner, of, members) => {
  const owner = of();
  expect(owner).toBeTypeOf("object");
  expect(members.filter((member) => !(member in (owner as object)))).toEqual([]);
});
