import type { Balance } from "@longarm/contract/notification-socket";
import type { CheckNow, GameRules } from "@longarm/contract/player-protection";
import { defaultSettings } from "@longarm/contract/settings";
import { refused } from "@longarm/link/answer";
import { fakeTimers } from "@longarm/link/testing";
import { createTexts } from "@longarm/ui/i18n/texts.ts";
import { TextsContext } from "@longarm/ui/i18n/use-text.ts";
import { act, cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createStore } from "zustand/vanilla";
import { networkFailure } from "../../../shared/api/failure.ts";
import type { PlayDeps } from "../../../shared/play-deps.ts";
import { createStorage } from "../../../shared/storage/storage.ts";
import { createPreferences } from "../state/preferences.ts";
import { initAnswer, METERS, playAgainstFake } from "../state/testing/fake-platform.ts";
import { Table } from "./table.tsx";
// Loaded beforehand, so that a sheet opens as fast as in a page that has been used.
import "@longarm/ui/sheet-frame.tsx";
import "./sheets/late-sheets.tsx";

/* What protects the player, on the game screen: player.md 3.2 and 3.3. */

type Language = "en" | "tr" | "ar";
const catalogues = import.meta.glob<{ default: Record<string, string> }>("../../../shared/i18n/catalogues/*/*.json");

const GB: GameRules = {
  ...{ minCycleMs: 2_500, maxStake: 1_200, autoplay: false, releaseToPress: true, winBelowStakePlain: true },
  check: { everyMin: 60, longestMin: 60, mayBeOff: false },
};
const NOW = Date.parse("2026-11-21T10:42:18.000Z");
const OPEN: CheckNow = {
  state: "open",
  check: {
    ...{ id: "rc_1", shownAt: "2026-11-21T11:00:06.000Z", playedMs: 3_606_000 },
    ...{ games: 428, wagered: 513_600, won: 494_050 },
  },
};

beforeEach(() => {
  vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener() {}, removeEventListener() {} }));
  vi.spyOn(HTMLMediaElement.prototype, "play").mockResolvedValue();
  vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockReturnValue(null);
});
afterEach(cleanup);

async function opened(
  rules?: GameRules,
  check?: CheckNow,
  language: Language = "en",
  more: Partial<ReturnType<typeof initAnswer>> = {},
) {
  const texts = await createTexts(
    language,
    async (spoken, area) =>
      (await catalogues[`../../../shared/i18n/catalogues/${spoken}/${area}.json`]?.())?.default ?? {},
    ["app", "code", "play"],
  );
  const play = playAgainstFake("player", NOW);
  play.answers.init = () => ({ is: "done", data: { ...initAnswer(1), rules, check, ...more } });
  await play.settle();
  const said: string[] = [];
  const storage = createStorage(() => {
    throw new Error("forbidden");
  });
  const timers = fakeTimers();
  const deps = {
    waiting: createStore(() => undefined),
    calledAway: createStore(() => undefined),
    questions: () => null,
    ...{ settings: defaultSettings(), storage, timers },
    api: { make: async () => ({ ok: false, failure: networkFailure }) },
    wallet: createStore<Balance | undefined>(() => ({ balance: 1_245_075 })),
    clock: { now: () => NOW },
    say: (_kind: string, text: string) => said.push(text),
  } as unknown as PlayDeps;
  render(
    <TextsContext value={texts}>
      <Table
        session={play.session}
        deps={deps}
        machineName="Nar 07"
        preferences={createPreferences(storage, 1)}
        sounds={{ click: () => {}, attention: () => {}, end: () => {} }}
      />
    </TextsContext>,
  );
  const push = async (send: () => void): Promise<void> => {
    await act(async () => {
      send();
      await play.settle();
    });
  };
  const pass = async (ms: number): Promise<void> => {
    await act(async () => {
      timers.advance(ms);
      await play.settle();
    });
  };
  const notify = (method: "rules" | "check" | "turn", data: never) => push(() => play.peer()?.notify(method, data));
  return { ...play, said, push, pass, notify };
}

const PATIENT = { timeout: 15_000 };
const panel = () => screen.getByRole("region", { name: "This session", hidden: true });
const dialog = () => screen.findByRole("alertdialog", {}, PATIENT);

