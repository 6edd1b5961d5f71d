import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { FakeClock } from "../../testing/fake-clock.ts";
import { fakeClock } from "../../testing/fake-clock.ts";
import { until } from "../testing/real-clock.ts";
import { postOffer, WhipProblem } from "./whip.ts";

/* Attack: a media server, or whatever answers at its address, says what it likes. */

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

let server: Server;
let other: Server;
let clock: FakeClock;
let answer: Answer;
let requests: string[];
let elsewhere: string[];

const SDP = { "content-type": "application/sdp", location: "/session/1" };
const addressOf = (one: Server) => `http://127.0.0.1:${(one.address() as AddressInfo).port}`;
const open = async (receive: Answer): Promise<Server> => {
  const opened = createServer((request, response) => receive(response, request));
  await new Promise<void>((listening) => opened.listen(0, "127.0.0.1", listening));
  return opened;
};
const shut = (one: Server) =>
  new Promise<void>((closed) => {
    one.close(() => closed());
    one.closeAllConnections();
  });

beforeEach(async () => {
  clock = fakeClock();
  requests = [];
  elsewhere = [];
  server = await open((response, request) => {
    requests.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    answer(response, request);
  });
  other = await open((response, request) => {
    elsewhere.push(`${request.headers.authorization}`);
    response.writeHead(201, SDP).end("v=0");
  });
});
afterEach(async () => {
  await Promise.all([shut(server), shut(other)]);
});

const post = (signal = new AbortController().signal) =>
  postOffer({ url: `${addressOf(server)}/whip/m-1`, token: "secret" }, "v=0 offer", { clock, signal });
const refusal = async (posting = post()): Promise<WhipProblem> => {
  const problem = await posting.catch((error: unknown) => error);
  expect(problem).toBeInstanceOf(WhipProblem);
  return problem as WhipProblem;
};

test("brings the offer, and ends the session where the server put it", async () => {
  let body = "";
  answer = (response, request) => {
    request.on("data", (part: Buffer) => {
      body += part.toString();
    });
    request.on("end", () => response.writeHead(201, { ...SDP, location: "../session/1?a=b" }).end("v=0 answer"));
  };
  const session = await post();
  expect(session).toMatchObject({ sdp: "v=0 answer", address: "127.0.0.1" });
  expect(body).toBe("v=0 offer");
  answer = (response) => response.writeHead(404).end();
  await session.end();
  expect(requests).toEqual(["POST /whip/m-1 Bearer secret", "DELETE /session/1?a=b Bearer secret"]);
});

test.each<[string, Answer, RegExp]>([
  ["a redirect", (response) => response.writeHead(307, { location: addressOf(other) }).end(), /redirects/],
  [
    "a session elsewhere",
    (response) => response.writeHead(201, { ...SDP, location: addressOf(other) }).end("v=0"),
    /another address/,
  ],
  [
    "a session that is no address",
    (response) => response.writeHead(201, { ...SDP, location: "http://[" }).end("v=0"),
    /another address/,
  ],
  [
    "a session on a file",
    (response) => response.writeHead(201, { ...SDP, location: "file:///etc/passwd" }).end("v=0"),
    /another address/,
  ],
  ["no session", (response) => response.writeHead(201, { "content-type": "application/sdp" }).end("v=0"), /no session/],
  [
    "an endless name",
    (response) => response.writeHead(201, { ...SDP, location: `/${"x".repeat(4_000)}` }).end("v=0"),
    /no session/,
  ],
  ["a page", (response) => response.writeHead(201, { ...SDP, "content-type": "text/html" }).end("<html>"), /no SDP/],
  ["200", (response) => response.writeHead(200, SDP).end("v=0"), /status 200/],
  ["a wrong token", (response) => response.writeHead(401).end(), /refuses the token/],
  ["too much", (response) => response.writeHead(201, SDP).end("x".repeat(17_000)), /too long/],
  ["an answer without end", (response) => void endless(response.writeHead(201, SDP)), /too long/],
  [
    "half an answer",
    (response) => void response.writeHead(201, { ...SDP, "content-length": 99 }).write("v=0", () => response.destroy()),
    /breaks|cannot be reached/,
  ],
  ["a closed connection", (response) => response.destroy(), /cannot be reached \(ECONNRESET\)/],
  ["no HTTP", (response) => void response.socket?.end("SSH-2.0-OpenSSH\r\n\r\n"), /cannot be reached \(HPE_/],
  [
    "headers without end",
    (response) => void response.socket?.end(`HTTP/1.1 201 x\r\n${`a: ${"b".repeat(100)}\r\n`.repeat(400)}\r\n`),
    /cannot be reached \(HPE_HEADER_OVERFLOW\)/,
  ],
])("%s is a refusal, and the token goes nowhere else", async (_what, given, sentence) => {
  answer = given;
  expect((await refusal()).message).toMatch(sentence);
  expect(elsewhere).toEqual([]);
});

function endless(response: ServerResponse): void {
  const write = (): void => void (response.destroyed || response.write("x".repeat(1_000), () => setImmediate(write)));
  response.on("error", () => undefined);
  write();
}

test.each<[string, Answer]>([
  ["nothing", () => undefined],
  ["half a head", (response) => void response.socket?.write("HTTP/1.1 201 Created\r\n")],
  ["a body that never ends", (response) => void response.writeHead(201, SDP).write("v=0")],
])("a server that sends %s is given up after ten seconds", async (_what, given) => {
  answer = given;
  const refused = refusal();
  await until("it has the offer", () => requests.length === 1);
  clock.advance(10_000);
  expect((await refused).message).toMatch(/does not answer/);
});

test("a busy server may put us off for five minutes at most", async () => {
  answer = (response) => response.writeHead(503, { "retry-after": "20" }).end();
  expect(await refusal()).toMatchObject({ retryAfterMs: 20_000 });
  answer = (response) => response.writeHead(503, { "retry-after": "999999" }).end();
  expect(await refusal()).toMatchObject({ retryAfterMs: 300_000 });
  answer = (response) => response.writeHead(503, { "retry-after": "Wed, 21 Oct 2035 07:28:00 GMT" }).end();
  expect(await refusal()).toMatchObject({ retryAfterMs: 0 });
});

test("an offer that is not wanted any more is taken back", async () => {
  answer = () => undefined;
  const stop = new AbortController();
  const refused = refusal(post(stop.signal));
  await until("it has the offer", () => requests.length === 1);
  stop.abort();
  await refused;
});

test("a server that does not let go delays our end by two seconds", async () => {
  answer = (response) => response.writeHead(201, SDP).end("v=0");
  const session = await post();
  answer = () => undefined;
  const ended = session.end();
  await until("it is to end", () => requests.length === 2);
  clock.advance(2_000);
  await ended;
});
