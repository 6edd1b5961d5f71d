import { expect, test } from "vitest";
import { eventually, sharePlayVenue } from "../../../testing/play-venue.ts";
import { balancesOf } from "./index.ts";

const venue = sharePlayVenue();

const deposit = (id: string, playerId: string, amountMinor: number) =>
  venue.ledger.transfer({
    ...{ id, kind: "deposit", from: "cage", to: `player:${playerId}`, amountMinor, about: { actor: "staff:test" } },
  });

test("whoever asks after a move is told of it, however many others ask at the same time", async () => {
  const players = await Promise.all(["ada", "bea", "can", "dan"].map((name) => venue.player(`${name}.asks`, 1_000)));
  let over = false;
  const others = Array.from({ length: 20 }, async (_, index) => {
    const player = players[index % players.length]!;
    for (let last = 0; !over; ) {
      const { balance } = await venue.balanceOf(player.id);
      expect(balance).toBeGreaterThanOrEqual(last);
      last = balance;
    }
  });
  await Promise.all(
    players.map(async ({ id }) => {
      for (let round = 1; round <= 20; round += 1) {
        await deposit(`asks-${id}-${round}`, id, 5);
        expect(await venue.balanceOf(id)).toEqual({ balance: 1_000 + 5 * round });
      }
    }),
  );
  over = true;
  await Promise.all(others);
});

test("wallets that are read together are each player's own", async () => {
  const { machine, agent } = await venue.machine("nar-01");
  const [sits, waits, rich] = await Promise.all([
    venue.player("eda.sits", 10_000),
    venue.player("fay.waits", 4_000),
    venue.player("gul.rich", 9_000_000_000_000),
  ]);
  const page = await venue.page(sits.token, "nar-01");
  await page.init();
  await page.peer.request("cashIn", { id: "read-together-in", amount: 3_000 });
  const withdrawn = { id: "read-together-pay", kind: "withdraw", from: `player:${sits.id}`, to: "cage" } as const;
  await venue.ledger.hold({ ...withdrawn, amountMinor: 500 });
  machine.mood = "silentAfter";
  const asking = page.peer.request("cashOut", { id: "read-together-out", amount: 1_000 });
  await eventually(() => expect(machine.asked).toHaveLength(2));
  await agent.kill();
  await asking;
  const told = await balancesOf(venue.database.pool, [rich.id, "p_nobody", sits.id, waits.id]);
  expect(Object.fromEntries(told)).toEqual({
    [sits.id]: { balance: 6_500, onMachine: 2_000, pending: 1_000 },
    [waits.id]: { balance: 4_000 },
    [rich.id]: { balance: 9_000_000_000_000 },
    p_nobody: { balance: 0 },
  });
});
