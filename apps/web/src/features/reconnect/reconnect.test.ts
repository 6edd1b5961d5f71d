import type { OpenSession } from "@longarm/contract/notification-socket";
import { notificationSocket } from "@longarm/contract/notification-socket";
import { fakeTimers } from "@longarm/link/testing";
import { shownMachine } from "@longarm/ui/i18n/shown-name.ts";
import { expect, test, vi } from "vitest";
import * as z from "zod/mini";
import { createStore } from "zustand/vanilla";
import type { ApiAnswer, ApiClient } from "../../shared/api/client.ts";
import { networkFailure, readFailure } from "../../shared/api/failure.ts";
import { ASK_MS, CALM_MS, Reconnect, variantOf } from "./reconnect.ts";

type Done = ApiAnswer<{ code?: number; Params?: { amount?: number } }>;

function open() {
  const openSession = createStore<OpenSession | undefined>(() => undefined);
  const timers = fakeTimers();
  const called: unknown[] = [];
  let answer = Promise.withResolvers<Done>();
  const call = (name: string, { body }: { body: unknown }) => {
    called.push([name, body]);
    return answer.promise;
  };
  const onFailure = vi.fn();
  const onCancelled = vi.fn();
  const askAgain = vi.fn();
  const refreshBalance = vi.fn(async () => {});
  const inTab = new Set<string>();
  const reconnect = new Reconnect({
    isInOtherTab: async (machineId) => inTab.has(machineId),
    ...{ openSession, timers, onFailure, onCancelled, askAgain, refreshBalance, names: {} },
    api: { call: call as unknown as ApiClient["call"], read: call as unknown as ApiClient["read"] },
  });
  const toGame = vi.fn();
  return {
    ...{ reconnect, timers, called, inTab, onFailure, onCancelled, askAgain, refreshBalance, toGame },
    tell: (machine_status: string, id = "m_1") =>
      openSession.setState({ status: true, id, name: "Nar 07", machine_status }, true),
    end: () => openSession.setState(undefined, true),
    attend: () => reconnect.attend(toGame),
    shown: () => reconnect.now.getState().shown?.variant,
    async answered(done: Done) {
      answer.resolve(done);
      await answer.promise;
      await Promise.resolve();
      answer = Promise.withResolvers();
    },
  };
}
const OK: Done = { ok: true, data: { code: 20000 } };

test("a session counts once it was told for a while; open, the dialog follows at once", () => {
  const { tell, end, attend, shown, timers } = open();
  attend();
  tell("playing");
  timers.advance(CALM_MS - 1);
  expect(shown()).toBeUndefined();
  tell("trying-cashout");
  timers.advance(CALM_MS - 1);
  end();
  timers.advance(CALM_MS * 9);
  expect(shown()).toBeUndefined();
  tell("waiting");
  timers.advance(CALM_MS);
  expect(shown()).toBe("waiting");
  tell("in-bonus");
  expect(shown()).toBe("in-bonus");
  end();
  expect(shown()).toBeUndefined();
});

test("only where a page attends; what was closed stays closed on the next one, until the variant changes", () => {
  const { reconnect, tell, attend, shown, timers } = open();
  tell("waiting");
  timers.advance(CALM_MS);
  expect(shown()).toBeUndefined();
  const leave = attend();
  timers.advance(CALM_MS);
  expect(shown()).toBe("waiting");
  reconnect.close();
  leave();
  attend();
  tell("waiting");
  timers.advance(CALM_MS * 9);
  expect(shown()).toBeUndefined();
  tell("error");
  timers.advance(CALM_MS);
  expect(shown()).toBe("error");
});

test("of a platform that does not say what moved: one call at a time, and the game after it: not for who closed the dialog, nor where no page attends any more", async () => {
  const { reconnect, tell, attend, timers, called, answered, toGame, end, refreshBalance, onCancelled } = open();
  const leave = attend();
  tell("waiting");
  timers.advance(CALM_MS);
  void reconnect.cashOut();
  void reconnect.cashOut();
  void reconnect.kick();
  reconnect.goOn();
  expect(called).toEqual([["cancel", { machineId: "m_1" }]]);
  end();
  expect(toGame).not.toHaveBeenCalled();
  await answered(OK);
  expect(toGame).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ id: "m_1", name: "Nar 07" }));
  expect([refreshBalance.mock.calls.length, onCancelled.mock.calls.length]).toEqual([1, 1]);

  tell("playing");
  timers.advance(CALM_MS);
  void reconnect.kick();
  reconnect.close();
  await answered(OK);
  tell("waiting");
  timers.advance(CALM_MS);
  void reconnect.cashOut();
  leave();
  await answered(OK);
  expect(toGame).toHaveBeenCalledOnce();
  expect(refreshBalance).toHaveBeenCalledTimes(2);
});

// player 1
test("a platform that says what moved is not rejoined: the dialog closes and the amount is said", async () => {
  const { reconnect, tell, attend, timers, answered, toGame, onCancelled, shown } = open();
  attend();
  tell("waiting");
  timers.advance(CALM_MS);
  void reconnect.cashOut();
  await answered({ ok: true, data: { code: 20000, Params: { amount: 501_540 } } });
  expect([onCancelled.mock.calls, shown()]).toEqual([[[501_540]], undefined]);
  expect(toGame).not.toHaveBeenCalled();
});

// player 9
test("a seat that another tab of this browser has is known before the dialog opens, and playing here is the kick of before", async () => {
  const { reconnect, tell, attend, timers, called, inTab, answered, toGame, shown } = open();
  const inOtherTab = () => reconnect.now.getState().inOtherTab;
  attend();
  inTab.add("m_1");
  tell("playing");
  await vi.waitFor(() => expect(inOtherTab()).toBe(true));
  expect(shown()).toBeUndefined();
  timers.advance(CALM_MS);
  expect(shown()).toBe("playing");
  void reconnect.kick();
  expect(called).toEqual([["kick", { machineId: "m_1" }]]);
  await answered(OK);
  expect(toGame).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ id: "m_1" }));
});

