import type { Meters } from "@longarm/contract/machine";
import { expect } from "vitest";
import type * as z from "zod/mini";
import type { Player } from "./player.ts";

const SOON = { timeout: 60_000, interval: 100 };

type MetersNow = z.output<typeof Meters>;

/** A player's device without a picture: it sits at a machine, and presses over the game socket. */
export type Device = Awaited<ReturnType<typeof sitAt>>;

export async function sitAt(player: Player, machineId: string) {
  const page = await player.open(machineId);
  const seated: { epoch: number; meters: MetersNow }[] = [];
  await expect
    .poll(async () => {
      const answer = await page.init();
      if (answer.is === "done" && answer.data.meters !== undefined)
        seated.push({ epoch: answer.data.epoch ?? 0, meters: answer.data.meters });
      return answer.is;
    }, SOON)
    .toBe("done");
  const { epoch, meters: first } = seated[0]!;
  let seq = 0;
  const meters = (): MetersNow => (page.ofMethod("meters").at(-1) as MetersNow | undefined) ?? first;

  async function press(): Promise<string> {
    seq += 1;
    const answer = await page.peer.request("press", {
      ...{ epoch, seq, button: "spin" },
      at: Date.now(),
      stake: meters().bet,
    });
    if (answer.is === "refused") return `refused ${answer.refusal.code}`;
    return answer.is === "done" ? answer.data.outcome : answer.is;
  }

  /** Presses until a game runs or is over; a press that came too late on a busy computer played none. */
  async function spin(): Promise<void> {
    const { gamesPlayed } = meters();
    await expect
      .poll(async () => {
        if (meters().inGame || meters().gamesPlayed > gamesPlayed) return "started";
        return await press();
      }, SOON)
      .toBe("started");
  }

  return {
    page,
    peer: page.peer,
    meters,
    press,
    spin,
    /** Waits until the meters are so. */
    async shows(wanted: Partial<Record<keyof MetersNow, unknown>>): Promise<void> {
      await expect.poll(meters, SOON).toMatchObject(wanted);
    },
    /** Plays one game to its end. */
    async play(): Promise<void> {
      const { gamesPlayed } = meters();
      await spin();
      await expect.poll(() => meters().gamesPlayed, SOON).toBeGreaterThan(gamesPlayed);
      await expect.poll(() => meters().inGame, SOON).toBe(false);
    },
    async cashIn(id: string, amount: number): Promise<void> {
      expect(await page.peer.request("cashIn", { id, amount })).toMatchObject({ data: { outcome: "done", amount } });
      await expect.poll(() => meters().credit, SOON).toBeGreaterThanOrEqual(amount);
    },
    /** Gets up; tries again while a game still ends. */
    async leave(): Promise<void> {
      await expect.poll(() => page.peer.request("leave", {}), SOON).toMatchObject({ data: { outcome: "done" } });
    },
  };
}
