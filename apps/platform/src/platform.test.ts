import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { INFO_PAGES } from "@longarm/contract/info-pages";
import { defaultSettings } from "@longarm/contract/settings";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hostRule, originRule } from "./plugins/origins.ts";
import type { TestVenue } from "./testing/test-venue.ts";
import { testVenue } from "./testing/test-venue.ts";

let folder: string;
let venue: TestVenue;
let port: number;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "longarm-web-"));
  await mkdir(join(folder, "web/assets/machines"), { recursive: true });
  await writeFile(join(folder, "secret.txt"), "outside of the web");
  await writeFile(join(folder, "web/.env"), "SECRET=1");
  await writeFile(join(folder, "web/index.html"), "<!doctype html><title>the page</title>");
  await writeFile(join(folder, "web/terms-of-use.html"), "<!doctype html><title>terms</title>");
  await writeFile(join(folder, "web/assets/index-Ab3_x-9z.js"), "export {};");
  await writeFile(join(folder, "web/assets/index-Ab3_x-9z.js.gz"), gzipSync("export {};"));
  await writeFile(join(folder, "web/assets/machines/nar.png"), "png");
  await writeFile(
    join(folder, "Settings.json"),
    '{"currency":"EUR","volume":7,"theme":{"navbar":"dark"},"own":{"kept":1}}',
  );
  venue = await testVenue({
    env: {
      WEB_FOLDER: join(folder, "web"),
      SETTINGS_FILE: join(folder, "Settings.json"),
      ALLOWED_ORIGINS: "https://play.example.org",
    },
  });
  port = Number(new URL(await venue.platform.listen()).port);
});
afterAll(async () => {
  await venue.close();
  await rm(folder, { recursive: true, force: true });
});

const page = { accept: "text/html,application/xhtml+xml" };

describe("headers", () => {
  test.each(["/", "/v1/validate", "/Settings.json", "/nothing", "/assets/index-Ab3_x-9z.js"])(
    "are strict on %s",
    async (url) => {
      const { headers } = await venue.get(url);
      expect(headers).toMatchObject({
        "x-content-type-options": "nosniff",
        "cross-origin-opener-policy": "same-origin",
        "origin-agent-cluster": "?1",
        "referrer-policy": "no-referrer",
        "permissions-policy": expect.stringContaining("camera=()"),
      });
      const policy = String(headers["content-security-policy"]);
      for (const part of ["script-src 'self';", "object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"])
        expect(policy).toContain(part);
      expect(policy).not.toContain("unsafe");
      expect(headers["strict-transport-security"]).toBeUndefined();
      expect(headers["x-powered-by"]).toBeUndefined();
    },
  );

  test("the own socket address is named, and a hostile Host header cannot write into the policy", async () => {
    const named = await venue.get("/", undefined, { host: "localhost:8443" });
    expect(named.headers["content-security-policy"]).toContain("connect-src 'self' ws://localhost:8443;");
    const hostile = await venue.get("/", undefined, { host: "evil; script-src *" });
    expect(hostile.headers["content-security-policy"]).not.toContain("evil");
  });

  test.each(Object.values(INFO_PAGES))(
    "the info page $path may stand in a frame of ours, and nothing else",
    async ({ path }) => {
      const reply = await venue.get(path);
      expect(reply.headers["content-security-policy"]).toContain("frame-ancestors 'self'");
      expect(reply.headers["content-security-policy"]).toContain("frame-src 'self'");
      expect(reply.headers["x-frame-options"]).toBeUndefined();
      const other = await venue.get(`${path}/x`);
      expect(other.headers["content-security-policy"]).toContain("frame-ancestors 'none'");
    },
  );

  test("over https the browser is told to stay there", async () => {
    const secure = await testVenue({ database: venue.db, env: { PUBLIC_URL: "https://play.example.org" } });
    try {
      const { headers } = await secure.get("/check", undefined, { host: "play.example.org" });
      expect(headers["strict-transport-security"]).toBe("max-age=31536000; includeSubDomains");
      expect(headers["content-security-policy"]).toContain("wss://play.example.org");
    } finally {
      await secure.close(true);
    }
  });
});

