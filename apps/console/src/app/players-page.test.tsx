import { cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { EVA, Refusal, scriptedConsole } from "./testing/scripted-console.tsx";

const WHEN = "2026-11-26T19:00:00.000Z";
const listOf = (rows: readonly unknown[]) => ({ rows, next: null, asOf: WHEN });
const DENIZ = {
  player: { id: "p_1", username: "deniz" },
  name: "Deniz Aydın",
  state: "active",
  machine: null,
  addedAt: WHEN,
  lastSeen: null,
  wallet: { available: 120_000, onMachine: 5_000, beingChecked: 0 },
};
const cashier = { ...EVA, permissions: ["player.find", "player.add", "player.see"] as typeof EVA.permissions };
const opened = (more: object = {}, me: object = cashier) =>
  scriptedConsole({ me: () => me, approvals: () => listOf([]), players: () => listOf([DENIZ]), ...more });
const add = () => screen.findByRole("button", { name: "Add a player" });
const type = (sheet: HTMLElement, label: string, value: string) =>
  fireEvent.change(within(sheet).getByLabelText(label), { target: { value } });

beforeEach(() => history.replaceState(null, "", "/players"));
afterEach(cleanup);

test("a player is added with what was written, and the first password is shown once", async () => {
  const { called } = await opened({
    addPlayer: () => ({
      is: "done",
      repeated: false,
      result: { player: { id: "p_2", username: "zeynep" }, password: "amber-river-41" },
    }),
  });
  fireEvent.click(await add());
  const sheet = await screen.findByRole("dialog");
  const send = () => within(sheet).getByRole("button", { name: "Add the player" }) as HTMLButtonElement;
  expect(send().disabled).toBe(true);
  type(sheet, "Username", "zey");
  expect(within(sheet).getByText("Write at least 4 characters.")).toBeDefined();
  type(sheet, "Username", " zeynep ");
  type(sheet, "First name and surname", "Zeynep Öz");
  type(sheet, "E-mail", "zeynep");
  expect(send().disabled).toBe(true);
  type(sheet, "E-mail", "");
  fireEvent.click(send());
  expect(await screen.findByText("amber-river-41")).toBeDefined();
  expect(called.find(({ name }) => name === "addPlayer")?.body).toEqual({
    id: "act-number-1",
    username: "zeynep",
    name: "Zeynep Öz",
  });
  const page = screen.getByRole("link", { name: "Open the player’s page" });
  expect(page.getAttribute("href")).toBe("/players/p_2");
  fireEvent.click(screen.getByRole("button", { name: "Done" }));
  await waitFor(() => expect(screen.queryByText("amber-river-41")).toBeNull());
});

test("a name that is taken keeps what was written and says why", async () => {
  await opened({
    addPlayer: () => new Refusal("act.refused", { sentence: "There is a player called deniz already." }),
  });
  fireEvent.click(await add());
  const sheet = await screen.findByRole("dialog");
  type(sheet, "Username", "deniz");
  fireEvent.click(within(sheet).getByRole("button", { name: "Add the player" }));
  expect(await screen.findByText(/There is a player called deniz already/)).toBeDefined();
  expect((within(sheet).getByLabelText("Username") as HTMLInputElement).value).toBe("deniz");
});

test("who may not add players has no button, and the address opens no sheet", async () => {
  history.replaceState(null, "", "/players?act=add");
  await opened({}, { ...cashier, permissions: ["player.find"] });
  await screen.findByText("Deniz Aydın");
  expect(screen.queryByRole("button", { name: "Add a player" })).toBeNull();
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("with the operator's own wallet the list says whose wallet holds the money, and only then", async () => {
  const { unmount } = await opened({}, { ...cashier, venue: { ...cashier.venue, operatorWallet: true } });
  expect(await screen.findByText(/The amounts here are what is in Longarm/)).toBeDefined();
  unmount();
  history.replaceState(null, "", "/players");
  await opened();
  await screen.findByText("Deniz Aydın");
  expect(screen.queryByText(/The amounts here are what is in Longarm/)).toBeNull();
});