test("RTS 2E, 13C, GLI-19 4.3.4: time and net of the session are in view and to be read in every state of the game", async () => {
  const { push, peer, session } = await opened();
  const shown = () =>
    within(panel())
      .getAllByRole("definition", { hidden: true })
      .map(({ textContent }) => textContent);
  const states: [string, () => void][] = [
    ["at rest", () => {}],
    ["in a game", () => peer()?.notify("meters", { ...METERS, inGame: true })],
    ["in a bonus", () => peer()?.notify("meters", { ...METERS, inGame: true, bonus: true })],
    ["locked", () => peer()?.notify("meters", { ...METERS, lockup: "door" })],
    ["without its agent", () => peer()?.notify("agent", { connected: false })],
    ["counting down", () => peer()?.notify("countdown", { code: "CODE_18802", count: 30 })],
    ["leaving", () => session.leave()],
  ];
  for (const [state, begin] of states) {
    await push(begin);
    const [clock, time, net] = shown();
    expect(clock, state).toMatch(/^\d\d:\d\d$/);
    expect(time, state).toBe("00:42:18");
    expect(net, state).toBe("₺0.00");
    expect(panel().closest("[aria-hidden=true]"), state).toBeNull();
  }
});

test("the net figure keeps its ink, lost or won, and is no live region; a check that comes is", async () => {
  const { notify } = await opened(GB);
  expect(panel().querySelector("dl [data-tone]")?.getAttribute("data-tone")).toBe("ink");
  expect(panel().querySelector("dl")?.closest("[role=status], [aria-live]")).toBeNull();
  await notify("check", { state: "due" } as never);
  expect(within(panel()).getByRole("status").textContent).toBe("Reality check after this game");
});

test("RTS 8A: autoplay stays, unlit, says why, and opens the rules; its sheet cannot be reached", async () => {
  const { notify } = await opened(GB);
  const auto = screen.getByRole("button", { name: /Auto/ });
  expect([auto.getAttribute("aria-disabled"), auto.title]).toEqual(["true", "No autoplay here: you start each game."]);
  fireEvent.click(auto);
  expect(screen.queryByRole("dialog", { name: "Autoplay" })).toBeNull();
  const rules = (await screen.findByText("Rules here", {}, PATIENT)).parentElement as HTMLElement;
  expect([...rules.querySelectorAll("li")].map(({ textContent }) => textContent)).toEqual([
    "No autoplay here: you start each game.",
    "At least 2.5 s from game to game.",
    "One stake is at most ₺12. Rule of this market",
    "A reality check after every 60 min at machines.",
  ]);
  await notify("rules", { ...GB, autoplay: true } as never);
  expect(auto.getAttribute("aria-disabled")).toBeNull();
});

test("SI 2025: bands above the highest stake are unlit with the mark; a stake above it puts SPIN out, with what to do", async () => {
  const { push, peer, session, said } = await opened({ ...GB, maxStake: 1_000 });
  const spin = screen.getByRole("button", { name: /SPIN/ });
  expect([spin.dataset["state"], spin.textContent]).toEqual(["above", "SPINLower the bet"]);
  const lower = screen.getByRole("button", { name: "₺0.10" });
  expect(lower.getAttribute("aria-disabled"), "the way down").toBeNull();
  await push(() => void session.spin());
  expect(said).toContain("The stake is above ₺10. Lower the bet.");
  await push(() => peer()?.notify("meters", { ...METERS, activeBand: "10", bet: 600 }));
  expect(spin.dataset["state"]).toBe("ready");
  const above = screen.getByRole("button", { name: "₺0.20" });
  expect([above.getAttribute("aria-disabled"), above.title]).toEqual([
    "true",
    "One stake is at most ₺10. Rule of this market",
  ]);
});

test("RTS 14F: a win that is not above its stake is ducked in the machine's own sound, and not counted up", async () => {
  const { push, peer } = await opened(GB);
  const sound = () => document.querySelector("audio")?.volume;
  const play = (win: number) =>
    push(() => {
      peer()?.notify("meters", { ...METERS, inGame: true });
      peer()?.notify("meters", { ...METERS, inGame: false, gamesPlayed: METERS.gamesPlayed + 1, win });
    });
  await play(1_200);
  expect(sound()).toBe(0.1);
  await play(1_201);
  expect(sound()).toBe(1);
});

