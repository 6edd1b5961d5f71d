import type { MachineAbout } from "@longarm/contract/about-machine";
import type { Balance } from "@longarm/contract/notification-socket";
import { defaultSettings } from "@longarm/contract/settings";
import { done, refused } from "@longarm/link/answer";
import { createTexts } from "@longarm/ui/i18n/texts.ts";
import { TextsContext } from "@longarm/ui/i18n/use-text.ts";
import { act, cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createStore } from "zustand/vanilla";
import { networkFailure } from "../../../shared/api/failure.ts";
import type { PlayDeps } from "../../../shared/play-deps.ts";
import { createStorage } from "../../../shared/storage/storage.ts";
import type { PreferencesStore } from "../state/preferences.ts";
import { createPreferences } from "../state/preferences.ts";
import { initAnswer, METERS, playAgainstFake } from "../state/testing/fake-platform.ts";
import { Table } from "./table.tsx";
// Loaded beforehand, so that a sheet opens as fast as in a page that has been used.
import "@longarm/ui/sheet-frame.tsx";
import "./sheets/late-sheets.tsx";

const catalogues = import.meta.glob<{ default: Record<string, string> }>("../../../shared/i18n/catalogues/en/*.json");

beforeEach(() => {
  vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener() {}, removeEventListener() {} }));
  vi.spyOn(HTMLMediaElement.prototype, "play").mockResolvedValue();
  vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockReturnValue(null);
});
afterEach(cleanup);

/** The game screen over a platform in memory; `atFirst` sees it before that has answered anything. */
async function opened(atFirst?: (play: ReturnType<typeof playAgainstFake>, preferences: PreferencesStore) => void) {
  const texts = await createTexts(
    "en",
    async (_language, area) => (await catalogues[`../../../shared/i18n/catalogues/en/${area}.json`]?.())?.default ?? {},
    ["app", "code", "play"],
  );
  const play = playAgainstFake();
  if (atFirst === undefined) await play.settle();
  const said: string[] = [];
  const clicks: string[] = [];
  const storage = createStorage(() => {
    throw new Error("forbidden");
  });
  const wallet = createStore<Balance | undefined>(() => ({ balance: 1_245_075 }));
  const timers = { after: () => () => {} };
  const deps = {
    waiting: createStore(() => undefined),
    calledAway: createStore(() => undefined),
    questions: () => null,
    settings: defaultSettings(),
    api: { make: async () => ({ ok: false, failure: networkFailure }) },
    storage,
    wallet,
    timers,
    clock: { now: () => 0 },
    say: (_kind: string, text: string) => said.push(text),
  } as unknown as PlayDeps;
  const preferences = createPreferences(storage, deps.settings.volume);
  render(
    <TextsContext value={texts}>
      <Table
        session={play.session}
        deps={deps}
        machineName="Nar 07"
        preferences={preferences}
        sounds={{ click: (kind) => clicks.push(kind), attention: () => {}, end: () => {} }}
      />
    </TextsContext>,
  );
  atFirst?.(play, preferences);
  const tell = async (say: () => void): Promise<void> => {
    await act(async () => {
      say();
      await play.settle();
    });
  };
  return { ...play, said, clicks, tell, wallet, root: () => screen.getByRole("main", { hidden: true }) };
}

const PATIENT = { timeout: 15_000 };
const spin = () => screen.getByRole("button", { name: /SPIN/ });

