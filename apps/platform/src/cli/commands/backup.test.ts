import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testDatabase } from "@longarm/database/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { FakeAgent } from "../../testing/fake-agent.ts";
import { FakeMachine } from "../../testing/fake-machine.ts";
import { longarm } from "../../testing/longarm.ts";
import type { PlayVenue } from "../../testing/play-venue.ts";
import { eventually, playVenue } from "../../testing/play-venue.ts";

/* A backup while people play, and what a restore does to a floor that played after it. */

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "longarm-backup-command-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const command = (url: string, ...args: string[]) => longarm(args, { environment: { DATABASE_URL: url } });

/** A player who sits at a machine with 4000 on it and has played one game. */
async function seated(venue: PlayVenue, machine: FakeMachine, username: string, into: FakeAgent) {
  const player = await venue.player(username, 10_000);
  const page = await venue.page(player.token, machine.id);
  expect(await page.init()).toMatchObject({ is: "done" });
  expect(await page.peer.request("cashIn", { id: `${username}-in`, amount: 4_000 })).toMatchObject({ is: "done" });
  machine.play(300);
  await into.pump();
  await eventually(async () => expect(await venue.ledgerOf(`machine:${machine.id}`)).toBe(machine.credit));
  return { ...player, page };
}

async function restored(file: string) {
  const database = await testDatabase<unknown>();
  const ran = await command(database.url, "restore", file);
  expect(ran).toMatchObject({ code: 0, complained: "" });
  return { database, said: ran.said };
}

test("a restored venue continues from the backup: seated players get their credits back, sign-ins end, the books are whole", async () => {
  const venue = await playVenue();
  const { machine, agent } = await venue.machine("nar-01");
  const ann = await seated(venue, machine, "ann.back", agent);
  const file = join(folder, "calm.backup");
  const made = await command(venue.database.url, "backup", file);
  expect(made).toMatchObject({ code: 0, complained: "" });
  expect(made.said).toContain("It was written whole.");
  expect(await command("", "backup", "verify", file)).toMatchObject({ code: 0 });
  await venue.end();

  const { database, said } = await restored(file);
  expect(said).toContain("The ledger keeps its rules, and its sums are those of the backup.");
  expect(said).toMatch(/The audit log is whole: \d+ links\./);
  const next = await playVenue({ database });
  expect((await next.get("/v1/machine/all", ann.token)).statusCode).toBe(401);
  const again = await next.agent([machine], "agent of nar-01");
  await again.hello();
  await again.pump();
  await eventually(async () => expect(await next.balanceOf(ann.id)).toEqual({ balance: 10_200 }));
  expect(machine.credit).toBe(0);
  await next.inState("nar-01", "free");
  const page = await next.page(await next.signIn("ann.back"), "nar-01");
  expect(await page.init()).toMatchObject({ is: "done" });
  expect((await command(database.url, "suspense", "list")).said).toContain("0 differences to explain");
  expect(await command(database.url, "restore", file)).toMatchObject({ code: 1 });
  await next.end();
});

/** Four machines, of which all but the last play after the backup. */
async function goneOn() {
  const venue = await playVenue();
  const machines = ["gone-01", "gone-02", "gone-03", "gone-04"].map((id) => new FakeMachine(id));
  const [first, second, third, fourth] = machines as [FakeMachine, FakeMachine, FakeMachine, FakeMachine];
  const agent = await venue.agent(machines);
  await agent.hello();
  const bea = await seated(venue, first, "bea.gone", agent);
  const dan = await venue.player("dan.gone", 10_000);
  const file = join(folder, "gone.backup");
  expect(await command(venue.database.url, "backup", file)).toMatchObject({ code: 0 });
  // Bea goes home, and Cem sits down at the same machine and stays.
  expect(await bea.page.peer.request("leave", {})).toMatchObject({ is: "done" });
  await seated(venue, first, "cem.gone", agent);
  // Dan plays at another one and goes home.
  const page = await venue.page(dan.token, second.id);
  expect(await page.init()).toMatchObject({ is: "done" });
  expect(await page.peer.request("cashIn", { id: "dan.gone-in", amount: 1_000 })).toMatchObject({ is: "done" });
  second.play(0);
  await agent.pump();
  await eventually(async () => expect(await venue.ledgerOf(`machine:${second.id}`)).toBe(second.credit));
  await venue.inState(second.id, "playing");
  expect(await page.peer.request("leave", {})).toMatchObject({ is: "done" });
  // A third one owes a hand pay.
  third.handPay = { id: "hp-9", amount: 70_000, kind: "win" };
  third.lockup = "handPay";
  third.happen("handPayPending", { handPay: third.handPay });
  await agent.pump();
  expect(first.journal.length + second.journal.length + third.journal.length).toBe(0);
  await venue.end();
  return { file, machines, first, second, third, fourth, bea, dan };
}

test("what the floor did after the backup is found machine by machine, and no player sits there before it is explained", {
  tags: ["long"],
}, async () => {
  const { file, machines, first, second, third, fourth, bea, dan } = await goneOn();
  const onMachine = first.credit;
  const { database } = await restored(file);
  const venue = await playVenue({ database });
  const agent = await venue.agent(machines);
  await agent.hello();
  // The next reports of the agents have much higher numbers than the backup, and are accepted.
  for (const machine of machines) machine.happen("doorClosed");
  await agent.pump();
  await eventually(() => expect(machines.flatMap(({ journal }) => journal)).toEqual([]));
  const open = async () =>
    await venue.db
      .selectFrom("discrepancy")
      .select(["machine_id", "kind", "ledger_amount"])
      .orderBy("machine_id")
      .execute();
  await expect.poll(open, { timeout: 60_000 }).toEqual([
    { machine_id: "gone-01", kind: "settle", ledger_amount: 4_200 },
    { machine_id: "gone-02", kind: "meters", ledger_amount: 0 },
  ]);
  // Bea's play session is over; what the books had on the machine is in suspense, not Cem's credits in her wallet.
  expect((await venue.seat("gone-01")).state).toBe("free");
  expect(await venue.balanceOf(bea.id)).toEqual({ balance: 6_000 });
  expect(first.credit).toBe(onMachine);
  expect(await venue.ledgerOf("suspense")).toBe(4_200);
  // No player gets a machine with an open difference; the one that did nothing is free.
  const token = await venue.signIn("dan.gone");
  expect(await (await venue.page(token, second.id)).init()).toMatchObject({ is: "refused" });
  expect(await (await venue.page(token, fourth.id)).init()).toMatchObject({ is: "done" });
  const explain = (args: string[]) =>
    longarm(args, { environment: { DATABASE_URL: database.url }, beginWithinMs: 60_000 });
  // Staff explains both, and pays the hand pay that this database did not know.
  const { said } = await command(database.url, "suspense", "list");
  expect(said).toContain("2 differences to explain; 42.00 in suspense.");
  const found = await venue.db.selectFrom("discrepancy").select(["id", "machine_id"]).orderBy("id").execute();
  for (const { id, machine_id } of found) {
    const to = machine_id === "gone-01" ? ["--to", "player"] : [];
    const args = ["suspense", "explain", String(id), "--reason", "restored", ...to];
    expect(await explain(args)).toMatchObject({ code: 0, complained: "" });
  }
  expect(await venue.balanceOf(bea.id)).toEqual({ balance: 10_200 });
  expect(await explain(["handpay", "confirm", "gone-03"])).toMatchObject({ code: 0, complained: "" });
  expect(third.handPay).toBeUndefined();
  expect(await venue.balanceOf(dan.id)).toMatchObject({ balance: 10_000 });
  await venue.end();
});