test("RTS 13B: the check is an alert with the focus on its title; Escape does nothing; its keys are equal and listen after a second", async () => {
  const { methods, pass } = await opened(GB, OPEN);
  const check = await dialog();
  const title = within(check).getByRole("heading", { name: "You have played for one hour" });
  await expect.poll(() => document.activeElement).toBe(title);
  const figures = within(check)
    .getAllByRole("definition")
    .map(({ textContent }) => textContent);
  expect(figures).toEqual(["01:00:06", "428", "₺5,136.00", "₺4,940.50", "−₺195.50"]);
  expect(check.textContent).toContain("The machine waits. Your credit of ₺4,820.50 stays where it is.");
  fireEvent.keyDown(check, { key: "Escape" });
  fireEvent.keyDown(window, { code: "Space", key: " " });
  expect(screen.getByRole("alertdialog")).toBe(check);
  const [leave, keep] = ["Leave the machine", "Keep playing"].map((name) =>
    within(check).getByRole("button", { name }),
  );
  expect(leave?.className).toBe(keep?.className);
  expect(leave?.compareDocumentPosition(keep as Node)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
  fireEvent.click(keep as HTMLElement);
  expect(methods("keepPlaying"), "a finger that was on its way to SPIN").toEqual([]);
  await pass(1_000);
  await act(async () => void fireEvent.click(keep as HTMLElement));
  await pass(0);
  expect(methods("keepPlaying")).toEqual([{ id: "rc_1" }]);
  expect(methods("press")).toEqual([]);
  await vi.waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull(), PATIENT);
});

test("to leave from the check asks for nothing more; one that cannot be answered stays, and says so", async () => {
  const { answers, methods, pass, said } = await opened(GB, OPEN);
  answers.keepPlaying = () => refused("request.invalid");
  const check = await dialog();
  await pass(1_000);
  await act(async () => void fireEvent.click(within(check).getByRole("button", { name: "Keep playing" })));
  await pass(0);
  expect(said).toEqual(["That could not be sent. Try again."]);
  expect(screen.getByRole("alertdialog")).toBe(check);
  fireEvent.click(within(check).getByRole("button", { name: "Leave the machine" }));
  await pass(0);
  expect(methods("leave")).toHaveLength(1);
});

test("a check that another device has answered goes by itself; the next one may come sooner", async () => {
  const { notify, methods } = await opened({ ...GB, check: { ...GB.check, mayBeOff: true } }, OPEN);
  const check = await dialog();
  fireEvent.click(within(check).getByRole("button", { name: "Next in 60 min · change" }));
  const choices = within(check)
    .getAllByRole("radio")
    .map((radio) => (radio as HTMLInputElement).value);
  expect(choices).toEqual(["15", "30", "45", "60", "null"]);
  await act(async () => void fireEvent.click(within(check).getByRole("radio", { name: "30 min" })));
  expect(methods("checkEvery")).toEqual([{ minutes: 30 }]);
  await notify("check", { state: "none" } as never);
  await vi.waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull(), PATIENT);
});

test.each<[Language, number, string]>([
  ["tr", 3_606_000, "Bir saattir oynuyorsunuz"],
  ["tr", 7_200_000, "İki saattir oynuyorsunuz"],
  ["tr", 2_700_000, "Oyun süreniz 45 dakika"],
  ["ar", 3_606_000, "تلعب منذ ساعة"],
  ["ar", 7_200_000, "تلعب منذ ساعتين"],
  ["en", 5_520_000, "You have played for 1 h 32 min"],
])("in %s a check after %d ms says: %s", async (language, playedMs, title) => {
  await opened(GB, { state: "open", check: { ...OPEN.check, playedMs } as CheckNow["check"] & object }, language);
  within(await dialog()).getByRole("heading", { name: title });
});

test("fair time: a quiet line and a message from the start; counted down once somebody waits, said at its beginning and at five and one minutes", async () => {
  const { notify, said, pass } = await opened();
  const line = () => panel().querySelector("[data-turn]")?.textContent;
  expect(line()).toBeUndefined();
  await notify("turn", { limitMin: 60, leftMs: null } as never);
  expect(line()).toBe("If others wait, you may stay 60 minutes.");
  expect(said).toEqual(["If others wait, you may stay 60 minutes."]);
  await notify("turn", { limitMin: 60, leftMs: 15 * 60_000 } as never);
  expect(line()).toMatch(/^Others wait\. Your place is yours until \d\d:\d\d\.$/);
  expect(said).toHaveLength(2);
  await pass(10 * 60_000);
  expect(said.at(-1)).toMatch(/^5 more minutes at this machine/);
  await pass(4 * 60_000);
  expect(said.at(-1)).toMatch(/^1 more minute at this machine/);
  expect(said).toHaveLength(4);
  await notify("turn", { limitMin: 60, leftMs: null } as never);
  await pass(60 * 60_000);
  expect(said).toHaveLength(4);
  expect(line()).toBe("If others wait, you may stay 60 minutes.");
});