test("player 9: a tab that shows its seat late is found when the dialog opens; another machine's, or one that let go, is none", async () => {
  const { reconnect, tell, end, attend, timers, inTab } = open();
  const inOtherTab = () => reconnect.now.getState().inOtherTab;
  attend();
  tell("playing");
  await Promise.resolve();
  expect(inOtherTab()).toBe(false);
  inTab.add("m_1");
  timers.advance(CALM_MS);
  await vi.waitFor(() => expect(inOtherTab()).toBe(true));
  tell("playing", "m_2");
  await vi.waitFor(() => expect(inOtherTab()).toBe(false));
  tell("playing");
  await vi.waitFor(() => expect(inOtherTab()).toBe(true));
  end();
  await vi.waitFor(() => expect(inOtherTab()).toBe(false));
});

test.each([
  [60015, "game"],
  [60040, "away"],
  [60042, "locked"],
  [50100, "refused"],
])("player 1: refused with %s, the dialog stays and says why; nothing is joined", async (code, is) => {
  const { reconnect, tell, attend, timers, answered, toGame, onCancelled, onFailure, shown } = open();
  attend();
  tell("waiting");
  timers.advance(CALM_MS);
  void reconnect.cashOut();
  await answered({ ok: false, failure: readFailure("refused", 409, { code }) });
  expect([reconnect.now.getState().notHome?.is, shown()]).toEqual([is, "waiting"]);
  expect([toGame, onCancelled, onFailure].map((each) => each.mock.calls.length)).toEqual([0, 0, 0]);
  tell("error");
  expect(reconnect.now.getState().notHome).toBeUndefined();
});

test.each([
  ["no answer", networkFailure],
  ["a machine that has not confirmed", readFailure("refused", 409, { code: 60041 })],
])("player 1: with %s the dialog says that it is not known, and the end is said when it comes", async (_, failure) => {
  const { reconnect, tell, end, attend, timers, answered, toGame, onCancelled } = open();
  attend();
  tell("waiting");
  timers.advance(CALM_MS);
  void reconnect.cashOut();
  await answered({ ok: false, failure });
  expect(reconnect.now.getState()).toMatchObject({ notHome: { is: "unknown" }, busy: undefined });
  tell("trying-cashout");
  expect(onCancelled).not.toHaveBeenCalled();
  end();
  expect(onCancelled.mock.calls).toEqual([[undefined]]);
  tell("waiting", "m_2");
  end();
  expect([onCancelled.mock.calls.length, toGame.mock.calls.length]).toEqual([1, 0]);
});

test("an unknown cash-out of a session that is played on is never said to be home", async () => {
  const { reconnect, tell, end, attend, timers, answered, onCancelled } = open();
  attend();
  tell("waiting");
  timers.advance(CALM_MS);
  void reconnect.cashOut();
  await answered({ ok: false, failure: networkFailure });
  tell("playing");
  end();
  expect(onCancelled).not.toHaveBeenCalled();
});

test("who closed the dialog is told of a refusal by a message", async () => {
  const { reconnect, tell, attend, timers, answered, onFailure } = open();
  attend();
  tell("waiting");
  timers.advance(CALM_MS);
  void reconnect.cashOut();
  reconnect.close();
  const failure = readFailure("refused", 409, { code: 60015 });
  await answered({ ok: false, failure });
  expect(onFailure).toHaveBeenCalledExactlyOnceWith(failure);
});

test("looking again lasts until something is told, or for so long and no longer", () => {
  const { reconnect, tell, attend, timers, askAgain } = open();
  const busy = () => reconnect.now.getState().busy;
  attend();
  tell("offline");
  timers.advance(CALM_MS);
  reconnect.askAgain();
  reconnect.askAgain();
  expect([askAgain.mock.calls.length, busy()]).toEqual([1, "ask"]);
  tell("offline");
  expect(busy()).toBeUndefined();
  reconnect.askAgain();
  timers.advance(ASK_MS);
  expect([askAgain.mock.calls.length, busy()]).toEqual([2, undefined]);
});

test.each([[41], [{ state: "playing" }], [null], [undefined], [["playing"]], [true]])(
  "acceptance 1, R-4.3-08, R-4.3-01: a machine status of %j is any other status, and the session is read",
  (machine_status) => {
    const told = z.parse(notificationSocket.server.notifications.session, { status: true, id: "m_1", machine_status });
    expect(told).toMatchObject({ status: true, id: "m_1" });
    expect(variantOf(told.machine_status, {})).toBe("unknown");
  },
);

test("other names are those of the settings, and none of a prototype's", () => {
  expect(variantOf("waiting", {})).toBe("waiting");
  expect(variantOf("7", { "7": "offline" })).toBe("offline");
  expect(variantOf(7, { "7": "offline" })).toBe("offline");
  expect(variantOf("waiting", { waiting: "playing" })).toBe("playing");
  for (const name of ["toString", "__proto__", "xyz", ""]) expect(variantOf(name, {})).toBe("unknown");
});

test("a machine's name is never empty or endless, and cannot turn the text around it", () => {
  const plain = (name: string) => shownMachine({ name, id: "m_1" }).slice(1, -1);
  expect(plain("Nar 07")).toBe("Nar 07");
  expect(plain("  ")).toBe("m_1");
  expect(plain("\u202eNar\u2069 07\n")).toBe("Nar 07");
  expect(plain(`${"x".repeat(78)}😀😀`)).toHaveLength(80);
});
