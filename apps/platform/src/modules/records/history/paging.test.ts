import { LISTED_ROWS_MAX } from "@longarm/contract/http";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeLongHistory } from "../../../testing/long-history.ts";
import type { PlayVenue } from "../../../testing/play-venue.ts";
import { playVenue } from "../../../testing/play-venue.ts";

type Row = { id: string; machine: string | null; from: string; type: number; operation_date: string; start: string };
type Answer = { rows: Row[]; total: number; totalIsMore?: true; next: string | null };
type Name = "sessions" | "transactions";
const NAMES = ["sessions", "transactions"] as const;
const MACHINES = ["isik-01", "inci-02", "nar-03"];
const ROWS = 240;

let venue: PlayVenue;
let player: { id: string; token: string };
/** All rows of each history, as they come without a filter. */
let all: Record<Name, Row[]>;

const get = async (name: Name, query: Record<string, string>, token = player.token) =>
  await venue.get(`/v1/player/${name}?${new URLSearchParams(query)}`, token);
const ask = async (name: Name, query: Record<string, string> = {}): Promise<Answer> => (await get(name, query)).json();

/** Follows `next` to the end. */
async function walk(name: Name, query: Record<string, string>): Promise<Row[]> {
  const rows: Row[] = [];
  let answer = await ask(name, query);
  for (;;) {
    rows.push(...answer.rows);
    if (answer.next === null) return rows;
    answer = await ask(name, { ...query, after: answer.next });
  }
}

beforeAll(async () => {
  venue = await playVenue();
  for (const id of MACHINES) await venue.machine(id);
  await venue.database.pool.query(
    "update machine set facts = jsonb_set(facts, '{name}', to_jsonb($1::text)) where id = $2",
    ["Kuzey Işığı 1", "isik-01"],
  );
  await venue.database.pool.query(
    "update machine set facts = jsonb_set(facts, '{name}', to_jsonb($1::text)) where id = $2",
    ["İnci 50%", "inci-02"],
  );
  player = await venue.player("sedef.ak");
  const other = await venue.player("tuna.kor");
  for (const { id } of [player, other])
    await writeLongHistory(venue.database.pool, { playerId: id, machineIds: MACHINES, rows: ROWS });
  all = { sessions: await walk("sessions", {}), transactions: await walk("transactions", { limit: "500" }) };
});
afterAll(async () => await venue.end());

const timeOf = (name: Name, row: Row): string => (name === "sessions" ? row.start : row.operation_date);

test.each(NAMES)("%s: `next` leads through every row once, newest first", async (name) => {
  expect(all[name]).toHaveLength(ROWS);
  expect(new Set(all[name].map(({ id }) => id)).size).toBe(ROWS);
  const times = all[name].map((row) => timeOf(name, row));
  expect(times).toEqual(times.toSorted().toReversed());
  expect(all[name].every(({ id }) => id.startsWith(player.id))).toBe(true);
});

test("rows of one moment, finer than a millisecond, are neither lost nor told twice", async () => {
  const same = await venue.player("umut.gok");
  await venue.database.pool.query(
    `insert into wallet_entry (player_id, entry_number, transfer_id, at, type, source, machine_id, amount, balance)
     select $1, n, 'same.' || n, timestamptz '2026-11-21T10:00:00.0001Z' + (n / 5) * interval '1 microsecond', 1, 'Cage', '', 1, n
     from generate_series(1, 23) n`,
    [same.id],
  );
  const seen: string[] = [];
  for (let after: string | null = ""; after !== null; ) {
    const answer: Answer = (
      await get("transactions", { limit: "3", ...(after !== "" && { after }) }, same.token)
    ).json();
    seen.push(...answer.rows.map(({ id }) => id));
    after = answer.next;
  }
  expect(seen).toEqual(Array.from({ length: 23 }, (_, n) => `same.${23 - n}`));
});

