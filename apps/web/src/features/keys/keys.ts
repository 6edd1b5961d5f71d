import type { Proof } from "@longarm/contract/player-keys";
import { keyCalls } from "@longarm/contract/player-keys";
import type { PlayerMail } from "@longarm/contract/player-mail";
import { mailCalls } from "@longarm/contract/player-mail";
import type { OpenIdAct, PlayersIssuer } from "@longarm/contract/player-openid";
import { openIdCalls } from "@longarm/contract/player-openid";
import { problems } from "@longarm/contract/problems";
import type { Language } from "@longarm/contract/settings";
import type { Messages } from "@longarm/ui/messages.ts";
import type { PasskeyEnded } from "@longarm/ui/passkeys.ts";
import { browserPasskeys } from "@longarm/ui/passkeys.ts";
import type { QueryClient, Updater } from "@tanstack/react-query";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { ApiClient } from "../../shared/api/client.ts";
import { dataOf } from "../../shared/api/client.ts";
import type { ApiFailure } from "../../shared/api/failure.ts";
import { visitIssuer } from "../../shared/issuer-visit/issuer-visit.ts";
import { confirmByPasskey } from "../../shared/passkeys/confirm.ts";
import { paths } from "../../shared/paths/paths.ts";

export type KeysProps = { readonly api: Pick<ApiClient, "make">; readonly messages: Pick<Messages, "say"> };
type Api = KeysProps["api"];

const KEYS = ["passkeys"];
const SIGN_INS = ["signIns"];
const OPEN_ID = ["openId"];
const ADDRESS = ["address"];
const WAYS = ["ways"];

/** The player's passkeys. A platform without them answers 404. */
export function useKeys(api: Api) {
  return useQuery({
    queryKey: KEYS,
    queryFn: async ({ signal }) => {
      const answer = await api.make(keyCalls.passkeys, { signal });
      return !answer.ok && answer.failure.httpStatus === 404 ? "absent" : dataOf(answer);
    },
  });
}

/** The player's open sign-ins. A platform without them answers 404. */
export function useSignIns(api: Api) {
  return useQuery({
    queryKey: SIGN_INS,
    queryFn: async ({ signal }) => {
      const answer = await api.make(keyCalls.signIns, { signal });
      return !answer.ok && answer.failure.httpStatus === 404 ? "absent" : dataOf(answer);
    },
  });
}

/** What the platform has for signing in. Nothing is requested that it does not have: a browser logs each 404. */
function useWays(api: Api) {
  const client = useQueryClient();
  return async () =>
    await client.ensureQueryData({
      queryKey: WAYS,
      queryFn: async () => {
        const answer = await api.make(openIdCalls.signInWays);
        return !answer.ok && answer.failure.httpStatus === 404 ? { openId: null } : dataOf(answer);
      },
    });
}

/** An issuer, and the player's link with it. Without a name: that of an older platform, which has one issuer. */
export type OwnIssuer = Omit<PlayersIssuer, "name"> & { readonly name?: string };

/** The operator's issuers in their order, with the player's links; "absent": the platform has none. */
export function useOpenId(api: Api) {
  const ways = useWays(api);
  return useQuery({
    queryKey: OPEN_ID,
    queryFn: async ({ signal }) => {
      if ((await ways()).openId === null) return "absent";
      const { label, link, keepsLast, issuers } = dataOf(await api.make(openIdCalls.openId, { signal }));
      const all: readonly OwnIssuer[] = issuers ?? [{ label, link, keepsLast, icon: null }];
      return all;
    },
  });
}

const named = ({ name }: Pick<OwnIssuer, "name">) => (name === undefined ? {} : { issuer: name });

/** The player's e-mail address; "absent": the platform has no mail server. */
export function useAddress(api: Api) {
  const ways = useWays(api);
  return useQuery({
    queryKey: ADDRESS,
    queryFn: async ({ signal }) => {
      if ((await ways()).reset !== true) return "absent";
      return dataOf(await api.make(mailCalls.mail, { signal }));
    },
  });
}

/** How a change ended. `cancelled`, `known`, `none`: the browser gave no passkey. */
export type KeyEnd =
  | { readonly is: "done"; readonly codes?: readonly string[] }
  /** `left`: the page is on its way to the issuer. */
  | { readonly is: "proof" | "left" | PasskeyEnded["why"] }
  | { readonly is: "failed"; readonly failure: ApiFailure };

const failedBy = (failure: ApiFailure): KeyEnd =>
  failure.code === problems["proof.needed"].code ? { is: "proof" } : { is: "failed", failure };

/** A change of what signs the player in; `proof` where the platform wants one. */
export type KeyChange = (proof?: Proof) => Promise<KeyEnd>;

