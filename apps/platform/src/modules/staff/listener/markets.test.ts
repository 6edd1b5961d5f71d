import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { longarmOf } from "../../../testing/longarm.ts";
import { sharePlayVenue } from "../../../testing/play-venue.ts";
import { staffMember } from "../../../testing/staff-client.ts";

/* Markets and terms of use, as the console and the command line set them: one function for both. */

const venue = sharePlayVenue({ env: { STAFF_PORT: "0", LOGINS_PER_MINUTE_ADDRESS: "10000" } }, prepare);
type Member = Awaited<ReturnType<typeof staffMember>>;
type Json = Record<string, unknown>;
let tolga: Member;
let veli: Member;
let asli: Member;
async function prepare(): Promise<void> {
  const staff = { platform: venue.platform, db: venue.database };
  tolga = await staffMember(staff, "tolga", ["administrator"]);
  veli = await staffMember(staff, "veli", ["auditor"]);
  asli = await staffMember(staff, "asli", ["administrator"]);
}
const folder = mkdtempSync(join(tmpdir(), "longarm-terms-"));
afterAll(() => rmSync(folder, { recursive: true }));

const choose = (fields: object) =>
  tolga.act("chooseMarket", {}, { reason: "licence of 2026", amountsIn: "GBP", ...fields });
const markets = async () => (await veli.get("markets")).body as { markets: Json[]; choices: Json[] };

test("every market has its rules with clause and date, and a dry run says what would change and which way", async () => {
  const found = await markets();
  expect(found.choices).toEqual([]);
  const gb = found.markets.find(({ id }) => id === "gb") as { rules: Json[] };
  expect(gb.rules.find(({ name }) => name === "minCycleMs")).toEqual({
    name: "minCycleMs",
    value: 2_500,
    source: { clause: "RTS 14D", version: "2025-01-17", seen: "text" },
  });
  const dry = await choose({ scope: "venue", market: "gb", dryRun: true });
  expect(dry.body).toMatchObject({ is: "dryRun", needsApproval: false });
  const { changes } = dry.body["result"] as { changes: Json[] };
  expect(changes).toContainEqual({ name: "minCycleMs", before: 0, after: 2_500, becomes: "stricter" });
  expect(changes.every(({ becomes }) => becomes === "stricter")).toBe(true);
  expect((await markets()).choices).toEqual([]);
});

test("the venue's market is chosen once, and who saw another one is refused", async () => {
  expect((await choose({ scope: "venue", market: "gb", expected: null })).body).toMatchObject({ is: "done" });
  expect((await choose({ scope: "venue", market: "de", expected: null })).body).toMatchObject({
    problem: "act.refused",
  });
  expect((await choose({ scope: "venue", market: "gb" })).body).toMatchObject({ problem: "act.refused" });
  expect((await markets()).choices).toMatchObject([{ scope: "venue", market: "gb", by: "tolga" }]);
  const back = await choose({ scope: "venue", market: "none", expected: "gb", dryRun: true });
  const { changes } = back.body["result"] as { changes: Json[] };
  expect(changes).toContainEqual({ name: "minCycleMs", before: 2_500, after: 0, becomes: "looser" });
});

test("a choice that makes any rule looser waits for a second person, who sees each rule; a stricter one does not", async () => {
  const back = await choose({ scope: "venue", market: "none", expected: "gb", dryRun: true });
  expect(back.body).toMatchObject({ is: "dryRun", needsApproval: true });
  // Germany waits longer from game to game, and lets a looser limit be without a second yes.
  const other = await choose({ scope: "venue", market: "de", amountsIn: "EUR" });
  expect(other.body).toMatchObject({ is: "waiting" });
  expect((await markets()).choices).toMatchObject([{ scope: "venue", market: "gb" }]);
  const found = await asli.get(`approvals/${other.body["approval"]}`);
  expect(found.body).toMatchObject({ kind: "market.loosen", subject: "market:venue", maySign: true });
  expect(found.body["evidence"]).toContainEqual({ label: "looserAskAgain (looser)", value: "true → false" });
  const sign = (member: Member, id: unknown, hash: unknown) => member.act("signApproval", { id: String(id) }, { hash });
  expect((await sign(tolga, other.body["approval"], found.body["hash"])).body).not.toMatchObject({ is: "done" });
  // What was requested is void once another market holds.
  expect(await longarmOf(venue)("markets", "choose", "lab", "--reason", "trial")).toMatchObject({ code: 0 });
  expect((await sign(asli, other.body["approval"], found.body["hash"])).body).toMatchObject({
    problem: "approval.changed",
  });
  const again = await choose({ scope: "venue", market: "gb", expected: "lab" });
  const wanted = await asli.get(`approvals/${again.body["approval"]}`);
  expect((await sign(asli, again.body["approval"], wanted.body["hash"])).body).toMatchObject({ is: "done" });
  expect((await markets()).choices).toMatchObject([{ scope: "venue", market: "gb", by: "tolga" }]);
});

