import { expect, test } from "vitest";
import type { FairFacts } from "../open-parts.ts";
import { isFair } from "../open-parts.ts";
import { CONTROL_SILENT_MS } from "../picture/readout.ts";
import type { Way } from "./way.ts";
import { hasRelay, onlyFitting, ownFits, relaysOverTcp, serversFor, theirsFits } from "./way.ts";
import { createWayBack, HELD_MS, TRIED_MS, WAY_BACK_MS, WAY_BACK_MS_MAX } from "./way-back.ts";

const UDP = "a=candidate:1 1 udp 2113937151 10.0.0.1 5000 typ host";
const TCP = "a=candidate:2 1 tcp 1518280447 10.0.0.1 9 typ host tcptype active";
const RELAY = "a=candidate:3 1 udp 41885439 10.0.0.9 6000 typ relay raddr 0.0.0.0 rport 0";

test.each<[Way, string[], string[]]>([
  ["any", [UDP, TCP, RELAY], [UDP, TCP]],
  ["udp", [UDP, RELAY], [UDP]],
  ["tcp", [TCP], [TCP]],
  ["relay", [RELAY], [UDP]],
])("on the way %s only what fits is told and taken", (way, own, theirs) => {
  const sdp = ["v=0", UDP, TCP, RELAY, "a=end"].join("\r\n");
  const kept = (fits: (candidate: string) => boolean) => onlyFitting(sdp, fits).split("\r\n").slice(1, -1);
  expect(kept((candidate) => ownFits(way, candidate))).toEqual(own);
  expect(kept((candidate) => theirsFits(way, candidate)).filter((line) => line !== RELAY)).toEqual(theirs);
});

test("each way asks only the servers that help on it; a relay is asked over TCP where one offers that", () => {
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

test("UDP is tried again later, more patiently each time it did not hold, and anew after it held", () => {
  let now = 0;
  const back = createWayBack(() => now);
  const dueAfter = (): number => {
    const from = now;
    for (; !back.due(); now += 1_000) if (now - from > WAY_BACK_MS_MAX) return Number.POSITIVE_INFINITY;
    return now - from;
  };
  expect(dueAfter()).toBe(Number.POSITIVE_INFINITY);
  back.left();
  expect(dueAfter()).toBe(WAY_BACK_MS);
  now += TRIED_MS;
  back.goes(false);
  expect(dueAfter()).toBe(WAY_BACK_MS * 2);
  back.goes(true);
  now += 5_000;
  back.left();
  expect(dueAfter()).toBe(WAY_BACK_MS * 4);
  now += HELD_MS;
  back.left();
  expect(dueAfter()).toBe(WAY_BACK_MS);
  back.left();
  back.forget();
  expect(dueAfter()).toBe(Number.POSITIVE_INFINITY);
  now += HELD_MS;
  back.left();
  back.soon();
  expect(dueAfter()).toBe(0);
});

test("UDP that ICE left by itself is tried again as well; a connection that never had it is left alone", () => {
  let now = 0;
  const back = createWayBack(() => now);
  for (; now < WAY_BACK_MS * 2; now += 500) {
    back.goes(false);
    expect(back.due()).toBe(false);
  }
  back.goes(true);
  back.goes(false);
  now += WAY_BACK_MS - 1;
  expect(back.due()).toBe(false);
  now += 1;
  expect(back.due()).toBe(true);
});

// player 7
test.each<[string, Partial<FairFacts>, boolean]>([
  ["all well", {}, true],
  ["nothing known of the delay", { delayMs: undefined }, true],
  ["just good enough", { missingMs: 999, delayMs: 999 }, true],
  ["no picture for a second", { missingMs: 1_000 }, false],
  ["a picture that is a second old", { delayMs: 1_000 }, false],
  ["an agent that does not answer", { controlMs: CONTROL_SILENT_MS }, false],
  ["the platform away, the agent there", { online: false }, true],
  ["the platform away, the agent never asked", { online: false, controlMs: undefined }, false],
  ["presses go by the platform", { controlMs: undefined }, true],
])("player 7: whether a link is good enough to play over: %s", (_what, change, fair) => {
  expect(isFair({ missingMs: 0, delayMs: 40, controlMs: 500, online: true, ...change })).toBe(fair);
});
