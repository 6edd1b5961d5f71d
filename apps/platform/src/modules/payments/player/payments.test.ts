import type { PaymentKind } from "@longarm/contract/payments";
import { codeOf, readCode } from "@longarm/contract/payments";
import type { PaymentsAnswer } from "@longarm/contract/player-payments";
import { paymentCalls } from "@longarm/contract/player-payments";
import { sql } from "kysely";
import { afterAll, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { sharePlayVenue } from "../../../testing/play-venue.ts";
import { staffMember } from "../../../testing/staff-client.ts";
import { prove } from "../../play/reconciliation/index.ts";
import { decideIdentity } from "../../protection/identity/index.ts";
import type { LimitsTables } from "../../protection/limits/index.ts";
import { setLimit } from "../../protection/limits/index.ts";
import { chooseMarket } from "../../protection/markets/index.ts";
import { createPaymentEnds, PAYMENTS_OPEN_MAX } from "./requests.ts";

/* Money that players add and withdraw at the cashier's desk, from the request to the drawer. */

const venue = sharePlayVenue({ env: { STAFF_PORT: "0", LOGINS_PER_MINUTE_ADDRESS: "10000" } }, prepare);
type Member = Awaited<ReturnType<typeof staffMember>>;
let selin: Member;
let okan: Member;
let veli: Member;
async function prepare(): Promise<void> {
  const staff = { platform: venue.platform, db: venue.database };
  selin = await staffMember(staff, "selin", ["cashier"]);
  okan = await staffMember(staff, "okan", ["supervisor"]);
  veli = await staffMember(staff, "veli", ["auditor"]);
  await selin.act("openShift", {}, { desk: "Cage 1", float: 1_000_000 });
}
afterAll(async () => {
  expect(await venue.ledger.verify()).toEqual([]);
  const { checks } = await prove(venue.database.kysely, { is: "all" });
  expect(checks.filter(({ breaches }) => breaches.length > 0)).toEqual([]);
});

type Player = { readonly id: string; readonly token: string };
type Json = Record<string, unknown>;
const post = (path: string, payload: object, { token }: Player) =>
  venue.app.inject({ method: "POST", url: `/v1/${path}`, payload, headers: { authorization: `Bearer ${token}` } });
const read = (json: unknown): PaymentsAnswer => z.parse(paymentCalls.payments.answer, json);
const own = async ({ token }: Player) => read((await venue.get("/v1/player/payments", token)).json());
let requests = 0;
const request = (player: Player, kind: PaymentKind, amount: number, more: object = {}) => {
  requests += 1;
  return post("player/payments", { id: `request-${requests}`, kind, way: "desk", amount, ...more }, player);
};
/** The code of what is requested. */
async function codeFor(player: Player, kind: PaymentKind, amount: number): Promise<string> {
  const reply = await request(player, kind, amount);
  expect(reply.statusCode, reply.body).toBe(200);
  return read(reply.json()).payments[0]?.code ?? "";
}
const found = async (by: Member, code: string) => (await by.get(`payments/code/${code}`)).body as Json;
/** A cashier types the code and takes or pays the cash. */
async function pay(by: Member, code: string, more: object = {}) {
  const { id: payment, player, kind, amount } = await found(by, code);
  const call = kind === "deposit" ? "deposit" : "withdraw";
  return await by.act(call, { id: (player as Player).id }, { amount, payment, reason: "code", ...more });
}
const codeOfProblem = (reply: { json(): unknown }) => (reply.json() as Json)["code"];
/** The time of all codes is over. */
const timePasses = async () =>
  void (await sql`update payment set expires_at = clock_timestamp() where expires_at is not null`.execute(venue.db));
const ends = () => {
  const { ledger, bus, clock } = venue;
  return createPaymentEnds({ ...{ ledger, bus, clock }, db: venue.database.kysely, log: { warn: () => {} } });
};

describe("a code", () => {
  test("is read as people type it, and one wrong sign or two that changed places give none", () => {
    const code = codeOf([16, 7, 4, 8, 2]);
    expect(readCode(` ${code.slice(0, 3).toLowerCase()}-${code.slice(3)} `)).toBe(code);
    const signs = "0123456789ACDEFHJKMNPQRTUVWXY";
    for (let place = 0; place < code.length; place += 1)
      for (const sign of signs)
        if (sign !== code[place]) expect(readCode(code.slice(0, place) + sign + code.slice(place + 1))).toBeNull();
    for (let place = 0; place + 1 < code.length; place += 1) {
      const [one = "", other = ""] = [code[place], code[place + 1]];
      if (one !== other) expect(readCode(code.slice(0, place) + other + one + code.slice(place + 2))).toBeNull();
    }
    for (const wrong of ["", "O11111", "1".repeat(5_000), "💸💸💸"]) expect(readCode(wrong)).toBeNull();
  });

  test("lets a cashier take cash once: the balance grows, and the code is used", async () => {
    const player = await venue.player("pay.in");
    const code = await codeFor(player, "deposit", 25_000);
    expect(await found(selin, code)).toMatchObject({ player: { username: "pay.in" }, kind: "deposit", amount: 25_000 });
    expect((await veli.get(`payments/code/${code}`)).status).toBe(403);
    expect((await pay(selin, code, { dryRun: true })).body).toMatchObject({ is: "dryRun", result: { after: 25_000 } });
    expect((await own(player)).payments[0]).toMatchObject({ state: "requested", code, mayCancel: true });
    const { id: payment } = await found(selin, code);
    const paid = await pay(selin, code);
    expect(paid.body).toMatchObject({ is: "done", result: { before: 0, after: 25_000, receipt: { amount: 25_000 } } });
    expect((await selin.get(`payments/code/${code}`)).status).toBe(404);
    const again = await selin.act("deposit", { id: player.id }, { amount: 25_000, payment, reason: "code" });
    expect(again.body).toMatchObject({ problem: "act.refused" });
    expect(await own(player)).toMatchObject({
      available: 25_000,
      payments: [{ state: "captured", moved: 25_000, code: null, until: null, mayCancel: false }],
    });
  });

  test("of a withdrawal holds the money until a cashier has paid it", async () => {
    const player = await venue.player("pay.out", 60_000);
    const code = await codeFor(player, "withdrawal", 60_000);
    expect(await own(player)).toMatchObject({ available: 0, payments: [{ state: "requested", amount: 60_000 }] });
    expect(codeOfProblem(await request(player, "withdrawal", 1))).toBe(60001);
    expect((await pay(selin, code)).body).toMatchObject({ is: "done", result: { before: 60_000, after: 0 } });
    expect(await own(player)).toMatchObject({ available: 0, payments: [{ state: "paid", moved: 60_000 }] });
    expect(await venue.ledgerOf(`player:${player.id}`)).toBe(0);
  });

  test("is for its player and its whole amount", async () => {
    const player = await venue.player("pay.whole");
    const other = await venue.player("pay.other");
    const code = await codeFor(player, "deposit", 5_000);
    const { id: payment } = await found(selin, code);
    const move = (id: string, call: "deposit" | "withdraw", amount: number) =>
      selin.act(call, { id }, { amount, payment, reason: "code" });
    expect((await move(other.id, "deposit", 5_000)).body).toMatchObject({ problem: "thing.unknown" });
    expect((await move(player.id, "deposit", 4_999)).body).toMatchObject({ problem: "act.refused" });
    expect((await move(player.id, "withdraw", 5_000)).body).toMatchObject({ problem: "thing.unknown" });
    expect(await venue.ledgerOf(`player:${player.id}`)).toBe(0);
  });

  test("above a cashier's own limit waits for a second person, and the player reads it", async () => {
    const player = await venue.player("pay.two", 3_000_000);
    const code = await codeFor(player, "withdrawal", 2_000_000);
    const waits = await pay(selin, code);
    expect(waits.body).toMatchObject({ is: "waiting" });
    expect(await own(player)).toMatchObject({ payments: [{ state: "inReview", mayCancel: false }] });
    const id = String(waits.body["approval"]);
    const { hash } = (await okan.get(`approvals/${id}`)).body as { hash: string };
    expect((await okan.act("signApproval", { id }, { hash })).body).toMatchObject({ is: "done" });
    expect(await own(player)).toMatchObject({ available: 1_000_000, payments: [{ state: "paid" }] });
  });

  test("that is too old moves nothing, and held money is in the wallet again", async () => {
    const player = await venue.player("pay.late", 8_000);
    const code = await codeFor(player, "withdrawal", 8_000);
    const { id: payment } = await found(selin, code);
    await timePasses();
    expect((await selin.get(`payments/code/${code}`)).status).toBe(404);
    const late = await selin.act("withdraw", { id: player.id }, { amount: 8_000, payment, reason: "code" });
    expect(late.body).toMatchObject({ problem: "act.refused" });
    await Promise.all([ends().look(), ends().look()]);
    expect(await own(player)).toMatchObject({ available: 8_000, payments: [{ state: "expired", code: null }] });
  });
});

describe("a request", () => {
  test("is done once for its id, and another content of the id is refused", async () => {
    const player = await venue.player("pay.twice");
    const wish = { id: "twice-123", kind: "deposit", way: "desk", amount: 5_000 };
    const [one, two] = await Promise.all([
      post("player/payments", wish, player),
      post("player/payments", wish, player),
    ]);
    expect([one?.statusCode, two?.statusCode]).toEqual([200, 200]);
    expect((await own(player)).payments).toHaveLength(1);
    expect(codeOfProblem(await post("player/payments", { ...wish, amount: 5_001 }, player))).toBe(60003);
  });

  test("of an unknown way, a wrong amount or too many at once is refused", async () => {
    const player = await venue.player("pay.many");
    expect(codeOfProblem(await request(player, "deposit", 5_000, { way: "bank" }))).toBe(60095);
    for (const amount of [0, -1, 1.5, 1e20, "5"])
      expect((await request(player, "deposit", 5_000, { amount })).statusCode).toBe(400);
    for (let n = 0; n < PAYMENTS_OPEN_MAX; n += 1) await codeFor(player, "deposit", 100);
    expect(codeOfProblem(await request(player, "deposit", 100))).toBe(60093);
  });

  test("keeps the deposit limit, and so does the desk when the cash is there", async () => {
    const player = await venue.player("pay.limit");
    const [first, second] = [await codeFor(player, "deposit", 4_000), await codeFor(player, "deposit", 4_000)];
    await setLimit(venue.db.withTables<LimitsTables>(), {
      ...{
        playerId: player.id,
        kind: "deposit",
        period: "day",
        owner: "player",
        by: "a test",
        timeZone: "UTC",
        value: 5_000,
      },
    });
    expect(await own(player)).toMatchObject({ depositLeft: 5_000, depositClosed: null });
    expect(codeOfProblem(await request(player, "deposit", 5_001))).toBe(60063);
    expect((await pay(selin, first)).body).toMatchObject({ is: "done" });
    expect((await pay(selin, second)).body).toMatchObject({ problem: "act.refused" });
    expect(await own(player)).toMatchObject({ depositLeft: 1_000, available: 4_000 });
  });

  test("is ended by its player: nothing moves after that", async () => {
    const player = await venue.player("pay.cancel", 9_000);
    const stranger = await venue.player("pay.stranger");
    const code = await codeFor(player, "withdrawal", 9_000);
    const { id: payment } = await found(selin, code);
    expect((await post("player/payments/cancel", { payment }, stranger)).statusCode).toBe(404);
    for (let twice = 0; twice < 2; twice += 1)
      expect((await post("player/payments/cancel", { payment }, player)).statusCode).toBe(200);
    expect(await own(player)).toMatchObject({ available: 9_000, payments: [{ state: "cancelled" }] });
    const late = await selin.act("withdraw", { id: player.id }, { amount: 9_000, payment, reason: "code" });
    expect(late.body).toMatchObject({ problem: "act.refused" });
  });

  test("of a withdrawal is taken back only where the market lets a player", async () => {
    const player = await venue.player("pay.gb", 2_000_000);
    await chooseMarket(venue.db.withTables<LimitsTables>(), {
      ...{ scope: "player", subject: player.id, market: "gb", by: "eva", reason: "a test" },
    });
    await decideIdentity(venue.db, {
      playerId: player.id,
      state: "verified",
      validUntil: null,
      by: "eva",
      reason: "seen",
    });
    const code = await codeFor(player, "withdrawal", 2_000_000);
    const waits = { state: "requested", mayCancel: false, until: null, code };
    const { payments } = await own(player);
    expect(payments[0]).toMatchObject(waits);
    expect(codeOfProblem(await post("player/payments/cancel", { payment: payments[0]?.id }, player))).toBe(60094);
    expect((await pay(selin, code)).body).toMatchObject({ is: "waiting" });
    await timePasses();
    await ends().look();
    expect((await own(player)).payments[0], "its end would take it back").toMatchObject({
      ...waits,
      state: "inReview",
    });
  });

  test("is refused by staff with words that the player reads", async () => {
    const player = await venue.player("pay.no", 7_000);
    await codeFor(player, "withdrawal", 7_000);
    const { rows } = (await selin.get("payments")).body as { rows: Json[] };
    const row = rows.find(({ player: of }) => (of as Player).id === player.id);
    const id = String(row?.["id"]);
    expect((await selin.act("refusePayment", { id }, { reason: "bring your card" })).body).toMatchObject({
      is: "done",
    });
    expect((await selin.act("refusePayment", { id }, { reason: "once more" })).body).toMatchObject({
      problem: "act.refused",
    });
    expect(await own(player)).toMatchObject({
      available: 7_000,
      payments: [{ state: "refused", reason: "bring your card" }],
    });
  });
});

test("each state is an entry of the audit log", async () => {
  const player = await venue.player("pay.audit");
  await pay(selin, await codeFor(player, "deposit", 1_000));
  const { rows } = await sql<{ actor: string; is: string }>`
    select actor, facts ->> 'is' as is from audit.entries where type = 'money.payment' and subject = ${`player:${player.id}`} order by id`.execute(
    venue.db,
  );
  expect(rows.map(({ actor, is }) => [actor.split(":")[0], is])).toEqual([
    ["player", "requested"],
    ["staff", "captured"],
  ]);
});
