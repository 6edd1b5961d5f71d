import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { silentLog } from "@longarm/database/log";
import { migrate } from "@longarm/database/migrations";
import { testDatabase } from "@longarm/database/testing";
import { rehearseMigrations } from "@longarm/database/testing/rehearse-migrations";
import { openLedger } from "@longarm/ledger/ledger";
import { sql } from "kysely";
import pino from "pino";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../../clock.ts";
import { platformMigrations } from "../../../migration-sets.ts";
import { systemRandom } from "../../../random.ts";
import { eventually } from "../../../testing/play-venue.ts";
import { createPlayers, setBanned } from "../../players/accounts/index.ts";
import { configureWebhook, webhookSender } from "./webhook.ts";
import { createOutbox } from "./worker.ts";

/* Facts about players: written with their rows, delivered in the order in which they happened to each player. */

let database: Awaited<ReturnType<typeof testDatabase<unknown>>>;
const db = () => database.kysely;
const ids: string[] = [];

/** What a receiver was sent, and which facts it does not take now, by number. */
const sent: { readonly seq: number; readonly type: string; readonly subject: string }[] = [];
const failing = new Set<number>();
const server = createServer((request, reply) => {
  let body = "";
  request.setEncoding("utf8").on("data", (part: string) => {
    body += part;
  });
  request.on("end", () => {
    const { seq, type, subject } = JSON.parse(body) as (typeof sent)[number];
    if (!failing.has(seq)) sent.push({ seq, type, subject });
    reply.writeHead(failing.has(seq) ? 500 : 204).end();
  });
});

beforeAll(async () => {
  database = await testDatabase<unknown>({ migrations: platformMigrations });
  await new Promise<void>((open) => server.listen(0, "127.0.0.1", open));
  const players = await createPlayers({
    db: database,
    ledger: openLedger(db()),
    random: systemRandom,
    passwordCost: { memoryCost: 8, timeCost: 1, parallelism: 1 },
  });
  for (const username of ["deniz.aydin", "mira.kaya"]) {
    const added = await players.add({ username, password: randomBytes(9).toString("base64url") });
    if (added.is !== "added") throw new Error("a player was not added");
    ids.push(added.id);
  }
});
afterAll(async () => {
  await new Promise((closed) => server.close(closed));
  await database.drop();
});
beforeEach(async () => {
  sent.length = 0;
  failing.clear();
  await configureWebhook(db(), true);
  await sql`delete from outbox_fact`.execute(db());
});

type Fact = { readonly seq: number; readonly type: string; readonly data: Record<string, unknown> };
const facts = async (): Promise<Fact[]> =>
  (await sql<Fact>`select seq, type, data from outbox_fact order by seq`.execute(db())).rows;
const deposit = (player: string, id: string, amountMinor = 5_000) =>
  openLedger(db()).transfer({
    id,
    kind: "deposit",
    from: "cage",
    to: `player:${player}`,
    amountMinor,
    about: { actor: "test", reason: "test" },
  });

test("each change of a player is a fact, with amounts and times and without names", async () => {
  const [id] = ids as [string];
  await deposit(id, "d1");
  await sql`insert into player_limit (player_id, kind, period, owner, value, effective_at, set_by) values
    (${id}, 'loss', 'week', 'player', 7000, clock_timestamp(), ${`player:${id}`}),
    (${id}, 'exclusion', 'day', 'house', 4102444800000, clock_timestamp(), 'ece')`.execute(db());
  await sql`insert into player_break (player_id, kind, until, set_by) values (${id}, 'timeOut', '2099-01-01T00:00:00Z', ${id})`.execute(
    db(),
  );
  await sql`insert into identity_decision (player_id, state, decided_by, reason) values (${id}, 'verified', 'staff:ece', 'seen')`.execute(
    db(),
  );
  await setBanned(db() as never, id, true);
  await setBanned(db() as never, id, false);
  const written = await facts();
  expect(written.map(({ type }) => type)).toEqual([
    ...["wallet.deposit", "player.limit", "player.exclusion", "player.break", "player.identity"],
    ...["player.banned", "player.unbanned"],
  ]);
  expect(written[0]?.data).toEqual({
    player: id,
    transfer: "d1",
    amount: 5_000,
    balance: 5_000,
    machine: null,
    at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
  });
  expect(written[1]?.data).toMatchObject({ player: id, limit: "loss.week", value: 7_000, by: "player" });
  expect(written[2]?.data).toMatchObject({ player: id, by: "house", until: "2100-01-01T00:00:00.000Z" });
  expect(written[3]?.data).toMatchObject({ kind: "timeOut", until: "2099-01-01T00:00:00.000Z" });
  expect(JSON.stringify(written)).not.toContain("deniz");
});

