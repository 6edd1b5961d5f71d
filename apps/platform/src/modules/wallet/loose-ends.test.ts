import { sql } from "kysely";
import { expect, test } from "vitest";
import { eventually, playHouse } from "../../testing/play-house.ts";

/* A database that fails in the middle of a money command: whatever its moment, the page is not told a no that may turn out a yes. */

type House = Awaited<ReturnType<typeof playHouse>>;

async function seated(house: House) {
  const { machine } = await house.machine("nar-01");
  const player = await house.player("ann.loose", 10_000);
  const page = await house.page(player.token, "nar-01");
  await page.init();
  const cashIn = () => page.peer.request("cashIn", { id: "the-cash-in", amount: 4_000 });
  const told = () => page.ofMethod("transfer");
  return { machine, player, cashIn, told };
}

/** The database refuses this from now on; call the answer, and it takes it again. */
async function refusing(house: House, when: string): Promise<() => Promise<unknown>> {
  await sql`create function fail() returns trigger language plpgsql as
    $$ begin raise exception 'the disk is full' using errcode = '53100'; end $$`.execute(house.db);
  await sql.raw(`create trigger fail before ${when} execute function fail()`).execute(house.db);
  return () => sql`drop trigger fail on machine_transfer`.execute(house.db);
}

const unknown = { is: "done", data: { outcome: "unknown" } };

test("a command that was never written down is unknown at first, and its page is told that it never began", async () => {
  const house = await playHouse();
  const { player, cashIn, told } = await seated(house);
  const mend = await refusing(house, "insert on machine_transfer for each row");
  expect(await cashIn()).toMatchObject(unknown);
  await eventually(() => expect(told()).toEqual([{ id: "the-cash-in", outcome: "refused", amount: 0 }]));
  expect(await house.balanceOf(player.id)).toEqual({ balance: 10_000, onMachine: 0 });
  await mend();
  expect(await cashIn()).toMatchObject({ is: "done", data: { outcome: "done", amount: 4_000 } });
  await house.end();
});

test("a command that was written down and then broke off is decided by the machine's record within seconds", async () => {
  let breaks = true;
  const house = await playHouse({
    steps: (name) => {
      if (name === "cashIn.intentStored" && breaks) throw new Error("the answer of the database was lost");
    },
  });
  const { player, machine, cashIn, told } = await seated(house);
  expect(await cashIn()).toMatchObject(unknown);
  await eventually(() => expect(told()).toEqual([{ id: "the-cash-in", outcome: "refused", amount: 0 }]));
  expect(machine.credit).toBe(0);
  await eventually(async () => expect(await house.balanceOf(player.id)).toEqual({ balance: 10_000, onMachine: 0 }));
  breaks = false;
  await house.end();
});

test("a transfer that could not even be marked as unknown is so as soon as the database takes it", async () => {
  const house = await playHouse();
  const { player, machine, cashIn, told } = await seated(house);
  const mend = await refusing(house, "update on machine_transfer for each row");
  expect(await cashIn()).toMatchObject(unknown);
  expect(machine.credit).toBe(4_000);
  expect(await house.balanceOf(player.id)).toMatchObject({ balance: 6_000, pending: 4_000 });
  await mend();
  await eventually(() => expect(told()).toEqual([{ id: "the-cash-in", outcome: "done", amount: 4_000 }]));
  expect(await house.balanceOf(player.id)).toEqual({ balance: 6_000, onMachine: 4_000 });
  await house.end();
});
