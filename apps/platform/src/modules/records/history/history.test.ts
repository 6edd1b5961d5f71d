import { calls } from "@longarm/contract/http";
import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { sharePlayVenue } from "../../../testing/play-venue.ts";

let token: string;
const venue = sharePlayVenue({}, async () => {
  token = (await venue.player("hale.er", 100)).token;
});

type Name = "sessions" | "transactions";
type Answer = { rows: Record<string, unknown>[]; total: number; totalIsMore?: boolean; next: string | null };

/** What the platform answers, which must be what the contract says. */
async function ask(name: Name, token: string, query: Record<string, string> = {}): Promise<Answer> {
  const reply = await venue.get(`/v1/${calls[name].path}?${new URLSearchParams(query)}`, token);
  expect(reply.statusCode, reply.body).toBe(200);
  expect(reply.headers["cache-control"]).toBe("no-store");
  expect(z.safeParse(calls[name].answer, reply.json()).error).toBeUndefined();
  return reply.json();
}

async function one(token: string, id: string): Promise<unknown> {
  const reply = await venue.get(`/v1/player/sessions/${id}`, token);
  expect(reply.statusCode, reply.body).toBe(200);
  expect(reply.headers["cache-control"]).toBe("no-store");
  expect(z.safeParse(calls.session.answer, reply.json()).error).toBeUndefined();
  return reply.json();
}

const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

test("R-2.8-21: what was played and moved stands in both histories, newest first", async () => {
  const { machine, agent } = await venue.machine("nar-07");
  const player = await venue.player("deniz.aydin", 10_000);
  expect(await ask("sessions", player.token)).toEqual({ rows: [], total: 0, next: null });
  const page = await venue.page(player.token, "nar-07");
  await page.init();
  await page.peer.request("cashIn", { id: "history-cash-in", amount: 5_000 });
  machine.play(0);
  machine.play(350);
  await agent.pump();

  const session = {
    id: expect.any(String),
    machine: "NAR-07",
    machineId: "nar-07",
    start: ISO,
    duration: expect.any(Number),
  };
  const played = { spin_count: 2, free_spin_count: 0, amount: 150 };
  expect((await ask("sessions", player.token)).rows).toEqual([{ ...session, ...played, end: null }]);
  expect(await page.peer.request("leave", {})).toMatchObject({ is: "done" });
  // Where it takes long the answer comes first.
  await venue.inState("nar-07", "free");
  expect((await ask("sessions", player.token)).rows).toEqual([{ ...session, ...played, end: ISO }]);

  const row = { id: expect.any(String), operation_date: ISO };
  const [{ id } = { id: "" }] = (await ask("sessions", player.token)).rows;
  const transfers = [
    { ...row, type: 3, from: "Wallet", machine: "NAR-07", amount: -5_000, balance: 5_000 },
    { ...row, type: 4, from: "NAR-07", machine: "NAR-07", amount: 5_150, balance: 10_150 },
  ];
  // player "Beside the promised pictures": one session with what it wagered, won and moved.
  expect(await one(player.token, String(id))).toEqual({
    session: { ...session, ...played, end: ISO },
    ...{ wagered: 200, won: 350, cashed_in: 5_000, cashed_out: 5_150, transfers },
  });
  const other = await venue.player("asks.for.others", 10);
  for (const [token, wanted] of [
    [other.token, id],
    [player.token, "ps_none"],
  ] as const)
    expect((await venue.get(`/v1/player/sessions/${wanted}`, token)).statusCode).toBe(404);
  expect((await venue.get("/v1/player/sessions/%27%20or%201=1", player.token)).statusCode).toBe(400);
  expect((await venue.get(`/v1/player/sessions/${id}`)).statusCode).toBe(401);
  expect(await ask("transactions", player.token)).toEqual({
    rows: [
      { ...row, type: 4, from: "NAR-07", machine: "NAR-07", amount: 5_150, balance: 10_150 },
      { ...row, type: 3, from: "Wallet", machine: "NAR-07", amount: -5_000, balance: 5_000 },
      { ...row, type: 1, from: "Cage", machine: null, amount: 10_000, balance: 10_000 },
    ],
    total: 3,
    next: null,
  });
});

