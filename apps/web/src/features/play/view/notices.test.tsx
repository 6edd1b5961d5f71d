import { TextsContext } from "@longarm/ui/i18n/use-text.ts";
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { createStore } from "zustand/vanilla";
import { realTexts } from "../../../shared/testing/fakes.ts";
import { FIRST_STATE } from "../state/play-state.ts";
import { StateLine } from "./notices.tsx";
import type { PlayNow } from "./play-context.ts";
import { PlayContext } from "./play-context.ts";

afterEach(cleanup);

/** The line while a picture that was there is being looked for. */
async function mending(watching: boolean): Promise<string | null> {
  const texts = await realTexts("en", "app", "play");
  const state = createStore(() => ({
    ...FIRST_STATE,
    ...({ phase: "playing", online: true, started: true, recovery: "restart" } as const),
  }));
  const preferences = { now: createStore(() => ({ muted: true, volume: 0 })) };
  render(
    <TextsContext value={texts}>
      <PlayContext value={{ session: { state }, preferences, watching } as unknown as PlayNow}>
        <StateLine />
      </PlayContext>
    </TextsContext>,
  );
  return screen.getByRole("status").textContent;
}

test("during the recovery a player reads that seat and credit are kept; a spectator has neither", async () => {
  expect(await mending(false)).toBe(
    "Connection Lost, please wait.Looking for another way to the machine. Your seat and your credit are kept.",
  );
  cleanup();
  expect(await mending(true)).toBe("Connection Lost, please wait.Looking for another way to the machine.");
});
