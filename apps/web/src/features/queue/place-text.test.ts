import type { QueuePlace } from "@longarm/contract/player-queue";
import { expect, test } from "vitest";
import { realTexts } from "../../shared/testing/fakes.ts";
import { brandInstead, endText, outlookText, rangeText, wishText } from "./place-text.ts";

const speech = (await realTexts("en", "queue", "code")).speech.getState();
const min = (low: number, high: number) => ({ lowS: low * 60, highS: high * 60, sittings: 20 });

test.each([
  [null, "We do not know yet"],
  [min(0, 4), "A few minutes"],
  [min(0, 5), "A few minutes"],
  [min(6, 14), "6–14 min"],
  [min(5.6, 13.2), "5–14 min"],
  [min(18, 33), "18–35 min"],
  [min(33, 58), "30–60 min"],
  [min(33, 75), "30 min or more"],
  [min(61, 140), "More than an hour"],
])("a wait of %o is shown as %s, never finer than it is known", (wait, text) => {
  expect(rangeText(speech, wait)).toBe(text);
});

test("with its word before it a range is about so long", () => {
  expect(rangeText(speech, min(6, 14), true)).toBe("About 6–14 min");
});

test("the range that is shown holds the one that is known", () => {
  for (let low = 0; low < 60; low += 0.7)
    for (let high = low; high <= 60; high += 0.7) {
      const shown = /^(\d+)–(\d+) min$/.exec(rangeText(speech, min(low, high)));
      if (shown === null) continue;
      expect(Number(shown[1])).toBeLessThanOrEqual(low);
      expect(Number(shown[2])).toBeGreaterThanOrEqual(high);
    }
});

test("a wish by its name", () => {
  const name = (wish: QueuePlace["wish"]) => wishText(speech, "TRY", wish, "Nar 01").replace(/[\u2066-\u2069]/g, "");
  expect(name({ machine: "m1" })).toBe("Nar 01");
  expect(name({ brand: "Nar" })).toBe("Any Nar machine");
  expect(name({ denomination: 20 })).toBe("Any machine with band ₺0.20");
  expect(name({ machines: ["m1", "m2"] })).toBe("One of 2 machines");
});

test("why a place ended; waiting again is offered where nothing keeps the player from play", () => {
  expect(endText(speech, "missed")).toEqual({ text: "You missed two calls. Your place has ended.", again: true });
  expect(endText(speech, "player.on_break")).toMatchObject({ again: false });
  expect(endText(speech, "player.on_break").text).toMatch(/\. Your place has ended\.$/);
  expect(endText(speech, "something.new")).toEqual({ text: "Your place has ended.", again: false });
  expect(endText(speech, "toString")).toEqual({ text: "Your place has ended.", again: false });
});

test("before joining: how many would be before, and about how long", () => {
  expect(outlookText(speech, { ahead: 0, wait: null })).toBe("You would be first · We do not know yet");
  expect(outlookText(speech, { ahead: 2, wait: min(6, 14) })).toBe("2 people before you · 6–14 min");
});

test("a place for chosen machines of one brand may wait for the brand, where the venue has such queues", () => {
  const any = { brand: true, denomination: true };
  const place = { state: "fault", wish: { machine: "m1" }, machines: [{ id: "m1", name: "Nar 01", brand: "Nar" }] };
  const given = (more: object = {}) => ({ ...place, ...more }) as QueuePlace;
  expect(brandInstead(given(), any)).toBe("Nar");
  expect(brandInstead(given({ state: "waiting", wish: { machines: ["m1", "m2"] } }), any)).toBe("Nar");
  expect(brandInstead(given({ state: "called" }), any)).toBeUndefined();
  const other = { id: "m2", name: "Pera 01", brand: "Pera" };
  expect(brandInstead(given({ machines: [...place.machines, other] }), any)).toBeUndefined();
  expect(brandInstead(given({ wish: { brand: "Nar" } }), any)).toBeUndefined();
  expect(brandInstead(given({ machines: [] }), any)).toBeUndefined();
  expect(brandInstead(given(), { ...any, brand: false })).toBeUndefined();
});
