import { systemTimers } from "@longarm/link/socket";
import { expect, test, vi } from "vitest";
import { createKeyboard } from "./keyboard.ts";

function made() {
  const written: boolean[] = [];
  const keyboard = createKeyboard({
    timers: systemTimers,
    kept: { read: () => true, write: (on) => void written.push(on) },
  });
  const press = (key: string, more: KeyboardEventInit = {}, on: Element = document.body) => {
    const event = new KeyboardEvent("keydown", { key, ...more, bubbles: true });
    Object.defineProperty(event, "target", { value: on });
    keyboard.press(event);
  };
  return { keyboard, press, written };
}

test("keys do what was offered last, alone and one after the other, and nothing once it was taken back", () => {
  const { keyboard, press } = made();
  const [floor, drain, newer] = [vi.fn(), vi.fn(), vi.fn()];
  keyboard.offer([{ keys: "g f", label: "Floor", run: floor }]);
  keyboard.offer([{ keys: "d", label: "Drain", run: drain }]);
  press("d");
  press("g");
  press("f");
  press("f");
  expect([floor.mock.calls.length, drain.mock.calls.length]).toEqual([1, 1]);
  const takeBack = keyboard.offer([{ keys: "d", label: "Other", run: newer }]);
  press("D");
  takeBack();
  press("d");
  expect([newer.mock.calls.length, drain.mock.calls.length]).toEqual([1, 2]);
});

test("keys mean nothing in fields and sheets, with Ctrl, or when they are switched off", () => {
  const { keyboard, press, written } = made();
  const run = vi.fn();
  keyboard.offer([{ keys: "d", label: "Drain", run }]);
  const field = document.createElement("input");
  const sheet = document.createElement("div");
  sheet.setAttribute("role", "dialog");
  press("d", {}, field);
  press("d", {}, sheet);
  press("d", { ctrlKey: true });
  keyboard.setLetters(false);
  press("d");
  expect(run).not.toHaveBeenCalled();
  expect(written).toEqual([false]);
});