test("R-3-16: the game begins closed, without meters it does not know yet, at full volume; then the machine reports them", async () => {
  const machine = { cutScreen: { x: 0, y: 0, width: 1, height: 0.5 }, showRotateScreenMenu: true, layout: "wide" };
  const { session, methods, tell, root } = await opened(({ session: first, answers }, preferences) => {
    // Loading; the connection's status; video type, cut, rotation and layout; the bands; the active band.
    const { phase, online, live, machine: unknown, bands, meters } = first.state.getState();
    expect({ phase, online, live, unknown, bands, meters }).toEqual({
      ...{ phase: "opening", online: false, live: false, unknown: undefined, bands: [], meters: undefined },
    });
    expect(screen.getByText("Opening the machine")).toBeTruthy();
    expect(preferences.now.getState().volume).toBe(1);
    expect(screen.getByRole("button", { name: "Side bar" }).getAttribute("aria-expanded")).toBe("false");
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(first.transfer.getState()).toEqual({ is: "idle" });
    expect(first.autoplay.state.getState().on).toBe(false);
    answers.init = () => {
      const answer = initAnswer(1);
      return { is: "done", data: { ...answer, machine: { ...answer.machine, ...machine } } };
    };
  });
  await tell(() => {});
  expect(methods("init")).toMatchObject([{ machineID: "nar-07" }]);
  expect(session.state.getState()).toMatchObject({
    ...{ phase: "playing", online: true, machine: { id: "nar-07", videoType: "screen", ...machine } },
    ...{ bands: [{ id: "20" }, { id: "10" }], meters: { activeBand: "20" } },
  });
  expect(root().dataset["side"]).toBeUndefined();
  // No click came before the first one, so nothing holds it back.
  expect([session.spin(), session.spin()]).toEqual(["sent", "idle"]);
});

test("R-9-10: the machine's sound begins at full volume, and follows what the player chooses", async () => {
  await opened();
  const sound = () => {
    const { volume, muted } = document.querySelector("audio") ?? {};
    return { volume, muted };
  };
  expect(defaultSettings().volume).toBe(1);
  expect(sound()).toEqual({ volume: 1, muted: false });
  fireEvent.click(screen.getByRole("button", { name: "Side bar" }));
  fireEvent.change(await screen.findByRole("slider", { name: "Volume" }, { timeout: 15_000 }), {
    target: { value: "0.4" },
  });
  expect(sound()).toEqual({ volume: 0.4, muted: false });
});

test("SPIN goes down with the pointer, not when it is let go, and only once", async () => {
  const { methods, tell, clicks, root } = await opened();
  await tell(() => fireEvent.pointerDown(spin(), { button: 0 }));
  await tell(() => fireEvent.click(spin(), { detail: 1 }));
  expect(methods("press")).toHaveLength(1);
  expect(methods("press")).toMatchObject([{ button: "spin", stake: 1_200 }]);
  expect(clicks).toEqual(["spin"]);
  expect(root().dataset["turning"]).toBe("true");
});

test("the space bar spins from anywhere but fields, and a held one spins once", async () => {
  const { methods, tell } = await opened();
  await tell(() => fireEvent.keyDown(document.body, { code: "Space" }));
  await tell(() => fireEvent.keyDown(document.body, { code: "Space", repeat: true }));
  expect(methods("press")).toHaveLength(1);
  fireEvent.click(screen.getByRole("button", { name: "Transfer" }));
  const field = await screen.findByRole("textbox", { name: "Amount" });
  await tell(() => fireEvent.keyDown(field, { code: "Space" }));
  await tell(() => fireEvent.keyDown(document.body, { code: "Space" }));
  expect(methods("press")).toHaveLength(1);
});

test("the space bar spins after a button was clicked, and presses the button that was reached by keyboard", async () => {
  const { methods, tell } = await opened();
  const mute = screen.getByRole("button", { name: "Mute" });
  fireEvent.pointerDown(mute, { button: 0 });
  await tell(() => fireEvent.keyDown(mute, { key: " ", code: "Space" }));
  expect(methods("press")).toHaveLength(1);
  fireEvent.keyDown(mute, { key: "Tab", code: "Tab" });
  expect(fireEvent.keyDown(mute, { key: " ", code: "Space" })).toBe(true);
});

test("the screen shows the machine's meters, for the eye and for a measurement", async () => {
  const { tell, peer, root } = await opened();
  expect(root().dataset).toMatchObject({ phase: "playing", credit: "482050", bet: "1200" });
  await tell(() => peer()?.notify("meters", { ...METERS, credit: 0, win: 38_400 }));
  expect(root().dataset).toMatchObject({ credit: "0", win: "38400" });
  expect(screen.getByText("Win ₺384")).toBeTruthy();
  await tell(() => fireEvent.pointerDown(spin(), { button: 0 }));
  expect(await screen.findByRole("dialog", { name: "Transfer" })).toBeTruthy();
});

