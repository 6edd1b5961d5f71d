import { once } from "node:events";
import { connect } from "node:net";
import { busConformance } from "@longarm/platform/bus/conformance";
import type { Bus } from "@longarm/platform/bus/index";
import { natsBus } from "@longarm/platform/bus/index";
import { sealMessage } from "@longarm/platform/bus/nats-bus";
import { systemClock } from "@longarm/platform/clock";
import { readNatsServers } from "@longarm/platform/config/nats-servers";
import { createLog } from "@longarm/platform/log";
import { systemRandom } from "@longarm/platform/random";
import type { Msg } from "@nats-io/transport-node";
import { connect as connectNats } from "@nats-io/transport-node";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { NatsServer } from "../rig/venue/nodes.ts";
import { openNatsServer } from "../rig/venue/nodes.ts";

/* The bus over a real NATS server. */

const SOON = { timeout: 60_000, interval: 20 };
const KEY = Buffer.alloc(32, 7);
let server: NatsServer;
type Node = Bus & {
  readonly lines: readonly string[];
  /** Settles once messages pass between it and the others. */
  up(): Promise<void>;
};
const open: Node[] = [];
beforeAll(async () => {
  server = await openNatsServer();
});
afterEach(async () => {
  for (const bus of open.splice(0)) await bus.close();
});
afterAll(() => server?.close());

type NodeOptions = { readonly url?: string; readonly platformId?: string; readonly key?: Buffer };

/** A node's end of the bus, with what it writes to its log. */
function node({ url = server.url, platformId = "k_test", key = KEY }: NodeOptions = {}): Node {
  const servers = readNatsServers(url);
  if (typeof servers === "string") throw new Error(servers);
  const lines: string[] = [];
  const log = createLog({ logLevel: "debug", logFormat: "json" }, { write: (line: string) => void lines.push(line) });
  const bus = natsBus({ servers, nodeId: "n", platformId, key, clock: systemClock, random: systemRandom, log });
  const made = Object.assign(bus, {
    lines,
    async up() {
      await expect.poll(() => bus.state(), SOON).toBe("up");
      await bus.settled();
    },
  });
  open.push(made);
  return made;
}

busConformance("the bus over NATS", async () => {
  const [here, there] = [node(), node()];
  const settled = async (): Promise<void> => void (await Promise.all([here.up(), there.up()]));
  await settled();
  return { here, there, settled, close: async () => {} };
});

test("platforms that share a server receive nothing from each other, and forged messages are dropped and logged", async () => {
  const [mine, other] = [node(), node({ platformId: "k_other", key: Buffer.alloc(32, 8) })];
  const received: string[] = [];
  mine.subscribe("balance.changed", ({ playerId }) => received.push(playerId));
  let requested = 0;
  mine.respond("who", async () => {
    requested += 1;
  });
  await mine.up();
  await other.up();
  other.publish("balance.changed", { playerId: "p_other" });
  expect(await other.request("who", {}, 5_000)).toEqual({ is: "noResponder" });

  const stranger = connect(server.portNumber, "127.0.0.1");
  await once(stranger, "connect");
  stranger.resume().write('CONNECT {"verbose":false}\r\n');
  const publish = (to: string, bytes: Buffer): void => {
    stranger.write(`PUB ${to} ${bytes.length}\r\n`);
    stranger.write(bytes);
    stranger.write("\r\n");
  };
  const subject = "longarm.k_test.topic.balance.changed";
  let count = 0;
  const sealed = (key: Buffer, of: string, message: unknown) =>
    sealMessage(key, of, { from: "forger", count: ++count, at: systemClock.now() }, message) ?? Buffer.of();
  const forged = [
    Buffer.from(JSON.stringify({ playerId: "p_plain" })),
    Buffer.of(),
    Buffer.alloc(200_000, 1),
    sealed(Buffer.alloc(32, 8), subject, { playerId: "p_wrong_key" }),
    // Sealed well, but for another subject, and with what no node says.
    sealed(KEY, "longarm.k_test.topic.session.changed", { playerId: "p_replayed" }),
    sealed(KEY, subject, { playerId: 7 }),
    sealed(KEY, subject, null),
  ];
  for (const bytes of forged) publish(subject, bytes);
  publish("longarm.k_test.ask.who _INBOX.stranger", Buffer.from("{}"));
  publish(subject, sealed(KEY, subject, { playerId: "p_last" }));
  await expect.poll(() => received, SOON).toEqual(["p_last"]);
  expect(requested).toBe(0);
  expect(mine.lines.join("")).toContain("messages on the bus were dropped");
  stranger.destroy();
});