describe("the web's files", () => {
  test("a hashed asset is kept for ever, and its compressed copy is used", async () => {
    const reply = await venue.get("/assets/index-Ab3_x-9z.js", undefined, { "accept-encoding": "gzip" });
    expect(reply.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    expect(reply.headers["content-encoding"]).toBe("gzip");
    expect(reply.headers["content-type"]).toContain("javascript");
  });

  test("a picture without a hash is kept for an hour", async () => {
    const reply = await venue.get("/assets/machines/nar.png");
    expect(reply.headers).toMatchObject({ "cache-control": "public, max-age=3600", "content-type": "image/png" });
  });

  test.each(["/", "/lobby", "/game/nar-07/Nar%2007", "/lobby/?brand=nar.html"])("%s is the page", async (url) => {
    const reply = await venue.get(url, undefined, page);
    expect(reply.statusCode).toBe(200);
    expect(reply.body).toContain("the page");
    expect(reply.headers["cache-control"]).toBe("no-cache");
  });

  test.each(["/assets/gone-12345678.js", "/v1/nothing", "/missing.png", "/metrics/x"])("%s is missing", async (url) => {
    const reply = await venue.get(url, undefined, page);
    expect(reply.statusCode).toBe(404);
    expect(reply.json()).toMatchObject({ ErrorMessage: expect.any(String) });
  });

  test("asking for the head alone gets the page's headers, as operators and link previews do", async () => {
    const reply = await venue.app.inject({ method: "HEAD", url: "/login", headers: { accept: "*/*" } });
    expect(reply.statusCode).toBe(200);
    expect(reply.headers["content-security-policy"]).toContain("script-src 'self'");
    expect(reply.body).toBe("");
  });

  test("a call that is no navigation gets no page", async () => {
    expect((await venue.get("/lobby", undefined, { accept: "application/json" })).statusCode).toBe(404);
    expect((await venue.app.inject({ method: "POST", url: "/lobby", headers: page })).statusCode).toBe(404);
  });

  test.each([
    "/../secret.txt",
    "/..%2fsecret.txt",
    "/%2e%2e/secret.txt",
    "/assets/../../secret.txt",
    "/assets/..%2f..%2fsecret.txt",
    "/assets/..\\..\\secret.txt",
    "/assets/%2e%2e%5c%2e%2e%5csecret.txt",
    "//secret.txt",
    "/%00/secret.txt",
    "/%c0%ae%c0%ae/secret.txt",
    "/.env",
    "/web/../.env",
  ])("the raw path %s leads nowhere", async (path) => {
    const { status, body } = await rawGet(path);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(body).not.toContain("outside");
    expect(body).not.toContain("SECRET");
  });

  test.each(["/%ff", "/v1/machine/%c0%ae"])(
    "an address that cannot be read, %s, is refused as everything is",
    async (url) => {
      const reply = await venue.get(url);
      expect(reply.statusCode).toBe(400);
      expect(reply.json()).toEqual({ code: 60031, ErrorMessage: expect.any(String) });
      expect(reply.body).not.toContain("FST_");
    },
  );

  test("the wrong method is told which one is right", async () => {
    const reply = await venue.get("/v1/login");
    expect(reply.statusCode).toBe(405);
    expect(reply.headers["allow"]).toBe("POST");
    expect((await venue.app.inject({ method: "DELETE", url: "/v1/machine/nar" })).headers["allow"]).toContain("GET");
  });
});

/** Without the tidying that an URL class would do. */
function rawGet(path: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    request({ host: "127.0.0.1", port, path, headers: { accept: "*/*" } }, (reply) => {
      let body = "";
      reply.on("data", (part) => {
        body += part;
      });
      reply.on("end", () => resolve({ status: reply.statusCode ?? 0, body }));
    })
      .on("error", reject)
      .end();
  });
}