test("a market's amounts are taken in the venue's currency only by who names it, and a dry run says so before", async () => {
  const dry = await choose({ scope: "player", subject: "nobody", market: "de", amountsIn: undefined, dryRun: true });
  expect(dry.body).toMatchObject({ problem: "thing.unknown" });
  await venue.player("counts.lira");
  const wanted = { scope: "player", subject: "counts.lira", market: "de" } as const;
  expect((await choose({ ...wanted, amountsIn: undefined, dryRun: true })).body).toMatchObject({
    result: { amounts: { currency: "EUR", rules: ["stakeCaps", "limitsOfAll"] } },
  });
  expect((await choose({ ...wanted, amountsIn: undefined })).body).toMatchObject({
    problem: "act.refused",
    params: { sentence: expect.stringContaining("are in EUR. Name the venue's currency") },
  });
  const hostile = { id: "lira-act", dryRun: true, reason: "hostile", ...wanted, amountsIn: "try" };
  expect((await tolga.post("markets", hostile)).body).toMatchObject({ problem: "request.invalid" });
  expect(await longarmOf(venue)("markets", "choose", "de", "--player", "counts.lira", "--reason", "x")).toMatchObject({
    code: 3,
  });
  const said = await longarmOf(venue)(
    ...["markets", "choose", "de", "--player", "counts.lira", "--amounts-in", "TRY", "--reason", "lives there"],
  );
  expect(said).toMatchObject({ code: 0, said: expect.stringContaining("amounts of EUR") });
  await longarmOf(venue)("markets", "choose", "none", "--player", "counts.lira", "--reason", "moved");
});

test("a player's market counts beside the venue's, by the name of the player, and goes away again", async () => {
  await venue.player("lives.away");
  const chosen = await choose({ scope: "player", subject: "lives.away", market: "de", amountsIn: "EUR" });
  const { changes } = chosen.body["result"] as { changes: Json[] };
  expect(changes).toContainEqual({ name: "minCycleMs", before: 2_500, after: 5_000, becomes: "stricter" });
  expect((await markets()).choices).toContainEqual(
    expect.objectContaining({ scope: "player", name: "lives.away", market: "de" }),
  );
  expect(
    await longarmOf(venue)("markets", "choose", "none", "--player", "lives.away", "--reason", "moved"),
  ).toMatchObject({ code: 0, said: expect.stringContaining("looser") });
  expect((await markets()).choices).toHaveLength(1);
});

test.each([
  { scope: "venue", market: "atlantis" },
  { scope: "venue", market: "gb", subject: "lives.away" },
  { scope: "player", market: "gb" },
  { scope: "player", subject: "nobody.here", market: "gb" },
  { scope: "machine", subject: "no-machine", market: "gb" },
  { scope: "house", market: "gb" },
  { scope: "venue", market: 7 },
  { scope: "venue", market: "gb'; drop table market_choice; --" },
  { scope: "venue", market: "de", more: true },
])("the choice %j is refused, and nothing changes", async (fields) => {
  const before = await markets();
  // A dry run checks the same and needs no step-up, whose own check of the body would answer first.
  const sent = { id: "hostile-act", dryRun: true, reason: "hostile", ...fields };
  expect((await tolga.post("markets", sent)).body).toMatchObject({
    problem: expect.stringMatching(/^(request\.invalid|act\.refused|thing\.unknown)$/),
  });
  expect((await markets()).choices).toEqual(before.choices);
});

const TEXTS = {
  en: { title: "Terms", changes: ["all of it"], body: "# Money\n\nYours." },
  tr: { title: "Şartlar", changes: [], body: "Para sizindir." },
};

test("terms are added by console and command line, in order, and read back as they were written", async () => {
  const add = (fields: object) =>
    tolga.act("addTerms", {}, { expected: 0, texts: TEXTS, reason: "opening", ...fields });
  expect((await add({ dryRun: true })).body).toMatchObject({ is: "dryRun", result: { number: 1 } });
  expect((await veli.get("terms")).body).toMatchObject({ rows: [] });
  expect((await add({})).body).toMatchObject({ is: "done", result: { number: 1 } });
  expect((await add({})).body).toMatchObject({ problem: "settings.changed" });
  expect((await veli.get("terms/1")).body).toMatchObject({ state: "holds", texts: TEXTS, accepted: 0, by: "tolga" });
  const file = join(folder, "terms-2.json");
  writeFileSync(file, JSON.stringify({ en: { title: "Terms", changes: ["line two"], body: "Two." } }));
  expect(await longarmOf(venue)("terms", "add", file, "--valid-from", "2d", "--reason", "winter")).toMatchObject({
    code: 0,
  });
  expect((await veli.get("terms")).body).toMatchObject({
    rows: [
      { number: 2, state: "waits", languages: ["en"] },
      { number: 1, state: "holds", languages: ["tr", "en"] },
    ],
  });
  expect((await longarmOf(venue)("terms", "list")).said).toContain("winter");
  expect((await longarmOf(venue)("terms", "show", "2")).said).toContain("line two");
  expect((await longarmOf(venue)("terms", "show", "7")).code).toBe(3);
});

test.each([
  {},
  { en: { title: "", changes: [], body: "x" } },
  { en: { title: "x", changes: [], body: "" } },
  { en: { title: "x", changes: [], body: "a\u0000b" } },
  { en: { title: "x", changes: Array.from({ length: 11 }, () => "y"), body: "z" } },
  { en: { title: "x", changes: [], body: "z".repeat(100_001) } },
  { fr: { title: "x", changes: [], body: "z" } },
  { en: { title: "x", changes: [], body: "z", more: 1 } },
])("terms such as %j are refused by console and command line", async (texts) => {
  const before = (await veli.get("terms")).body["rows"];
  const sent = { id: "hostile-terms", dryRun: true, expected: 2, texts, reason: "hostile" };
  expect((await tolga.post("terms/add", sent)).body).toMatchObject({ problem: "request.invalid" });
  const file = join(folder, "hostile.json");
  writeFileSync(file, JSON.stringify(texts));
  expect((await longarmOf(venue)("terms", "add", file, "--reason", "hostile")).code).toBe(3);
  expect((await veli.get("terms")).body["rows"]).toEqual(before);
});
