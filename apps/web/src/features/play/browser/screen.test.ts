import { fakeTimers } from "@longarm/link/testing";
import { describe, expect, test } from "vitest";
import type { Orientation } from "./screen.ts";
import { canShowSmall, keepAwake, restWhenHidden, toggleFullScreen, toggleSmallWindow } from "./screen.ts";

/** A page that a test shows and hides. */
class FakePage extends EventTarget {
  visibilityState: DocumentVisibilityState = "visible";
  pictureInPictureElement: Element | null = null;
  show(state: DocumentVisibilityState): void {
    this.visibilityState = state;
    this.dispatchEvent(new Event("visibilitychange"));
  }
}
const settle = async () => {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
};

describe("the wake lock", () => {
  function waker(refuse = false) {
    const locks: { released: boolean }[] = [];
    const it = {
      refuse,
      request: () => {
        if (it.refuse) return Promise.reject(new Error("low battery"));
        const lock = {
          released: false,
          release() {
            lock.released = true;
            return Promise.resolve();
          },
        };
        locks.push(lock);
        return Promise.resolve(lock);
      },
    };
    return { it, locks, held: () => locks.filter(({ released }) => !released).length };
  }

  test("is acquired at once, acquired again when the tab is visible again, and released at the end", async () => {
    const page = new FakePage();
    const { it, locks, held } = waker();
    const stop = keepAwake(page, it);
    await settle();
    expect(held()).toBe(1);
    // The browser takes it back while the page is hidden.
    locks[0]!.released = true;
    page.show("hidden");
    await settle();
    expect(held()).toBe(0);
    page.show("visible");
    await settle();
    expect([held(), locks.length]).toEqual([1, 2]);
    stop();
    await settle();
    page.show("visible");
    await settle();
    expect([held(), locks.length]).toEqual([0, 2]);
  });

  test("may be refused or absent, and a lock granted after the end is released", async () => {
    const page = new FakePage();
    const { it, held } = waker(true);
    const stop = keepAwake(page, it);
    await settle();
    it.refuse = false;
    page.show("visible");
    stop();
    await settle();
    expect(held()).toBe(0);
    keepAwake(page, undefined)();
  });
});

describe("a hidden page", () => {
  test("wants no video after two seconds, and wants it at once when it is visible again", () => {
    const page = new FakePage();
    const timers = fakeTimers();
    const told: boolean[] = [];
    const stop = restWhenHidden(page, timers, (picture) => told.push(picture));
    page.show("hidden");
    timers.advance(1_999);
    expect(told).toEqual([true]);
    timers.advance(1);
    expect(told).toEqual([true, false]);
    page.show("visible");
    expect(told).toEqual([true, false, true]);
    page.show("hidden");
    stop();
    timers.advance(60_000);
    expect(told).toEqual([true, false, true]);
    expect(timers.waiting).toBe(0);
  });

  test("goes on while its video is in a picture-in-picture window, and rests once that is closed", () => {
    const page = new FakePage();
    const timers = fakeTimers();
    const told: boolean[] = [];
    restWhenHidden(page, timers, (picture) => told.push(picture));
    page.pictureInPictureElement = document.createElement("video");
    page.show("hidden");
    timers.advance(20_000);
    expect(told).toEqual([true]);
    page.pictureInPictureElement = null;
    timers.advance(2_000);
    expect(told).toEqual([true, false]);
  });
});

describe("full screen", () => {
  function screenOf(type: string, refuse = false) {
    const done: string[] = [];
    const page = {
      fullscreenElement: null as Element | null,
      documentElement: {
        requestFullscreen() {
          if (refuse) return Promise.reject(new Error("not here"));
          page.fullscreenElement = document.body;
          return Promise.resolve(void done.push("whole"));
        },
      },
      exitFullscreen() {
        page.fullscreenElement = null;
        return Promise.resolve(void done.push("back"));
      },
    };
    const orientation: Orientation = { type, lock: (position) => Promise.resolve(void done.push(position)) };
    return { page, orientation, done };
  }

  test.each([
    ["portrait-primary", "portrait"],
    ["landscape-secondary", "landscape"],
  ])("a device held %s stays so, until full screen ends", async (type, position) => {
    const { page, orientation, done } = screenOf(type);
    await toggleFullScreen(page, orientation);
    await toggleFullScreen(page, orientation);
    expect(done).toEqual(["whole", position, "back"]);
  });

  test("a browser that refuses, or has no orientation lock, leaves everything as it was", async () => {
    const refused = screenOf("portrait-primary", true);
    await toggleFullScreen(refused.page, refused.orientation);
    expect(refused.done).toEqual([]);
    const simple = screenOf("landscape-primary");
    await toggleFullScreen(simple.page, { type: "landscape-primary" });
    expect(simple.done).toEqual(["whole"]);
  });
});

test("opens and closes the picture-in-picture window, where the browser has one", async () => {
  const done: string[] = [];
  const page = {
    pictureInPictureEnabled: true,
    pictureInPictureElement: null as Element | null,
    exitPictureInPicture: () => Promise.resolve(void done.push("back")),
  };
  const video = Object.assign(document.createElement("video"), {
    requestPictureInPicture: () => Promise.resolve(void done.push("small") as never),
  });
  expect([canShowSmall(page), canShowSmall({})]).toEqual([true, false]);
  await toggleSmallWindow(page, video);
  page.pictureInPictureElement = video;
  await toggleSmallWindow(page, video);
  await toggleSmallWindow({ ...page, pictureInPictureElement: null }, null);
  expect(done).toEqual(["small", "back"]);
});
