import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestVenue } from "../test-venue.ts";
import { testVenue } from "../test-venue.ts";

let venue: TestVenue;
let portNumber: number;
beforeAll(async () => {
  venue = await testVenue();
  portNumber = Number(new URL(await venue.platform.listen()).port);
});
afterAll(() => venue.close());

/** Sends bytes as they are; answers all that comes until the platform ends the connection. */
function send(bytes: string): Promise<string> {
  return new Promise((ended) => {
    let answer = "";
    const stream = connect(portNumber, "127.0.0.1");
    stream.on("data", (part) => {
      answer += String(part);
    });
    stream.on("error", () => {});
    stream.on("close", () => ended(answer));
    stream.end(bytes);
  });
}

const head = (first: string, ...lines: string[]) =>
  `${[first, "host: localhost", "connection: close", ...lines].join("\r\n")}\r\n\r\n`;
const body = '{"username":"a","password":"b","site_id":1}';

test.each([
  ["no HTTP", "hello\r\n\r\n"],
  ["TLS where there is none", "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003"],
  ["two lengths", head("POST /v1/login HTTP/1.1", "content-length: 5", "content-length: 6") + body],
  [
    "a length and chunks: smuggling",
    `${head("POST /v1/login HTTP/1.1", "content-length: 5", "transfer-encoding: chunked")}0\r\n\r\n${body}`,
  ],
  ["chunks of a strange kind", `${head("POST /v1/login HTTP/1.1", "transfer-encoding: xchunked")}0\r\n\r\n`],
  ["a header within a header", head("GET /check HTTP/1.1", "x: a\rset-cookie: b")],
  ["a head too large", head("GET /check HTTP/1.1", `x: ${"y".repeat(40_000)}`)],
  ["an address too long", head(`GET /${"y".repeat(40_000)} HTTP/1.1`)],
  ["a negative length", head("POST /v1/login HTTP/1.1", "content-length: -1") + body],
  ["a length beyond numbers", head("POST /v1/login HTTP/1.1", "content-length: 99999999999999999999") + body],
  ["no host", "GET /check HTTP/1.1\r\n\r\n"],
  ["TRACE", head("TRACE / HTTP/1.1")],
  ["CONNECT", head("CONNECT evil.example:443 HTTP/1.1")],
])("%s is refused, and the platform goes on", async (_name, bytes) => {
  const answer = await send(bytes);
  if (answer !== "") expect(answer).toMatch(/^HTTP\/1\.1 (4\d\d|501) /);
  expect(answer).not.toMatch(/\bat .+:\d+:\d+|node:internal|\.ts\b/);
  expect((await venue.get("/healthz")).statusCode).toBe(200);
});

test.each([
  ["out of the folder", "GET /../../../etc/passwd HTTP/1.1"],
  ["out of it in disguise", "GET /..%2f..%2f..%2fetc%2fpasswd HTTP/1.1"],
  ["out of it twice in disguise", "GET /%252e%252e/%252e%252e/etc/passwd HTTP/1.1"],
  ["by backslashes", "GET /..\\..\\etc\\passwd HTTP/1.1"],
  ["to a whole address", "GET http://evil.example/etc/passwd HTTP/1.1"],
  ["to the repository's own folder", "GET /.git/config HTTP/1.1"],
  ["with a zero", "GET /index.html%00.png HTTP/1.1"],
  ["with half a letter", "GET /%c3%28 HTTP/1.1"],
  ["with a broken escape", "GET /%zz HTTP/1.1"],
])("a path %s opens no file", async (_name, first) => {
  const answer = await send(head(first));
  expect(answer).toMatch(/^HTTP\/1\.1 (200|3\d\d|4\d\d) /);
  expect(answer).not.toMatch(/root:|\[core\]|\bat .+:\d+:\d+|^location: /m);
});

test("a request within a body is not a second request", async () => {
  const inner = head("GET /check HTTP/1.1");
  const answer = await send(
    head("POST /v1/login HTTP/1.1", "content-type: application/json", `content-length: ${inner.length}`) + inner,
  );
  expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
});

// attack 11: the offer of an upgrade that we do not speak was answered 404.
describe("an offer of another protocol is answered as plain HTTP/1.1", () => {
  const offer = (first: string, protocol: string, ...lines: string[]) =>
    `${[first, "host: localhost", "connection: Upgrade, HTTP2-Settings", `upgrade: ${protocol}`, "http2-settings: AAMAAABkAAQAAP__", ...lines].join("\r\n")}\r\n\r\n`;

  test.each(["h2c", "h2c, websocket", "TLS/1.0", "foo", "websocket, foo"])("%s", async (protocol) => {
    const answer = await send(offer("GET /check HTTP/1.1", protocol));
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toContain('"code":20000');
    expect(answer.toLowerCase()).not.toMatch(/^upgrade:/m);
  });

  test("its body stays a body, and the connection ends with its answer", async () => {
    const inner = head("GET /hidden-request HTTP/1.1");
    const answer = await send(
      offer("POST /v1/login HTTP/1.1", "h2c", "content-type: application/json", `content-length: ${inner.length}`) +
        inner +
        head("GET /behind-it HTTP/1.1"),
    );
    expect(answer.match(/HTTP\/1\.1 \d\d\d/g)).toEqual(["HTTP/1.1 400"]);
    expect(answer.toLowerCase()).toContain("\r\nconnection: close\r\n");
    expect(venue.lines.join("")).not.toMatch(/hidden-request|behind-it/);
  });

  test("a preface of HTTP/2 after it is no request", async () => {
    const answer = await send(`${offer("GET /check HTTP/1.1", "h2c")}PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`);
    expect(answer.match(/HTTP\/1\.1 \d\d\d/g)?.[0]).toBe("HTTP/1.1 200");
    expect((await venue.get("/healthz")).statusCode).toBe(200);
  });

  /** With these alone the offer is taken. */
  const HANDSHAKE = [
    "sec-websocket-version: 13",
    "sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==",
    "sec-websocket-protocol: protoo",
  ];

  test("a WebSocket offer with a body is plain HTTP, and its body is never the next request", async () => {
    const inner = head("GET /hidden-request HTTP/1.1");
    const answer = await send(
      offer("GET /notifications?token=none HTTP/1.1", "websocket", ...HANDSHAKE, `content-length: ${inner.length}`) +
        inner,
    );
    expect(answer.match(/HTTP\/1\.1 \d\d\d/g)).toHaveLength(1);
    expect(answer).not.toMatch(/^HTTP\/1\.1 101/);
    expect(venue.lines.join("")).not.toContain("hidden-request");
  });
});
