import { describe, expect, test } from "vitest";
import { installIn, nameManifest } from "./install-prompt.ts";
import { offlinePage } from "./offline-page.ts";
import { shownOf } from "./pushed.ts";

test("the page without a connection shows foreign words as words, whatever is in them", () => {
  const hostile = `<img src=x onerror="alert(1)">&'"`;
  const page = offlinePage({ language: "ar", helpline: `+90 (115)" onclick="x`, seat: { machine: hostile, at: 0 } });
  expect(page).toContain('dir="rtl"');
  expect(page).not.toMatch(/<img|onclick="x|<script/);
  expect(page).toContain('href="tel:+90115"');
  expect(page).toContain("&#60;img src=x onerror=&#34;alert(1)&#34;&#62;");
});

test("without a seat and a helpline it says neither", () => {
  const page = offlinePage({ language: "en" });
  expect(page).not.toMatch(/Last known|tel:/);
});

describe("a push", () => {
  test.each([
    ["tr", 30, "30 saniye içinde oturun. Dokununca açılır."],
    ["en", 1, "Sit down within 1 second. A tap opens it."],
    ["ar", 2, "اجلس خلال ثانيتين. المس للفتح."],
  ] as const)("of a turn says in %s how long it lasts", (language, seconds, body) => {
    const shown = shownOf({ type: "queue.called", subject: "place:1", machine: "Nar", seconds, language });
    expect(shown).toMatchObject({ isTurn: true, opens: "queue", options: { body } });
  });

  test("cannot turn the text around it", () => {
    expect(shownOf({ type: "queue.called", subject: "p", machine: "a\u202eb", language: "en" }).title).toBe(
      "\u2068ab\u2069 is yours",
    );
  });
});

test.each([
  ["installed", { standalone: true, userAgent: "iPhone", maxTouchPoints: 5 }, true],
  ["prompt", { standalone: false, userAgent: "Android", maxTouchPoints: 5 }, true],
  ["share", { standalone: false, userAgent: "iPhone", maxTouchPoints: 5 }, false],
  ["share", { standalone: false, userAgent: "Macintosh", maxTouchPoints: 5 }, false],
  ["menu", { standalone: false, userAgent: "Macintosh", maxTouchPoints: 0 }, false],
] as const)("the way to an app is %s for %o", (way, { standalone, ...browser }, offered) => {
  expect(installIn({ standalone, browser }, offered)).toBe(way);
});

test("the page names one manifest, that of its language", () => {
  const page = document.implementation.createHTMLDocument();
  const named = () => [...page.querySelectorAll("link[rel=manifest]")].map((link) => link.getAttribute("href"));
  nameManifest("en", page);
  nameManifest("ar", page);
  nameManifest("ar", page);
  expect(named()).toEqual(["/manifest-ar.webmanifest"]);
});
