import { expect, test } from "vitest";
import { fakeClock } from "../../testing/fake-clock.ts";
import { isRelay, relayServer, serversFor, tryRelay } from "./werift/relay.ts";

const servers = [
  { urls: "stun:stun.example:3478" },
  { urls: ["turn:turn.example:3478?transport=udp", "stun:turn.example:3478"], username: "u", credential: "c" },
];

test("TURN servers reach the agent's own side only when it is to relay", () => {
  expect(serversFor(servers, "no")).toEqual([
    { urls: ["stun:stun.example:3478"] },
    { urls: ["stun:turn.example:3478"], username: "u", credential: "c" },
  ]);
  expect(serversFor(servers.slice(1), "only")[0]?.urls).toContain("turn:turn.example:3478?transport=udp");
  expect(serversFor([{ urls: "turn:turn.example" }], "no")).toEqual([]);
});

test("a relayed candidate is told from the others", () => {
  const line = (kind: string) => `candidate:1 1 udp 1 192.0.2.1 50000 typ ${kind}`;
  expect(isRelay(`${line("relay")} raddr 192.0.2.7 rport 4000`)).toBe(true);
  expect(isRelay(line("host"))).toBe(false);
});

test("what is no TURN address is said to be none, without a try", async () => {
  const clock = fakeClock();
  const [found] = await tryRelay(relayServer(["turn:"], "secret", 0), clock);
  expect(found).toMatchObject({ works: false, sentence: expect.stringMatching(/no TURN address/) });
  const [bare] = await tryRelay({ urls: "turn:turn.example" }, clock);
  expect(bare).toMatchObject({ works: false, sentence: expect.stringMatching(/no credentials/) });
});
