import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { longarm as typeLongarm } from "../../../testing/longarm.ts";
import type { TestVenue } from "../../../testing/test-venue.ts";
import { testVenue } from "../../../testing/test-venue.ts";
import { ENTRIES_MAX } from "./index.ts";

let venue: TestVenue;
let token: string;
beforeAll(async () => {
  venue = await testVenue();
  await venue.addPlayer("reader");
  token = await venue.signIn("reader");
});
afterAll(() => venue?.close());

const longarm = (...args: string[]) => typeLongarm([...args], { environment: { DATABASE_URL: venue.db.url } });
const panel = async () => (await venue.get("/api/quick-panel/data", token)).json();

test("R-7-24, R-3-28: what staff writes by the command line every player reads, and it is gone once it is taken out", async () => {
  expect(await panel()).toEqual({ notes: [], events: [] });
  const added = await longarm("events", "add", "Jackpot night", "--detail", "Friday 21:00");
  expect(added).toMatchObject({ code: 0, said: expect.stringMatching(/^Written: event \d+, "Jackpot night"\.$/) });
  await longarm("events", "add", "New hall");
  await longarm("notes", "add", "Kasa", "--detail", "Çalışma saati: 02:00'ye kadar");
  const told = await panel();
  expect(told).toEqual({
    notes: [{ id: expect.any(String), title: "Kasa", detail: "Çalışma saati: 02:00'ye kadar" }],
    events: [
      { id: expect.any(String), title: "New hall", detail: "" },
      { id: expect.any(String), title: "Jackpot night", detail: "Friday 21:00" },
    ],
  });
  const { id } = told.events[1];
  expect((await typeLongarm(["events", "list"], { environment: { DATABASE_URL: venue.db.url } })).said).toMatch(
    /New hall[\s\S]*Jackpot night +Friday 21:00 +by root:ayse\n2 events\.$/,
  );
  expect(await longarm("events", "remove", id, "--dry-run")).toMatchObject({ code: 0 });
  expect(await longarm("notes", "remove", id)).toMatchObject({ code: 3 });
  expect(await longarm("events", "remove", id)).toMatchObject({ code: 0 });
  expect(await longarm("events", "remove", id)).toMatchObject({ code: 3 });
  expect((await panel()).events.map(({ title }: { title: string }) => title)).toEqual(["New hall"]);
  const { rows } =
    await sql<object>`select type, actor from audit.entries where subject = ${`quickPanel:${id}`} order by id`.execute(
      venue.db.kysely,
    );
  expect(rows).toEqual([
    { type: "quickPanel.added", actor: "root:ayse" },
    { type: "quickPanel.removed", actor: "root:ayse" },
  ]);
});

test("titles and details are one line of plain text within their lengths, and only so many stand there", async () => {
  for (const title of ["", " ", "two\nlines", "x".repeat(101), "\u001b[2Jgone"])
    expect(await longarm("notes", "add", title)).toMatchObject({ code: 2 });
  expect(await longarm("notes", "add", "good", "--detail", "x".repeat(501))).toMatchObject({ code: 2 });
  const before = (await panel()).notes.length;
  for (let n = before; n < ENTRIES_MAX; n += 1) await longarm("notes", "add", `note ${n}`);
  expect(await longarm("notes", "add", "one too many")).toMatchObject({ code: 3 });
  expect((await panel()).notes).toHaveLength(ENTRIES_MAX);
});

test("only who is signed in reads it", async () => {
  expect((await venue.get("/api/quick-panel/data")).statusCode).toBe(401);
});
