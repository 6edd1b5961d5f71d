import type { OwnLimits } from "@longarm/contract/player-limits";
import { TextsContext } from "@longarm/ui/i18n/use-text.ts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { createStore } from "zustand/vanilla";
import type { ApiAnswer } from "../../../shared/api/client.ts";
import { networkFailure } from "../../../shared/api/failure.ts";
import { realTexts } from "../../../shared/testing/fakes.ts";
import type { SaferPlayDeps } from "../limits.ts";
import { LimitReached } from "./limit-reached.tsx";

afterEach(cleanup);

const limit = (key: string, left: number | null, frees: string | null = null) => ({
  ...{ key, value: 200_000, owner: "player", mine: 200_000, used: 200_000, left, frees },
  ...{ required: false, waiting: null, looserFrom: "2026-11-23T14:34:00Z" },
});

async function reached(answer: ApiAnswer<OwnLimits>, returned?: number) {
  const texts = await realTexts("en", "app", "saferPlay");
  const make = vi.fn(async () => answer) as unknown as SaferPlayDeps["api"]["make"];
  const deps = { api: { make }, wallet: createStore(() => undefined) } as unknown as SaferPlayDeps;
  const [onLeave, onLimits] = [vi.fn(), vi.fn()];
  const cache = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <TextsContext value={texts}>
      <QueryClientProvider client={cache}>
        <LimitReached {...{ deps, returned, onLeave, onLimits }} />
      </QueryClientProvider>
    </TextsContext>,
  );
  return { onLeave, onLimits };
}

const limits = (...all: object[]): ApiAnswer<OwnLimits> => ({
  ok: true,
  data: {
    now: "2026-11-22T14:34:00Z",
    limits: all,
    rules: { asksAgain: false, autoplay: true, minCycleMs: 0, maxStake: null },
  } as unknown as OwnLimits,
});

test("of the limits that end play the one that frees last is named, with when play opens again and the credit", async () => {
  const answer = limits(
    limit("deposit.month", 0, "2027-01-01T00:00:00Z"),
    limit("loss.day", 0, "2026-11-23T10:00:00Z"),
    limit("time.week", 0, "2026-11-25T10:00:00Z"),
    limit("wager.week", 5),
  );
  const { onLeave, onLimits } = await reached(answer, 48_050);
  await screen.findByRole("dialog", { name: "Your time limit is reached" });
  expect(screen.getByText("Your credit of ₺480.50 is back in your wallet.")).toBeDefined();
  expect(screen.getByText(/^Play opens again on /)).toBeDefined();
  const keys = screen.getAllByRole("button");
  expect(keys.map((key) => key.textContent)).toEqual(["Leave", "Your limits"]);
  expect(keys[0]?.className).toBe(keys[1]?.className);
  fireEvent.click(keys[0] as HTMLElement);
  fireEvent.click(keys[1] as HTMLElement);
  expect([onLeave, onLimits].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
});

test("without an answer of the platform the sheet still says that a limit is reached, and where the credit is", async () => {
  await reached({ ok: false, failure: networkFailure });
  await screen.findByRole("dialog", { name: "Your limit is reached" });
  expect(screen.getByText("Your credit goes back to your wallet.")).toBeDefined();
});

test("where no limit is reached it was a break of the market, which has a page of its own", async () => {
  const { onLeave } = await reached(limits(limit("loss.day", 5), { ...limit("session", null), value: null }));
  await waitFor(() => expect(onLeave).toHaveBeenCalled());
});
