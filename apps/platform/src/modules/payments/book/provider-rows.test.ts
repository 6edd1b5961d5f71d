import { PAYMENT_STATES } from "@longarm/contract/payments";
import { expect, test } from "vitest";
import { waitsFor } from "./provider-rows.ts";

type Row = Parameters<typeof waitsFor>[0];
type Known = Parameters<typeof waitsFor>[1];
const PART = { url: null, endsBack: false, isSilent: false, need: null };
const known = (part: object | undefined = {}, more: object = {}): Known => ({
  ...{ part: part && { ...PART, ...part }, isRequested: false, isInDispute: false },
  ...more,
});
const at = (way: string, kind: Row["kind"], state: Row["state"]): Row => ({ way, kind, state });

test.each([
  ["a code, for its player at the desk", at("desk", "deposit", "requested"), known(undefined), "desk"],
  [
    "a withdrawal at the desk that was signed once",
    at("desk", "withdrawal", "inReview"),
    known(undefined),
    "secondPerson",
  ],
  ["a deposit at the desk that was signed once", at("desk", "deposit", "authorised"), known(undefined), "secondPerson"],
  ["a deposit with a page", at("acme", "deposit", "requested"), known({ url: "https://pay.example.org/1" }), "player"],
  ["a deposit whose page did not come yet", at("acme", "deposit", "requested"), known(), "provider"],
  [
    "a deposit that is reserved",
    at("acme", "deposit", "authorised"),
    known({ url: "https://pay.example.org/1" }),
    "provider",
  ],
  ["a provider without an answer", at("acme", "deposit", "requested"), known({ isSilent: true }), "silent"],
  ["a deposit that was refused here", at("acme", "deposit", "authorised"), known({ endsBack: true }), "givingBack"],
  ["a large withdrawal", at("acme", "withdrawal", "inReview"), known(), "review"],
  [
    "the same once one person approved",
    at("acme", "withdrawal", "inReview"),
    known({}, { isRequested: true }),
    "secondPerson",
  ],
  [
    "a withdrawal of a player in dispute",
    at("acme", "withdrawal", "approved"),
    known({}, { isInDispute: true }),
    "dispute",
  ],
  ["a withdrawal that was sent", at("acme", "withdrawal", "sent"), known({}, { isInDispute: true }), "provider"],
  [
    "one that went wrong, before all else",
    at("acme", "deposit", "requested"),
    known({ isSilent: true, need: "differs" }),
    "person",
  ],
  ["one that went back after its end", at("acme", "deposit", "chargedBack"), known({ need: "wentBack" }), "person"],
] as const)("%s", (_, row, facts, waits) => {
  expect(waitsFor(row, facts)).toBe(waits);
});

test("what is over waits for nothing", () => {
  for (const state of PAYMENT_STATES.filter(
    (one) => !["requested", "authorised", "inReview", "approved", "sent"].includes(one),
  ))
    expect(waitsFor(at("acme", "deposit", state), known({ isSilent: true, endsBack: true }))).toBeNull();
});
