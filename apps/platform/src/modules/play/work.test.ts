import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { PlayHouse } from "../../testing/play-house.ts";
import { eventually, playHouse } from "../../testing/play-house.ts";

let house: PlayHouse;
beforeAll(async () => {
  house = await playHouse({ env: { NODE_LEASE_MS: "1000" } });
});
afterAll(async () => await house.end());

async function atMachine(id: string) {
  const { agent } = await house.machine(id);
  const player = await house.player(`player.of.${id}`, 10_000);
  const page = await house.page(player.token, id);
  expect(await page.init()).toMatchObject({ is: "done" });
  return { agent, page };
}

// maintainer 6.5: the round of leases threw at such a seat, and every seat after it was left without.
test("a seat in a state of a newer node is left as it is, and the round of leases goes on to the others", async () => {
  const strange = await atMachine("aaa-01");
  await atMachine("zzz-01");
  await sql`update seat set state = 'aStateOfTomorrow', due_at = now(), holder_until = now() where machine_id = 'aaa-01'`.execute(
    house.db,
  );
  await sql`delete from agent_link where machine_id in ('aaa-01', 'zzz-01')`.execute(house.db);
  await sql`update seat set holder_until = now() where machine_id = 'zzz-01'`.execute(house.db);
  await house.inState("zzz-01", "agentAway");
  expect((await house.seat("aaa-01")).state).toBe("aStateOfTomorrow");
  expect(await strange.page.peer.request("cashIn", { id: "of-tomorrow", amount: 1_000 })).toMatchObject({
    refusal: { name: "machine.not_available" },
  });
  const { machine_status } =
    (await house.platform.play.openSessionOf((await house.seat("aaa-01")).player_id ?? "")) ?? {};
  expect(machine_status).toBe("unknown");
  await sql`update seat set state = 'agentAway' where machine_id = 'aaa-01'`.execute(house.db);
  await eventually(async () => expect((await house.seat("aaa-01")).state).toBe("agentAway"));
});