describe("Settings.json", () => {
  const write = async (text: string, at: number) => {
    await writeFile(join(folder, "Settings.json"), text);
    await utimes(join(folder, "Settings.json"), at, at);
  };

  test("good keys are taken, a bad one is named and has its default, own ones are kept", async () => {
    const reply = await venue.get("/Settings.json");
    expect(reply.headers["cache-control"]).toBe("no-cache");
    expect(reply.json()).toMatchObject({ currency: "EUR", volume: 1, updateLobby: 10, own: { kept: 1 } });
    expect(venue.lines.join("")).toContain('Settings.json: \\"volume\\" is not usable');
  });

  test("own keys nested deeper than can be written do not keep the platform from starting", async () => {
    const deep = `${'{"a":'.repeat(40_000)}1${"}".repeat(40_000)}`;
    const other = await testVenueOfSettings(`{"currency":"EUR","own":${deep}}`);
    try {
      expect((await other.get("/Settings.json")).json()).toEqual({ ...defaultSettings(), currency: "EUR" });
      expect(other.lines.join("")).toContain("keys of your own cannot be served");
    } finally {
      await other.close(true);
    }
  });

  test.each([
    ["garbage", "{{{{"],
    ["nothing", ""],
    ["a list", "[1,2]"],
    ["a number", "7"],
    ["null", "null"],
    ["binary", "\u0000\u0001\u0002"],
    ["a huge file", `{"currency":"${"x".repeat(300_000)}"}`],
  ])("%s gives the defaults and a sentence in the log", async (name, text) => {
    const before = venue.lines.length;
    const other = await testVenueOfSettings(text);
    try {
      expect((await other.get("/Settings.json")).json(), name).toEqual(defaultSettings());
      expect(other.lines.join("")).toContain("Settings.json");
      expect(other.lines.join("")).toMatch(/the defaults? holds?/);
    } finally {
      await other.close(true);
    }
    expect(venue.lines.length).toBeGreaterThanOrEqual(before);
  });

  test("a change is seen, and its hosts are let into the policy", async () => {
    await write('{"apiUrl":"https://api.example.net/v1/","chat":{"provider":"tawk","id":"abc/def"}}', 2_000_000_000);
    const seen = async () => (await venue.get("/")).headers["content-security-policy"];
    await expect.poll(seen, { timeout: 15_000 }).toContain("https://api.example.net");
    expect(await seen()).toMatch(/frame-src 'self' https:\/\/\*\.tawk\.to/);
  });
});

function testVenueOfSettings(text: string): Promise<TestVenue> {
  const file = join(folder, `Settings-${text.length}.json`);
  return writeFile(file, text).then(() => testVenue({ database: venue.db, env: { SETTINGS_FILE: file } }));
}

describe("origins", () => {
  test("a named one may call the API from elsewhere, another may not", async () => {
    const ask = (origin: string) =>
      venue.app.inject({
        method: "OPTIONS",
        url: "/v1/validate",
        headers: { origin, "access-control-request-method": "GET" },
      });
    expect((await ask("https://play.example.org")).headers).toMatchObject({
      "access-control-allow-origin": "https://play.example.org",
      "access-control-allow-headers": "authorization, content-type",
    });
    expect((await ask("https://evil.example")).headers["access-control-allow-origin"]).toBeUndefined();
  });
});

test("who sends a request drop by drop is let go", async () => {
  const slow = ["GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ", "GET /notifications HTTP/1.1\r\nUpgrade: websocket\r\n"].map(
    (text) => {
      const stream = connect(port, "127.0.0.1");
      stream.on("error", () => {});
      stream.write(text);
      return new Promise((gone) => stream.resume().on("close", gone));
    },
  );
  await Promise.all(slow);
});

