import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import type { PaymentKind } from "@longarm/contract/payments";
import type { PaymentsAnswer } from "@longarm/contract/player-payments";
import { paymentCalls } from "@longarm/contract/player-payments";
import { troubledPayments } from "@longarm/platform/modules/payments/book/index";
import { prove } from "@longarm/platform/modules/play/reconciliation/index";
import { setLimit } from "@longarm/platform/modules/protection/limits/index";
import { eventually, sharePlayVenue } from "@longarm/platform/testing/play-venue";
import { staffMember } from "@longarm/platform/testing/staff-client";
import { PASSWORD } from "@longarm/platform/testing/test-venue";
import { sql } from "kysely";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { shellSnippets, shellWith } from "../../rig/shell.ts";
import type { SimulatedState } from "../../rig/simulated-provider/provider.ts";
import type { CallFault, ReportFault } from "../../rig/simulated-provider/server.ts";
import { serveSimulatedProvider } from "../../rig/simulated-provider/server.ts";

/* Money of players that comes and goes through a provider of payments (record 0236), beside a provider that we do not share a line with. */

const run = promisify(execFile);
const PAGE = new URL("../../docs/operating/payment-provider.md", import.meta.url);
const SECRET = `whsec_${Buffer.alloc(32, 5).toString("base64")}`;
const NEXT = `whsec_${Buffer.alloc(32, 6).toString("base64")}`;
const callFaults = new Map<string, CallFault[]>();
const reportFaults = new Map<string, ReportFault[]>();
let reportTo: string | undefined;
const acme = await serveSimulatedProvider({
  secret: SECRET,
  reportTo: () => reportTo,
  callFault: (call) => callFaults.get(call)?.shift(),
  reportFault: (state) => reportFaults.get(state)?.shift(),
});
const { provider } = acme;
let selin: Awaited<ReturnType<typeof staffMember>>;
let okan: Awaited<ReturnType<typeof staffMember>>;
const venue = sharePlayVenue(
  {
    sooner: 4,
    env: {
      PROVIDERS: `acme=${acme.url}`,
      PROVIDER_SECRETS: `acme=${NEXT},acme=${SECRET}`,
      WITHDRAWAL_REVIEW: "50000",
      ...{ STAFF_PORT: "0", LOGINS_PER_MINUTE_ADDRESS: "10000" },
    },
  },
  async () => {
    const staff = { platform: venue.platform, db: venue.database };
    selin = await staffMember(staff, "selin", ["cashier"]);
    okan = await staffMember(staff, "okan", ["supervisor"]);
  },
);
afterAll(async () => {
  expect(await venue.ledger.verify()).toEqual([]);
  const { checks } = await prove(venue.database.kysely, { is: "all" });
  expect(checks.filter(({ breaches }) => breaches.length > 0)).toEqual([]);
  await acme.close();
});
beforeEach(() => {
  callFaults.clear();
  reportFaults.clear();
  provider.deposits = "open";
  provider.withdrawals = "open";
  reportTo = `${venue.url.replace("ws", "http")}/v1/providers/acme/payments`;
});

type Player = { readonly id: string; readonly token: string };
let number = 0;
async function newPlayer(deposit = 0): Promise<Player> {
  number += 1;
  return await venue.player(`acme.${number}`, deposit);
}
const post = (path: string, payload: object, { token }: Player) =>
  venue.app.inject({ method: "POST", url: `/v1/${path}`, payload, headers: { authorization: `Bearer ${token}` } });
const own = async ({ token }: Player): Promise<PaymentsAnswer> =>
  z.parse(paymentCalls.payments.answer, (await venue.get("/v1/player/payments", token)).json());
async function request(player: Player, kind: PaymentKind, amount: number) {
  number += 1;
  return await post("player/payments", { id: `request-${number}`, kind, way: "acme", amount }, player);
}
/** A payment that is requested now. */
async function begun(player: Player, kind: PaymentKind, amount: number): Promise<PaymentsAnswer["payments"][number]> {
  const reply = await request(player, kind, amount);
  expect(reply.statusCode, reply.body).toBe(200);
  const [payment] = z.parse(paymentCalls.payments.answer, reply.json()).payments;
  if (payment === undefined) throw new Error("there is no payment");
  return payment;
}
const becomes = (player: Player, id: string, state: string, balance: number) =>
  eventually(async () => {
    const payment = (await own(player)).payments.find((one) => one.id === id);
    expect(payment).toMatchObject({ state });
    expect(await venue.ledgerOf(`player:${player.id}`)).toBe(balance);
  });
