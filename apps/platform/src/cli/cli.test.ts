import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { longarm as typeLongarm } from "../testing/longarm.ts";
import type { TestVenue } from "../testing/test-venue.ts";
import { testVenue } from "../testing/test-venue.ts";
import { amount } from "./fields.ts";
import { printable, writeAmount } from "./output.ts";

let venue: TestVenue;
let player: string;
let players = 0;

beforeAll(async () => {
  venue = await testVenue({ env: { LOGINS_PER_MINUTE_ADDRESS: "10000" } });
});
afterAll(() => venue.close());
beforeEach(async () => {
  players += 1;
  player = `named.one${players}`;
  await venue.addPlayer(player);
});

async function longarm(args: readonly string[], environment: Record<string, string> = { DATABASE_URL: venue.db.url }) {
  const { asked: _asked, ...answer } = await typeLongarm(args, { environment });
  return answer;
}

const grant = (...more: string[]) => longarm(["promotions", "grant", ...more]);
const good = () => ["--player", player, "--amount", "250.00", "--reason", "welcome back"];
const over = (option: string, value: string) => {
  const args = good();
  args[args.indexOf(option) + 1] = value;
  return args;
};
const grantsOf = async () =>
  (
    await sql<{ amount: number; reason: string; granted_by: string; days: number | null }>`
      select amount, reason, granted_by, round(extract(epoch from expires_at - granted_at) / 86400)::int as days
      from bonus_grant g join player p on p.id = g.player_id where p.username = ${player} order by granted_at`.execute(
      venue.db.kysely,
    )
  ).rows;

describe("promotions grant", () => {
  test("opens a grant that the player claims", async () => {
    const granted = await grant(...good());
    expect(granted).toMatchObject({ code: 0, complained: "" });
    expect(granted.said).toMatch(/^Granted 250\.00 to named\.one\d+ \(p_.+\) for "welcome back" by root:ayse: bg_/);
    expect(await grantsOf()).toEqual([{ amount: 25_000, reason: "welcome back", granted_by: "root:ayse", days: null }]);
    const claimed = await venue.get("/v1/player/bonus", await venue.signIn(player));
    expect(claimed.json()).toEqual({ status: true, code: 20000, Params: { amount: 25_000 } });
  });

  test("takes a time limit, another name of staff, and any spelling of the player", async () => {
    const more = ["--player", `  ${player.toUpperCase()} `, "--amount", "1,50", "--reason", "özür", "--days", "30"];
    expect(await grant(...more)).toMatchObject({ code: 0 });
    expect(await grantsOf()).toEqual([{ amount: 150, reason: "özür", granted_by: "root:ayse", days: 30 }]);
  });

  test("--dry-run checks everything and writes nothing", async () => {
    const tried = await grant(...good(), "--dry-run");
    expect(tried.code).toBe(0);
    expect(tried.said).toMatch(/^Would grant 250\.00 .*Nothing was changed\.$/);
    expect(await grant(...over("--player", "nobody at all"), "--dry-run")).toMatchObject({ code: 3 });
    expect(await grantsOf()).toEqual([]);
  });

  test("refuses an unknown and a banned player with 3", async () => {
    expect(await grant(...over("--player", "nobody at all"))).toMatchObject({
      code: 3,
      complained: 'There is no player called "nobody at all".',
    });
    await sql`update player set banned_at = now() where username = ${player}`.execute(venue.db.kysely);
    expect(await grant(...good())).toMatchObject({ code: 3, complained: `${player} is banned.` });
  });
});

