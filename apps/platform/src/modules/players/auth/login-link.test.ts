import { INTEGRATION_SCOPES } from "@longarm/contract/integration";
import type { Answer, IntegrationKey } from "@longarm/link/integration-client";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addSystem, nonce, signedCall, systemClient } from "../../../testing/signed-call.ts";
import type { TestVenue } from "../../../testing/test-venue.ts";
import { testVenue } from "../../../testing/test-venue.ts";
import { removeIntegration } from "../../integrations/keys/index.ts";

/* The code that signs a player in in place of a token in the address (14.2.1): once, soon, for one player, perhaps from one address. */

const OVER = 60059;
let venue: TestVenue;
let other: TestVenue;
let key: IntegrationKey;
beforeAll(async () => {
  const env = { INTEGRATION_PORT: "0", LOGINS_PER_MINUTE_ADDRESS: "1000" };
  venue = await testVenue({ env });
  other = await testVenue({ env, database: venue.db, sharedBus: venue.bus });
  key = await addSystem(venue, "site");
  for (const username of ["deniz.aydin", "elif.kaya"]) await addPlayer(username);
});
afterAll(async () => {
  await other.close(true);
  await venue.close();
});

const addPlayer = (username: string) =>
  signedCall(venue, key, ["players", { externalId: username, username }]).then(({ status }) =>
    expect(status).toBe(200),
  );

async function codeFor(externalId: string, body: { address?: string } = {}, as = key): Promise<string> {
  const client = await systemClient(venue, as);
  const made: Answer<"loginLink"> = await client.call("loginLink", { externalId, body, key: nonce() });
  if (made.is === "refused") throw new Error(made.problem.problem);
  return made.answer.code;
}

const use = (code: string, { app }: Pick<TestVenue, "app"> = venue) =>
  app.inject({ method: "POST", url: "/v1/login/link", payload: { code, site_id: 2011 } });
const codeOf = async (used: ReturnType<typeof use>): Promise<unknown> => (await used).json().code;

test("signs its player in, and is refused a second time", async () => {
  const code = await codeFor("deniz.aydin");
  const reply = await use(code);
  expect(reply.headers["cache-control"]).toBe("no-store");
  const { token } = reply.json();
  expect((await venue.get("/v1/validate", token)).statusCode).toBe(200);
  const claims = JSON.parse(Buffer.from(token.split(".")[1], "base64url").toString("utf8"));
  expect(claims.username).toBe("deniz.aydin");
  expect((await venue.get("/v1/player/sign-ins", token)).json().signIns).toMatchObject([{ how: "link", isThis: true }]);
  expect(await codeOf(use(code))).toBe(OVER);
  expect(await codeOf(use(code, other))).toBe(OVER);
});

test("at once on two nodes signs in once", async () => {
  const code = await codeFor("deniz.aydin");
  const used = await Promise.all(Array.from({ length: 20 }, (_, at) => use(code, at % 2 === 0 ? venue : other)));
  expect(used.map(({ statusCode }) => statusCode).sort()).toEqual([200, ...Array<number>(19).fill(400)]);
});

