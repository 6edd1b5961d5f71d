import { expect, test } from "vitest";
import { csvLine } from "../../csv.ts";
import { longarmOf } from "../../testing/longarm.ts";
import { sharePlayVenue } from "../../testing/play-venue.ts";

/* Money that staff moves: once, whole, with the person who moved it, and listed as it was. */

const venue = sharePlayVenue();

const longarm = longarmOf(venue);
const json = async (...args: string[]) =>
  JSON.parse((await longarm(...args, "--json")).said) as Record<string, unknown>;

test("the same id never pays twice, also for concurrent requests; another content under it is refused", async () => {
  const id = await venue.addPlayer("paid.once");
  const deposit = ["wallets", "deposit", "paid.once", "250.00", "--reason", "cash desk 2", "--id", "receipt-1"];
  const answers = await Promise.all([longarm(...deposit), longarm(...deposit), longarm(...deposit)]);
  expect(answers.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(answers.filter(({ said }) => said.startsWith("Moved:"))).toHaveLength(1);
  expect(answers.filter(({ said }) => said.includes("nothing moved now"))).toHaveLength(2);
  expect(await venue.ledgerOf(`player:${id}`)).toBe(25_000);
  const other = await longarm(
    "wallets",
    "deposit",
    "paid.once",
    "250.01",
    "--reason",
    "cash desk 2",
    "--id",
    "receipt-1",
  );
  expect(other).toMatchObject({ code: 3, complained: expect.stringContaining("another content") });
  expect(await venue.ledgerOf(`player:${id}`)).toBe(25_000);
});

test("a withdrawal takes what is free and no more; a dry run moves nothing", async () => {
  const { id, token } = await venue.player("pays.out", 3_000);
  await venue.machine("cw-01");
  const page = await venue.page(token, "cw-01");
  await page.init();
  await page.peer.request("cashIn", { id: "pays-out-in", amount: 1_000 });
  const withdraw = (amount: string, ...more: string[]) =>
    longarm("wallets", "withdraw", "pays.out", amount, "--reason", "cash", ...more);
  expect(await withdraw("20.01")).toMatchObject({ code: 3 });
  expect(await withdraw("20.01", "--dry-run")).toMatchObject({ code: 3 });
  expect(await withdraw("5.00", "--dry-run")).toMatchObject({
    code: 0,
    said: expect.stringContaining("Nothing was changed"),
  });
  expect(await withdraw("20.00")).toMatchObject({ code: 0, said: expect.stringContaining("from 20.00 to 0.00") });
  expect(await venue.ledgerOf(`player:${id}`)).toBe(0);
  expect(await longarm("wallets", "balance", "pays.out")).toMatchObject({
    said: "pays.out: 0.00 in the wallet, 10.00 on a machine",
  });
  await page.peer.request("leave", {});
});

test("a statement has every move with its balance before and after, oldest first, as lines, CSV and JSON", async () => {
  await venue.addPlayer("has.moves");
  await longarm("wallets", "deposit", "has.moves", "100.00", "--reason", "=1+1", "--id", "r-1");
  await longarm("wallets", "deposit", "has.moves", "50.00", "--reason", 'two "quoted", words', "--id", "r-2");
  await longarm("wallets", "withdraw", "has.moves", "30.00", "--reason", "cash", "--id", "r-3");
  const { moves } = (await json("wallets", "statement", "has.moves")) as { moves: object[] };
  expect(moves).toMatchObject([
    { id: "staff:r-1", type: "deposit", amount: 10_000, before: 0, after: 10_000, status: "complete", by: "root:ayse" },
    { type: "deposit", amount: 5_000, before: 10_000, after: 15_000 },
    { type: "withdraw", amount: -3_000, before: 15_000, after: 12_000, other: "cage" },
  ]);
  const csv = (await longarm("wallets", "statement", "has.moves", "--csv")).said.split("\n");
  expect(csv).toHaveLength(4);
  expect(csv[1]).toMatch(/,staff:r-1,deposit,100,0,100,complete,cage,,,root:ayse,'=1\+1$/);
  expect(csv[2]).toMatch(/,"two ""quoted"", words"$/);
  const lines = (await longarm("wallets", "statement", "has.moves")).said.split("\n");
  expect(lines[2]).toMatch(/withdraw +-30\.00 +150\.00 +120\.00/);
  expect(lines.at(-1)).toBe("3 moves.");
  expect((await longarm("wallets", "statement", "has.moves", "--from", "2099-01-01")).said).toBe("0 moves.");
  expect((await longarm("wallets", "statement", "has.moves", "--to", "2000-01-01")).said).toBe("0 moves.");
  expect(await longarm("wallets", "statement", "has.moves", "--csv", "--json")).toMatchObject({ code: 2 });
});

test("the statement lists what machines moved too: cash-ins, cash-outs and what is being checked", async () => {
  const { token } = await venue.player("plays.some", 9_000);
  const { machine } = await venue.machine("cw-02");
  const page = await venue.page(token, "cw-02");
  await page.init();
  await page.peer.request("cashIn", { id: "plays-some-1", amount: 2_000 });
  await page.peer.request("cashOut", { id: "plays-some-2", amount: 500 });
  machine.mood = "pending";
  await page.peer.request("cashIn", { id: "plays-some-3", amount: 700 });
  const { moves } = (await json("wallets", "statement", "plays.some")) as { moves: object[] };
  expect(moves.slice(1)).toMatchObject([
    { type: "cashIn", amount: -2_000, machine: "cw-02", session: expect.stringMatching(/^ps_/) },
    { type: "cashOut", amount: 500 },
    { type: "cashIn", amount: -700, status: "pending", before: null, after: null },
  ]);
  machine.mood = "well";
  machine.finishPending("done");
  await venue.inState("cw-02", "playing");
  await page.peer.request("leave", {});
});

test.each([
  ["=cmd()", "'=cmd()"],
  ["+1", "'+1"],
  ["-1", "'-1"],
  ["@x", "'@x"],
  ["\tx", "'\tx"],
  ["\rx", '"\'\rx"'],
  ["＝cmd()", "'＝cmd()"],
  ["  =cmd()", "'  =cmd()"],
  ["a;=cmd()", "a;'=cmd()"],
  ["a,b", '"a,b"'],
  ['"', '""""'],
  ["two\nlines", '"two\nlines"'],
])("a spreadsheet takes %j for text", (field, written) => {
  expect(csvLine([field, -5, null])).toBe(`${written},-5,`);
});
