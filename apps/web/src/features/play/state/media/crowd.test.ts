// @vitest-environment node
import { done, refused } from "@longarm/link/answer";
import { fakeTimers } from "@longarm/link/testing";
import { expect, test } from "vitest";
import { initAnswer, playAgainstFake } from "../testing/fake-platform.ts";
import { joinCrowd } from "./crowd.ts";

/* Attack: a media server is of others, and answers what it likes. */

const WHEP = "https://media.example/m/whep";
const SDP = { "content-type": "application/sdp", location: "/watches/1" };

function open(answer: (init: RequestInit) => Response | Promise<Response>) {
  const timers = fakeTimers();
  const requests: { readonly address: string; readonly init: RequestInit }[] = [];
  const crowd = joinCrowd({
    whep: WHEP,
    timers,
    log: () => {},
    fetch: async (address, init) => {
      requests.push({ address, init });
      return await answer(init);
    },
  });
  return { crowd, timers, requests, lines: () => requests.map(({ address, init }) => `${init.method} ${address}`) };
}

test("an offer is one POST without anything of the player's, and the next one ends that watch", async () => {
  let watches = 0;
  const { crowd, requests, lines, timers } = open(({ method }) => {
    if (method === "POST") watches += 1;
    return new Response("v=0 theirs", { status: 201, headers: { ...SDP, location: `/watches/${watches}` } });
  });
  expect(await crowd.offer("v=0 ours")).toEqual({ is: "done", data: { sdp: "v=0 theirs" } });
  expect(requests[0]?.init).toMatchObject({ body: "v=0 ours", credentials: "omit", referrerPolicy: "no-referrer" });
  expect(requests[0]?.init.headers).toEqual({ "content-type": "application/sdp" });
  await crowd.offer("v=0 again");
  crowd.end();
  expect(lines()).toEqual([
    `POST ${WHEP}`,
    "DELETE https://media.example/watches/1",
    `POST ${WHEP}`,
    "DELETE https://media.example/watches/2",
  ]);
  expect(timers.waiting).toBe(0);
});

test.each([
  ["refuses", () => new Response("no", { status: 403 })],
  ["answers with a page", () => new Response("<html>", { status: 201, headers: { "content-type": "text/html" } })],
  ["answers too much", () => new Response("x".repeat(17_000), { status: 201, headers: SDP })],
  ["answers nothing", () => new Response("", { status: 201, headers: SDP })],
  ["is away", () => Promise.reject(new TypeError("Failed to fetch"))],
])("a server that %s took no offer", async (_what, answer) => {
  const { crowd, lines } = open(answer);
  expect(await crowd.offer("v=0")).toEqual({ is: "unknown", cause: "closed" });
  crowd.end();
  expect(lines()).toEqual([`POST ${WHEP}`]);
});

test("an answer that does not end is read no further than an SDP may be long", async () => {
  let sent = 0;
  let isCancelled = false;
  const endless = new ReadableStream<Uint8Array>({
    pull(queue) {
      sent += 1;
      queue.enqueue(new Uint8Array(4_096));
    },
    cancel() {
      isCancelled = true;
    },
  });
  const { crowd } = open(() => new Response(endless, { status: 201, headers: SDP }));
  expect(await crowd.offer("v=0")).toEqual({ is: "unknown", cause: "closed" });
  expect([sent < 10, isCancelled]).toEqual([true, true]);
});

test("a session at another origin gets nothing from the page", async () => {
  const { crowd, lines } = open(
    () => new Response("v=0", { status: 201, headers: { ...SDP, location: "https://other.example/watches/1" } }),
  );
  expect(await crowd.offer("v=0")).toMatchObject({ is: "done" });
  crowd.end();
  expect(lines()).toEqual([`POST ${WHEP}`]);
});

test("a server that does not answer is given up after five seconds", async () => {
  const { crowd, timers } = open(
    ({ signal }) => new Promise((_, failed) => signal?.addEventListener("abort", () => failed(new Error("aborted")))),
  );
  const answer = crowd.offer("v=0");
  timers.advance(5_000);
  expect(await answer).toEqual({ is: "unknown", cause: "closed" });
});

test("an answer that comes after the end is ended at the server", async () => {
  const { promise, resolve } = Promise.withResolvers<Response>();
  const { crowd, lines } = open(({ method }) => (method === "POST" ? promise : new Response()));
  const answer = crowd.offer("v=0");
  crowd.end();
  resolve(new Response("v=0", { status: 201, headers: SDP }));
  await answer;
  expect(lines()).toEqual([`POST ${WHEP}`, "DELETE https://media.example/watches/1"]);
});

/** A spectator for whom the agent has no place. */
async function inCrowd() {
  const play = playAgainstFake("spectator");
  const { machine, meters } = initAnswer(1);
  const nothing = { bandSelects: [], activeBand: null, buttons: [], iceServers: [], webcam: false };
  const data = { machine, meters, ...nothing, crowd: { whep: "https://media.example/nar-07/whep" } };
  play.answers.init = () => done(data);
  await play.settle();
  await play.pass(50);
  return play;
}

test("a spectator without a place at the agent watches at the media server, and the page sends the agent nothing", async () => {
  const play = await inCrowd();
  const [first, second] = play.rtc.made;
  expect([first?.closed, first?.plain, second?.plain]).toEqual([true, false, true]);
  expect(second?.accepted).toEqual(["crowd's answer to offer 2.1"]);
  second?.events.state("connected");
  second?.events.candidate({ candidate: "candidate:1", sdpMid: "0" });
  await play.pass(600);
  expect(play.session.state.getState()).toMatchObject({ live: true });
  // It does not rest on request.
  play.session.media.want({ machine: false });
  await play.pass(10_000);
  expect(play.requests.map(({ method }) => method)).toEqual(["init", "crowd offer"]);
  play.session.leave();
  expect(play.requests.at(-1)).toEqual({ method: "crowd end", data: "https://media.example/nar-07/whep" });
  expect(play.waiting()).toBe(0);
});

test("where the media server fails the agent's place is tried, and the media server again until one of them has room", async () => {
  const play = await inCrowd();
  play.rtc.made[1]?.events.state("connected");
  await play.pass(600);
  play.answers.crowd = () => ({ is: "unknown", cause: "closed" });
  play.answers.offer = () => refused("spectators.full");
  play.rtc.flowing = false;
  for (const { events } of play.rtc.made) events.state("failed");
  const flow = play.rtc.made[1];
  if (flow !== undefined) flow.flowing = false;
  await play.pass(30_000);
  expect(play.session.state.getState().live).toBe(false);
  expect(play.methods("crowd offer").length).toBeGreaterThan(2);
  expect(play.methods("offer").length).toBeGreaterThan(1);
  play.answers.offer = (sdp) => done({ sdp: `answer to ${sdp}`, iceServers: [] });
  play.rtc.flowing = true;
  await play.pass(30_000);
  play.rtc.made.at(-1)?.events.state("connected");
  await play.pass(1_000);
  expect(play.session.state.getState().live).toBe(true);
  expect(play.methods("crowd end")).toHaveLength(1);
  // The offer for the media server had no data channels: the agent gets one that has.
  expect(play.rtc.made.at(-1)?.plain).toBe(false);
  const crowdOffers = play.methods("crowd offer").length;
  await play.pass(10_000);
  expect(play.methods("crowd offer")).toHaveLength(crowdOffers);
});