test("a replayed message is dropped, and the answer to one request is not accepted for another", async () => {
  const [here, there] = [node(), node()];
  const received: string[] = [];
  there.subscribe("balance.changed", ({ playerId }) => received.push(playerId));
  const requested: unknown[] = [];
  there.respond("give", async (what) => {
    requested.push(what);
    return what === "slow" ? await new Promise(() => {}) : `gave ${String(what)}`;
  });
  await here.up();
  await there.up();
  const thief = await connectNats({ servers: server.url });
  const recorded: Msg[] = [];
  thief.subscribe("longarm.k_test.>", { callback: (_error, message) => void recorded.push(message) });
  thief.subscribe("_INBOX.>", { callback: (_error, message) => void recorded.push(message) });
  await thief.flush();
  here.publish("balance.changed", { playerId: "p_1" });
  expect(await here.request("give", "first", 60_000)).toEqual({ is: "done", data: "gave first" });
  await expect.poll(() => recorded.length, SOON).toBe(3);
  const [reported, question, answer] = recorded as [Msg, Msg, Msg];
  // Everything is sent again, and the old question and the old answer to where another answer is waited for.
  const other = here.request("give", "slow", 60_000);
  await expect.poll(() => recorded.length, SOON).toBe(4);
  const waitsAt = recorded[3]?.reply ?? "";
  thief.publish(reported.subject, reported.data);
  thief.publish(question.subject, question.data, { reply: waitsAt });
  thief.publish(waitsAt, answer.data);
  expect(await other).toEqual({ is: "unknown", cause: "failed" });
  here.publish("balance.changed", { playerId: "p_2" });
  await expect.poll(() => received, SOON).toEqual(["p_1", "p_2"]);
  expect(requested).toEqual(["first", "slow"]);
  expect(there.lines.join("")).toContain("sent again");
  await thief.close();
});

test("while the server is away a node works alone; when it is back messages pass again, and subscribers are called to read their state again", async () => {
  const [here, there] = [node(), node()];
  const received: string[] = [];
  let gaps = 0;
  here.subscribe("balance.changed", ({ playerId }) => received.push(`here ${playerId}`));
  there.subscribe("balance.changed", ({ playerId }) => received.push(`there ${playerId}`));
  there.respond("slow", () => new Promise(() => {}));
  here.respond("own", async () => "mine");
  there.onGap(() => {
    gaps += 1;
  });
  await here.up();
  await there.up();
  const underWay = here.request("slow", {}, 60_000);
  const before = gaps;
  await server.kill();
  await expect.poll(() => [here.state(), there.state()], SOON).toEqual(["away", "away"]);
  expect((await underWay).is).toBe("unknown");
  expect(await here.request("slow", {}, 1_000)).toEqual({ is: "noResponder" });
  expect(await here.request("own", {}, 1_000)).toEqual({ is: "done", data: "mine" });
  here.publish("balance.changed", { playerId: "p_alone" });
  await expect.poll(() => received, SOON).toEqual(["here p_alone"]);
  await server.start();
  await here.up();
  await there.up();
  expect(gaps).toBeGreaterThan(before);
  here.publish("balance.changed", { playerId: "p_back" });
  await expect.poll(() => received.toSorted(), SOON).toEqual(["here p_alone", "here p_back", "there p_back"]);
});

test("a node that comes back later than the others announces it, because its messages in between reached no node", async () => {
  const here = node();
  await here.up();
  let gaps = 0;
  here.onGap(() => {
    gaps += 1;
  });
  await here.up();
  expect(gaps).toBe(0);
  await node().up();
  await expect.poll(() => gaps, SOON).toBe(1);
});

test("a node that starts before the server joins once it is there; the server requires name and password, or a token", async () => {
  const locked = await openNatsServer({ user: "longarm", pass: "a secret: p@ss" });
  const token = await openNatsServer({ token: "a-token" });
  try {
    const at = `127.0.0.1:${locked.portNumber}`;
    await locked.kill();
    const early = node({ url: `nats://longarm:${encodeURIComponent("a secret: p@ss")}@${at}` });
    const wrong = node({ url: `nats://longarm:wrong@${at}` });
    expect(early.state()).toBe("away");
    await locked.start();
    await early.up();
    await expect.poll(() => wrong.lines.join(""), SOON).toMatch(/Authorization Violation/i);
    expect(wrong.state()).toBe("away");
    await node({ url: token.url }).up();
  } finally {
    await locked.close();
    await token.close();
  }
});

test("a message over the limit is not sent, and is logged", async () => {
  const here = node();
  await here.up();
  expect(await here.request("who", { long: "x".repeat(70_000) }, 1_000)).toEqual({ is: "noResponder" });
  here.publish("balance.changed", { playerId: "x".repeat(70_000) });
  expect(here.lines.join("")).toContain("too large for the bus");
});
