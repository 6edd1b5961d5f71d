import { openDatabase } from "@longarm/database/connection";
import { silentLog } from "@longarm/database/log";
import { migrate } from "@longarm/database/migrations";
import { prepareOwnRole } from "@longarm/database/own-role";
import { testDatabase } from "@longarm/database/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { platformGrants, platformMigrations } from "./migration-sets.ts";
import { linkWaiting, verifyChain } from "./modules/records/audit/index.ts";
import { playVenue } from "./testing/play-venue.ts";

/* The platform as the role that it runs as: it owns nothing. */

let owner: Awaited<ReturnType<typeof testDatabase<unknown>>>;
let own: ReturnType<typeof openDatabase<unknown>>;
let url: string;
beforeAll(async () => {
  owner = await testDatabase<unknown>({ migrations: platformMigrations });
  const order = { owner: owner.pool, ownerUrl: owner.url, grants: platformGrants, log: silentLog };
  url = await prepareOwnRole(order);
  // Another node, and the next start, come to the same.
  expect(await prepareOwnRole(order)).toBe(url);
  own = openDatabase<unknown>({ url, maxConnections: 8, log: silentLog });
});
afterAll(async () => {
  await own.close();
  await owner.drop();
});

const NO_RIGHT = { code: "42501" };
const run = (text: string) => sql.raw(text).execute(own.kysely);

describe("the platform's own role", () => {
  test("plays, pays and links the audit log: everything that a running platform does", async () => {
    const database = { ...owner, kysely: own.kysely, pool: own.pool, url };
    const venue = await playVenue({ database, env: { STAFF_PORT: "0" } });
    const { machine, agent } = await venue.machine("role-01");
    const player = await venue.player("role.player", 5_000);
    const page = await venue.page(player.token, "role-01");
    await page.init();
    expect(await page.peer.request("cashIn", { id: "role-in-1", amount: 2_000 })).toMatchObject({ is: "done" });
    machine.play(300);
    await agent.pump();
    expect(await page.peer.request("cashOut", { id: "role-out-1" })).toMatchObject({ is: "done" });
    await page.peer.request("leave", {});
    await venue.inState("role-01", "free");
    const correction = {
      id: "fix-1",
      transferId: "deposit-role.player",
      amountMinor: 1,
      reason: "one",
      actor: "staff:eva",
    };
    expect(await venue.ledger.correct(correction)).toMatchObject({ is: "done" });
    await linkWaiting(own.kysely, 10_000);
    expect((await verifyChain(own.kysely, [])).breaches).toEqual([]);
    await venue.end(true);
  });

  test.each([
    "update ledger.transfers set amount_minor = 1",
    "delete from ledger.transfers",
    "truncate ledger.postings cascade",
    "update ledger.postings set balance_minor = 0",
    "delete from ledger.accounts",
    "delete from ledger.holds",
    "alter table ledger.transfers disable trigger all",
    "drop trigger accounts_guard on ledger.accounts",
    "alter table ledger.accounts drop constraint player_not_below_zero",
    "create or replace function ledger.refuse() returns trigger language plpgsql as 'begin return new; end'",
    "update audit.entries set actor = 'staff:somebody'",
    "delete from audit.entries",
    "truncate audit.links",
    "update audit.links set hash = sha256('')",
    "alter table audit.entries disable trigger all",
    "set session_replication_role = replica",
    "alter table approval disable trigger approval_is_kept",
    "delete from approval",
    "update receipt set amount = 1",
    "delete from slip",
    "update player_limit set value = null",
    "update player_limit_answer set answer = 'yes'",
    "update schema_migration set sha256 = ''",
    "create table ledger.mine (id int)",
    "create function public.mine() returns int language sql as 'select 1'",
    "create temporary table mine (id int)",
    `do $x$ begin
      create temp table t (i int);
      create function pg_temp.f() returns trigger language plpgsql as
        'begin update ledger.accounts set balance_minor = 999999999 where address = ''player:p_x''; return new; end';
      create trigger t before insert on t for each row execute function pg_temp.f();
      insert into t values (1);
    end $x$`,
    "create role another superuser",
    "alter role longarm superuser",
  ])("may not: %s", async (text) => {
    await expect(run(text)).rejects.toMatchObject(NO_RIGHT);
  });

  test("cannot move the money of an account beside a transfer, although it may update its row", async () => {
    await expect(run("update ledger.accounts set balance_minor = balance_minor + 1")).rejects.toThrow(
      /only by transfers/,
    );
  });
});

test("a user who may make no roles runs as it is", async () => {
  const restricted = openDatabase<unknown>({ url, maxConnections: 1, log: silentLog });
  const order = { owner: restricted.pool, ownerUrl: url, grants: platformGrants, log: silentLog };
  expect(await prepareOwnRole(order)).toBe(url);
  await restricted.close();
});

test("an owner who may make roles and is no superuser makes it, and starts with it again", async () => {
  const whole = await testDatabase<unknown>();
  const address = new URL(whole.url);
  const database = address.pathname.slice(1);
  const name = `owner_of_${database}`;
  await sql.raw(`create role ${name} login createrole password 'owner'`).execute(whole.kysely);
  await sql.raw(`alter database ${database} owner to ${name}`).execute(whole.kysely);
  address.username = name;
  address.password = "owner";
  const floor = openDatabase<unknown>({ url: address.href, maxConnections: 2, log: silentLog });
  await migrate({ pool: floor.pool, sets: platformMigrations, log: silentLog });
  const order = { owner: floor.pool, ownerUrl: address.href, grants: platformGrants, log: silentLog };
  const first = await prepareOwnRole(order);
  expect(new URL(first).username).toBe(`${name}_platform`);
  expect(await prepareOwnRole(order)).toBe(first);
  await floor.close();
  await whole.drop();
});
