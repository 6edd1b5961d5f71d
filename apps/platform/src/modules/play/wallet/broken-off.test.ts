import { sql } from "kysely";
import { expect, test } from "vitest";
import { eventually, playVenue } from "../../../testing/play-venue.ts";

/* A database that fails in the middle of a money command: whatever the moment, the page gets no refusal that may turn out to be done. */

type Venue = Awaited<ReturnType<typeof playVenue>>;

async function seated(venue: Venue) {
  const { machine } = await venue.machine("nar-01");
  const player = await venue.player("ann.loose", 10_000);
  const page = await venue.page(player.token, "nar-01");
  await page.init();
  const cashIn = (id = "the-cash-in") => page.peer.request("cashIn", { id, amount: 4_000 });
  const outcomes = () => page.ofMethod("transfer");
  return { machine, player, cashIn, outcomes };
}

/** The database refuses this from now on; call the returned function, and it accepts it again. */
async function refusing(venue: Venue, when: string): Promise<() => Promise<unknown>> {
  await sql`create function fail() returns trigger language plpgsql as
    $$ begin raise exception 'the disk is full' using errcode = '53100'; end $$`.execute(venue.db);
  await sql.raw(`create trigger fail before ${when} execute function fail()`).execute(venue.db);
  return () => sql`drop trigger fail on machine_transfer`.execute(venue.db);
}

const unknown = { is: "done", data: { outcome: "unknown" } };

test("a command that was never written down is unknown at first, then refused for its page and for every repeat", async () => {
  const venue = await playVenue();
  const { player, machine, cashIn, outcomes } = await seated(venue);
  const repair = await refusing(venue, "insert on machine_transfer for each row");
  expect(await cashIn()).toMatchObject(unknown);
  await repair();
  await eventually(() => expect(outcomes()).toEqual([{ id: "the-cash-in", outcome: "refused", amount: 0 }]));
  // A repeat that was on its way while the page learned the refusal moves nothing.
  expect(await cashIn()).toMatchObject({ is: "refused", refusal: { name: "transfer.refused" } });
  expect(machine.credit).toBe(0);
  expect(await venue.balanceOf(player.id)).toEqual({ balance: 10_000, onMachine: 0 });
  expect(await cashIn("a-new-one")).toMatchObject({ is: "done", data: { outcome: "done", amount: 4_000 } });
  await venue.end();
});

test("a command that was written down and then broke off is decided by the machine's record within seconds", async () => {
  let breaks = true;
  const venue = await playVenue({
    steps: (name) => {
      if (name === "cashIn.intentStored" && breaks) throw new Error("the answer of the database was lost");
    },
  });
  const { player, machine, cashIn, outcomes } = await seated(venue);
  expect(await cashIn()).toMatchObject(unknown);
  await eventually(() => expect(outcomes()).toEqual([{ id: "the-cash-in", outcome: "refused", amount: 0 }]));
  expect(machine.credit).toBe(0);
  await eventually(async () => expect(await venue.balanceOf(player.id)).toEqual({ balance: 10_000, onMachine: 0 }));
  breaks = false;
  await venue.end();
});

test("a transfer that could not even be marked as unknown is marked as soon as the database accepts it", async () => {
  const venue = await playVenue();
  const { player, machine, cashIn, outcomes } = await seated(venue);
  const repair = await refusing(venue, "update on machine_transfer for each row");
  expect(await cashIn()).toMatchObject(unknown);
  expect(machine.credit).toBe(4_000);
  expect(await venue.balanceOf(player.id)).toMatchObject({ balance: 6_000, pending: 4_000 });
  await repair();
  await eventually(() => expect(outcomes()).toEqual([{ id: "the-cash-in", outcome: "done", amount: 4_000 }]));
  expect(await venue.balanceOf(player.id)).toEqual({ balance: 6_000, onMachine: 4_000 });
  await venue.end();
});