// attack 12: without PUBLIC_URL a page of any name that was pointed at us (DNS rebinding) was of our own origin.
describe("the names under which the platform answers", () => {
  const refusal = (reply: { json(): unknown; statusCode: number }) => {
    expect(reply.statusCode).toBe(421);
    expect(reply.json()).toMatchObject({ code: 40000, ErrorMessage: expect.stringContaining("PUBLIC_URL") });
  };

  test.each(["rebound.example:8080", "127.0.0.1.rebound.example", "evil@localhost", "localhost.", "192.0.2.7:8080"])(
    "%j is refused for pages, calls and sign-ins, the health is not",
    async (host) => {
      for (const url of ["/", "/check", "/Settings.json", "/v1/player/balance"])
        refusal(await venue.get(url, undefined, { host }));
      refusal(await venue.app.inject({ method: "POST", url: "/v1/login", headers: { host }, payload: {} }));
      for (const url of ["/healthz", "/readyz"])
        expect((await venue.get(url, undefined, { host })).statusCode).toBe(200);
    },
  );

  test.each(["localhost:8080", "LOCALHOST", "127.0.0.1:1", "127.8.9.10", "[::1]:8080"])("%s is ours", async (host) => {
    expect((await venue.get("/check", undefined, { host })).statusCode).toBe(200);
  });

  test("a platform on all addresses answers under each, and under the names that the operator gives, demo or not", async () => {
    for (const DEMO of ["yes", "no"]) {
      const open = await testVenue({
        database: venue.db,
        env: { HOST: "0.0.0.0", DEMO, ALLOWED_ORIGINS: "http://floor.example:8080" },
      });
      try {
        for (const host of ["192.0.2.7:8080", "[2001:db8::7]:8080", "floor.example:8080"])
          expect((await open.get("/check", undefined, { host })).statusCode).toBe(200);
        refusal(await open.get("/check", undefined, { host: "rebound.example:8080" }));
      } finally {
        await open.close(true);
      }
    }
  });

  test("a named platform answers under its name; behind a proxy of ours the proxy decides", async () => {
    const env = { PUBLIC_URL: "https://play.example.org" };
    const named = await testVenue({ database: venue.db, env });
    const proxied = await testVenue({ database: venue.db, env: { ...env, TRUSTED_PROXY_HOPS: "1" } });
    try {
      expect((await named.get("/check", undefined, { host: "play.example.org" })).statusCode).toBe(200);
      refusal(await named.get("/check", undefined, { host: "rebound.example" }));
      expect((await proxied.get("/check", undefined, { host: "backend:8080" })).statusCode).toBe(200);
    } finally {
      await named.close(true);
      await proxied.close(true);
    }
  });

  test("no socket opens for a page of such a name, although its origin is the same", () => {
    const config = { host: "127.0.0.1", publicUrl: null, allowedOrigins: [] };
    const allowed = originRule(config, hostRule(config));
    expect(allowed("http://rebound.example:8080", "rebound.example:8080")).toBe(false);
    expect(allowed("http://localhost:8080", "localhost:8080")).toBe(true);
    expect(allowed("http://localhost:8080", "127.0.0.1:8080")).toBe(false);
  });
});

test("health, readiness and metrics", async () => {
  expect((await venue.get("/healthz")).json()).toEqual({ status: true });
  expect((await venue.get("/readyz")).json()).toEqual({ status: true });
  expect((await venue.get("/metrics")).body).toContain("longarm_sockets_open");
  expect((await venue.get("/metrics", undefined, { "x-forwarded-for": "203.0.113.9" })).statusCode).toBe(404);
});

test.each([
  ["a proxy that says for whom", { "x-forwarded-for": "203.0.113.9" }],
  ["a proxy that says it by the standard", { forwarded: "for=203.0.113.9" }],
  ["a proxy that says it otherwise", { "x-real-ip": "203.0.113.9" }],
  ["a proxy that says only how it was reached", { "x-forwarded-proto": "https" }],
  ["a network in front of it", { "cf-connecting-ip": "203.0.113.9" }],
  ["a proxy that names itself", { via: "1.1 proxy" }],
  ["a proxy that passes on the name it was asked by", { host: "play.example.org" }],
  ["a page whose name was bent to this computer", { host: "rebound.example:8080" }],
])("the metrics are not told to %s", async (_name, headers) => {
  expect((await venue.get("/metrics", undefined, headers)).statusCode).toBe(404);
});

test.each(["127.0.0.1:8080", "localhost:8080", "127.0.0.1"])(
  "the metrics are told on this computer, asked as %s",
  async (host) => {
    expect((await venue.get("/metrics", undefined, { host })).statusCode).toBe(200);
  },
);

test("too many calls from one address, or of one player, are told to wait", async () => {
  const tight = await testVenue({
    database: venue.db,
    env: { CALLS_PER_MINUTE: "10", CALLS_PER_MINUTE_ADDRESS: "40", LOGINS_PER_MINUTE_ADDRESS: "3" },
  });
  try {
    await tight.addPlayer("cansu");
    const token = await tight.signIn("cansu");
    for (let call = 0; call < 10; call += 1)
      expect((await tight.get("/v1/player/balance", token)).statusCode).toBe(200);
    const ofPlayer = await tight.get("/v1/player/balance", token);
    expect(ofPlayer.statusCode).toBe(429);
    expect(ofPlayer.json()).toMatchObject({ code: 60030, Params: { seconds: expect.any(Number) } });
    expect(Number(ofPlayer.headers["retry-after"])).toBeGreaterThan(0);
    expect(await tight.signIn("cansu")).toBeTypeOf("string");
    expect(await tight.signIn("cansu")).toBeTypeOf("string");
    await expect(tight.signIn("cansu")).rejects.toThrow("60030");
    let calls = 0;
    while ((await tight.get("/check")).statusCode === 200) calls += 1;
    expect(calls).toBeLessThan(40);
  } finally {
    await tight.close(true);
  }
});