test("money: the amount is in the button, an amount that cannot be paid is disabled, and the outcome is shown", async () => {
  const { tell, methods, said } = await opened();
  fireEvent.click(screen.getByRole("button", { name: "Transfer" }));
  expect((await screen.findByRole<HTMLButtonElement>("button", { name: "50,000" })).disabled).toBe(true);
  fireEvent.change(screen.getByRole("textbox", { name: "Amount" }), { target: { value: "999999" } });
  expect(screen.getByText("Your wallet has ₺12,450.75.")).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "500" }));
  await tell(() => fireEvent.click(screen.getByRole("button", { name: "Deposit ₺500 to machine" })));
  expect(methods("cashIn")).toMatchObject([{ amount: 50_000 }]);
  expect(said).toEqual(["₺500 was added to the machine."]);
});

// maintainer 6.8
test("money of a machine with large credits: an amount between them is named with what to type instead", async () => {
  const { tell, methods } = await opened(({ answers }) => {
    const answer = initAnswer(1);
    answers.init = () => done({ ...answer, machine: { ...answer.machine, denomination: 30_000 } });
  });
  await tell(() => {});
  fireEvent.click(screen.getByRole("button", { name: "Transfer" }));
  const amount = await screen.findByRole("textbox", { name: "Amount" });
  fireEvent.change(amount, { target: { value: "400" } });
  expect(screen.getByText("This machine takes whole credits: type a multiple of ₺300.")).toBeTruthy();
  expect(screen.getByRole("button", { name: "Deposit ₺400 to machine" })).toHaveProperty("disabled", true);
  fireEvent.click(screen.getByRole("button", { name: /^All/ }));
  await tell(() => fireEvent.click(screen.getByRole("button", { name: "Deposit ₺9,900 to machine" })));
  expect(methods("cashIn")).toMatchObject([{ amount: 990_000 }]);
});

// player 4
test.each(["the answer", "no answer for long"])(
  "figures of a transfer under way stay as they were submitted, with %s",
  async (which) => {
    const { tell, answers, wallet, session, peer } = await opened();
    const slow = Promise.withResolvers<void>();
    answers.cashIn = (amount) => slow.promise.then(() => ({ is: "done", data: { outcome: "done", amount } }));
    fireEvent.click(screen.getByRole("button", { name: "Transfer" }));
    fireEvent.change(await screen.findByRole("textbox", { name: "Amount" }), { target: { value: "1,234.50" } });
    const shown = () => screen.getByRole("dialog").textContent;
    const before = shown();
    expect(before).toContain("₺6,055.00 then");
    await tell(() => fireEvent.click(screen.getByRole("button", { name: "Deposit ₺1,234.50 to machine" })));
    // The money has moved, and both sides have been told before the answer comes.
    await tell(() => {
      wallet.setState({ balance: 1_245_075 - 123_450 }, true);
      peer()?.notify("meters", { ...METERS, credit: METERS.credit + 123_450 });
    });
    expect(session.transfer.getState().is).toBe("busy");
    expect(shown()).toBe(before);
    fireEvent.click(screen.getByRole("radio", { name: "To the wallet" }));
    expect(shown()).toBe(before);
    if (which === "the answer") {
      await tell(() => slow.resolve());
      // While it fades it shows what was submitted, and nothing can be submitted again.
      expect(screen.queryByRole("dialog")?.textContent ?? before).toBe(before);
    } else {
      await tell(() => peer()?.close(1012, "restart"));
      expect(screen.getByRole("dialog").textContent).toContain("₺6,055.00 then");
    }
  },
);

test("player 4: refused, the figures are those of now again", async () => {
  const { tell, answers, wallet } = await opened();
  const slow = Promise.withResolvers<void>();
  answers.cashIn = () => slow.promise.then(() => refused("transfer.refused"));
  fireEvent.click(screen.getByRole("button", { name: "Transfer" }));
  fireEvent.click(await screen.findByRole("button", { name: "500" }));
  await tell(() => fireEvent.click(screen.getByRole("button", { name: "Deposit ₺500 to machine" })));
  await tell(() => wallet.setState({ balance: 1_000_000 }, true));
  const shown = () => screen.getByRole("dialog").textContent;
  expect(shown()).toContain("₺12,450.75");
  await tell(() => slow.resolve());
  expect(shown()).toContain("₺10,000.00");
  expect(shown()).not.toContain("₺12,450.75");
});