test("a page that is read while money moves has the old rows as they were", async () => {
  const busy = await venue.player("vera.tan", 100);
  const deposit = async (n: number) =>
    await venue.ledger.transfer({
      id: `vera-${n}`,
      kind: "deposit",
      from: "cage",
      to: `player:${busy.id}`,
      amountMinor: n,
    });
  for (const n of [1, 2, 3]) await deposit(n);
  const first: Answer = (await get("transactions", { limit: "2" }, busy.token)).json();
  await deposit(4);
  const second: Answer = (await get("transactions", { limit: "2", after: first.next ?? "" }, busy.token)).json();
  expect([...first.rows, ...second.rows].map(({ id }) => id)).toEqual([
    "vera-3",
    "vera-2",
    "vera-1",
    "deposit-vera.tan",
  ]);
  expect([first.total, second.total, second.next]).toEqual([4, 5, null]);
});

describe("filters", () => {
  /** What a search must find, in the name of the machine or where money came from. */
  const searches: Record<string, RegExp> = {
    ışığı: /Işığı/,
    ISIGI: /Işığı/,
    "kuzey isigi": /Işığı/,
    İNCİ: /İnci/,
    inci: /İnci/,
    "50%": /İnci/,
    "NAR-03": /NAR-03/,
    "0": /İnci|NAR/,
    "5%0": /(?!)/,
    wallet: /Wallet/,
    CAGE: /Cage/,
    a: /a/i,
  };
  const moments = fc.option(fc.integer({ min: 0, max: ROWS - 1 }));
  const asked = fc.record({
    search: fc.option(fc.constantFrom(...Object.keys(searches))),
    type: fc.option(fc.integer({ min: 1, max: 6 })),
    from: moments,
    to: moments,
    limit: fc.constantFrom(1, 7, 25, 500),
    page: fc.integer({ min: 1, max: 4 }),
  });

  test.each(NAMES)("%s: any of them together give what is left of all rows", async (name) => {
    await fc.assert(
      fc.asyncProperty(asked, async ({ search, type, from, to, limit, page }) => {
        const at = (n: number | null) => (n === null ? undefined : timeOf(name, all[name][n] as Row));
        const [since, until] = [at(from), at(to)];
        const pattern = search === null ? /./ : (searches[search] as RegExp);
        const left = all[name].filter(
          (row) =>
            (pattern.test(row.machine ?? "") || (name === "transactions" && pattern.test(row.from))) &&
            (name === "sessions" || type === null || row.type === type) &&
            (since === undefined || timeOf(name, row) >= since) &&
            (until === undefined || timeOf(name, row) < until),
        );
        const query = {
          limit: String(limit),
          ...(search !== null && { search }),
          ...(type !== null && { type: String(type) }),
          ...(since !== undefined && { from: since }),
          ...(until !== undefined && { to: until }),
        };
        const answer = await ask(name, { ...query, page: String(page) });
        expect(answer.rows).toEqual(left.slice((page - 1) * limit, page * limit));
        expect([answer.total, answer.totalIsMore]).toEqual([left.length, undefined]);
        expect(answer.next === null).toBe(left.length <= page * limit);
        if (answer.next !== null)
          expect((await ask(name, { ...query, after: answer.next })).rows).toEqual(
            left.slice(page * limit, (page + 1) * limit),
          );
      }),
      { numRuns: 60 },
    );
  });
});

test("more rows than are counted: the total says so, pages end there, and `next` goes on", async () => {
  const rows = LISTED_ROWS_MAX + 60;
  const long = await venue.player("yasemin.kut");
  await writeLongHistory(venue.database.pool, { playerId: long.id, machineIds: MACHINES, rows });
  for (const name of NAMES) {
    const last: Answer = (await get(name, { limit: "500", page: "20" }, long.token)).json();
    expect([last.rows.length, last.total, last.totalIsMore]).toEqual([500, LISTED_ROWS_MAX, true]);
    expect((await get(name, { limit: "500", page: "21" }, long.token)).json()).toMatchObject({ code: 40000 });
    const rest: Answer = (await get(name, { limit: "500", page: "21", after: last.next ?? "" }, long.token)).json();
    expect([rest.rows.length, rest.next]).toEqual([60, null]);
    const some: Answer = (await get(name, { search: "isigi", limit: "500" }, long.token)).json();
    expect(some.totalIsMore).toBeUndefined();
    expect(some.rows).toHaveLength(some.total);
  }
});
