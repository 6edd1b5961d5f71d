import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLog } from "../../../log.ts";
import { manualClock } from "../../../testing/manual-clock.ts";
import type { TestVenue } from "../../../testing/test-venue.ts";
import { testVenue } from "../../../testing/test-venue.ts";
import type { AuthTables } from "./tables.ts";
import { createLiveCallers, watchLive } from "./upkeep.ts";

let venue: TestVenue;
beforeAll(async () => {
  venue = await testVenue();
});
afterAll(() => venue.close());

test("what ended without a word on the bus is found, each with its reason, and the others stay", async () => {
  const clock = manualClock();
  const live = createLiveCallers();
  const log = createLog({ logLevel: "silent", logFormat: "json" });
  const stop = watchLive({ db: venue.db.kysely.withTables<AuthTables>(), live, clock, log });
  const told: Record<string, string> = {};
  const jtis: Record<string, string> = {};
  for (const name of ["stays", "ended", "expired", "banned", "gone"]) {
    const playerId = await venue.addPlayer(`player-${name}`);
    const token = await venue.signIn(`player-${name}`);
    const { jti } = JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString()) as { jti: string };
    jtis[name] = jti;
    live.add({ is: "caller", playerId, jti, expiresAtMs: 0, locked: false }, (reason) => {
      told[name] = reason;
    });
  }
  const db = venue.db.kysely;
  await sql`update auth_session set ended_at = now(), ended_reason = 'test' where jti = ${jtis["ended"]}`.execute(db);
  await sql`update auth_session set expires_at = now() where jti = ${jtis["expired"]}`.execute(db);
  await sql`update player set banned_at = now() where username_key = 'player-banned'`.execute(db);
  await sql`delete from auth_session where jti = ${jtis["gone"]}`.execute(db);
  clock.advance(10_000);
  const over = { ended: "bad token", expired: "bad token", gone: "bad token", banned: "banned" };
  await expect.poll(() => told).toEqual(over);
  expect(live.all().map(({ jti }) => jti)).toEqual([jtis["stays"]]);
  stop();
});
