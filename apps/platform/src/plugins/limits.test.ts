import type { Call } from "@longarm/contract/call";
import { CLIP_PART_PATH, clipCalls } from "@longarm/contract/clips";
import { AGENT_STILL_PATH, calls } from "@longarm/contract/http";
import { breakCalls } from "@longarm/contract/player-breaks";
import { letterCalls } from "@longarm/contract/player-care";
import { disputeCalls } from "@longarm/contract/player-disputes";
import { identityCalls } from "@longarm/contract/player-identity";
import { keyCalls } from "@longarm/contract/player-keys";
import { limitCalls as playerLimitCalls } from "@longarm/contract/player-limits";
import { OPENID_LOGOUT_PATH, openIdCalls } from "@longarm/contract/player-openid";
import { paymentCalls } from "@longarm/contract/player-payments";
import { pushCalls } from "@longarm/contract/player-push";
import { queueCalls } from "@longarm/contract/player-queue";
import { recordCalls } from "@longarm/contract/player-record";
import { termsCalls } from "@longarm/contract/player-terms";
import { AGENT_CLIP_PART_PATH, AGENT_CLIP_PATH } from "@longarm/contract/recording";
import { servedTemplateCalls } from "@longarm/contract/template/template-api";
import { WHEP_PATH, WHEP_WATCH_PATH } from "@longarm/contract/whep";
import type { FastifyReply, FastifyRequest } from "fastify";
import { fastify } from "fastify";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import type { PlayVenue } from "../testing/play-venue.ts";
import { playVenue } from "../testing/play-venue.ts";
import { PASSWORD } from "../testing/test-venue.ts";
import { callLimit, limitCalls } from "./limits.ts";

const MAX = 10;
let venue: PlayVenue;
beforeAll(async () => {
  const env = { CALLS_PER_MINUTE_ADDRESS: "10", CALLS_PER_MINUTE: "10", LOGINS_PER_MINUTE_ADDRESS: "10000" };
  venue = await playVenue({ env: { ...env, TRUSTED_PROXY_HOPS: "1", TEAM_CHAT: "yes" } });
});
afterAll(() => venue.end());

const protectionCalls = {
  ...{
    ...breakCalls,
    ...playerLimitCalls,
    ...identityCalls,
    ...recordCalls,
    ...termsCalls,
    ...letterCalls,
    ...disputeCalls,
    ...paymentCalls,
    ...clipCalls,
    ...keyCalls,
    ...openIdCalls,
  },
  ...queueCalls,
  ...pushCalls,
};
const ofContract = [
  ...Object.values<Call>({ ...calls, ...protectionCalls }).map((call) => ({
    ...call,
    path: `/v1/${call.path}`.replace("/v1/../", "/"),
  })),
  ...Object.values<Call>(servedTemplateCalls).map((call) => ({ ...call, path: `/${call.path}` })),
].map(({ method, path, open }) => ({
  method: method as "GET",
  url: path.replace("{brandId}", "nar").replace("{id}", "7").replace("{number}", "7"),
  open,
}));
const others = [
  { method: "GET", url: "/v1/machine/nar-01/still" },
  { method: "PUT", url: `/${AGENT_STILL_PATH.replace("{id}", "nar-01")}` },
  { method: "GET", url: `/v1/${CLIP_PART_PATH.replace("{id}", "7").replace("{name}", "0000001.mp4")}` },
  { method: "PUT", url: `/${AGENT_CLIP_PATH.replace("{id}", "7")}` },
  { method: "PUT", url: `/${AGENT_CLIP_PART_PATH.replace("{id}", "7").replace("{name}", "0000001.mp4")}` },
  ...["/healthz", "/readyz", "/metrics", "/Settings.json", "/", "/assets/none.js", "/nothing/here"].map((url) => ({
    method: "GET",
    url,
  })),
  { method: "POST", url: `/${OPENID_LOGOUT_PATH}` },
  ...[WHEP_PATH, WHEP_WATCH_PATH].flatMap((path) =>
    ["GET", "PUT", "POST", "PATCH", "DELETE", "OPTIONS"].map((method) => ({
      method,
      url: path.replace("{machine}", "nar-01").replace("{watch}", "wv_7"),
    })),
  ),
  ...["POST", "PUT", "DELETE", "OPTIONS", "HEAD"].map((method) => ({ method, url: "/v1/login/nothing" })),
] as { method: "GET"; url: string }[];
const everything = [...ofContract, ...others];

/** The server's routes, as it tells them itself: the path, and its methods in brackets. */
function routesOf(text: string): string[] {
  const parts: string[] = [];
  const found: string[] = [];
  for (const line of text.split("\n")) {
    const [, indent = "", path = "", methods] = /^([│ ├└─]*)(\S*?)(?: \(([^)]*)\))?$/.exec(line) ?? [];
    const depth = indent.length / 4;
    parts.length = Math.max(0, depth - 1);
    parts.push(path);
    for (const method of methods?.split(", ") ?? []) if (method !== "HEAD") found.push(`${method} ${parts.join("")}`);
  }
  return found;
}

