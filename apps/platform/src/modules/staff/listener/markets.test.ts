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
async function prepare(): Promise<void> {
  const staff = { platform: venue.platform, db: venue.database };
  tolga = await staffMember(staff, "tolga", ["administrator"]);
  veli = await staffMember(staff, "veli", ["auditor"]);
}
const folder = mkdtempSync(join(tmpdir(), "longarm-terms-"));
afterAll(() => rmSync(folder, { recursive: true }));

const choose = (fields: object) => tolga.act("chooseMarket", {}, { reason: "licence of 2026", ...fields });
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

test("a player's market counts beside the venue's, by the name of the player, and goes away again", async () => {
  await venue.player("lives.away");
  const chosen = await choose({ scope: "player", subject: "lives.away", market: "de" });
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