test("R-2.8-21: a hand pay, a jackpot, a discount, a bonus and a withdrawal each have their type and their source", async () => {
  const { machine, agent } = await venue.machine("mercan-04");
  const player = await venue.player("elif.kaya", 1_000);
  const page = await venue.page(player.token, "mercan-04");
  await page.init();
  for (const [n, kind] of (["win", "jackpot"] as const).entries()) {
    machine.handPay = { id: `hp-${n}`, amount: 70_000 + n, kind };
    machine.lockup = "handPay";
    machine.happen("handPayPending", { handPay: machine.handPay });
    await agent.pump();
    await venue.inState("mercan-04", "handPay");
    await venue.sessions.confirmHandPay({ machineId: "mercan-04", handPayId: `hp-${n}`, staff: "selin" });
    await venue.inState("mercan-04", "seated");
  }
  const wallet = `player:${player.id}` as const;
  await venue.ledger.transfer({
    id: "his-discount",
    kind: "discount",
    from: "promotions",
    to: wallet,
    amountMinor: 30,
  });
  await venue.ledger.transfer({ id: "his-bonus", kind: "bonus", from: "promotions", to: wallet, amountMinor: 40 });
  await venue.ledger.transfer({ id: "his-withdraw", kind: "withdraw", from: wallet, to: "cage", amountMinor: 500 });
  await venue.ledger.correct({
    id: "his-correct",
    transferId: "his-bonus",
    reason: "given twice",
    actor: "staff:selin",
  });
  const [session] = (await ask("sessions", player.token)).rows;
  expect(await one(player.token, String(session?.["id"]))).toMatchObject({
    transfers: [
      { type: 5, amount: 70_000 },
      { type: 6, amount: 70_001 },
    ],
  });
  const { rows } = await ask("transactions", player.token);
  expect(rows.map(({ type, from, machine: at, amount, balance }) => [type, from, at, amount, balance])).toEqual([
    [2, "Wallet", null, -40, 140_531],
    [2, "Wallet", null, -500, 140_571],
    [1, "Bonus", null, 40, 141_071],
    [1, "Discount", null, 30, 141_031],
    [6, "MERCAN-04", "MERCAN-04", 70_001, 141_001],
    [5, "Cage", "MERCAN-04", 70_000, 71_000],
    [1, "Cage", null, 1_000, 1_000],
  ]);
});

test("player 8: a jackpot that the machine paid to its credit meter is in the play session it was won in, and only there", async () => {
  const { machine, agent } = await venue.machine("kuzey-02");
  const player = await venue.player("jale.won", 10_000);
  const page = await venue.page(player.token, "kuzey-02");
  await page.init();
  await page.peer.request("cashIn", { id: "history-jackpot", amount: 5_000 });
  machine.play(0);
  machine.startGame();
  machine.happen("jackpot", { name: "MINI", amount: 20_000 });
  machine.happen("jackpot", { name: "GRAND", amount: 2_103_900 });
  // Of no amount: nothing to tell.
  machine.happen("jackpot", { name: "MINOR" });
  machine.endGame(2_123_900);
  await agent.pump();
  expect(await page.peer.request("leave", {})).toMatchObject({ is: "done" });
  await venue.inState("kuzey-02", "free");
  await (await venue.page(player.token, "kuzey-02")).init();
  const { rows } = await ask("sessions", player.token);
  expect(rows.map(({ jackpots, amount }) => [jackpots, amount])).toEqual([
    [undefined, 0],
    [
      [
        { name: "MINI", amount: 20_000 },
        { name: "GRAND", amount: 2_103_900 },
      ],
      2_123_700,
    ],
  ]);
});