test("the table names every route of the server", () => {
  const plain = ({ method, url }: { method: string; url: string }): string => `${method} ${url}`;
  const named = new Set(everything.map(plain));
  const own = routesOf(venue.app.printRoutes({ commonPrefix: false })).map((route) =>
    route
      .replace(/(:brandId\|)?:id\/still/, "nar-01/still")
      .replace(/:brandId(\|:id)?/, "nar")
      .replace("whep/:machine", "whep/nar-01")
      .replace("nar-01/:watch", "nar-01/wv_7")
      .replace("clips/:id", "clips/7")
      .replace("parts/:name", "parts/0000001.mp4")
      .replace("sessions/:id", "sessions/7")
      .replace("games/:id", "games/7")
      .replace("disputes/:id", "disputes/7")
      .replace("passkeys/:id", "passkeys/7")
      .replace("sign-ins/:id", "sign-ins/7")
      .replace("terms/:number", "terms/7")
      .replace("/*", "/"),
  );
  expect(own.length).toBeGreaterThan(15);
  expect(own.filter((route) => !named.has(route))).toEqual([]);
});

let address = 0;
test.each(everything)(
  "$method $url is refused to an address that calls too often, and to nobody else",
  async ({ method, url }) => {
    address += 1;
    const ask = (from: string) => venue.app.inject({ method, url, headers: { "x-forwarded-for": from } });
    const from = `198.51.100.${address}`;
    for (let count = 0; count < MAX; count += 1) expect((await ask(from)).statusCode).not.toBe(429);
    const reply = await ask(from);
    expect(reply.statusCode).toBe(429);
    expect(Number(reply.headers["retry-after"])).toBeGreaterThan(0);
    expect(reply.headers["x-content-type-options"]).toBe("nosniff");
    if (method !== ("HEAD" as string)) expect(reply.json()).toMatchObject({ code: 60030 });
    expect((await ask(`203.0.113.${address}`)).statusCode).not.toBe(429);
  },
);

test.each(ofContract.filter(({ open }) => !open))(
  "$method $url is refused to a player who calls too often, from wherever",
  async ({ method, url }) => {
    address += 1;
    await venue.addPlayer(`busy-${address}`);
    const opened = await venue.app.inject({
      method: "POST",
      url: "/v1/login",
      headers: { "x-forwarded-for": `192.0.${address}.200` },
      payload: { username: `busy-${address}`, password: PASSWORD, site_id: 2011 },
    });
    const { token } = opened.json() as { token: string };
    // What ends or bars the sign-in itself is counted like every other call: a balance uses up what there is.
    const ask = (nth: number, path = url, how = method) =>
      venue.app.inject({
        method: how,
        url: path,
        headers: { authorization: `Bearer ${token}`, "x-forwarded-for": `192.0.${address}.${nth}` },
      });
    for (let count = 0; count < MAX; count += 1)
      expect((await ask(count, "/v1/player/balance", "GET")).statusCode).toBe(200);
    expect((await ask(MAX + 1)).json()).toMatchObject({ code: 60030 });
  },
);

/** A limit with nothing around it. Counts a call of somebody: seconds until they may call again, or undefined: they may now. */
async function limitAlone(most: number, windowMs?: number): Promise<(who: string) => Promise<number | undefined>> {
  const app = fastify();
  onTestFinished(() => app.close());
  await limitCalls(app, most);
  const limit = callLimit(app, most, ({ id }) => id, windowMs);
  return async (who) => {
    const told = new Map<string, string>();
    const reply = {
      header: (name: string, value: string) => told.set(name, value) && reply,
      code: () => reply,
      send: () => reply,
    };
    const request = { id: who, routeOptions: { config: {} } };
    const refused = await limit(request as FastifyRequest, reply as unknown as FastifyReply);
    return refused && Number(told.get("retry-after"));
  };
}

test("a limit remembers whom it has counted while thousands of others come", async () => {
  const count = await limitAlone(1);
  expect(await count("first")).toBeUndefined();
  for (let other = 0; other < 10_000; other += 1) expect(await count(`${other}`)).toBeUndefined();
  expect(await count("first")).toBeGreaterThan(0);
});

test("a while begins with its first call and ends, however often it was passed", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const later = (ms: number) => vi.advanceTimersByTime(ms);
  const count = await limitAlone(2, 10_000);
  const thrice = async () => [await count("one"), await count("one"), await count("one")];
  expect(await thrice()).toEqual([undefined, undefined, 10]);
  later(9_500);
  expect([await count("one"), await count("other")]).toEqual([1, undefined]);
  later(500);
  expect(await thrice()).toEqual([undefined, undefined, 10]);
});

test("of calls that come at once as many pass as of calls that come one after the other", async () => {
  const count = await limitAlone(2, 10_000);
  expect(await Promise.all([count("one"), count("one"), count("one")])).toEqual([undefined, undefined, 10]);
});

test("what a limit remembers has a bound: who was silent longest is forgotten", async () => {
  const count = await limitAlone(1);
  for (let caller = 0; caller < 20_000; caller += 1) expect(await count(`${caller}`)).toBeUndefined();
  expect(await count("0")).toBeGreaterThan(0);
  expect(await count("one more")).toBeUndefined();
  expect(await count("0")).toBeGreaterThan(0);
  expect(await count("2")).toBeGreaterThan(0);
  expect(await count("1")).toBeUndefined();
});
