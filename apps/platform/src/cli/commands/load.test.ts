import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FakeMachine } from "../../testing/fake-machine.ts";
import { longarm } from "../../testing/longarm.ts";
import { playVenue } from "../../testing/play-venue.ts";
import { PASSWORD } from "../../testing/test-venue.ts";
import { CommandRefused } from "../command.ts";
import { loadTool } from "./load.ts";
import { parseAccounts } from "./load-players.ts";

test("an installation without the optional load tool says how to get it", async () => {
  const missing = Object.assign(new Error("Cannot find package '@longarm/load'"), { code: "ERR_MODULE_NOT_FOUND" });
  await expect(loadTool(() => Promise.reject(missing))).rejects.toThrow(CommandRefused);
  await expect(loadTool(() => Promise.reject(missing))).rejects.toThrow(/optional packages/);
  await expect(loadTool(() => Promise.reject(new TypeError("a bug")))).rejects.toThrow("a bug");
});

describe("the file of accounts", () => {
  test("has a line for each, with or without a PIN, and passwords may hold colons", () => {
    const text = "\uFEFF# people\r\nayla:pass word:1234\r\n\r\nbora:a:b:c\ncem:a:b:123456\nduru:1234\n";
    expect(parseAccounts(text)).toEqual([
      { username: "ayla", password: "pass word", pin: "1234" },
      { username: "bora", password: "a:b:c" },
      { username: "cem", password: "a:b", pin: "123456" },
      { username: "duru", password: "1234" },
    ]);
  });
  test.each([
    ["nothing behind the name", "ayla", "Line 1"],
    ["an empty password", "# x\nayla:", "Line 2"],
    ["an empty name", ":secret-word", "Line 1"],
    ["a control character", "ayla:secret\u001b[2J", "Line 1"],
    ["half a surrogate pair", "ayla:secret\ud800", "Line 1"],
    ["a name twice", "ayla:secret-word\nayla:other", "Line 2"],
    ["too long a password", `ayla:${"x".repeat(300)}`, "Line 1"],
  ])("%s is refused without telling a password", (_, text, place) => {
    expect(() => parseAccounts(text)).toThrow(place);
    expect(() => parseAccounts(text)).toThrow(/^(?!.*secret)/);
  });
  test("nothing hostile brings anything else than accounts or a refusal", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 400 }), (text) => {
        try {
          for (const { username, password } of parseAccounts(text)) expect(username && password).toBeTruthy();
        } catch (error) {
          expect(error).toBeInstanceOf(CommandRefused);
        }
      }),
      { seed: 7, numRuns: 400 },
    );
  });
});

describe("the command line", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "longarm-load-"));
    await writeFile(join(folder, "people.txt"), "ayla:secret-word\nbora:other-word\n");
  });
  afterAll(() => rm(folder, { recursive: true }));
  const load = (...args: string[]) => longarm(["load", ...args], { environment: {} });
  // A port without a listener: every connection is refused at once.
  const NOWHERE = "http://127.0.0.1:1";

  test.each([
    [["--players", "0", "--viewers", "0"], "There is nothing to simulate"],
    [["--players", "201"], "--players must be a whole number from 0 to 200"],
    [["--viewers=-1"], "--viewers must be a whole number"],
    [["--machines", "0"], "--machines must be a whole number from 1 to 500"],
    [["--minutes", "0.05"], "--minutes must be from 0.1 to 240"],
    [["--minutes", "1e9"], "--minutes must be"],
    [["--url", "floor.example"], "--url must be like https://floor.example"],
    [["--url", "ftp://floor.example"], "--url must be like"],
    [["--deposit", "500"], "--deposit must be like"],
    [["--accounts", "x", "--deposit", "1.00"], "--deposit is for players made here"],
    [["--accounts", "x", "--clean-up"], "--clean-up is for players made here"],
    [["--run", "load-0a1b2c3d"], "--run says whose players to --clean-up"],
    [["--clean-up", "--run", "load-%"], "--run must be like load-1a2b3c4d"],
  ])("%j is refused before anything is done", async (args, sentence) => {
    const { code, complained } = await load(...args);
    expect({ code, complained }).toEqual({ code: 2, complained: expect.stringContaining(sentence) });
  });

  test("a file that is not there, too few accounts and a floor that does not answer are refused", async () => {
    const file = join(folder, "people.txt");
    const refusal = async (...args: string[]) => {
      const { code, complained } = await load(...args);
      expect(code).toBe(3);
      return complained;
    };
    expect(await refusal("--accounts", join(folder, "nobody.txt"))).toContain("There is no file");
    expect(await refusal("--accounts", folder)).toContain("There is no file");
    expect(await refusal("--accounts", file)).toContain("names 2 accounts, and 6 are needed");
    const few = ["--accounts", file, "--players", "1", "--viewers", "1"];
    expect(await refusal(...few, "--url", NOWHERE)).toMatch(/127\.0\.0\.1:1\/ cannot be reached/);
  });
});