test("hold my seat: the dialog says until when, that it is free, and how often still; one that fails keeps the player at the machine", async () => {
  const play = await opened(undefined, undefined, "en", { hold: { minutes: 5, left: 1, price: 0 } });
  fireEvent.click(screen.getAllByRole("button", { name: "Back to lobby" })[0] as HTMLElement);
  const sheet = await screen.findByRole("dialog", {}, PATIENT);
  expect(sheet.textContent).toMatch(/keep the seat until \d\d:\d\d, free of charge\. .*1 more time in 24 hours\./);
  play.answers.hold = () => refused("request.invalid");
  const key = () => within(sheet).getByRole("button", { name: "Hold my seat for 5 minutes" });
  await play.push(() => void fireEvent.click(key()));
  expect(play.said).toEqual(["Your seat cannot be held now."]);
  expect(play.left).toEqual([]);
  play.answers.hold = () => ({ is: "done", data: { leftMs: 240_000, price: 0 } });
  await play.push(() => void fireEvent.click(key()));
  expect(play.said.at(-1)).toMatch(/^Your seat is held until \d\d:\d\d\.$/);
  expect(play.left).toEqual([{ is: "left" }]);
});

test.each<[Language, RegExp, string, RegExp]>([
  [
    "en",
    /until \d\d:\d\d for ₺10 from your wallet/,
    "Hold my seat for 5 minutes · ₺10",
    /₺6 was taken from your wallet\.$/,
  ],
  ["tr", /cüzdanınızdan ₺10 alınır/, "Yerimi 5 dakika tut · ₺10", /Cüzdanınızdan alınan: ₺6\.$/],
  ["ar", /مقابل .₺10/, "احفظ مكاني 5 دقائق", /خُصم من محفظتك .₺6/],
])(
  "hold my seat in %s: the price is before the key, and what was paid is said; the next try after an unknown answer has the same id",
  async (language, about, name, paid) => {
    const play = await opened(undefined, undefined, language, { hold: { minutes: 5, left: 1, price: 1_000 } });
    fireEvent.click(
      screen.getAllByRole("button", { name: /^(Back to lobby|Lobi|العودة إلى الصالة)/ })[0] as HTMLElement,
    );
    const sheet = await screen.findByRole("dialog", {}, PATIENT);
    expect(sheet.textContent).toMatch(about);
    const key = () => within(sheet).getByRole("button", { name: (is) => is.startsWith(name) });
    // An answer that cannot be read says nothing.
    play.answers.hold = () => ({ is: "done", data: { leftMs: -1, price: 0 } });
    await play.push(() => void fireEvent.click(key()));
    expect(play.said).toHaveLength(1);
    expect(play.left).toEqual([]);
    play.answers.hold = () => ({ is: "done", data: { leftMs: 180_000, price: 600 } });
    await play.push(() => void fireEvent.click(key()));
    const [first, second] = play.methods("hold") as { id: string; price: number }[];
    expect(first?.price).toBe(1_000);
    expect(second).toEqual(first);
    expect(play.said.at(-1)).toMatch(paid);
  },
);

test("a wallet below the price cannot hold the seat, and the dialog says why", async () => {
  await opened(undefined, undefined, "en", { hold: { minutes: 5, left: 1, price: 2_000_000 } });
  fireEvent.click(screen.getAllByRole("button", { name: "Back to lobby" })[0] as HTMLElement);
  const sheet = await screen.findByRole("dialog", {}, PATIENT);
  expect(sheet.textContent).toContain("Your wallet has ₺12,450.75. That is not enough to hold the seat.");
  expect(
    within(sheet)
      .getByRole("button", { name: /^Hold my seat/ })
      .hasAttribute("disabled"),
  ).toBe(true);
});

test("where seats are not held, or none is left, the dialog has no such key", async () => {
  await opened(undefined, undefined, "en", { hold: { minutes: 5, left: 0, price: 0 } });
  fireEvent.click(screen.getAllByRole("button", { name: "Back to lobby" })[0] as HTMLElement);
  const sheet = await screen.findByRole("dialog", {}, PATIENT);
  expect(sheet.querySelector("[data-hold]")).toBeNull();
});
