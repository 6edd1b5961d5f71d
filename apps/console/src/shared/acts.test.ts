import type { Passkeys } from "@longarm/ui/passkeys.ts";
import { PasskeyEnded } from "@longarm/ui/passkeys.ts";
import { expect, test, vi } from "vitest";
import { createActs } from "./acts.ts";
import { CallProblem, createApi } from "./api.ts";

type Sent = { readonly path: string; readonly body: Record<string, unknown>; readonly csrf: string | undefined };
type Reply = { readonly status?: number; readonly body: unknown } | "away";

const WHEN = "2026-11-26T20:00:00.000Z";
const CEREMONY = { ceremony: "ce_1", options: { challenge: "x" }, expiresAt: WHEN };
const refused = (problem: string, status = 409): Reply => ({
  status,
  body: { problem, params: {}, text: problem, request: "req-1" },
});
const done: Reply = { body: { is: "done", result: {}, repeated: false } };

/** Acts over a platform that answers by the end of the path. */
function desk(answers: Record<string, Reply[]>) {
  const sent: Sent[] = [];
  const api = createApi({
    fetch: async (input, init) => {
      const path = String(input).replace("/staff/v1/", "");
      const headers = new Headers(init?.headers);
      sent.push({ path, body: JSON.parse(String(init?.body)), csrf: headers.get("x-longarm-csrf") ?? undefined });
      const reply = (answers[path] ?? []).shift();
      if (reply === undefined || reply === "away") throw new TypeError("no network");
      return new Response(JSON.stringify(reply.body), { status: reply.status ?? 200 });
    },
    csrf: () => "token",
    observe: () => {},
  });
  const use = vi.fn<Passkeys["use"]>(async () => ({}) as never);
  let ids = 0;
  const newId = () => {
    ids += 1;
    return `act-${ids}`;
  };
  const acts = createActs({ api, passkeys: { use, make: vi.fn(), busy: () => false }, newId });
  const refuse = () =>
    acts.run("refuseApproval", { params: { id: "ap_1" }, fields: { reason: "no" }, summary: { title: "", lines: [] } });
  const end = (reason = "left") =>
    acts.run("endStaff", { params: { id: "st_1" }, fields: { reason }, summary: { title: "End", lines: [] } });
  /** Waits for the question whether the passkey confirms the act. */
  const opened = () => vi.waitFor(() => expect(acts.stepUp.getState()).not.toBeNull());
  const sentTo = (path: string) => sent.filter((one) => one.path === path);
  return { acts, use, refuse, end, opened, sentTo };
}
const confirmations = {
  "step-up/begin": [{ body: CEREMONY }],
  "step-up/finish": [{ body: { stepUp: "su_1", expiresAt: WHEN } }],
};

test("an act without a step-up is sent at once, with its id and the token against forgery", async () => {
  const { acts, refuse, sentTo } = desk({ "approvals/ap_1/refuse": [done] });
  expect(await refuse()).toMatchObject({ is: "answered", answer: { is: "done" } });
  expect(acts.stepUp.getState()).toBeNull();
  expect(sentTo("approvals/ap_1/refuse")).toEqual([
    { path: "approvals/ap_1/refuse", body: { id: "act-1", reason: "no" }, csrf: "token" },
  ]);
});

test("a repeat after an unknown end is the same act; after a known end it is another one", async () => {
  const { refuse, sentTo } = desk({ "approvals/ap_1/refuse": ["away", done, refused("approval.over")] });
  expect(await refuse()).toMatchObject({ is: "failed", problem: { problem: "network" } });
  await refuse();
  expect(await refuse()).toMatchObject({ is: "failed", problem: { problem: "approval.over", request: "req-1" } });
  expect(sentTo("approvals/ap_1/refuse").map(({ body }) => body["id"])).toEqual(["act-1", "act-1", "act-2"]);
});

test("the passkey confirms the very body that is sent", async () => {
  const { acts, end, opened, sentTo, use } = desk({ ...structuredClone(confirmations), "staff/st_1/end": [done] });
  const ended = end();
  await opened();
  const body = { id: "act-1", reason: "left" };
  await acts.stepUp.getState()?.confirm();
  expect(await ended).toMatchObject({ is: "answered" });
  expect(use).toHaveBeenCalledWith(CEREMONY.options);
  expect(sentTo("step-up/begin")[0]?.body).toEqual({ call: "endStaff", params: { id: "st_1" }, body });
  expect(sentTo("staff/st_1/end")[0]?.body).toEqual({ ...body, stepUp: "su_1" });
  expect(acts.stepUp.getState()).toBeNull();
});

test("nothing is sent when the person closes the question, and it stays open when the browser gave nothing", async () => {
  const { acts, end, opened, sentTo, use } = desk({ "step-up/begin": [{ body: CEREMONY }] });
  const ended = end();
  await opened();
  use.mockRejectedValueOnce(new PasskeyEnded("cancelled", {}));
  await expect(acts.stepUp.getState()?.confirm()).rejects.toThrow("cancelled");
  expect(acts.stepUp.getState()).not.toBeNull();
  acts.stepUp.getState()?.cancel();
  expect(await ended).toEqual({ is: "cancelled" });
  expect(sentTo("staff/st_1/end")).toEqual([]);
});

test("an act that may have been done is confirmed again with the same id; a refusal ends it", async () => {
  const { acts, end, opened, sentTo } = desk({
    "step-up/begin": [{ body: CEREMONY }, { body: CEREMONY }],
    "step-up/finish": [{ body: { stepUp: "su_1", expiresAt: WHEN } }, { body: { stepUp: "su_2", expiresAt: WHEN } }],
    "staff/st_1/end": ["away", refused("act.refused")],
  });
  const ended = end();
  await opened();
  await expect(acts.stepUp.getState()?.confirm()).rejects.toBeInstanceOf(CallProblem);
  await acts.stepUp.getState()?.confirm();
  expect(await ended).toMatchObject({ is: "failed", problem: { problem: "act.refused" } });
  expect(sentTo("staff/st_1/end").map(({ body }) => [body["id"], body["stepUp"]])).toEqual([
    ["act-1", "su_1"],
    ["act-1", "su_2"],
  ]);
});