test("a machine that does not say that it is simulated is not played, by its books or by its own word", {
  tags: ["long"],
}, async () => {
  const venue = await playVenue();
  const folder = await mkdtemp(join(tmpdir(), "longarm-load-"));
  try {
    const { agent } = await venue.machine("real-01");
    const { id } = await venue.player("ayla", 50_000);
    const environment = { DATABASE_URL: venue.database.url };
    const url = ["--url", venue.url.replace(/^ws/, "http")];
    const byBooks = await longarm(["load", ...url], { environment });
    expect(byBooks).toMatchObject({
      code: 3,
      complained: expect.stringContaining("No machine here says that it is simulated"),
    });

    const file = join(folder, "people.txt");
    await writeFile(file, `ayla:${PASSWORD}\n`);
    const asked = [...url, "--accounts", file, "--players", "1", "--viewers", "0", "--minutes", "30"];
    const run = longarm(["load", ...asked], { environment: {} });
    const sessions = () => venue.db.selectFrom("play_session").select("ended_at").execute();
    await expect.poll(sessions, { timeout: 100_000 }).toMatchObject([{ ended_at: expect.any(Date) }]);
    process.emit("SIGINT");
    const { said } = await run;
    expect(said).toContain("not played: the machine may be a real one");
    expect(said).toMatch(/50000 before, 0 by \d+ play sessions, 50000 after, 0 still away/);
    expect(agent.asked.filter((one) => /cashIn|press/.test(one))).toEqual([]);
    expect(await venue.ledgerOf(`player:${id}`)).toBe(50_000);
    expect((await venue.ledger.statement(`player:${id}`)).rows.map(({ kind }) => kind)).toEqual(["deposit"]);
  } finally {
    await rm(folder, { recursive: true });
    await venue.end();
  }
});

class SimulatedMachine extends FakeMachine {
  override facts() {
    return { ...super.facts(), simulated: true };
  }
}

test("the same people with the same seed put money on the machine again, each time under another id", {
  tags: ["long"],
}, async () => {
  const venue = await playVenue();
  const folder = await mkdtemp(join(tmpdir(), "longarm-load-"));
  try {
    const { machine } = await venue.machine("nar-01", new SimulatedMachine("nar-01"));
    const { id } = await venue.player("ayla", 50_000);
    const file = join(folder, "people.txt");
    await writeFile(file, `ayla:${PASSWORD}\n`);
    const url = ["--url", venue.url.replace(/^ws/, "http")];
    const asked = [...url, "--accounts", file, "--players", "1", "--viewers", "0", "--minutes", "30"];
    const cashIns = () => machine.asked.filter((one) => one.startsWith("cashIn ")).length;
    for (let time = 0; time < 2; time += 1) {
      const before = cashIns();
      const run = longarm(["load", ...asked], { environment: {} });
      await expect.poll(cashIns, { timeout: 100_000 }).toBeGreaterThan(before);
      process.emit("SIGINT");
      const [, done] = / (\d+) {2}cash in: done/.exec((await run).said) ?? [];
      expect(Number(done)).toBe(cashIns() - before);
    }
    expect(await venue.ledgerOf(`player:${id}`)).toBe(50_000);
  } finally {
    await rm(folder, { recursive: true });
    await venue.end();
  }
});

test("a clean-up leaves alone whom a venue of its own accord has in a group called load", {
  tags: ["long"],
}, async () => {
  const venue = await playVenue();
  try {
    const { id } = await venue.player("ayla", 50_000);
    await venue.database.pool.query("update player set player_group = 'load' where id = $1", [id]);
    const { code, said } = await longarm(["load", "--clean-up"], {
      environment: { DATABASE_URL: venue.database.url },
    });
    expect({ code, said }).toEqual({ code: 0, said: expect.stringContaining("0 players of earlier runs") });
    expect(await venue.ledgerOf(`player:${id}`)).toBe(50_000);
    expect(await venue.signIn("ayla")).toBeTruthy();
  } finally {
    await venue.end();
  }
});

test("a clean-up of one run leaves the people of another where they are", { tags: ["long"] }, async () => {
  const venue = await playVenue();
  try {
    const [first, other] = ["load-0a1b2c3d-0001", "load-4e5f6a7b-0001"] as const;
    const people = [await venue.player(first, 50_000), await venue.player(other, 50_000)];
    await venue.database.pool.query("update player set player_group = 'load'");
    const asked = ["load", "--clean-up", "--run", "load-0a1b2c3d"];
    const { code, said } = await longarm(asked, { environment: { DATABASE_URL: venue.database.url } });
    expect({ code, said }).toEqual({
      code: 0,
      said: expect.stringContaining("1 players of load-0a1b2c3d were sent home"),
    });
    expect(await Promise.all(people.map(({ id }) => venue.ledgerOf(`player:${id}`)))).toEqual([0, 50_000]);
    await expect(venue.signIn(first)).rejects.toThrow("could not sign in");
    expect(await venue.signIn(other)).toBeTruthy();
  } finally {
    await venue.end();
  }
});
