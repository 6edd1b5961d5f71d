import { someOf } from "@longarm/link/testing/whole-run";
import { expect, test } from "vitest";
import { axeFindings, overflowOf } from "./browser.ts";
import { everyWindow, setUpGameStage } from "./game-stage.ts";
import { asSpectator, openToWatching } from "./game-world.ts";
import type { World } from "./world.ts";

const stage = setUpGameStage();
const SOON = { timeout: 30_000 };

const idOf = (world: World) => world.machines.find(({ status }) => status === 3)?.id ?? "";

async function watching() {
  const scene = { machineId: "m_3", from: "/watch/m_3/-", init: asSpectator, world: openToWatching } as const;
  const game = await stage.openGame(scene);
  await game.playing();
  return game;
}

test("an occupied machine of the lobby leads to watching it: video, link and count, no button that plays and no money", async () => {
  const { page, backEnd, path, playing, methods, requested, notify } = await stage.openGame({
    from: "/lobby",
    init: asSpectator,
    world: openToWatching,
  });
  const id = idOf(backEnd.world);
  await page.locator(`[data-machine="${id}"] a`).click();
  await expect.poll(path, SOON).toContain(`/watch/${id}/`);
  await playing();
  await expect.poll(() => methods("init")).toMatchObject([{ machineID: id, role: "spectator" }]);
  await page.getByText("You are watching").waitFor(SOON);
  notify("spectators", { count: 4 });
  await page.getByRole("img", { name: "4 watching" }).waitFor(SOON);
  expect(await page.getByText("₺").count()).toBe(0);
  for (const name of ["SPIN", "Transfer", "Max bet"]) expect(await page.getByRole("button", { name }).count()).toBe(0);
  for (const key of ["Space", "Enter"]) await page.locator("main").press(key);
  notify("meters", {
    credit: 1,
    bet: 1,
    win: 0,
    freeSpins: 0,
    bonus: false,
    gamesPlayed: 1,
    activeBand: null,
    lockup: "door",
  });
  await page.getByText("The machine is locked, an attendant is needed.").waitFor(SOON);
  expect(requested.map(({ method }) => method).filter((method) => method !== "candidate")).toEqual(["init"]);
});

test("with the end of the play session the video ends, and the seat is offered once the machine is free", {
  tags: ["long"],
}, async () => {
  const { page, backEnd, close, path } = await watching();
  close(4000, "ended");
  await page.getByRole("heading", { name: "The play session you watched has ended" }).waitFor(SOON);
  await page.getByText("The machine is not free at the moment.").waitFor(SOON);
  expect(await page.getByRole("button", { name: "Take a seat" }).count()).toBe(0);
  backEnd.push("machine", { id: "m_3", status: 1 });
  await page.getByRole("button", { name: "Take a seat" }).click(SOON);
  await expect.poll(path, SOON).toContain("/game/m_3/");
});

test("when the next player has sat down the same page can watch again", { tags: ["long"] }, async () => {
  const { page, backEnd, close, playing, methods } = await watching();
  backEnd.push("machine", { id: "m_3", status: 1 });
  close(4000, "ended");
  await page.getByRole("button", { name: "Take a seat" }).waitFor(SOON);
  backEnd.push("machine", { id: "m_3", status: 3 });
  await page.getByRole("button", { name: "Watch" }).click(SOON);
  await playing();
  await expect.poll(() => methods("init")).toHaveLength(2);
});

test.each(
  someOf(1, [
    [60010, "Nobody plays this machine now", "The machine is not free at the moment."],
    [60017, "You cannot watch this machine now", "Watching is off or full on this machine"],
    [
      60018,
      "You cannot watch this machine now",
      "You are watching as many machines as you may at once. Close one of them first.",
    ],
  ]),
)("a place to watch that is refused with %d shows why, and the lobby is one button away", async (code, title, body) => {
  const { page, path } = await stage.openGame({
    from: "/watch/m_3/-",
    world: openToWatching,
    prepare: ({ script }) => script("init", () => ({ code })),
  });
  await page.getByRole("heading", { name: title }).waitFor(SOON);
  await page.getByText(body).waitFor(SOON);
  await page.getByRole("button", { name: "Back to lobby" }).click();
  await expect.poll(path, SOON).toBe("/lobby");
});

test("leaving sends the platform no request and closes the socket", { tags: ["long"] }, async () => {
  const { page, backEnd, methods, path } = await watching();
  await page.getByRole("button", { name: "Back to lobby" }).click();
  await expect.poll(path, SOON).toBe("/lobby");
  await expect.poll(() => backEnd.opened.game.every(({ socket }) => socket.readyState === 3), SOON).toBe(true);
  expect(methods("leave")).toEqual([]);
});

test("an occupied machine that may not be watched shows that it is being played", { tags: ["long"] }, async () => {
  const { page, path } = await stage.open("/lobby", {
    world: (world) => {
      openToWatching(world);
      for (const machine of world.machines) machine.watchable = false;
    },
  });
  await page.locator('[data-lamp="playing"] a').first().click();
  await page.getByText(/is being played now/).waitFor(SOON);
  await expect.poll(path).toBe("/lobby");
});

test.each(everyWindow("lying"))(
  "watching at $width × $height in $language overflows nowhere and has its names",
  { tags: ["long"] },
  async (window) => {
    const { page, playing, complaints } = await stage.openGame({
      from: "/watch/m_3/-",
      init: asSpectator,
      world: openToWatching,
      window,
    });
    await playing();
    expect(await overflowOf(page)).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
  },
);