test("a refused transfer, one that was made before, and a platform without a webhook write nothing", async () => {
  const [id] = ids as [string];
  await deposit(id, "once");
  await deposit(id, "once");
  const refused = await openLedger(db()).transfer({
    id: "too-much",
    kind: "withdraw",
    from: `player:${id}`,
    to: "cage",
    amountMinor: 900_000_000,
    about: { actor: "test", reason: "test" },
  });
  expect(refused.is).toBe("refused");
  await configureWebhook(db(), false);
  await deposit(id, "unheard");
  expect(await facts()).toHaveLength(1);
});

test("numbers of a player's facts grow as the balance did, however many transfers come at once", async () => {
  const [id, other] = ids as [string, string];
  await Promise.all(
    Array.from({ length: 40 }, (_, index) => deposit(index % 4 === 0 ? other : id, `many-${index}`, 100)),
  );
  const own = (await facts()).filter(({ data }) => data["player"] === id).map(({ data }) => Number(data["balance"]));
  expect(own).toHaveLength(30);
  expect(own).toEqual([...own].sort((a, b) => a - b));
});

const newOutbox = () =>
  createOutbox({
    db: db(),
    clock: systemClock,
    random: systemRandom,
    log: pino({ level: "silent" }) as never,
    senders: {
      webhook: webhookSender(
        { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, secrets: ["whsec_AAAA"] },
        systemClock,
        "1.0",
      ),
    },
  });

test("a fact that is not taken keeps back what is later of the same player, and of no other", async () => {
  const [id, other] = ids as [string, string];
  for (const index of [1, 2, 3]) await deposit(id, `line-${index}`);
  await deposit(other, "beside");
  const [first] = await facts();
  failing.add(Number(first?.seq));
  const outbox = newOutbox();
  outbox.start();
  try {
    await eventually(async () => {
      expect(sent.map(({ subject }) => subject)).toEqual([`player:${other}`]);
      const { rows } = await sql<{ attempts: number }>`select attempts from outbox_delivery order by id`.execute(db());
      expect(rows.map(({ attempts }) => attempts)).toEqual([1, 0, 0, 1]);
    });
    failing.clear();
    await sql`update outbox_delivery set due_at = clock_timestamp() where state = 'waiting'`.execute(db());
    outbox.wake();
    await eventually(() => expect(sent).toHaveLength(4));
    const own = sent.filter(({ subject }) => subject === `player:${id}`).map(({ seq }) => seq);
    expect(own).toEqual([...own].sort((a, b) => a - b));
  } finally {
    await outbox.close();
  }
});

test("what is given up keeps nothing back", async () => {
  const [id] = ids as [string];
  for (const index of [1, 2]) await deposit(id, `given-up-${index}`);
  const [lost, next] = await facts();
  failing.add(Number(lost?.seq));
  await sql`update outbox_delivery set attempts = 9 where fact_seq = ${lost?.seq}`.execute(db());
  const outbox = newOutbox();
  outbox.start();
  try {
    await eventually(() => expect(sent.map(({ seq }) => seq)).toEqual([next?.seq]));
  } finally {
    await outbox.close();
  }
});

test("facts are written from now on by a platform of before", async () => {
  const older = await testDatabase();
  const own = platformMigrations.find(({ name }) => name === "facts");
  if (!own) throw new Error("facts have no migrations");
  const sets = platformMigrations.slice(0, platformMigrations.indexOf(own));
  await migrate({ pool: older.pool, sets, log: silentLog });
  expect(await rehearseMigrations(older.pool, own)).toContain("0001-facts-of-players");
  await older.drop();
});