describe("hostile arguments change nothing and are answered with one sentence", () => {
  test.each<[string, string[], number]>([
    ["nothing", [], 2],
    ["an unknown option", ["--all"], 2],
    ["a stray word", ["everybody"], 2],
    ["an option without its value", ["--player"], 2],
    ["a prototype as an option", ["--__proto__", "x"], 2],
    ["a constructor as an option", ["--constructor=x"], 2],
  ])("%s", async (_name, args, code) => {
    const answer = await grant(...args);
    expect(answer).toMatchObject({ code, said: "" });
    expect(answer.complained).toMatch(/^[^\n]+$/);
  });

  test.each([
    ["--amount", "250"],
    ["--amount", "-5.00"],
    ["--amount", "0.00"],
    ["--amount", "0minor"],
    ["--amount", "1e9"],
    ["--amount", "1.000"],
    ["--amount", "1,000.00"],
    ["--amount", "NaN"],
    ["--amount", "Infinityminor"],
    ["--amount", "٢٥٠.٠٠"],
    ["--amount", `${"9".repeat(15)}.00`],
    ["--amount", `${"9".repeat(400)}.00`],
    ["--reason", " "],
    ["--reason", "two\nlines"],
    ["--reason", "\u001b[2Jgone"],
    ["--reason", "x".repeat(201)],
    ["--player", ""],
    ["--player", "zero\0"],
    ["--player", "\ud800half"],
  ])("%s %j", async (option, value) => {
    const answer = await grant(...over(option, value));
    expect(answer).toMatchObject({ code: 2, said: "" });
    expect(answer.complained.length).toBeLessThan(300);
    expect(answer.complained).not.toContain("\u001b");
    expect(await grantsOf()).toEqual([]);
  });

  test.each(["' or 1=1 --", "x'; drop table bonus_grant; --", "%", "_amed.one", "x".repeat(9_000)])(
    "the player %j is unknown",
    async (name) => {
      const answer = await grant(...over("--player", name));
      expect(answer).toMatchObject({ code: 3, said: "" });
      expect(answer.complained.length).toBeLessThan(200);
    },
  );

  test.each([
    ["--days", "0"],
    ["--days", "-1"],
    ["--days", "1.5"],
    ["--days", "99999"],
    ["--as-root", "x".repeat(201)],
    ["--as-root", ""],
    ["--amount", "5.00"],
    ["--dry-run", "--dry-run"],
  ])("%s %j added to a good one", async (option, value) => {
    expect(await grant(...good(), option, value)).toMatchObject({ code: 2 });
    expect(await grantsOf()).toEqual([]);
  });
});

describe("promotions list", () => {
  test("shows the state of each grant, newest first, and only the requested ones", async () => {
    await grant(...good());
    await grant(...over("--reason", "sorry \u202egnorw"), "--days", "2");
    await venue.get("/v1/player/bonus", await venue.signIn(player));
    const all = await longarm(["promotions", "list", "--player", player]);
    expect(all.code).toBe(0);
    const [newest = "", oldest = "", ...foot] = all.said.split("\n");
    expect(foot).toEqual(["2 grants."]);
    expect(newest).toMatch(/ 250\.00 .* open until .* by root:ayse$/);
    expect(newest).not.toContain("\u202e");
    expect(oldest).toMatch(/ 250\.00 .* claimed .*"welcome back" by root:ayse$/);
    expect((await longarm(["promotions", "list", "--player", player, "--open"])).said).toMatch(/\n1 grant\.$/);
    expect((await longarm(["promotions", "list", "--player", player, "--limit", "1"])).said).toContain("and more");
  });

  test("says so when there are none", async () => {
    expect(await longarm(["promotions", "list", "--player", player])).toEqual({
      code: 0,
      said: "0 grants.",
      complained: "",
    });
  });

  test.each(["0", "501", "x", "1.5", ""])("does not take --limit %j", async (limit) => {
    expect(await longarm(["promotions", "list", "--limit", limit])).toMatchObject({ code: 2 });
  });
});

describe("finding the way", () => {
  test.each([[["--help"]], [["-h"]], [["promotions", "--help"]]])("%j lists the commands", async (args) => {
    const answer = await longarm(args, {});
    expect(answer).toMatchObject({ code: 0, complained: "" });
    expect(answer.said).toContain("longarm promotions grant");
  });

  test("a command's help names every option and needs no database", async () => {
    const answer = await longarm(["promotions", "grant", "-h"], {});
    expect(answer.code).toBe(0);
    for (const option of ["--player", "--amount", "--reason", "--days", "--as-root", "--dry-run", "--data"])
      expect(answer.said).toContain(option);
  });

  test.each([
    [[]],
    [["promotions"]],
    [["promotions", "steal"]],
    [["--data", "x"]],
    [["__proto__"]],
    [["toString", "--help"]],
  ])("%j is answered with the commands that exist", async (args) => {
    const answer = await longarm(args, {});
    expect(answer).toMatchObject({ code: 2, said: "" });
    expect(answer.complained).toContain("promotions");
  });
});

