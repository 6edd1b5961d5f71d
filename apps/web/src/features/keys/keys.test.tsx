import { keyCalls } from "@longarm/contract/player-keys";
import { mailCalls } from "@longarm/contract/player-mail";
import { openIdCalls } from "@longarm/contract/player-openid";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, renderHook, waitFor } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import type { KeysProps } from "./keys.ts";
import { useAddress, useAddressChanges, useAppChanges, useKeys } from "./keys.ts";

afterEach(cleanup);

type Api = KeysProps["api"];
type Call = (typeof keyCalls)[keyof typeof keyCalls] | (typeof mailCalls)[keyof typeof mailCalls];

const SINCE = "2026-11-29T12:00:00.000Z";
const keysWith = (appSince: string | null) => ({
  ...{ passkeys: [], keepsLast: false, codesLeft: 10, appSince, freshUntil: null },
});
const NEW_APP = { ceremony: "ce_1", secret: "JBSWY3DPEHPK3PXP", otpauth: "otpauth://totp/Longarm" };

/** A platform that answers a change at once. The first reading too; each later one waits until `late` lets it answer. */
function platform(reading: Call, before: object, answers: readonly (readonly [Call, object])[]) {
  let reads = 0;
  const waiting: (() => void)[] = [];
  const make = async (call: unknown) => {
    if (call === openIdCalls.signInWays) return { ok: true, data: { openId: null, reset: true } };
    if (call !== reading) return { ok: true, data: answers.find(([of]) => of === call)?.[1] };
    reads += 1;
    if (reads > 1) await new Promise<void>((done) => waiting.push(done));
    return { ok: true, data: before };
  };
  const api = { make } as unknown as Api;
  const late = () =>
    act(async () => {
      for (const answer of waiting.splice(0)) answer();
    });
  return { api, waiting, late };
}

function drawn<T>(use: () => T) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const wrapper = ({ children }: { children: React.ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  );
  return { ...renderHook(use, { wrapper }), client };
}

const news = { begun: () => {}, codes: () => {} };

test("an app that was added stays added when an older reading answers after it", async () => {
  const { api, waiting, late } = platform(keyCalls.passkeys, keysWith(null), [[keyCalls.appAdd, keysWith(SINCE)]]);
  const { result, client } = drawn(() => ({ keys: useKeys(api), app: useAppChanges(api, news) }));
  await waitFor(() => expect(result.current.keys.data).toMatchObject({ appSince: null }));
  void client.invalidateQueries();
  await waitFor(() => expect(waiting).toHaveLength(1));
  await act(async () => expect(await result.current.app.add(NEW_APP, "123456")).toEqual({ is: "done" }));
  await late();
  await waitFor(() => expect(result.current.keys).toMatchObject({ data: { appSince: SINCE }, fetchStatus: "idle" }));
});

test("an app that was removed stays removed", async () => {
  const { api, waiting, late } = platform(keyCalls.passkeys, keysWith(SINCE), [[keyCalls.appRemove, keysWith(null)]]);
  const { result, client } = drawn(() => ({ keys: useKeys(api), app: useAppChanges(api, news) }));
  await waitFor(() => expect(result.current.keys.data).toMatchObject({ appSince: SINCE }));
  void client.invalidateQueries();
  await waitFor(() => expect(waiting).toHaveLength(1));
  await act(async () => expect(await result.current.app.remove()).toEqual({ is: "done" }));
  await late();
  await waitFor(() => expect(result.current.keys).toMatchObject({ data: { appSince: null }, fetchStatus: "idle" }));
});

test("an address that was confirmed, and where a code went, stay when an older reading answers after them", async () => {
  const confirmed = { address: "deniz@ornek.com", confirmed: true };
  const { api, waiting, late } = platform(mailCalls.mail, { address: null, confirmed: false }, [
    [mailCalls.mailAsk, {}],
    [mailCalls.mailConfirm, confirmed],
  ]);
  const { result, client } = drawn(() => ({ own: useAddress(api), changes: useAddressChanges(api) }));
  await waitFor(() => expect(result.current.own.data).toMatchObject({ confirmed: false }));
  void client.invalidateQueries({ queryKey: ["address"] });
  await waitFor(() => expect(waiting).toHaveLength(1));
  await act(async () => {
    await result.current.changes.requestCode("deniz@ornek.com", "en");
  });
  await late();
  await waitFor(() => expect(result.current.own).toMatchObject({ data: { sentTo: "deniz@ornek.com" } }));
  void client.invalidateQueries({ queryKey: ["address"] });
  await waitFor(() => expect(waiting).toHaveLength(1));
  await act(async () => {
    await result.current.changes.confirm("123456");
  });
  await late();
  await waitFor(() => expect(result.current.own).toMatchObject({ data: confirmed, fetchStatus: "idle" }));
});