test("R-9-14: a double click on a tool or on the button that moves money is one action", async () => {
  const { tell, methods } = await opened();
  fireEvent.click(screen.getByRole("button", { name: "Mute" }));
  fireEvent.click(screen.getByRole("button", { name: "Unmute" }));
  expect(screen.getByRole("button", { name: "Unmute" })).toBeTruthy();
  const side = screen.getAllByRole("button", { name: "Side bar" })[0] as HTMLElement;
  fireEvent.click(side);
  fireEvent.click(side);
  expect(side.getAttribute("aria-expanded")).toBe("true");
  fireEvent.click(screen.getByRole("button", { name: "Transfer", hidden: true }));
  fireEvent.click(await screen.findByRole("button", { name: "500" }));
  const deposit = screen.getByRole("button", { name: "Deposit ₺500 to machine" });
  await tell(() => {
    fireEvent.click(deposit);
    fireEvent.click(deposit);
  });
  expect(methods("cashIn")).toHaveLength(1);
});

test("an unknown outcome is shown under the amount and blocks the next transfer", async () => {
  const { tell, answers, peer, methods } = await opened();
  answers.cashOut = () => ({ is: "done", data: { outcome: "unknown", amount: 0 } });
  fireEvent.click(screen.getByRole("button", { name: "Transfer" }));
  fireEvent.click(await screen.findByRole("radio", { name: "To the wallet" }));
  fireEvent.click(screen.getByRole("button", { name: /^All/ }));
  await tell(() => fireEvent.click(screen.getByRole("button", { name: "Withdraw ₺4,820.50 to wallet" })));
  expect(methods("cashOut")).toEqual([{ id: "transfer-1" }]);
  expect(screen.getByText(/Your transfer is being checked/)).toBeTruthy();
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Withdraw ₺4,820.50 to wallet" }).disabled).toBe(true);
  await tell(() => peer()?.notify("transfer", { id: "transfer-1", outcome: "refused", amount: 0 }));
  expect(screen.getByText(/did not take the transfer/)).toBeTruthy();
});

test("R-8-20: a lost connection is shown, SPIN is off meanwhile, and it comes back by itself", async () => {
  const { tell, peer, pass } = await opened();
  await tell(() => peer()?.close(1012, "restart"));
  expect(screen.getByText("Connection Lost, please wait.")).toBeTruthy();
  expect(spin()).toHaveProperty("disabled", true);
  await act(() => pass(1_000));
  expect(screen.queryByText("Connection Lost, please wait.")).toBeNull();
  expect(spin()).toHaveProperty("disabled", false);
});

test("countdowns have their button", async () => {
  const { tell, peer, methods } = await opened();
  await tell(() => peer()?.notify("countdown", { code: "CODE_18802", count: 30 }));
  expect(screen.getAllByText("30 seconds left to continue")).toHaveLength(2);
  await tell(() => fireEvent.click(screen.getByRole("button", { name: "Continue" })));
  expect(methods("continue")).toHaveLength(1);
  await tell(() => peer()?.notify("countdown", { code: "CODE_18802", count: 0 }));
  expect(screen.queryByRole("timer")).toBeNull();
});

/** What a screen reader that walks through the page would read. */
const readable = (text: string) =>
  screen.queryAllByText(text).filter((element) => element.closest("[aria-hidden=true]") === null);

// player, low list: countdowns were heard twice.
test("a countdown is announced for one second, and exists once for a screen reader", async () => {
  const { tell, peer } = await opened();
  const count = (left: number) => tell(() => peer()?.notify("countdown", { code: "CODE_18802", count: left }));
  const announced = () => screen.getAllByRole("status").filter(({ textContent }) => textContent?.includes("continue"));
  await count(42);
  expect(announced()).toHaveLength(1);
  await count(41);
  expect(announced()).toHaveLength(0);
  expect(readable("41 seconds left to continue")).toHaveLength(1);
  expect(readable("42 seconds left to continue")).toHaveLength(0);
  await count(30);
  expect(announced()).toHaveLength(1);
  await count(5);
  expect(screen.getByRole("alert", { name: "" }).textContent).toBe("5 seconds left to continue");
  // A sheet lies over the banner and has the countdown of its own.
  fireEvent.click(screen.getByRole("button", { name: "Transfer" }));
  await screen.findByRole("dialog", { name: "Transfer" });
  await count(4);
  expect(screen.getAllByRole("timer")).toHaveLength(1);
  expect(readable("4 seconds left to continue")).toHaveLength(1);
});

