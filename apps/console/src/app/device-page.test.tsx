import { cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CEREMONY, EVA, Refusal, scriptedConsole } from "./testing/scripted-console.tsx";

const WHEN = "2026-11-26T19:55:00.000Z";
const REQUEST = { computer: "hall-1", systemUser: "ayse", requestedAt: WHEN, expiresAt: WHEN };
const opened = (more: object = {}) =>
  scriptedConsole({
    me: () => EVA,
    approvals: () => ({ rows: [], next: null, asOf: WHEN }),
    lookDevice: () => REQUEST,
    stepUpBegin: () => CEREMONY,
    stepUpFinish: () => ({ stepUp: "su_1", expiresAt: WHEN }),
    ...more,
  });
const done = { is: "done", result: {}, repeated: false };

beforeEach(() => history.replaceState(null, "", "/device"));
afterEach(cleanup);

async function typeCode(text: string) {
  const field = (await screen.findByLabelText("Code")) as HTMLInputElement;
  fireEvent.change(field, { target: { value: text } });
  fireEvent.click(screen.getByRole("button", { name: "Show who asks" }));
  return field;
}

test("a code in any spelling shows which computer and user ask, and a passkey confirms that code", async () => {
  const { called } = await opened({ confirmDevice: () => done });
  expect((await typeCode("bcdf ghjk ")).value).toBe("BCDF-GHJK");
  expect(await screen.findByText("hall-1")).toBeDefined();
  expect(screen.getByText("ayse")).toBeDefined();
  fireEvent.click(screen.getByRole("button", { name: "Sign it in" }));
  fireEvent.click(await screen.findByRole("button", { name: "Use your passkey" }));
  await waitFor(() => expect(called.find(({ name }) => name === "confirmDevice")).toBeDefined());
  expect(called.find(({ name }) => name === "confirmDevice")?.body).toMatchObject({
    code: "BCDF-GHJK",
    stepUp: "su_1",
  });
  expect(await screen.findByLabelText("Code")).toBeDefined();
});

test("a request that is not one's own is refused, without a passkey", async () => {
  const { called } = await opened({ refuseDevice: () => done });
  await typeCode("BCDFGHJK");
  fireEvent.click(await screen.findByRole("button", { name: "Refuse" }));
  await waitFor(() =>
    expect(called.find(({ name }) => name === "refuseDevice")?.body).toMatchObject({ code: "BCDF-GHJK" }),
  );
});

test("a short code is not sent, and an unknown one says so", async () => {
  const { called } = await opened({ lookDevice: () => new Refusal("device.unknown") });
  await typeCode("BCDF");
  expect(await screen.findByText("The code has eight letters.")).toBeDefined();
  expect(called.some(({ name }) => name === "lookDevice")).toBe(false);
  await typeCode("BCDF-GHJK");
  expect(await screen.findByText("The code is unknown or expired.")).toBeDefined();
});
