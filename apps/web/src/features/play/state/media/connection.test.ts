import { expect, test } from "vitest";
import type { Transport } from "./connection.ts";
import { acceptsCandidate, hasRelay, keepCandidates, relaysOverTcp, sendsCandidate, serversFor } from "./connection.ts";

const UDP = "a=candidate:1 1 udp 2113937151 10.0.0.1 5000 typ host";
const TCP = "a=candidate:2 1 tcp 1518280447 10.0.0.1 9 typ host tcptype active";
const RELAY = "a=candidate:3 1 udp 41885439 10.0.0.9 6000 typ relay raddr 0.0.0.0 rport 0";

test.each<[Transport, string[], string[]]>([
  ["any", [UDP, TCP, RELAY], [UDP, TCP]],
  ["udp", [UDP, RELAY], [UDP]],
  ["tcp", [TCP], [TCP]],
  ["relay", [RELAY], [UDP]],
])("over %s only candidates that fit are sent and accepted", (transport, own, theirs) => {
  const sdp = ["v=0", UDP, TCP, RELAY, "a=end"].join("\r\n");
  const kept = (fits: (candidate: string) => boolean) => keepCandidates(sdp, fits).split("\r\n").slice(1, -1);
  expect(kept((candidate) => sendsCandidate(transport, candidate))).toEqual(own);
  expect(kept((candidate) => acceptsCandidate(transport, candidate)).filter((line) => line !== RELAY)).toEqual(theirs);
});

test("each transport uses only the servers that help it, and a relay over TCP where one offers that", () => {
  const stun = { urls: "stun:one.example" };
  const turn = { urls: ["turn:two.example", "turn:two.example?transport=tcp"], username: "u", credential: "c" };
  const udpTurn = { urls: ["turn:two.example"] };
  expect(serversFor("any", [stun, turn])).toEqual([stun, turn]);
  expect(serversFor("udp", [stun, turn])).toEqual([{ urls: ["stun:one.example"] }]);
  expect(serversFor("tcp", [stun, turn])).toEqual([]);
  expect(serversFor("relay", [stun, turn])).toEqual([{ ...turn, urls: ["turn:two.example?transport=tcp"] }]);
  expect(serversFor("relay", [stun, udpTurn])).toEqual([udpTurn]);
  expect([relaysOverTcp([turn]), relaysOverTcp([udpTurn]), hasRelay([udpTurn]), hasRelay([stun])]).toEqual([
    true,
    false,
    true,
    false,
  ]);
});
