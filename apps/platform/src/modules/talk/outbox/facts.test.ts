import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { silentLog } from "@longarm/database/log";
import { migrate } from "@longarm/database/migrations";
import { testDatabase } from "@longarm/database/testing";
import { rehearseMigrations } from "@longarm/database/testing/rehearse-migrations";
import { openLedger } from "@longarm/ledger/ledger";
import type { Report } from "@longarm/link/standard-webhooks";
import { readReport } from "@longarm/link/standard-webhooks";
import { sql } from "kysely";
import pino from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../clock.ts";
import { platformMigrations } from "../../../migration-sets.ts";
import { systemRandom } from "../../../random.ts";
import { eventually } from "../../../testing/play-venue.ts";
import { createPlayers, setBanned } from "../../players/accounts/index.ts";
import { configureWebhook, webhookSender } from "./webhook.ts";
import { createOutbox } from "./worker.ts";
import { writeFact } from "./write-fact.ts";

/* Facts about players: written with their rows, delivered in the order in which they happened to each player. */

let database: Awaited<ReturnType<typeof testDatabase<unknown>>>;
const db = () => database.kysely;
const ids: string[] = [];
const SECRET = `whsec_${randomBytes(24).toString("base64")}`;

/** What a receiver was sent, and which facts it does not take now, by number. */
const sent: Report[] = [];
const failing = new Set<number>();
const server = createServer((request, reply) => {
  let body = "";
  request.setEncoding("utf8").on("data", (part: string) => {
    body += part;
  });
  request.on("end", () => {
    const read = readReport([SECRET], request.headers, Buffer.from(body), Date.now());
    if (read === undefined || "other" in read) throw new Error("a report that is not of the contract");
    const isRefused = failing.has(read.known.seq);
    if (!isRefused) sent.push(read.known);
    reply.writeHead(isRefused ? 500 : 204).end();
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
  await configureWebhook(db(), { games: false });
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
  await configureWebhook(db(), null);
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
        { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, secrets: [SECRET] },
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
      const { rows } = await sql<{
        attempts: number;
        lease: null;
      }>`select attempts, lease from outbox_delivery order by id`.execute(db());
      expect(rows).toMatchObject([1, 0, 0, 1].map((attempts) => ({ attempts, lease: null })));
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

describe("games", () => {
  const run = (text: string) => sql.raw(text).execute(db());
  /** A game of one play session of a player on one machine, as play books it. `second`: of the day, when it was booked. */
  async function game(machine: string, number: number, player: string | null, second = number): Promise<void> {
    const session = player === null ? null : `ps_${machine}_${player.slice(-4)}`;
    if (player !== null)
      await run(`insert into play_session (id, machine_id, player_id, started_at) values ('${session}', '${machine}', '${player}', now())
        on conflict do nothing`);
    await run(`begin; insert into game (machine_id, game_number, play_session_id, stake, win, credit_before, credit_after, hand_paid, free_spins, bonus,
        started_at, ended_at, taken_at) values ('${machine}', ${number}, ${session === null ? "null" : `'${session}'`}, 100, 250, 1000, 1150, 0, null, null,
        '2026-11-29T08:00:00Z', '2026-11-29T08:00:03Z', timestamptz '2026-11-29T08:00:00Z' + ${second} * interval '1 second');
      update machine set taken_game = ${number} where id = '${machine}'; commit`);
  }
  const look = (most = 500, waitingMost = 1_000) =>
    sql<{ past: number }>`select report_games_played(${most}::int, ${waitingMost}::int) as past`
      .execute(db())
      .then(({ rows }) => rows[0]?.past);
  const reported = async () =>
    (await facts()).filter(({ type }) => type === "game.ended").map(({ data }) => data["game"]);

  /** Other machines in each test. */
  let floor = 0;
  let nar: readonly [string, string, string];
  beforeAll(() => run(`insert into agent (id, name) values ('ag_1', 'floor')`));
  beforeEach(async () => {
    floor += 1;
    nar = [`nar-${floor}1`, `nar-${floor}2`, `nar-${floor}3`];
    await run(`insert into machine (id, agent_id, facts, meters, meters_at) select id, 'ag_1', '{}', '{}', now()
      from unnest(array['${nar.join("','")}']) id`);
    await configureWebhook(db(), null);
  });

  test("are reported from the first start that wants them, with what the machine counted, and no more once it ends", async () => {
    const [id] = ids as [string];
    await game(nar[0], 1, id);
    await configureWebhook(db(), { games: false });
    expect(await look()).toBe(0);
    await configureWebhook(db(), { games: true });
    await game(nar[0], 2, id);
    await game(nar[0], 3, null);
    await game(nar[0], 4, id);
    // Another node with the same settings.
    await configureWebhook(db(), { games: true });
    const outbox = newOutbox();
    outbox.start();
    try {
      await eventually(() => expect(sent).toHaveLength(2));
    } finally {
      await outbox.close();
    }
    expect(sent[0]).toMatchObject({
      ...{ type: "game.ended", subject: `games:${id}` },
      data: {
        ...{
          player: id,
          machine: nar[0],
          game: `2.${nar[0]}`,
          number: 2,
          stake: 100,
          win: 250,
          handPaid: 0,
          before: 1_000,
        },
        ...{
          after: 1_150,
          freeSpins: null,
          bonus: null,
          start: "2026-11-29T08:00:00.000Z",
          end: "2026-11-29T08:00:03.000Z",
        },
      },
    });
    expect(sent[1]).toMatchObject({ data: { game: `4.${nar[0]}` } });
    await configureWebhook(db(), { games: false });
    await game(nar[0], 5, id);
    expect(await look()).toBe(0);
    await configureWebhook(db(), { games: true });
    await game(nar[0], 6, id);
    await look();
    expect((await reported()).at(-1)).toBe(`6.${nar[0]}`);
    expect(await reported()).toHaveLength(3);
  });

  test("are reported once by nodes that look at once, and again under their own ids after a restore", async () => {
    const [id] = ids as [string];
    await configureWebhook(db(), { games: true });
    for (const number of [1, 2, 3]) await game(nar[0], number, id);
    await Promise.all(Array.from({ length: 8 }, () => look()));
    expect(await reported()).toEqual([`1.${nar[0]}`, `2.${nar[0]}`, `3.${nar[0]}`]);
    const idsOf = async () => (await sql<{ id: string }>`select id from outbox_fact order by seq`.execute(db())).rows;
    const before = await idsOf();
    await run(`delete from outbox_fact; update game_feed set game_number = 0 where machine_id = '${nar[0]}'`);
    await look();
    expect(await idsOf()).toEqual(before);
    // The feed is behind the rows that are there.
    await run(`update game_feed set game_number = 0 where machine_id = '${nar[0]}'`);
    expect(await look()).toBe(3);
    expect(await reported()).toHaveLength(3);
  });

  test("and how far they are reported are one transaction: one that dies in the middle leaves neither", async () => {
    const [id] = ids as [string];
    await configureWebhook(db(), { games: true });
    await game(nar[0], 1, id);
    await db()
      .transaction()
      .execute(async (trx) => {
        await sql`select report_games_played(500, 1000)`.execute(trx);
        throw new Error("killed");
      })
      .catch(() => undefined);
    expect(await reported()).toEqual([]);
    expect(await look()).toBe(1);
  });

  test.each([1, 2, 3, 10, 40])("of one player keep their order over machines, %i at a time", async (most) => {
    const [id, other] = ids as [string, string];
    await configureWebhook(db(), { games: true });
    // Booked in this order; the third by a transaction that had begun before the second.
    const booked = [
      ...[1, 2, 3, 4, 5, 6, 7].map((number) => [nar[0], number, id, number === 3 ? 1 : number] as const),
      ...[1, 2, 3, 4].map((number) => [nar[1], number, id, 10 + number] as const),
      ...[8, 9].map((number) => [nar[0], number, id, 20 + number] as const),
    ];
    for (const one of booked) await game(...one);
    for (const number of [1, 2, 3]) await game(nar[2], number, other, 4 * number);
    while ((await look(most)) !== 0);
    const own = (await facts()).filter(({ data }) => data["player"] === id).map(({ data }) => data["game"]);
    expect(own).toEqual(booked.map(([machine, number]) => `${number}.${machine}`));
    expect(await reported()).toHaveLength(booked.length + 3);
  });

  test("wait in their own rows while the receiver is away, and come whole and in order when it is back", async () => {
    const [id] = ids as [string];
    await configureWebhook(db(), { games: true });
    for (let number = 1; number <= 12; number += 1) await game(nar[0], number, id);
    for (const past of [2, 2, 0]) expect(await look(20, 4)).toBe(past);
    while ((await look()) !== 0);
    const [first] = await facts();
    failing.add(Number(first?.seq));
    const outbox = newOutbox();
    outbox.start();
    try {
      // What is behind the one that was refused is due no earlier, so that no look passes it by.
      await eventually(async () => {
        const { rows } = await sql<{
          due: number;
          first: number;
        }>`select count(*) filter (where due_at <= clock_timestamp())::int as due,
          max(attempts) as first from outbox_delivery where state = 'waiting'`.execute(db());
        expect(rows).toEqual([{ due: 0, first: 1 }]);
      });
      expect(sent).toEqual([]);
      await deposit(id, "beside-games");
      await eventually(async () => {
        const { rows } = await sql<{
          number: number;
        }>`select count(*)::int as number from outbox_delivery where state = 'done'`.execute(db());
        expect(rows).toEqual([{ number: 1 }]);
      });
      expect(sent.map(({ type }) => type)).toEqual(["wallet.deposit"]);
      failing.clear();
      await sql`update outbox_delivery set due_at = clock_timestamp() where state = 'waiting'`.execute(db());
      outbox.wake();
      await eventually(() => expect(sent).toHaveLength(13));
    } finally {
      await outbox.close();
    }
    const numbers = sent.flatMap((one) => (one.type === "game.ended" ? [one.data.number] : []));
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    expect(new Set(numbers).size).toBe(12);
  });
});

test("a webhook receives no fact that is another's alone", async () => {
  await writeFact(db(), systemRandom, { type: "mail.newPassword", subject: "mail:1", data: {}, isReport: false });
  const { rows } = await sql`select from outbox_delivery`.execute(db());
  expect(rows).toEqual([]);
});

test("facts are written from now on by a platform of before", async () => {
  const older = await testDatabase();
  const own = platformMigrations.find(({ name }) => name === "facts");
  if (!own) throw new Error("facts have no migrations");
  const sets = platformMigrations.slice(0, platformMigrations.indexOf(own));
  await migrate({ pool: older.pool, sets, log: silentLog });
  expect(await rehearseMigrations(older.pool, own)).toEqual(["0001-facts-of-players", "0002-games"]);
  await older.drop();
});