test("a countdown is at the top of a sheet that covers its banner, with the button that answers it", async () => {
  const { tell, peer, methods } = await opened();
  fireEvent.click(screen.getByRole("button", { name: "Transfer" }));
  const sheet = within(await screen.findByRole("dialog", { name: "Transfer" }));
  expect(sheet.queryByRole("timer")).toBeNull();
  await tell(() => peer()?.notify("countdown", { code: "CODE_18800", count: 42 }));
  expect(sheet.getByRole("timer").textContent).toBe("4242 seconds left to deposit funds");
  await tell(() => peer()?.notify("countdown", { code: "CODE_18802", count: 30 }));
  await tell(() => fireEvent.click(sheet.getByRole("button", { name: "Continue" })));
  expect(methods("continue")).toHaveLength(1);
  await tell(() => peer()?.notify("countdown", { code: "CODE_18802", count: 0 }));
  expect(sheet.queryByRole("timer")).toBeNull();
});

test("cancelling the autoplay sheet returns the focus to its button; starting autoplay moves it to STOP", async () => {
  const { tell } = await opened();
  const key = screen.getByRole("button", { name: "Autoplay" });
  key.focus();
  fireEvent.click(key);
  fireEvent.click(await screen.findByRole("button", { name: "Close" }));
  await vi.waitFor(() => expect(document.activeElement).toBe(key), PATIENT);
  fireEvent.click(key);
  await tell(() => {});
  fireEvent.click(await screen.findByRole("button", { name: "Start 10 spins" }));
  await vi.waitFor(() => expect(document.activeElement?.hasAttribute("data-spin")).toBe(true), PATIENT);
});

test("R-3-17: the bands are sorted by their Order, the highest first; a single one is a label", async () => {
  const { tell, answers, peer, pass } = await opened();
  // Heard with their currency, drawn without it.
  const caps = screen.getAllByRole("button", { name: /^₺0\./ });
  expect(caps.map(({ textContent }) => textContent)).toEqual(["0.20", "0.10"]);
  expect(caps[0]?.getAttribute("aria-pressed")).toBe("true");
  answers.init = () => ({ is: "done", data: { ...initAnswer(9), bandSelects: [{ id: "5", name: "0,05", Order: 1 }] } });
  await tell(() => peer()?.close(1012, "restart"));
  await act(() => pass(1_000));
  expect(screen.queryByRole("button", { name: /0\.05/ })).toBeNull();
  // player, low list: a single band was heard as "0,05", without a unit.
  expect(screen.getByText("0.05").textContent).toBe("₺0.05");
});

test("player 3: the notice of a locked machine calls an attendant, and then shows since when and that staff is coming", async () => {
  const { tell, peer, methods } = await opened((play) => {
    play.answers.init = () => done({ ...initAnswer(1), call: null });
  });
  await tell(() => {});
  await tell(() => peer()?.notify("meters", { ...METERS, lockup: "tilt" }));
  const notice = document.querySelector("[data-missing=tilt]") as HTMLElement;
  await tell(() => fireEvent.click(within(notice).getByRole("button", { name: "Call an attendant" })));
  expect(methods("callAttendant")).toHaveLength(1);
  expect(notice.textContent).toMatch(/An attendant is called, \d\d:\d\d\./);
  const calledAt = "2026-11-21T10:05:00.000Z";
  await tell(() => peer()?.notify("call", { state: "answered", calledAt, answeredAt: "2026-11-21T10:06:00.000Z" }));
  expect(notice.textContent).toMatch(/An attendant is on the way, \d\d:\d\d\./);
});

// player 12
test.each([
  ["free spins", { freeSpins: 7, inGame: true }, /^FREE ?7 left$/],
  ["a bonus", { bonus: true, inGame: true }, /^PICK$/],
])("player 12: SPIN shows no stake in %s", async (_what, part, says) => {
  const { tell, peer } = await opened();
  await tell(() => peer()?.notify("meters", { ...METERS, ...part }));
  expect(document.querySelector("[data-spin]")?.textContent).toMatch(says);
});

