import { WHOLE_RUN } from "@longarm/link/testing/whole-run";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { longarmOf, longarm as typeLongarm } from "../testing/longarm.ts";
import type { PlayVenue } from "../testing/play-venue.ts";
import { playVenue } from "../testing/play-venue.ts";
import { optionsOf } from "./arguments.ts";
import type { Command } from "./command.ts";
import { optionName } from "./command.ts";
import { COMMANDS } from "./commands.ts";

/* What holds for every command, the next one too: that it explains itself, and that nothing written to it does harm. */

let venue: PlayVenue;
beforeAll(async () => {
  venue = await playVenue();
  await venue.machine("all-01");
  await venue.player("named.player", 5_000);
});
afterAll(() => venue.end());

const longarm = (args: readonly string[], secret = "") => longarmOf(venue, { secret })(...args);

const all = COMMANDS.map((command) => [command.name, command] as const);

/** Writes or reads a file that is named; tried by tests of their own. */
const isOfFiles = ({ arguments: named, options }: Command): boolean =>
  named["file"] !== undefined || options["pdf"] !== undefined;

/** Asks who reads, and leaves an entry of that alone: there is nothing to try. */
const isARead = ({ name }: Command): boolean => ["audit export", "disputes show"].includes(name);

const actsByName = ({ acts }: Command): boolean => acts;

describe.each(all)("%s", (words, command) => {
  test("explains itself with an example, and can answer in JSON", async () => {
    const { code, said, complained } = await typeLongarm([...words.split(" "), "--help"], { environment: {} });
    expect({ code, complained }).toEqual({ code: 0, complained: "" });
    expect(said).toMatch(new RegExp(`^longarm ${words}`));
    expect(command.more).toMatch(new RegExp(`^ {2}longarm ${words}\\b`));
    for (const option of Object.keys(optionsOf(command))) expect(said).toContain(`--${option}`);
    expect(said).toContain("--json");
    for (const name of Object.keys(command.arguments)) expect(said).toContain(`<${name}>`);
    expect(Math.max(...said.split("\n").map((line) => line.length))).toBeLessThan(160);
  });

  test("a command that records who acted has a dry run", () => {
    const changes = actsByName(command) && !isOfFiles(command) && !isARead(command);
    if (changes) expect(command.options["dryRun"]).toBeDefined();
    if (command.isConfirmed) expect(Object.keys(optionsOf(command))).toContain("yes");
  });
});

test("no two commands are called alike", () => {
  const names = COMMANDS.map((command) => command.name);
  expect(new Set(names).size).toBe(names.length);
});

const HOSTILE = [
  "' or 1=1 --",
  "x'; drop table player; --",
  "%",
  "../../etc/passwd",
  "$(reboot)",
  "zero\0inside",
  "\ud800half",
  "\u001b[2Jgone",
  "two\nlines",
  "\u202egnorw",
  "__proto__",
  "-1",
  "1e9",
  "NaN",
  "9".repeat(400),
  "x".repeat(9_000),
  "٢٥٠.٠٠",
  "2026-02-31",
  " ",
];

/** Something good for each place and needed option, by its name. */
const GOOD: Readonly<Record<string, string>> = {
  username: "named.player",
  player: "named.player",
  machine: "all-01",
  amount: "1.00",
  budget: "5.00",
  players: "named.player",
  event: "door",
  until: "2h",
  reason: "why",
  name: "hall-9",
};

/** Command lines with one hostile text each, in every place and behind every option that takes a value. */
function hostileLines(command: Command, hostile: string): string[][] {
  const places = Object.keys(command.arguments).map((name) => GOOD[name] ?? "x");
  const required = Object.entries(command.options).flatMap(([name, field]) => (field.required ? [name] : []));
  const options = (over?: string) =>
    required.filter((name) => name !== over).flatMap((name) => [`--${optionName(name)}`, GOOD[name] ?? "x"]);
  const base = command.name.split(" ");
  const takingValues = Object.entries(command.options).filter(([, { value }]) => value !== undefined);
  return [
    ...places.map((_, at) => [...base, ...places.with(at, hostile), ...options()]),
    ...takingValues.map(([name]) => [...base, ...places, `--${optionName(name)}=${hostile}`, ...options(name)]),
    [...base, ...places, hostile, ...options()],
    [...base, ...places, `--${hostile}`, ...options()],
  ];
}

/** Everything that staff can change, as one text. */
async function everything(): Promise<string> {
  const { rows } = await sql`select
    (select jsonb_agg(to_jsonb(p) order by id) from player p) as players,
    (select jsonb_agg(to_jsonb(a) order by id) from agent a) as agents,
    (select jsonb_agg(to_jsonb(c) order by machine_id) from machine_control c) as control,
    (select jsonb_agg(to_jsonb(l) order by id) from player_limit l) as limits,
    (select jsonb_agg(to_jsonb(b) order by id) from bonus_grant b) as grants,
    (select jsonb_agg(to_jsonb(c) order by id) from campaign c) as campaigns,
    (select jsonb_agg(to_jsonb(s) order by machine_id) from seat s) as seats,
    (select count(*) from ledger.transfers) as transfers,
    (select count(*) from operator_command) as asked`.execute(venue.db);
  return JSON.stringify(rows);
}

const mayBeTried = COMMANDS.filter(
  (one) => !isOfFiles(one) && (one.options["dryRun"] !== undefined || !actsByName(one) || isARead(one)),
);
/** One of so many pairs of text and place is tried with a command, others with the next: all texts meet all kinds of places. */
const ONE_OF = WHOLE_RUN ? 3 : 11;
describe.each(mayBeTried.map((command) => [command.name, command] as const))(
  "hostile words to %s",
  (words, command) => {
    test("change nothing, steer no terminal and are answered in a sentence", async () => {
      const before = await everything();
      const dry = command.options["dryRun"] === undefined ? [] : ["--dry-run"];
      for (const [at, hostile] of HOSTILE.entries())
        for (const line of hostileLines(command, hostile).filter(
          (_, place) => (at + place + words.length) % ONE_OF === 0,
        )) {
          const { code, said, complained } = await longarm([...line, ...dry]);
          const about = JSON.stringify(line).slice(0, 200);
          expect([0, 2, 3], `${about}: ${complained.slice(0, 300)}`).toContain(code);
          expect(complained.length, about).toBeLessThan(1_500);
          expect(complained, about).toMatch(code === 0 ? /^$/ : /^[^\n]+$/);
          expect(`${said}${complained}`.replaceAll("\n", " "), about).not.toMatch(/\p{Cc}|\u202e/u);
        }
      expect(await everything()).toBe(before);
    });
  },
);

test("what is said as JSON is one line that can be read back and steers no terminal", async () => {
  await venue.addPlayer("strange.name", { name: "a\u202eb\u009b" });
  const { said } = await longarm(["players", "show", "strange.name", "--json"]);
  expect(said).toMatch(/^[^\n\u202e\u009b]+$/);
  expect(JSON.parse(said)).toMatchObject({ name: "a\u202eb\u009b" });
});