describe("the database", () => {
  test.each([
    ["mysql://x", "DATABASE_URL must be like"],
    ["postgres://nobody:x@127.0.0.1:1/longarm", "cannot be reached"],
  ])("DATABASE_URL %s is complained about in a sentence", async (url, sentence) => {
    const answer = await longarm(["promotions", "list"], { DATABASE_URL: url });
    expect(answer).toMatchObject({ code: 1, said: "" });
    expect(answer.complained).toContain(sentence);
  });

  test("a wrong password, a database of somebody else: each has its sentence", async () => {
    const stranger = new URL(venue.db.url);
    stranger.password = "guess";
    expect((await longarm(["promotions", "list"], { DATABASE_URL: stranger.href })).complained).toContain("password");
    const other = new URL(venue.db.url);
    other.pathname = "/postgres";
    expect((await longarm(["promotions", "list"], { DATABASE_URL: other.href })).complained).toContain("this version");
  });

  test("without DATABASE_URL it is searched in the data folder, and its absence is reported", async () => {
    const folder = await mkdtemp(join(tmpdir(), "longarm-cli-"));
    try {
      for (const [args, environment] of [
        [["--data", folder], {}],
        [[], { DATA_FOLDER: folder }],
      ] as const) {
        const answer = await longarm(["promotions", "list", ...args], environment);
        expect(answer).toMatchObject({
          code: 1,
          complained: expect.stringContaining(`No running database in ${folder}`),
        });
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

test("the program itself takes its words from the command line and ends with the code", async () => {
  const run = async (...args: string[]) => {
    const main = fileURLToPath(new URL("./main.ts", import.meta.url));
    const env = { ...process.env, DATABASE_URL: venue.db.url };
    const child = spawn(process.execPath, [main, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    let complained = "";
    child.stdout.on("data", (part: Buffer) => {
      said += part.toString("utf8");
    });
    child.stderr.on("data", (part: Buffer) => {
      complained += part.toString("utf8");
    });
    const code = await new Promise((resolve) => child.once("close", resolve));
    return { code, said, complained };
  };
  expect(await run("promotions", "grant", ...good(), "--as-root", "a test")).toMatchObject({
    code: 0,
    said: expect.stringContaining("Granted"),
    complained: "",
  });
  expect(await run("promotions", "list", "--player", "nobody at all")).toMatchObject({ code: 3, said: "" });
  expect(await run("nonsense")).toMatchObject({ code: 2, said: "" });
});

test.each([
  ["0.01", 1],
  ["1minor", 1],
  ["250,00", 25_000],
  ["90000000000.00", 9_000_000_000_000],
])("the amount %s is %i in minor units, and is written back", (text, minor) => {
  expect(amount(text, "--amount")).toBe(minor);
  expect(amount(writeAmount(minor), "--amount")).toBe(minor);
});

test("what others wrote cannot move the cursor", () => {
  expect(printable("a\u001b[2J\u0007\u202e\ud800b\nc")).toBe("a\ufffd[2J\ufffd\ufffd\ufffdb\nc");
});

test.each([
  [
    "machines stop",
    /^There is no command "machines stop"\. There are: machines list, .*machines queue-move <machine> <place>\.$/,
  ],
  [
    "frobnicate",
    /^There is no command "frobnicate"\. They begin with: sign-in, sign-out, whoami, players, identity, care, disputes, evidence, wallets, .*lists them all\.$/,
  ],
  ["machines drain --yes nar-01", /^"nar-01" must be before the options: longarm machines drain <machine>\. /],
  ["load --machines -1", /^Option '--machines' argument is ambiguous\. longarm load --help lists the options\.$/],
  ["wallets deposit ayse.demir -5.00", /^Unknown option '-5'\. longarm wallets deposit --help lists the options\.$/],
])("%s is answered by how it is written", async (line, sentence) => {
  expect(await longarm(line.split(" "))).toMatchObject({ code: 2, complained: expect.stringMatching(sentence) });
});
