import { act, cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { PasskeyEnded } from "../shared/passkeys.ts";
import { CEREMONY, EVA, Refusal, scriptedConsole } from "./testing/scripted-console.tsx";

const guest = { me: () => new Refusal("signIn.needed") };
const empty = { rows: [], next: null, asOf: "2026-11-26T20:00:00.000Z" };
const inside = { me: () => EVA, approvals: () => empty, staff: () => empty, signIns: () => empty, roles: () => empty };

beforeEach(() => history.replaceState(null, "", "/"));
afterEach(cleanup);

test("a guest signs in with a passkey, and sees the first page of the role", async () => {
  const { called } = await scriptedConsole({
    ...inside,
    ...guest,
    passkeyBegin: () => CEREMONY,
    passkeyFinish: () => EVA,
  });
  fireEvent.click(await screen.findByRole("button", { name: "Use your passkey" }));
  expect(await screen.findByRole("heading", { level: 1, name: "Approvals" })).toBeDefined();
  expect(called.find(({ name }) => name === "passkeyFinish")?.body).toMatchObject({ ceremony: "ce_1" });
});

test("a closed window of the browser changes nothing, and it may be tried again", async () => {
  const { passkeys } = await scriptedConsole({ ...guest, passkeyBegin: () => CEREMONY });
  passkeys.use.mockRejectedValueOnce(new PasskeyEnded("cancelled", {}));
  fireEvent.click(await screen.findByRole("button", { name: "Use your passkey" }));
  expect((await screen.findByRole("alert")).textContent).toContain("Nothing happened");
  expect(screen.getByRole("button", { name: "Use your passkey" })).toBeDefined();
});

test("a password takes six figures, whatever is pasted, and a wrong one has one sentence", async () => {
  const { called } = await scriptedConsole({ ...guest, passwordSignIn: () => new Refusal("signIn.wrong") });
  fireEvent.click(await screen.findByRole("button", { name: /^Password and six figures/ }));
  fireEvent.change(screen.getByLabelText("Username"), { target: { value: "eva" } });
  fireEvent.change(screen.getByLabelText("Password"), { target: { value: "a long password" } });
  fireEvent.change(screen.getByLabelText("Six figures"), { target: { value: "123 456 7" } });
  fireEvent.click(screen.getByRole("button", { name: "Sign in" }));
  expect((await screen.findByRole("alert")).textContent).toContain("The sign-in was refused");
  expect(called.at(-1)).toEqual({
    name: "passwordSignIn",
    body: { username: "eva", password: "a long password", code: "123456" },
  });
});

test.each([
  ["en", "Too many wrong sign-ins. Wait 15 minutes."],
  ["tr", "Çok fazla hatalı giriş. 15 dakika bekleyin."],
  ["ar", "محاولات خاطئة كثيرة. انتظر 15 دقيقة."],
] as const)("a block says its time in %s", async (language, sentence) => {
  await scriptedConsole({ ...guest, passkeyBegin: () => new Refusal("signIn.blocked", { minutes: 15 }) }, language);
  await waitFor(() => expect(document.querySelector("main button")).not.toBeNull());
  fireEvent.click(document.querySelector("main button") as HTMLElement);
  expect((await screen.findByRole("alert")).textContent).toContain(sentence);
  expect(document.documentElement.dir).toBe(language === "ar" ? "rtl" : "ltr");
});

test("a platform that is out of reach is said so, and tried again", async () => {
  const answers = { ...inside, me: undefined as (() => unknown) | undefined };
  await scriptedConsole(answers as never);
  expect(await screen.findByRole("heading", { name: "The platform cannot be reached" })).toBeDefined();
  answers.me = () => EVA;
  fireEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByRole("heading", { level: 1, name: "Approvals" })).toBeDefined();
});

test("the lock takes the page away, with all that was read, and a passkey brings it back", async () => {
  const { console: started, queries } = await scriptedConsole({
    ...inside,
    lock: () => ({}),
    unlockPasskeyBegin: () => CEREMONY,
    unlockPasskeyFinish: () => EVA,
  });
  await screen.findByRole("heading", { level: 1, name: "Approvals" });
  await act(() => started.sessions.lock());
  expect(await screen.findByRole("heading", { name: "The screen is locked" })).toBeDefined();
  expect(screen.queryByRole("navigation")).toBeNull();
  expect(queries.getQueryCache().getAll()).toEqual([]);
  fireEvent.click(screen.getByRole("button", { name: "Unlock with your passkey" }));
  expect(await screen.findByRole("heading", { level: 1, name: "Approvals" })).toBeDefined();
});

test("a sign-in that was ended elsewhere leaves nothing on the screen", async () => {
  const answers = { ...inside, approvals: () => empty as unknown };
  const { console: started } = await scriptedConsole(answers);
  await screen.findByRole("heading", { level: 1, name: "Approvals" });
  answers.approvals = () => new Refusal("signIn.needed");
  await act(() => started.api.call("approvals", { query: { which: "mine" } }).catch(() => {}));
  expect(await screen.findByText("Your sign-in has ended. Sign in again.")).toBeDefined();
  expect(screen.queryByRole("navigation")).toBeNull();
});

test("the menu has what the role may see, and nothing else", async () => {
  const cashier = { ...EVA, permissions: ["wallet.move"] };
  await scriptedConsole({ ...inside, me: () => cashier });
  await screen.findByRole("heading", { level: 1, name: "Approvals" });
  expect(screen.queryByRole("link", { name: "Staff" })).toBeNull();
});
