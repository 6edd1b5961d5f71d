import { expect, test, vi } from "vitest";
import { atFirstInput } from "./early-requests.ts";

test.each(["pointermove", "pointerdown", "keydown"])("the first %s counts once, and no other event does", (kind) => {
  const page = new EventTarget();
  const act = vi.fn();
  atFirstInput(page, act);
  page.dispatchEvent(new Event("scroll"));
  expect(act).not.toHaveBeenCalled();
  for (const each of [kind, kind, "pointermove", "pointerdown", "keydown"]) page.dispatchEvent(new Event(each));
  expect(act).toHaveBeenCalledTimes(1);
});
