import { expect, test } from "vitest";
import { watchGamepads } from "./gamepad.ts";

function gamepads() {
  const events = new EventTarget();
  const pads: ({ buttons: GamepadButton[] } | null)[] = [null];
  const waiting = new Map<number, () => void>();
  const done: string[] = [];
  let looks = 0;
  let ids = 0;
  const stop = watchGamepads(
    {
      getGamepads: () => {
        looks += 1;
        return pads;
      },
      frames: {
        requestAnimationFrame: (run) => {
          ids += 1;
          waiting.set(ids, () => run(0));
          return ids;
        },
        cancelAnimationFrame: (id) => void waiting.delete(id),
      },
      events,
    },
    { spin: () => done.push("spin"), less: () => done.push("less"), more: () => done.push("more") },
  );
  return {
    done,
    stop,
    waiting,
    looks: () => looks,
    frame(...down: number[]) {
      pads[0] = {
        buttons: Array.from({ length: 16 }, (_, at) => ({ pressed: down.includes(at), touched: false, value: 0 })),
      };
      const runs = [...waiting.values()];
      waiting.clear();
      for (const run of runs) run();
    },
    connect() {
      events.dispatchEvent(new Event("gamepadconnected"));
    },
    unplug() {
      pads[0] = null;
    },
  };
}

test("A spins and the bumpers change the bet, once for each press however long it is held", () => {
  const { frame, connect, done } = gamepads();
  frame();
  connect();
  frame();
  frame(0);
  frame(0);
  frame(0, 4);
  frame(5);
  frame();
  frame(0);
  expect(done).toEqual(["spin", "less", "more", "spin"]);
});

test("what is held when the gamepad comes is no press, and other buttons do nothing", () => {
  const { frame, connect, done } = gamepads();
  frame(0);
  connect();
  frame(0);
  frame(1, 2, 3, 6, 7);
  expect(done).toEqual([]);
});

test("nothing is looked at while no gamepad is there, nor after the end", () => {
  const { frame, connect, unplug, waiting, stop, looks } = gamepads();
  expect([looks(), waiting.size]).toEqual([1, 0]);
  frame();
  connect();
  expect(waiting.size).toBe(1);
  unplug();
  for (const run of [...waiting.values()]) run();
  waiting.clear();
  connect();
  expect(waiting.size).toBe(0);
  frame();
  connect();
  stop();
  expect(waiting.size).toBe(0);
  connect();
  expect(waiting.size).toBe(0);
});
