import { expect, test, vi } from "vitest";
import { createStore } from "zustand/vanilla";
import type { TabLocks } from "./seat-in-tab.ts";
import { isSeatInTab, showSeatToTabs } from "./seat-in-tab.ts";

const SEAT = { playerId: "p_1", machineId: "m_1" };

/** Locks as a browser's tabs share them. */
function fakeLocks(): TabLocks {
  const held: { name: string }[] = [];
  return {
    query: async () => ({ held: [...held] }),
    async request(name, _, until) {
      const lock = { name };
      held.push(lock);
      await until();
      held.splice(held.indexOf(lock), 1);
    },
  };
}

// player 9
test("other tabs see the seat from when this one has it until it is lost or the screen ends, again and again", async () => {
  const locks = fakeLocks();
  const seated = createStore<boolean>(() => false);
  const seen = () => isSeatInTab(locks, SEAT);
  const stop = showSeatToTabs(locks, SEAT, seated, (has) => has);
  expect(await seen()).toBe(false);
  for (const _ of [1, 2]) {
    seated.setState(true, true);
    expect(await seen()).toBe(true);
    expect(await isSeatInTab(locks, { ...SEAT, playerId: "p_2" })).toBe(false);
    expect(await isSeatInTab(locks, { ...SEAT, machineId: "m_2" })).toBe(false);
    seated.setState(false, true);
    await vi.waitFor(async () => expect(await seen()).toBe(false));
  }
  seated.setState(true, true);
  stop();
  await vi.waitFor(async () => expect(await seen()).toBe(false));
  seated.setState(false, true);
  seated.setState(true, true);
  expect(await seen()).toBe(false);
});

test("player 9: a browser without locks, or one that refuses them, shows and sees nothing", async () => {
  const seated = createStore<boolean>(() => true);
  showSeatToTabs(undefined, SEAT, seated, (has) => has)();
  expect(await isSeatInTab(undefined, SEAT)).toBe(false);
  const refuse = () => Promise.reject(new DOMException("The page has no origin.", "SecurityError"));
  const refusing: TabLocks = { query: refuse, request: refuse };
  showSeatToTabs(refusing, SEAT, seated, (has) => has)();
  expect(await isSeatInTab(refusing, SEAT)).toBe(false);
});
