import { TextsContext } from "@longarm/ui/i18n/use-text.ts";
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { createStore } from "zustand/vanilla";
import type { WalletNow } from "../../shared/play-deps.ts";
import { memoryStorage, realTexts } from "../../shared/testing/fakes.ts";
import { HeaderBalance, MenuBalance } from "./balance.tsx";
import { createWalletVisibility } from "./wallet-visibility.ts";

afterEach(cleanup);

async function show(kept: Record<string, string> = {}) {
  const texts = await realTexts("en", "wallet");
  const wallet = createStore<WalletNow>(() => undefined);
  const storage = memoryStorage(kept);
  const visibility = createWalletVisibility(storage);
  const { container } = render(
    <TextsContext value={texts}>
      <HeaderBalance wallet={wallet} visibility={visibility} />
      <MenuBalance wallet={wallet} visibility={visibility} />
    </TextsContext>,
  );
  return { wallet, storage, container };
}

test("it says that it loads, then the balance, and what is on the machine or being checked", async () => {
  const { wallet, container } = await show();
  expect(screen.getAllByText("The balance is loading")).toHaveLength(2);
  act(() => wallet.setState({ balance: 1_245_075, onMachine: 50_000, pending: 1 }, true));
  expect(container.textContent).toContain("₺12,450.75");
  expect(container.textContent).toContain("On the machine ₺500.00");
  expect(container.textContent).toContain("Being checked ₺0.01");
  act(() => wallet.setState({ balance: 0 }, true));
  expect(container.textContent).not.toContain("On the machine");
});

test("D-44: one key hides header and menu, and the choice is kept", async () => {
  const { wallet, storage } = await show();
  act(() => wallet.setState({ balance: 100, onMachine: 5 }, true));
  fireEvent.click(screen.getByRole("button", { name: "Hide the balance" }));
  expect(screen.getAllByText("••• hidden")).toHaveLength(4);
  expect(storage.all.get("longarm.walletHidden")).toBe("true");
  cleanup();
  const again = await show({ "longarm.walletHidden": "true" });
  act(() => again.wallet.setState({ balance: 100 }, true));
  expect(screen.getByRole("button", { name: "Show the balance" }).getAttribute("aria-pressed")).toBe("true");
});