/** What is in an account of the ledger that no player and no machine has. */
const inAccount = async (address: "provider:acme" | `owed:${string}`) =>
  (await venue.ledger.account(address)).balanceMinor;
const troubleOf = async (id: string) =>
  (
    await sql<{ trouble: string | null }>`select trouble from provider_payment where payment_id = ${id}`.execute(
      venue.db,
    )
  ).rows[0]?.trouble;

describe("a deposit", () => {
  test("goes to the provider's page, comes back without a token, and is in the wallet once it was paid", async () => {
    const player = await newPlayer();
    const { id, url, state } = await begun(player, "deposit", 25_000);
    expect({ url, state }).toEqual({ url: `${new URL(acme.url).origin}/pages/${id}`, state: "requested" });
    expect(await venue.ledgerOf(`player:${player.id}`)).toBe(0);
    const paid = await fetch(`${url}/captured`, { method: "POST", redirect: "manual" });
    expect(paid.headers.get("location")).toMatch(/^http:\/\/[^?#]+\/wallet$/);
    await becomes(player, id, "captured", 25_000);
    expect((await own(player)).payments[0]).toMatchObject({ moved: 25_000, url: null, mayCancel: false });
    const held = await inAccount("provider:acme");
    expect(held).toBeLessThan(0);
  });

  test("that is authorised is captured; one that is refused says why, and nothing moved", async () => {
    const player = await newPlayer();
    provider.deposits = "authorised";
    const taken = await begun(player, "deposit", 4_000);
    await becomes(player, taken.id, "captured", 4_000);
    provider.deposits = "open";
    const no = await begun(player, "deposit", 5_000);
    provider.become(no.id, "refused", "The card was declined.");
    await becomes(player, no.id, "refused", 4_000);
    expect((await own(player)).payments[0]).toMatchObject({ reason: "The card was declined.", moved: null });
  });

  test.each(["lost", "lostAnswer", "slow", "broken", "brokenAfter", "garbage", "huge", "elsewhere", "early"] as const)(
    "whose call is %s is requested by its id, and booked once",
    async (fault) => {
      const player = await newPlayer();
      provider.deposits = "captured";
      callFaults.set("deposit", [fault]);
      if (fault === "lostAnswer") callFaults.set("status", ["lost", "garbage"]);
      if (fault !== "early") reportFaults.set("captured", ["silent"]);
      const { id } = await begun(player, "deposit", 3_000);
      await becomes(player, id, "captured", 3_000);
      expect(provider.stateOf(id)).toBe("captured");
    },
  );

  test.each(["lost", "lostAnswer", "brokenAfter", "garbage"] as const)(
    "whose capture is %s is captured once",
    async (fault) => {
      const player = await newPlayer();
      provider.deposits = "authorised";
      callFaults.set("capture", [fault]);
      const { id } = await begun(player, "deposit", 3_000);
      await becomes(player, id, "captured", 3_000);
    },
  );

  test.each(["twice", "disorder", "silent", "forged", "old", "noise"] as const)(
    "whose report is %s is booked once",
    async (fault) => {
      const player = await newPlayer();
      const { id } = await begun(player, "deposit", 3_000);
      reportFaults.set("captured", [fault]);
      const before = acme.reports.length;
      provider.become(id, "captured");
      await becomes(player, id, "captured", 3_000);
      if (fault === "silent") return;
      await eventually(() => expect(acme.reports.length).toBeGreaterThan(before));
      const refusals = { forged: 401, old: 401, noise: 400 } as Record<string, number>;
      expect(acme.reports[before]?.status).toBe(refusals[fault] ?? 200);
      await becomes(player, id, "captured", 3_000);
    },
  );

  test.each(["wrongAmount", "wrongCurrency"] as const)(
    "with %s is not booked, and a person is called",
    async (fault) => {
      const player = await newPlayer();
      const { id } = await begun(player, "deposit", 3_000);
      callFaults.set(
        "status",
        Array.from({ length: 50 }, () => fault),
      );
      reportFaults.set("captured", [fault]);
      provider.become(id, "captured");
      await eventually(async () => expect(await troubleOf(id)).toBe("differs"));
      expect(await venue.ledgerOf(`player:${player.id}`)).toBe(0);
      expect((await own(player)).payments[0]).toMatchObject({ state: "requested", moved: null });
    },
  );

  test("keeps the deposit limit when it is requested, and again when it is taken: then the provider gives it back", async () => {
    const player = await newPlayer();
    const { id } = await begun(player, "deposit", 5_000);
    await setLimit(venue.db.withTables(), {
      ...{ playerId: player.id, kind: "deposit", period: "day", owner: "player", by: "a test", value: 4_000 },
    } as never);
    expect((await request(player, "deposit", 4_001)).statusCode).toBe(409);
    reportFaults.set("captured", ["twice"]);
    provider.become(id, "captured");
    await becomes(player, id, "refused", 0);
    expect(provider.stateOf(id)).toBe("reversed");
    expect((await own(player)).payments[0]).toMatchObject({ reason: "limit.deposit" });
    expect(await troubleOf(id), "an old report calls no person").toBeNull();
  });

  test("that its player cancels is over once the provider says so; one that was paid meanwhile goes back", async () => {
    const player = await newPlayer();
    const { id } = await begun(player, "deposit", 5_000);
    reportFaults.set("captured", ["silent"]);
    provider.become(id, "captured");
    expect((await post("player/payments/cancel", { payment: id }, player)).statusCode).toBe(200);
    expect((await own(player)).payments[0]?.url).toBeNull();
    await becomes(player, id, "cancelled", 0);
    expect(provider.stateOf(id)).toBe("reversed");
  });

  test("of a process that was killed before it said anything is said by the next one", async () => {
    const player = await newPlayer();
    callFaults.set("deposit", ["lost"]);
    const { id } = await begun(player, "deposit", 5_000);
    await eventually(() => expect(provider.stateOf(id)).toBe("open"));
    const said = acme.calls.filter((call) => call.id === id).map(({ call }) => call);
    expect(said.slice(0, 3)).toEqual(["deposit", "status", "deposit"]);
  });
});

describe("money that was booked and goes back", () => {
  const wentBack = async (to: SimulatedState, spent: number, fault: ReportFault = "twice") => {
    const player = await newPlayer();
    provider.deposits = "captured";
    const { id } = await begun(player, "deposit", 10_000);
    await becomes(player, id, "captured", 10_000);
    if (spent > 0)
      await venue.ledger.transfer({
        ...{ id: `spent-${id}`, kind: "withdraw", from: `player:${player.id}`, to: "cage", amountMinor: spent },
        about: { actor: "staff:test" },
      });
    reportFaults.set(to, [fault]);
    const before = acme.calls.length;
    provider.become(id, to);
    return {
      player,
      id,
      queriesSince: () => acme.calls.slice(before).filter((one) => one.id === id && one.call === "status"),
    };
  };

  test.each(["reversed", "chargedBack"] as const)("%s: the wallet gives it back", async (to) => {
    const { player, id } = await wentBack(to, 0);
    await becomes(player, id, to, 0);
    expect(await inAccount(`owed:${player.id}`)).toBe(0);
    expect(await troubleOf(id)).toBe("wentBack");
  });

  test.each(["wrongAmount", "wrongCurrency"] as const)(
    "reported with %s: its provider is queried, and what it says then goes back",
    async (fault) => {
      const { player, id } = await wentBack("chargedBack", 0, fault);
      await becomes(player, id, "chargedBack", 0);
      expect(await troubleOf(id)).toBe("wentBack");
    },
  );

  test("with another amount, also when its provider is queried: nothing is booked, and a person is called", async () => {
    callFaults.set(
      "status",
      Array.from({ length: 50 }, () => "wrongAmount" as const),
    );
    const { player, id, queriesSince } = await wentBack("chargedBack", 0, "wrongAmount");
    await eventually(async () => {
      const { rows } = await sql`select trouble, wants from provider_payment where payment_id = ${id}`.execute(
        venue.db,
      );
      expect(rows).toEqual([{ trouble: "differs", wants: null }]);
    });
    expect(queriesSince()).toHaveLength(1);
    expect(await venue.ledgerOf(`player:${player.id}`)).toBe(10_000);
  });

  test("what the wallet has no more is owed; nothing is played or withdrawn until a person looked", async () => {
    const { player, id } = await wentBack("chargedBack", 7_000);
    await becomes(player, id, "chargedBack", 0);
    expect(await inAccount(`owed:${player.id}`)).toBe(-7_000);
    const { withdrawalClosed } = await own(player);
    expect(withdrawalClosed).toMatchObject({ code: 60101 });
    const { machine } = await venue.machine(`back-${number}`);
    expect(machine).toBeDefined();
    const page = await venue.page(player.token, `back-${number}`);
    expect(await page.init()).toMatchObject({ is: "refused" });
    const { rows } = (await okan.get("payments?state=troubled")).body as { rows: Record<string, unknown>[] };
    expect(rows).toContainEqual(expect.objectContaining({ id, trouble: "wentBack", owed: 7_000 }));
    const settle = { reason: "spoke with the player" };
    expect((await selin.act("settlePayment", { id }, settle)).status).toBe(403);
    await venue.ledger.transfer({
      ...{ id: `again-${id}`, kind: "deposit", from: "cage", to: `player:${player.id}`, amountMinor: 3_000 },
      about: { actor: "staff:test" },
    });
    const settled = await okan.act("settlePayment", { id }, settle);
    expect(settled.body).toMatchObject({ is: "done", result: { owed: 4_000 } });
    expect(await inAccount(`owed:${player.id}`)).toBe(-4_000);
    expect((await own(player)).withdrawalClosed).toBeNull();
  });

  test("while its player sits: the game is finished, the credits come back, and what they cover is owed no more", async () => {
    const player = await newPlayer();
    provider.deposits = "captured";
    const { id } = await begun(player, "deposit", 10_000);
    await becomes(player, id, "captured", 10_000);
    const machineId = `sits-${number}`;
    const { machine, agent } = await venue.machine(machineId);
    const page = await venue.page(player.token, machineId);
    expect(await page.init()).toMatchObject({ is: "done" });
    expect(await page.peer.request("cashIn", { id: `t-${id}`, amount: 6_000 })).toMatchObject({ is: "done" });
    machine.startGame();
    await agent.pump();
    await venue.inState(machineId, "inGame");
    provider.become(id, "chargedBack");
    await venue.inState(machineId, "draining");
    expect(await inAccount(`owed:${player.id}`)).toBe(-6_000);
    expect(page.ofMethod("ended"), "nothing is said before the game is over").toEqual([]);
    machine.endGame(0);
    await agent.pump();
    await venue.inState(machineId, "free");
    await eventually(() => expect(page.ofMethod("ended")).toMatchObject([{ why: "payment" }]));
    await eventually(async () => expect(await inAccount(`owed:${player.id}`)).toBe(-machine.bet));
    expect(await venue.ledgerOf(`player:${player.id}`)).toBe(0);
  });

  test("before it was ever booked it is only over", async () => {
    const player = await newPlayer();
    const { id } = await begun(player, "deposit", 10_000);
    callFaults.set(
      "status",
      Array.from({ length: 20 }, () => "lost" as const),
    );
    reportFaults.set("captured", ["silent"]);
    provider.become(id, "captured");
    provider.become(id, "chargedBack");
    await becomes(player, id, "reversed", 0);
    expect(await troubleOf(id)).toBeNull();
  });
});

describe("a withdrawal", () => {
  test("is held, sent, and booked once the provider has paid it", async () => {
    const player = await newPlayer(30_000);
    const { id } = await begun(player, "withdrawal", 20_000);
    await becomes(player, id, "sent", 30_000);
    expect(await own(player)).toMatchObject({ available: 10_000, payments: [{ mayCancel: false }] });
    provider.become(id, "paid");
    await becomes(player, id, "paid", 10_000);
  });

  test.each(["lost", "lostAnswer", "slow", "broken", "brokenAfter", "garbage", "early"] as const)(
    "whose call is %s is paid once",
    async (fault) => {
      const player = await newPlayer(30_000);
      provider.withdrawals = "paid";
      callFaults.set("withdraw", [fault]);
      const { id } = await begun(player, "withdrawal", 20_000);
      await becomes(player, id, "paid", 10_000);
      expect(acme.calls.filter((call) => call.id === id && call.call === "withdraw").length).toBeLessThanOrEqual(2);
    },
  );

  test("that the provider cannot pay is in the wallet again, also after it said that it was paid", async () => {
    const player = await newPlayer(30_000);
    const first = await begun(player, "withdrawal", 20_000);
    reportFaults.set("failed", ["twice"]);
    provider.become(first.id, "failed", "The account is closed.");
    await becomes(player, first.id, "failed", 30_000);
    provider.withdrawals = "paid";
    const second = await begun(player, "withdrawal", 20_000);
    await becomes(player, second.id, "paid", 10_000);
    reportFaults.set("failed", ["disorder"]);
    provider.become(second.id, "failed");
    await becomes(player, second.id, "failed", 30_000);
    expect(await troubleOf(first.id), "a repeat calls no person").toBeNull();
    const third = await begun(player, "withdrawal", 20_000);
    await becomes(player, third.id, "paid", 10_000);
    reportFaults.set("failed", ["wrongAmount"]);
    provider.become(third.id, "failed");
    await becomes(player, third.id, "failed", 30_000);
  });

  test("that comes to no end in a day, though the provider answers, calls a person until it does", async () => {
    const player = await newPlayer(30_000);
    const { id } = await begun(player, "withdrawal", 20_000);
    await becomes(player, id, "sent", 30_000);
    const troubled = async () => ((await okan.get("payments?state=troubled")).body as { rows: object[] }).rows;
    const late = expect.objectContaining({ id, trouble: "late" });
    expect(await troubled()).not.toContainEqual(late);
    await sql`update provider_payment set wants_at = wants_at - interval '1 day' where payment_id = ${id}`.execute(
      venue.db,
    );
    await eventually(async () => expect(await troubled()).toContainEqual(late));
    const [task] = (await troubledPayments(venue.db, 100)).filter((one) => one.id === id);
    expect(task).toMatchObject({ trouble: "late", amount: 20_000, way: "acme" });
    provider.become(id, "paid");
    await becomes(player, id, "paid", 10_000);
    expect(await troubled()).not.toContainEqual(expect.objectContaining({ id }));
  });

  test("from the venue's amount on waits for staff, and its player may take it back where the market lets them", async () => {
    const player = await newPlayer(60_000);
    const { id } = await begun(player, "withdrawal", 50_000);
    expect(await own(player)).toMatchObject({ available: 10_000, payments: [{ state: "inReview", mayCancel: true }] });
    expect(acme.calls.filter((call) => call.id === id)).toEqual([]);
    expect((await post("player/payments/cancel", { payment: id }, player)).statusCode).toBe(200);
    await becomes(player, id, "cancelled", 60_000);
  });
});

test("two people let a reviewed withdrawal go; a cashier's desk does not pay what a provider pays", async () => {
  const player = await newPlayer(60_000);
  provider.withdrawals = "paid";
  const { id } = await begun(player, "withdrawal", 50_000);
  await selin.act("openShift", {}, { desk: "Cage 1", float: 1_000_000 });
  const atDesk = await selin.act("withdraw", { id: player.id }, { amount: 50_000, payment: id, reason: "code" });
  expect(atDesk.body).toMatchObject({ problem: "thing.unknown" });
  const waits = await selin.act("approvePayment", { id }, { reason: "known player" });
  expect(waits.body).toMatchObject({ is: "waiting" });
  await becomes(player, id, "inReview", 60_000);
  const approval = String(waits.body["approval"]);
  const { hash } = (await okan.get(`approvals/${approval}`)).body as { hash: string };
  expect((await okan.act("signApproval", { id: approval }, { hash })).body).toMatchObject({ is: "done" });
  await becomes(player, id, "paid", 10_000);
});

test("a report for a payment of another way or for an unknown provider changes nothing", async () => {
  const player = await newPlayer();
  const { id } = await begun(player, "deposit", 5_000);
  reportTo = `${venue.url.replace("ws", "http")}/v1/providers/other/payments`;
  const before = acme.reports.length;
  reportFaults.set("captured", ["twice"]);
  callFaults.set(
    "status",
    Array.from({ length: 20 }, () => "lost" as const),
  );
  provider.become(id, "captured");
  await eventually(() => expect(acme.reports.length).toBeGreaterThan(before + 1));
  expect(acme.reports.slice(before).map(({ status }) => status)).toEqual(expect.arrayContaining([401]));
  expect(await venue.ledgerOf(`player:${player.id}`)).toBe(0);
});

/** The walk of docs/operating/payment-provider.md, as it is written there, with curl and openssl. */
test("an operator connects a cashier with curl alone", async () => {
  const { id } = await venue.player("walks");
  const snippets = shellSnippets(await readFile(PAGE, "utf8"));
  expect(snippets).toHaveLength(3);
  const { stdout } = await run("sh", ["-euc", snippets.join("\n")], {
    env: {
      ...(await shellWith("curl", "openssl")),
      ...{ PROVIDER: acme.url, PROVIDER_SECRET: SECRET, PLAYER: id },
      ...{ LONGARM: venue.url.replace("ws", "http"), USERNAME: "walks", PASSWORD },
    },
  });
  const answers = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(answers).toMatchObject([
    { id: "walk-1", state: "unknown" },
    { id: "walk-1", state: "open" },
    { id: "walk-1", state: "open" },
    { id: "walk-2", state: "refused" },
    { id: "walk-2", state: "refused" },
    { sentence: "done" },
    { sentence: "done" },
    { balance: 5_000 },
  ]);
});