describe("is over", () => {
  test("after its minute", async () => {
    const code = await codeFor("deniz.aydin");
    const { rows } = await sql<{ seconds: number }>`
      select extract(epoch from expires_at - clock_timestamp())::float8 as seconds from login_link`.execute(
      venue.db.kysely,
    );
    expect(rows[0]?.seconds).toBeLessThanOrEqual(60);
    await sql`update login_link set expires_at = clock_timestamp()`.execute(venue.db.kysely);
    expect(await codeOf(use(code))).toBe(OVER);
  });

  test("with a newer one, also of the same idempotency key, and of no other player", async () => {
    const [hers, first] = [await codeFor("elif.kaya"), await codeFor("deniz.aydin")];
    const again = { idempotencyKey: "the-same-key" };
    const path = "players/deniz.aydin/login-links";
    const [second, third] = [
      await signedCall(venue, key, [path, {}], again),
      await signedCall(venue, key, [path, {}], again),
    ];
    expect(third.headers["idempotency-replayed"]).toBeUndefined();
    for (const old of [first, String(second.body["code"])]) expect(await codeOf(use(old))).toBe(OVER);
    expect((await use(String(third.body["code"]))).statusCode).toBe(200);
    expect((await use(hers)).json().token).toBeDefined();
  });

  test("elsewhere than at its address, and for good", async () => {
    const code = await codeFor("deniz.aydin", { address: "203.0.113.7" });
    expect(await codeOf(use(code))).toBe(OVER);
    await sql`update login_link set network = '127.0.0.1'`.execute(venue.db.kysely);
    expect(await codeOf(use(code))).toBe(OVER);
    expect((await use(await codeFor("deniz.aydin", { address: "::ffff:127.0.0.1" }))).statusCode).toBe(200);
  });

  test("when its player is banned, and when its system is removed", async () => {
    await addPlayer("banned.one");
    const code = await codeFor("banned.one");
    await venue.db.kysely
      .withTables<{ player: { username: string; banned_at: Date | null } }>()
      .updateTable("player")
      .set({ banned_at: new Date() })
      .where("username", "=", "banned.one")
      .execute();
    expect((await use(code)).statusCode).toBe(403);
    await expect(codeFor("banned.one")).rejects.toThrow("player.banned");
    const gone = await addSystem(venue, "gone");
    await signedCall(venue, gone, ["players", { externalId: "x", username: "of.gone" }]);
    const late = await codeFor("x", {}, gone);
    await removeIntegration(venue.db.kysely, "gone");
    expect(await codeOf(use(late))).toBe(OVER);
  });
});

describe("is made", () => {
  test("for a system's own players alone, by one that may", async () => {
    const others = await addSystem(venue, "others");
    await expect(codeFor("deniz.aydin", {}, others)).rejects.toThrow("player.unknown");
    const scopes = Object.keys(INTEGRATION_SCOPES).filter((one) => one !== "players.sign-in");
    const small = await addSystem(venue, "small", scopes as never);
    await signedCall(venue, small, ["players", { externalId: "y", username: "of.small" }]);
    await expect(codeFor("y", {}, small)).rejects.toThrow("scope.missing");
    await expect(codeFor("deniz.aydin", { address: "here" })).rejects.toThrow("request.invalid");
  });

  test("so that neither database nor log has it", async () => {
    const code = await codeFor("deniz.aydin");
    const { rows } = await sql<{
      found: boolean;
    }>`select exists (select from login_link where login_link::text like ${`%${code}%`})
      or exists (select from integration_answer where answer like ${`%${code}%`})
      or exists (select from audit.entries e where e::text like ${`%${code}%`}) as found`.execute(venue.db.kysely);
    expect(rows[0]?.found).toBe(false);
    await use(code);
    expect(venue.lines.filter((line) => line.includes(code))).toEqual([]);
  });
});

test("guesses are refused alike, written down, and soon too many", async () => {
  const narrow = await testVenue({ env: { LOGINS_PER_MINUTE_ADDRESS: "5" }, database: venue.db, sharedBus: venue.bus });
  try {
    const guess = (at: number) => use(String(at).padStart(43, "A"), narrow);
    for (let at = 0; at < 5; at += 1) expect(await codeOf(guess(at))).toBe(OVER);
    expect((await guess(6)).statusCode).toBe(429);
    for (const code of ["", "A".repeat(42), `${"A".repeat(42)}!`, "A".repeat(2_000)])
      expect((await use(code, venue)).statusCode).toBeGreaterThanOrEqual(400);
  } finally {
    await narrow.close(true);
  }
  const { rows } = await sql<{
    times: number;
  }>`select sum(times)::int as times from sign_in_burst where problem = 'link.over'`.execute(venue.db.kysely);
  expect(rows[0]?.times).toBeGreaterThanOrEqual(5);
});
