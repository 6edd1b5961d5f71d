/// <reference types="vite/client" />
import type { FinalReason } from "@longarm/contract/envelope";
import type { MachineState, SessionStatus } from "@longarm/contract/lobby-lists";
import type { Lockup } from "@longarm/contract/machine";
import { LOCKUP_REASONS } from "@longarm/contract/machine";
import { describe, expect, test } from "vitest";
import type { AutoplayEnd } from "../../apps/web/src/features/play/state/autoplay.ts";
import type { Interruption, SpecialPlay } from "../../apps/web/src/features/play/state/interruption.ts";
import type { Phase, PressNote } from "../../apps/web/src/features/play/state/play-state.ts";
import type { TransferState } from "../../apps/web/src/features/play/state/transfers.ts";
import { texts } from "../../rig/page/game-page.ts";
import { realNames } from "./real-venue.ts";
import { fixedPart, wordsOf } from "./state.ts";
import { SCRIPTED } from "./table.ts";

/*
 * Everything that the game can say has a picture. A new word in one of these types does not compile until it has an entry here, and the entry
 * must be a state of the table.
 */

const MISSING: Record<Interruption["is"], string> = {
  loading: "opening-picture",
  leaving: "leaving-under-way",
  checking: "leaving-checking",
  connectionLost: "connection-lost",
  machineAway: "machine-machine-away",
  pictureLost: "connection-picture-lost",
  poorLink: "connection-poor",
  ...(Object.fromEntries(LOCKUP_REASONS.map((lockup) => [lockup, `machine-locked-${lockup}`])) as Record<
    Lockup,
    string
  >),
};
const MENDS: Record<NonNullable<Interruption["recovery"]>, string> = {
  restart: "connection-mending-restart",
  renew: "connection-mending-renew",
  tcp: "connection-mending-tcp",
};
const DOING: Record<SpecialPlay["is"], string> = {
  jackpot: "machine-jackpot",
  freeSpins: "machine-free-spins",
  bonus: "machine-bonus",
};
const PHASES: Record<Phase, string> = {
  opening: "opening-seat",
  playing: "machine-playing",
  leaving: "leaving-under-way",
  checking: "leaving-checking",
  gone: "leaving-left",
};
const PRESS_NOTES: Record<PressNote, string> = {
  stakeChanged: "press-stake-changed",
  pressRefused: "press-refused",
  pressUnknown: "press-unknown",
  noCredit: "press-no-credit",
  locked: "press-locked",
  stakeAbove: "protection-stake-above",
  noAutoplay: "press-no-autoplay",
  unseen: "press-unseen",
  unrecorded: "press-unrecorded",
  checkHolds: "press-check-holds",
  limitHolds: "press-limit-holds",
  stakeHolds: "press-stake-holds",
  breakHolds: "press-break-holds",
  turnHolds: "press-turn-holds",
};
const TRANSFERS: Record<TransferState["is"], string> = {
  idle: "money-to-machine",
  busy: "money-busy",
  checking: "money-unknown",
  done: "money-done",
  refused: "money-refused",
};
const AUTOPLAY_ENDS: Record<AutoplayEnd, true> = {
  loss: true,
  creditAbove: true,
  ...{ done: true, win: true, credit: true, noCredit: true, bonus: true, freeSpins: true, stake: true },
  ...{ handPay: true, locked: true, link: true, hidden: true, transfer: true, refused: true },
  ...{ player: true, leaving: true, forbidden: true, check: true },
};
const VARIANTS: Record<SessionStatus, true> = {
  ...{ "in-bonus": true, waiting: true, "trying-cashout": true, playing: true, error: true, offline: true },
  unknown: true,
};
const CLOSES: Record<FinalReason, true> = {
  ...{ "bad token": true, banned: true, "taken over": true, kicked: true, ended: true, "logged out": true },
};
/** A machine that is being played ends no game. */
const STATUSES: Record<Exclude<MachineState, "playing">, string> = {
  notAvailable: "ended-status-not-available",
  available: "ended-status-available",
  waiting: "ended-status-waiting",
  reserved: "ended-status-reserved",
};

const states = SCRIPTED.flatMap((walk) =>
  walk.states.map((state) => ({ ...state, name: `${walk.name}-${state.name}` })),
);
const names = new Set(states.map(({ name }) => name));

describe("every state has its picture", () => {
  test.each([
    ["what prevents play", Object.values(MISSING)],
    ["what is done about a missing picture", Object.values(MENDS)],
    ["what the machine does", Object.values(DOING)],
    ["each phase of a play session", Object.values(PHASES)],
    ["each sentence about a press", Object.values(PRESS_NOTES)],
    ["the state of a transfer", Object.values(TRANSFERS)],
    ["why autoplay ended", Object.keys(AUTOPLAY_ENDS).map((why) => `autoplay-ended-${why}`)],
    ["each variant of the reconnect dialog", Object.keys(VARIANTS).map((status) => `reconnect-${status}`)],
    ["why the platform closed the game", Object.keys(CLOSES).map((why) => `ended-closed-${why.replace(" ", "-")}`)],
    ["how a machine can end a game", Object.values(STATUSES)],
    ["each countdown", ["18800", "18801", "18802"].map((code) => `machine-countdown-${code}`)],
  ])("%s", (_what, wanted) => {
    expect(wanted.filter((name) => !names.has(name))).toEqual([]);
  });
});

test("no two states have one name, which would be one picture", () => {
  const all = [...states.map(({ name }) => name), ...realNames()];
  expect(all.filter((name, index) => all.indexOf(name) !== index)).toEqual([]);
});

test("what a state says is a text of each language, with words of its own", () => {
  for (const language of ["tr", "en", "ar"] as const) {
    for (const { said } of states) if (said !== undefined) expect(fixedPart(wordsOf(language)(said))).not.toBe("");
  }
});

test("every end of autoplay that has a text has a picture", () => {
  const ends = Object.keys(texts("en", "play")).filter((key) => key.startsWith("autoEnd_"));
  expect(ends.map((key) => key.slice("autoEnd_".length)).toSorted()).toEqual(Object.keys(AUTOPLAY_ENDS).toSorted());
});

test("of a text the longest part that nothing is filled into is looked for", () => {
  expect(fixedPart("{amount} of {asked} was moved to your wallet.")).toBe("was moved to your wallet.");
  expect(fixedPart("Done")).toBe("Done");
});
