import { PasskeyEnded } from "@longarm/ui/passkeys.ts";
import { act, cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CEREMONY, EVA, Refusal, scriptedConsole } from "./testing/scripted-console.tsx";

const WHEN = "2026-11-26T20:00:00.000Z";
const guest = { me: () => new Refusal("signIn.needed") };
const empty = { rows: [], next: null, asOf: WHEN };
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

describe("the operator's directory", () => {
  const ways = { signInWays: () => ({ directory: { label: "Levent Directory" } }) };
  const sent = () => ({ href: "https://login.example.org/auth?x=1" });
  const LINKED = { ...EVA, directory: { label: "Levent Directory", name: "eva@levent.example", linkedAt: WHEN } };
  const comeBack = () => history.replaceState(null, "", "/directory?code=c1&state=s1");
  const way = { name: /^Sign in with Levent Directory/ };

  test("is on the sign-in page by its name, and takes the browser there", async () => {
    const { leave } = await scriptedConsole({ ...guest, ...ways, directoryBegin: sent });
    fireEvent.click(await screen.findByRole("button", way));
    await waitFor(() => expect(leave).toHaveBeenCalledWith("https://login.example.org/auth?x=1"));
  });

  test("is not there when the operator set none, and says so in words when it does not answer", async () => {
    const none = await scriptedConsole({ ...guest, signInWays: () => ({ directory: null }) });
    await waitFor(() => expect(none.called.map(({ name }) => name)).toContain("signInWays"));
    expect(screen.queryByRole("button", way)).toBeNull();
    cleanup();
    await scriptedConsole({ ...guest, ...ways, directoryBegin: () => new Refusal("directory.away") });
    fireEvent.click(await screen.findByRole("button", way));
    expect((await screen.findByRole("alert")).textContent).toContain("The directory does not answer");
    expect(screen.getByRole("button", { name: "Use your passkey" })).toBeDefined();
  });

  test("sends the browser back with an answer, which is used once and leaves the address", async () => {
    comeBack();
    const { called } = await scriptedConsole({ ...inside, ...guest, directoryFinish: () => LINKED });
    expect(await screen.findByRole("heading", { level: 1, name: "Approvals" })).toBeDefined();
    const finished = called.filter(({ name }) => name === "directoryFinish");
    expect(finished.map(({ body }) => body)).toEqual([{ answer: "code=c1&state=s1" }]);
    expect(location.href).not.toContain("code");
  });

  test.each([
    ["en", "directory.notLinked", "not linked with a member of staff", "Other ways to sign in"],
    ["tr", "directory.refused", "Dizin girişinizi yapmadı", "Başka giriş yolları"],
    ["ar", "directory.taken", "مرتبط بموظف آخر", "طرق أخرى لتسجيل الدخول"],
  ] as const)(
    "that is refused says why in %s, and the other ways are a press away",
    async (language, problem, why, other) => {
      comeBack();
      await scriptedConsole({ ...guest, ...ways, directoryFinish: () => new Refusal(problem) }, language);
      expect((await screen.findByRole("alert")).textContent).toContain(why);
      expect(location.search).toBe("");
      fireEvent.click(screen.getByRole("button", { name: new RegExp(`^${other}`) }));
      await waitFor(() => expect(location.pathname).toBe("/"));
      expect(screen.queryByRole("alert")).toBeNull();
    },
  );

  test("that an invitation linked is followed by a first passkey", async () => {
    const invited = { ...LINKED, passkeys: 0, signIn: { ...EVA.signIn, how: "invitation" as const } };
    const answers = {
      ...inside,
      ...guest,
      directoryFinish: () => invited,
      me: () => new Refusal("signIn.needed") as unknown,
    };
    comeBack();
    const { called, passkeys } = await scriptedConsole({
      ...answers,
      me: () => answers.me(),
      addPasskeyBegin: () => CEREMONY,
      addPasskeyFinish: () => ({ id: "pk_1", label: "key", addedAt: WHEN, lastUsedAt: null }),
    });
    expect(await screen.findByRole("heading", { name: "Now make a passkey" })).toBeDefined();
    answers.me = () => LINKED;
    fireEvent.click(screen.getByRole("button", { name: "Make a passkey" }));
    expect(await screen.findByRole("heading", { level: 1, name: "Approvals" })).toBeDefined();
    expect(passkeys.make).toHaveBeenCalledOnce();
    expect(called.find(({ name }) => name === "addPasskeyFinish")?.body).toMatchObject({ ceremony: "ce_1" });
  });

  test("unlocks the screen of a person who has no passkey", async () => {
    const locked = { ...LINKED, passkeys: 0, signIn: { ...EVA.signIn, locked: true } };
    const first = await scriptedConsole({ ...inside, me: () => locked, unlockDirectoryBegin: sent });
    fireEvent.click(await screen.findByRole("button", { name: "Unlock with Levent Directory" }));
    await waitFor(() => expect(first.leave).toHaveBeenCalledOnce());
    cleanup();
    comeBack();
    const { called } = await scriptedConsole({ ...inside, me: () => locked, unlockDirectoryFinish: () => LINKED });
    expect(await screen.findByRole("heading", { level: 1, name: "Approvals" })).toBeDefined();
    expect(called.map(({ name }) => name)).not.toContain("directoryFinish");
  });

  test("is on one's account, and its link is removed with a passkey's word", async () => {
    history.replaceState(null, "", "/account");
    const answers = { ...inside, me: () => LINKED, mySignIns: () => empty, myPasskeys: () => empty };
    const { called } = await scriptedConsole({
      ...answers,
      stepUpBegin: () => CEREMONY,
      stepUpFinish: () => ({ stepUp: "su_1", expiresAt: WHEN }),
      unlinkMyDirectory: () => ({ is: "done", repeated: false, result: {} }),
    });
    expect(await screen.findByText("eva@levent.example")).toBeDefined();
    fireEvent.click(screen.getByRole("button", { name: "Remove the link with Levent Directory" }));
    fireEvent.click(await screen.findByRole("button", { name: "Use your passkey" }));
    await waitFor(() =>
      expect(called.find(({ name }) => name === "unlinkMyDirectory")?.body).toMatchObject({ stepUp: "su_1" }),
    );
  });
});
