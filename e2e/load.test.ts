/** @module-tag long */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { playerAccount } from "@longarm/ledger/rules/address";
import { systemTimers } from "@longarm/link/socket";
import { signIn } from "@longarm/load/account";
import type { Picture } from "@longarm/load/receiver/frames";
import { annexB } from "@longarm/load/receiver/frames";
import type { AgentClock } from "@longarm/load/receiver/receiver";
import { findVenue } from "@longarm/load/venue";
import { Visit } from "@longarm/load/visit";
import { readTimeCode, timeCodeAge } from "@longarm/reels/picture/reading/time-code";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { decodePicture } from "../apps/agent/src/testing/decode-picture.ts";
import { ROOT } from "../launcher/venue.ts";
import { DENIZ } from "../rig/player.ts";
import { runLongarm } from "../rig/venue/staff.ts";
import type { TestVenue } from "../rig/venue/test-venue.ts";
import { openTestVenue } from "../rig/venue/test-venue.ts";

/* `longarm load` against a whole Longarm: what it receives are pictures, and whatever ends it, the money is whole and its people are gone. */

const SOON = { timeout: 150_000, interval: 100 };
const CODE_TURN = 65_536;
let venue: TestVenue;

beforeAll(async () => {
  venue = await openTestVenue({ machines: 2, platformEnv: { LOGINS_PER_MINUTE_ADDRESS: "1000" } });
});
afterAll(() => venue?.close());

test("a visitor's pictures are the machine's own, as old as its clock says, and a press comes back answered", async () => {
  const found = await findVenue(venue.href);
  const me = await signIn(found, DENIZ);
  // Each with the clock of the connection that brought it: a line that is made anew begins a clock of its own.
  const keys: { picture: Picture; clock: AgentClock | undefined }[] = [];
  const seated: { spin: string; bet: number; simulated: boolean | undefined }[] = [];
  const visit = new Visit(
    { venue: found, token: me.token, machineId: "nar-01", role: "player" },
    {
      ...{ timers: systemTimers, now: () => performance.now(), random: () => 0.5 },
      seated: ({ buttons, meters, machine }) =>
        void seated.push({
          spin: buttons.find(({ kind }) => kind === "wager")?.id ?? "",
          bet: meters?.bet ?? 0,
          simulated: machine.simulated,
        }),
      picture: (picture) => void (picture.key && keys.push({ picture, clock: visit.video.clock })),
    },
  );
  onTestFinished(() => visit.end());
  // The first answers may have been given before there was a picture: they have the time, but of no picture.
  const dated = () => keys.find(({ clock, picture }) => clock?.ageMs(picture.timestamp, 0) !== undefined);
  await expect.poll(dated, SOON).toBeDefined();

  const { picture: key, clock } = dated() ?? {};
  const pixels = await decodePicture(annexB(key?.payloads ?? []));
  expect([pixels.width, pixels.height]).toEqual([1280, 720]);
  const code = readTimeCode(pixels);
  expect(code).not.toBeNull();
  const now = performance.now();
  const age = clock?.ageMs(key?.timestamp ?? 0, now) ?? Number.NaN;
  const painted = code && timeCodeAge(code, (clock?.toAgent(now) ?? 0) % CODE_TURN);
  expect(Math.abs((painted ?? Number.NaN) - (age % CODE_TURN))).toBeLessThan(3);

  expect(seated[0]?.simulated).toBe(true);
  const cashedIn = await visit.request("cashIn", { id: "load-test-0001", amount: 100_000 });
  expect(cashedIn).toMatchObject({ is: "done", data: { outcome: "done" } });
  await expect.poll(() => visit.press(seated[0]?.spin ?? "", visit.meters?.bet), SOON).toBe("started");
  expect(visit.video.takeSeen().pictures).toBeGreaterThan(0);

  const drops = seated.length;
  visit.cut();
  await expect.poll(() => seated.length, SOON).toBeGreaterThan(drops);
  await expect.poll(() => visit.request("leave", {}), SOON).toMatchObject({ is: "done", data: { outcome: "done" } });
});

const AS_ROOT = ["--as-root", "a test"];

/** The command in a process of its own, as at a terminal. */
function startLoad(...more: string[]) {
  const args = [
    "load",
    "--url",
    venue.href,
    "--machines",
    "2",
    "--players",
    "2",
    "--viewers",
    "3",
    ...AS_ROOT,
    ...more,
  ];
  const child = spawn(process.execPath, [join(ROOT, "apps/platform/src/cli/main.ts"), ...args], {
    env: { ...process.env, DATABASE_URL: venue.databaseUrl },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => (printed += part.toString()));
  return { printed: () => printed, interrupt: () => child.kill("SIGINT"), exited: once(child, "exit") };
}

const notBanned = () =>
  venue.ask("select count(*)::int as answer from player where player_group = 'load' and banned_at is null");
const running = () =>
  venue.ask(`select count(*)::int as answer from play_session s join player p on p.id = s.player_id
             where s.ended_at is null and p.player_group = 'load'`);
const peopleOfRuns = async () =>
  (await venue.ask("select json_agg(id) as answer from player where player_group = 'load'")) as string[] | null;

async function nothingIsLeft(): Promise<void> {
  expect([await notBanned(), await running()]).toEqual([0, 0]);
  const accounts = await venue.ledger.accounts(((await peopleOfRuns()) ?? []).map(playerAccount));
  expect(accounts.filter(({ balanceMinor, heldMinor }) => balanceMinor !== 0 || heldMinor !== 0)).toEqual([]);
  expect(await venue.ledger.verify()).toEqual([]);
}

test("people play and watch until Ctrl-C, then go home: all money is back in the cage, and none of them can sign in", async () => {
  const load = startLoad("--minutes", "30");
  await expect
    .poll(load.printed, SOON)
    .toMatch(/seated [12] of 2, watching [123] of 3, with a picture [1-5], games [1-9]/);
  expect(await notBanned()).toBe(5);
  load.interrupt();
  await load.exited;
  const printed = load.printed();
  expect(printed).toContain("Everybody goes home now");
  expect(printed).toMatch(
    /money of 2 players, minor units: 100000 before, -?\d+ by \d+ play sessions, \d+ after, 0 still away/,
  );
  // On a busy computer somebody may have waited for a picture; of money nothing may be amiss.
  const amiss = printed.split("\n").filter((line) => line.startsWith("Not as it must be: "));
  expect(amiss.filter((line) => !line.includes("picture"))).toEqual([]);
  await nothingIsLeft();
});

test("a run that is ended at once says how its people are sent home, and they are", async () => {
  const load = startLoad("--minutes", "30");
  await expect.poll(load.printed, SOON).toMatch(/seated [12] of 2/);
  load.interrupt();
  await expect.poll(load.printed, SOON).toContain("Everybody goes home now");
  load.interrupt();
  await load.exited;
  expect(load.printed()).toMatch(/Ended at once|All money is where it belongs/);
  const { code, said } = await runLongarm(venue, ["load", "--clean-up"]);
  expect(said.at(-1)).toMatch(/\d players of earlier runs were sent home; nothing is left behind\./);
  expect(code).toBe(0);
  await nothingIsLeft();
});
