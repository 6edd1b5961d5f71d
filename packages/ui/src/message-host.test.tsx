import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createTexts } from "./i18n/texts.ts";
import { TextsContext } from "./i18n/use-text.ts";
import { MessageHost } from "./message-host.tsx";
import type { Messages } from "./messages.ts";
import { createMessages, TOAST_MS } from "./messages.ts";

let messages: Messages;
beforeEach(async () => {
  const texts = await createTexts("en", async () => ({ close: "Close" }), ["app"]);
  messages = createMessages();
  vi.useFakeTimers();
  render(
    <TextsContext value={texts}>
      <MessageHost messages={messages} />
    </TextsContext>,
  );
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});
const wait = (ms: number) => act(() => vi.advanceTimersByTime(ms));
const say = (...args: Parameters<Messages["say"]>) => act(() => messages.say(...args));

test("R-8-27, R-8-28: a message stays 6 s, a toast 3 s", () => {
  say("bad", "Lost");
  say("good", "Done", TOAST_MS);
  wait(2_900);
  expect(screen.getByText("Done")).toBeTruthy();
  wait(200);
  expect(screen.queryByText("Done")).toBeNull();
  wait(2_800);
  expect(screen.getByText("Lost")).toBeTruthy();
  wait(200);
  expect(screen.queryByText("Lost")).toBeNull();
});

test("pointing at it holds it", () => {
  say("info", "Read me");
  const shown = screen.getByRole("status");
  fireEvent.pointerEnter(shown);
  wait(60_000);
  expect(screen.getByText("Read me")).toBeTruthy();
  fireEvent.pointerLeave(shown);
  wait(6_100);
  expect(screen.queryByText("Read me")).toBeNull();
});

test("at most two at once, the same one never twice, and its key closes it", () => {
  for (const text of ["one", "two", "two", "three"]) say("info", text);
  expect(screen.getAllByRole("status").map(({ textContent }) => textContent)).toEqual(["two", "three"]);
  fireEvent.click(screen.getAllByRole("button", { name: "Close" })[0] as HTMLElement);
  expect(screen.getAllByRole("status")).toHaveLength(1);
});

test("player 15: what is to be read for long is not pushed away by shorter words", () => {
  say("info", "Autoplay stopped", 30_000);
  for (const text of ["One", "Two", "Three"]) say("good", text);
  expect(screen.getByText("Autoplay stopped")).toBeTruthy();
  expect(screen.getByText("Three")).toBeTruthy();
  expect(screen.queryByText("Two")).toBeNull();
});

test("a message that leads on has a key for it, which dismisses it", () => {
  const run = vi.fn();
  say("info", "Your limit is reached", undefined, { label: "Your limits", run });
  fireEvent.click(screen.getByRole("button", { name: "Your limits" }));
  expect(run).toHaveBeenCalledOnce();
  expect(screen.queryByText("Your limit is reached")).toBeNull();
});