describe("only the caller's own", () => {
  test.each(["sessions", "transactions"] as const)("%s need a token", async (name) => {
    expect((await venue.get(`/v1/${calls[name].path}`)).json()).toMatchObject({ code: 10 });
    expect((await venue.get(`/v1/${calls[name].path}`, "garbage")).statusCode).toBe(401);
  });

  test("another player sees nothing, and a cursor of one is of no use to another", async () => {
    const one = await venue.player("cem.demir", 100);
    const other = await venue.player("derya.su", 100);
    for (const n of [1, 2, 3])
      await venue.ledger.transfer({
        id: `own-${n}`,
        kind: "deposit",
        from: "cage",
        to: `player:${one.id}`,
        amountMinor: n,
      });
    expect(await ask("transactions", other.token)).toMatchObject({ rows: [{ amount: 100 }], total: 1 });
    expect((await ask("transactions", other.token, { search: "cage" })).total).toBe(1);
    const { next } = await ask("transactions", one.token, { limit: "1" });
    expect(next).toEqual(expect.any(String));
    const stolen = await venue.get(`/v1/player/transactions?after=${next}`, other.token);
    expect([stolen.statusCode, stolen.json()]).toEqual([400, { code: 40000, ErrorMessage: "Invalid request" }]);
    const seen = await venue.db.selectFrom("play_session").select("id").executeTakeFirstOrThrow();
    expect((await venue.get(`/v1/player/sessions?after=${seen.id}`, other.token)).json()).toMatchObject({
      code: 40000,
    });
  });
});

describe("what cannot be asked", () => {
  const hostile = [
    "page=0",
    "page=-1",
    "page=1.5",
    "page=x",
    "page=1e9",
    "page=10001",
    "page=401&limit=25",
    "page=1&page=2",
    "limit=0",
    "limit=-25",
    "limit=501",
    "limit=NaN",
    "limit=",
    "limit=Infinity",
    "type=x",
    "type=0",
    "type=1000",
    "type=1.5",
    "type=1&type=2",
    "from=yesterday",
    "from=2026-02-30T00:00:00Z",
    "from=2026-11-21",
    "from=2026-11-21T10:00:00",
    "to=1790000000000",
    "to=",
    "from=99999-01-01T00:00:00Z",
    `from=${"9".repeat(5000)}`,
    `search=${"x".repeat(101)}`,
    "search=a&search=b",
    "after=",
    "after=%00",
    "after=1",
    "after=0.deposit-hale.er",
    "after=2.deposit-hale.er",
    "after=1.someone-elses",
    "after=99999999999999999999.deposit-hale.er",
    "after=1.deposit-hale.er'--",
    "after=-1.deposit-hale.er",
    "after=..%2F..%2Fetc%2Fpasswd",
    `after=${"x".repeat(3000)}`,
    "after=1.deposit-hale.er&after=1.deposit-hale.er",
  ];
  test.each(hostile)("transactions?%s is 40000", async (query) => {
    const reply = await venue.get(`/v1/player/transactions?${query}`, token);
    expect([reply.statusCode, reply.json()]).toEqual([400, { code: 40000, ErrorMessage: "Invalid request" }]);
  });
  test.each(hostile)("sessions?%s is 40000", async (query) => {
    const reply = await venue.get(`/v1/player/sessions?${query}`, token);
    expect([reply.statusCode, reply.json()]).toEqual([400, { code: 40000, ErrorMessage: "Invalid request" }]);
  });

  test.each([
    "search=%00",
    "search=%25",
    "search=_",
    "search=%5C",
    "search='%20or%201=1%20--",
    "search=%F0%9F%8E%B0",
    "search=(((",
    "type=7",
    "from=0000-01-01T00:00:00Z&to=0001-01-01T00:00:00Z",
    "from=9999-12-31T23:59:59.999Z",
    "from=2026-11-22T00:00:00Z&to=2026-11-21T00:00:00Z",
    "page=400&limit=25",
  ])("%s is a question without rows", async (query) => {
    for (const name of ["sessions", "transactions"] as const) {
      const { rows, next } = await ask(name, token, Object.fromEntries(new URLSearchParams(query)));
      expect([rows, next]).toEqual([[], null]);
    }
  });

  test("other words in the query are not looked at", async () => {
    const query = { __proto__: "x", playerId: "p_other", order: "amount;drop table player", constructor: "x" };
    expect((await ask("transactions", token, query)).total).toBe(1);
    expect((await ask("transactions", token, { search: " \u0301 " })).total).toBe(1);
  });
});