test("player 8: the lines that won are beside the win, until the next game begins", async () => {
  const { tell, peer } = await opened();
  const plate = () => screen.getByText(/^Win/, { selector: ".plate" }).textContent;
  expect(plate()).toBe("Win");
  await tell(() => peer()?.notify("meters", { ...METERS, win: 5_000, winLines: [3, 7] }));
  expect(plate()).toBe("Win · line 3, 7");
  await tell(() => peer()?.notify("meters", { ...METERS, win: 5_000, winLines: [1, 2, 3, 4, 5] }));
  expect(plate()).toBe("Win · line 1, 2, 3, 4 …");
  await tell(() => peer()?.notify("meters", { ...METERS, win: 0, inGame: true }));
  expect(plate()).toBe("Win");
  // What cannot be read hides no meter.
  await tell(() => peer()?.notify("meters", { ...METERS, win: 700, winLines: "3" } as never));
  expect(plate()).toBe("Win");
});

const ABOUT: MachineAbout = {
  model: "Five reels",
  stakes: { min: 200, max: 100_000 },
  return: { percent: 94.2, by: "operator" },
  rules: { en: "Only for adults.", tr: "Yalnızca yetişkinler." },
  paytable: {
    rows: 3,
    lines: [
      [1, 1, 1],
      [0, 0, 0],
    ],
    symbols: [
      { name: { en: "Seven", tr: "Yedi" }, on: "line", wild: true, prizes: [{ count: 3, times: 40 }] },
      { name: "Star", on: "anywhere", prizes: [{ count: 3, times: 2, freeSpins: 8 }] },
    ],
  },
};

/** Cells of a row of the paytable, as they read. */
const rowOf = (name: RegExp): (string | null)[] =>
  within(screen.getByRole("row", { name }))
    .getAllByRole("cell")
    .map(({ textContent }) => textContent);

test("paytable and rules beside the machine: the key I shows what the machine and its operator state, at the current stake", async () => {
  const { tell, answers, peer } = await opened();
  answers.about = () => done(ABOUT);
  await tell(() => fireEvent.keyDown(document.body, { key: "ı", code: "KeyI" }));
  const sheet = within(await screen.findByRole("dialog", { name: "About this machine" }));
  await tell(() => {});
  for (const text of ["Five reels", "94.2%", "in the long run, as the casino states it", "Only for adults."])
    expect(sheet.getByText(text)).toBeTruthy();
  expect(sheet.getByText("Malfunction voids all pays and plays.")).toBeTruthy();
  // ₺12 on two lines: ₺6 for each.
  expect(rowOf(/^Seven/)).toEqual(["×40₺240.00"]);
  expect(rowOf(/^Star/)).toEqual(["×2₺24.008 free spins"]);
  await tell(() => peer()?.notify("meters", { ...METERS, bet: 2_400 }));
  expect(rowOf(/^Seven/)).toEqual(["×40₺480.00"]);
  // A stake that cannot be shared over the lines: no amount is guessed.
  await tell(() => peer()?.notify("meters", { ...METERS, bet: 2_401 }));
  expect(rowOf(/^Seven/)).toEqual(["×40"]);
});

test("shows that a machine states no paytable, or that the platform does not know the request; a request without an answer can be repeated", async () => {
  const { tell, answers } = await opened();
  const open = () => tell(() => fireEvent.click(screen.getByRole("button", { name: "About this machine" })));
  answers.about = () => refused("machine.unreachable");
  await open();
  const sheet = within(await screen.findByRole("dialog", { name: "About this machine" }));
  await tell(() => {});
  expect(sheet.getByText("The machine did not answer.")).toBeTruthy();
  answers.about = () => refused("request.malformed");
  await tell(() => fireEvent.click(sheet.getByRole("button", { name: "Try again" })));
  expect(sheet.getByText(/states no paytable/)).toBeTruthy();
  expect(sheet.getAllByText("not stated")).toHaveLength(3);
  expect(sheet.queryByRole("table")).toBeNull();
});