export function useKeyChanges(api: Api) {
  const queries = useQueryClient();
  const browser = browserPasskeys();
  async function read(): Promise<void> {
    await Promise.all([KEYS, SIGN_INS, OPEN_ID].map((queryKey) => queries.invalidateQueries({ queryKey })));
  }
  async function ended(answer: Awaited<ReturnType<typeof api.make>>): Promise<KeyEnd> {
    await read();
    return answer.ok ? { is: "done" } : failedBy(answer.failure);
  }
  async function fromBrowser<T>(work: () => Promise<T>): Promise<T | KeyEnd> {
    try {
      return await work();
    } catch (error) {
      return { is: (error as PasskeyEnded).why };
    }
  }

  return {
    /** The passkey of this player confirms a change of passkeys. */
    async prove(): Promise<{ readonly proof: Proof } | KeyEnd> {
      const by = await confirmByPasskey(api, "passkeys");
      if ("passkey" in by) return { proof: by.passkey };
      return "failure" in by ? failedBy(by.failure) : { is: by.ended };
    },
    /** Leaves the page for the issuer; the change is made, or confirmed, once it is back. */
    visit:
      (act: OpenIdAct, issuer: OwnIssuer): KeyChange =>
      async (proof) => {
        const begun = await api.make(openIdCalls.openIdAct, { body: { act, proof, ...named(issuer) } });
        if (!begun.ok) return failedBy(begun.failure);
        visitIssuer({ ...begun.data, act, target: paths.profile });
        return { is: "left" };
      },
    unlink:
      (issuer: OwnIssuer): KeyChange =>
      async (proof) =>
        await ended(await api.make(openIdCalls.openIdRemove, { body: { proof, ...named(issuer) } })),
    add:
      (name: string): KeyChange =>
      async (proof) => {
        const begun = await api.make(keyCalls.passkeyAddAsk, { body: { proof } });
        if (!begun.ok) return failedBy(begun.failure);
        const { ceremony, options } = begun.data;
        const made = await fromBrowser(async () => ({ response: await browser.make(options) }));
        if (!("response" in made)) return made;
        return await ended(await api.make(keyCalls.passkeyAdd, { body: { ceremony, response: made.response, name } }));
      },
    rename:
      (id: string, name: string): KeyChange =>
      async () =>
        await ended(await api.make(keyCalls.passkeyName, { path: { id }, body: { name } })),
    remove:
      (id: string): KeyChange =>
      async (proof) =>
        await ended(await api.make(keyCalls.passkeyRemove, { path: { id }, body: { proof } })),
    renewCodes: async (proof?: Proof): Promise<KeyEnd> => {
      const answer = await api.make(keyCalls.codesRenew, { body: { proof } });
      if (!answer.ok) return failedBy(answer.failure);
      await read();
      return { is: "done", codes: answer.data.codes };
    },
    endSignIn: async (id: string) => await ended(await api.make(keyCalls.signInEnd, { path: { id } })),
    endOthers: async () => await ended(await api.make(keyCalls.signInsEnd)),
  };
}

/** Keeps what a change answered. A reading under way may have begun before the change: it ends, or it would bring back what was true then. */
async function keep<Data>(
  queries: QueryClient,
  queryKey: readonly string[],
  data: Updater<Data | undefined, Data | undefined>,
): Promise<void> {
  await queries.cancelQueries({ queryKey });
  queries.setQueryData<Data>(queryKey, data);
}

/** A new secret of an authenticator app that waits for its first code. */
export type NewApp = { readonly ceremony: string; readonly secret: string; readonly otpauth: string };
type AppNews = { readonly begun: (app: NewApp) => void; readonly codes: (codes: readonly string[]) => void };

export function useAppChanges(api: Api, news: AppNews) {
  const queries = useQueryClient();
  return {
    begin: async (proof?: Proof): Promise<KeyEnd> => {
      const answer = await api.make(keyCalls.appAsk, { body: { proof } });
      if (!answer.ok) return failedBy(answer.failure);
      news.begun(answer.data);
      return { is: "done" };
    },
    /** The first code came back: the app is the player's. */
    add: async ({ ceremony }: NewApp, code: string): Promise<KeyEnd> => {
      const answer = await api.make(keyCalls.appAdd, { body: { ceremony, code } });
      if (!answer.ok) return failedBy(answer.failure);
      const { codes, ...keys } = answer.data;
      await keep(queries, KEYS, keys);
      if (codes !== undefined) news.codes(codes);
      return { is: "done" };
    },
    remove: async (proof?: Proof): Promise<KeyEnd> => {
      const answer = await api.make(keyCalls.appRemove, { body: { proof } });
      if (!answer.ok) return failedBy(answer.failure);
      await keep(queries, KEYS, answer.data);
      return { is: "done" };
    },
  };
}

export function useAddressChanges(api: Api) {
  const queries = useQueryClient();
  return {
    /** Sends a code to an address. */
    requestCode: async (address: string, language: Language, proof?: Proof): Promise<KeyEnd> => {
      const answer = await api.make(mailCalls.mailAsk, { body: { address, language, proof } });
      if (!answer.ok) return failedBy(answer.failure);
      await keep<PlayerMail>(queries, ADDRESS, (own) => own && { ...own, sentTo: address });
      return { is: "done" };
    },
    /** The code came back: the address is the player's. */
    confirm: async (code: string): Promise<KeyEnd> => {
      const answer = await api.make(mailCalls.mailConfirm, { body: { code } });
      if (!answer.ok) return failedBy(answer.failure);
      await keep(queries, ADDRESS, answer.data);
      return { is: "done" };
    },
  };
}

/** Signing in anew at each issuer with which the player is linked. */
export function useProofsByIssuer(api: Api) {
  const { data } = useOpenId(api);
  const { visit } = useKeyChanges(api);
  const linked = data === undefined || data === "absent" ? [] : data.filter(({ link }) => link !== null);
  return linked.map((issuer) => ({ ...issuer, visit: () => visit("confirm", issuer)() }));
}
