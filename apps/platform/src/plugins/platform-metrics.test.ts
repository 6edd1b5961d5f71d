import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventually, sharePlayVenue } from "../testing/play-venue.ts";

const venue = sharePlayVenue({ env: { HANDSHAKES_PER_MINUTE_ADDRESS: "40" } });

const metrics = async (): Promise<string> => (await venue.get("/metrics")).body;

/** The value of one series; its labels are written as they are told. */
async function seriesNow(series: string): Promise<number | undefined> {
  const line = (await metrics()).split("\n").find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}
const tells = (series: string, value: number) => eventually(async () => expect(await seriesNow(series)).toBe(value));

test("money, seats and machines are told as they are", async () => {
  const { machine } = await venue.machine("dag-01");
  await tells('longarm_machines{status="available"}', 1);
  await tells("longarm_agents_linked", 1);
  const player = await venue.player("figen.plays", 10_000);
  const page = await venue.page(player.token, "dag-01");
  await page.init();
  await page.peer.request("cashIn", { id: "dag-01-in", amount: 3_000 });
  await tells('longarm_seats{state="playing"}', 1);
  await tells('longarm_sockets_open{path="/game"}', 1);
  await tells('longarm_sockets_open{path="/agent"}', 1);
  await tells('longarm_transfer_seconds_count{direction="cashIn",outcome="done"}', 1);
  await tells("longarm_transfers_unknown", 0);
  await tells("longarm_ledger_sum_minor", 0);
  await tells("longarm_suspense_minor", 0);
  expect(machine.credit).toBe(3_000);
  await page.peer.request("leave", {});
  await tells('longarm_seats{state="free"}', 1);
});

test("a transfer that nobody knows of is counted, with its age", async () => {
  const { machine } = await venue.machine("dag-02");
  const player = await venue.player("gul.waits", 10_000);
  const page = await venue.page(player.token, "dag-02");
  await page.init();
  machine.mood = "silentBefore";
  void page.peer.request("cashIn", { id: "dag-02-in", amount: 3_000 });
  const open = async () =>
    ((await seriesNow("longarm_transfers_asking")) ?? 0) + ((await seriesNow("longarm_transfers_unknown")) ?? 0);
  await eventually(async () => expect(await open()).toBe(1));
  expect(await seriesNow("longarm_transfers_open_oldest_seconds")).toBeGreaterThan(0);
  await tells("longarm_holds_open_minor", 3_000);
});

test("alarms, sign-ins and limits are counted by their kind, and no label is made of what others write", async () => {
  const before = (await seriesNow('longarm_audit_entries_total{type="loginFail"}')) ?? 0;
  await venue.signIn("nobody.at.all").catch(() => {});
  await tells('longarm_audit_entries_total{type="loginFail"}', before + 1);
  // attack 10: the log keeps a burst, and the alert counts each refusal.
  const refused = (await seriesNow('longarm_sign_ins_refused_total{type="loginFail"}')) ?? 0;
  await venue.signIn("nobody.at.all").catch(() => {});
  await tells('longarm_sign_ins_refused_total{type="loginFail"}', refused + 1);
  expect(await seriesNow('longarm_audit_entries_total{type="loginFail"}')).toBe(before + 1);
  venue.app.log.error({ alarm: "seat" }, "a seat needs staff");
  await tells('longarm_alarms_total{alarm="seat"}', 1);
  for (let tries = 0; tries < 20; tries += 1)
    await fetch(`${venue.url.replace("ws", "http")}/nowhere-${tries}?x=${tries}`);
  const text = await metrics();
  expect(text).not.toContain("nowhere-");
  expect(text).toMatch(/longarm_http_seconds_count\{method="GET",route="[^"]*",status="404"\} \d+/);
  expect(text).toContain("longarm_bus_up 1");
  expect(text).toContain("longarm_database_up 1");
  expect(text).toMatch(/longarm_database_connections \d+/);
});

test("every alarm that the platform can raise is told from the start: an alert sees no series that begins at one", async () => {
  const sources = join(import.meta.dirname, "..");
  const files = (await readdir(sources, { recursive: true })).filter((name) => /(?<!\.test)\.ts$/.test(name));
  const texts = await Promise.all(files.map((name) => readFile(join(sources, name), "utf8")));
  const kinds = texts.flatMap((text) =>
    Array.from(text.matchAll(/(?:\balarm: |\braise\(\s*)"(\w+)"/g), ([, kind]) => kind),
  );
  expect(kinds.length).toBeGreaterThan(20);
  const told = await metrics();
  for (const kind of new Set(kinds)) expect(told).toContain(`longarm_alarms_total{alarm="${kind}"}`);
});
