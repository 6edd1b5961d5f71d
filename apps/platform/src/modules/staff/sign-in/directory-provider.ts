import { createHmac } from "node:crypto";
import { isLoopback } from "@longarm/link/environment";
import type { Configuration, CustomFetch, IDToken } from "openid-client";
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientSecretBasic,
  ClientSecretPost,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  ResponseBodyError,
} from "openid-client";
import type { Clock } from "../../../clock.ts";
import { Refused } from "./refusal.ts";

/** The operator's directory (`OIDC_…` of `config/variables.ts`). */
export type DirectorySettings = {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly label: string;
  readonly nameClaim: string;
  readonly acr: readonly string[];
  readonly amr: readonly string[];
};

/** Whom the directory signed in. `issuer` and `subject` say who it is; `name` is for people to read. */
export type DirectoryPerson = { readonly issuer: string; readonly subject: string; readonly name: string };

/** A browser that is back: its secret, what came behind the `?` of the redirect address, and how long ago it was sent, seconds. */
type Return = {
  readonly secret: string;
  readonly redirectUri: string;
  readonly answer: string;
  readonly ageS: number;
};

/** One request to the directory takes no longer, seconds, and its answer is no larger, bytes. */
const ANSWER_S_MAX = 5;
const ANSWER_BYTES_MAX = 262_144;
/** What the directory says of itself is read again after so long, ms; its keys, by the library, after five minutes. */
const KNOWN_MS = 3_600_000;
const SUBJECT_LENGTH_MAX = 255;

/** A part of an attempt, made of the browser's secret: without the secret none of them can be made. */
const partOf = (secret: string, part: "state" | "nonce" | "verifier"): string =>
  createHmac("sha256", secret).update(`directory ${part}`).digest("base64url");

/** What the directory says of itself, read once for all who wait for it. @throws Refused `directory.away`. */
function createKnown(settings: DirectorySettings, clock: Pick<Clock, "now">): () => Promise<Configuration> {
  let known: { readonly readAt: number; readonly config: Promise<Configuration> } | undefined;
  return async () => {
    if (known === undefined || clock.now() - known.readAt > KNOWN_MS)
      known = { readAt: clock.now(), config: discover(settings) };
    const { config } = known;
    try {
      return await config;
    } catch (error) {
      if (known?.config === config) known = undefined;
      throw refusal("directory.away", error);
    }
  };
}

/** Speaks OpenID Connect with the directory: code flow with PKCE, state and nonce, and a person who has just signed in there. */
export function openDirectory(settings: DirectorySettings, clock: Pick<Clock, "now">) {
  const read = createKnown(settings, clock);
  return {
    label: settings.label,

    /** Where a browser with this secret goes to sign in. It signs in anew: the next person at this computer is not the one before. @throws Refused. */
    async addressFor(secret: string, redirectUri: string): Promise<string> {
      return buildAuthorizationUrl(await read(), {
        redirect_uri: redirectUri,
        scope: "openid profile",
        state: partOf(secret, "state"),
        nonce: partOf(secret, "nonce"),
        code_challenge: await calculatePKCECodeChallenge(partOf(secret, "verifier")),
        code_challenge_method: "S256",
        prompt: "login",
        max_age: "0",
        ...(settings.acr.length > 0 && { acr_values: settings.acr.join(" ") }),
      }).href;
    },

    /**
     * Who signed in.
     * @throws Refused `directory.away`, or `directory.refused` with the reason for the log.
     */
    async personOf(given: Return): Promise<DirectoryPerson> {
      const config = await read();
      try {
        return await exchange(settings, config, given);
      } catch (error) {
        throw refusal(isAway(error) ? "directory.away" : "directory.refused", error);
      }
    },
  };
}
export type Directory = ReturnType<typeof openDirectory>;

/** Changes the code for an ID token, and checks all of both. @throws what is wrong. */
async function exchange(settings: DirectorySettings, config: Configuration, given: Return): Promise<DirectoryPerson> {
  const { secret, redirectUri, answer, ageS } = given;
  const url = new URL(redirectUri);
  url.search = answer;
  const tokens = await authorizationCodeGrant(config, url, {
    expectedState: partOf(secret, "state"),
    expectedNonce: partOf(secret, "nonce"),
    pkceCodeVerifier: partOf(secret, "verifier"),
    idTokenExpected: true,
    maxAge: ageS,
  });
  const claims = tokens.claims();
  if (claims === undefined) throw new Error("no ID token came");
  checkStrength(settings, claims);
  const named = nameIn(settings, claims) ?? nameIn(settings, await moreOf(config, tokens.access_token, claims));
  return {
    // Checked by the library. What the directory says of itself names no tenant where it serves several ones (Entra ID).
    issuer: claims.iss,
    subject: claims.sub,
    name: named ?? claims.sub.slice(0, NAME_LENGTH_MAX),
  };
}

async function discover({ issuer, clientId, clientSecret }: DirectorySettings): Promise<Configuration> {
  const server = new URL(issuer);
  const byHttp = server.protocol === "http:" && isLoopback(server.hostname);
  const config = await discovery(
    server,
    clientId,
    {},
    (as, ...rest) => {
      const methods = as.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
      const auth = methods.includes("client_secret_basic") ? ClientSecretBasic : ClientSecretPost;
      auth(clientSecret)(as, ...rest);
    },
    {
      timeout: ANSWER_S_MAX,
      [customFetch]: boundedFetch(byHttp),
      execute: [enableNonRepudiationChecks, ...(byHttp ? [allowInsecureRequests] : [])],
    },
  );
  const { authorization_endpoint: address } = config.serverMetadata();
  if (!isSafe(address ?? "", byHttp)) throw new Error("its authorization_endpoint is no https address");
  return config;
}

/** By http only this computer. */
function isSafe(address: string, byHttp: boolean): boolean {
  const url = URL.parse(address);
  return url?.protocol === "https:" || (byHttp && url?.protocol === "http:" && isLoopback(url.hostname));
}

/** The directory was not reached, or has a fault of its own. */
class Away extends Error {
  override readonly name = "Away";
}

/** Reads no more than a bounded answer; the library's signal bounds its time. */
function boundedFetch(byHttp: boolean): CustomFetch {
  return async (address, options) => {
    if (!isSafe(address, byHttp)) throw new Error("one of its addresses is no https address");
    try {
      const answer = await fetch(address, options as RequestInit);
      const bytes = await boundedBody(answer);
      if (answer.status >= 500) throw new Error(`it answered ${answer.status}`);
      return new Response(bytes.length === 0 ? null : bytes, { status: answer.status, headers: answer.headers });
    } catch (cause) {
      throw new Away("the directory does not answer", { cause });
    }
  };
}

async function boundedBody({ body }: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    // Leaving the loop ends the connection.
    if (length > ANSWER_BYTES_MAX) throw new Error(`its answer is larger than ${ANSWER_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

/** @throws Error: the directory signed the person in by less than the operator wants. */
function checkStrength({ acr, amr }: DirectorySettings, claims: IDToken): void {
  const { acr: given, amr: checked, sub } = claims;
  if (sub.length > SUBJECT_LENGTH_MAX) throw new Error("its subject is too long");
  if (acr.length > 0 && !(typeof given === "string" && acr.includes(given))) throw new Error("acr is none of OIDC_ACR");
  const known: readonly unknown[] = Array.isArray(checked) ? checked : [];
  if (!amr.every((one) => known.includes(one))) throw new Error("amr has not all of OIDC_AMR");
}

/** Many directories say a person's name only there. Without it the subject is the name. */
async function moreOf(config: Configuration, accessToken: string, { sub }: IDToken): Promise<Record<string, unknown>> {
  if (config.serverMetadata().userinfo_endpoint === undefined) return {};
  return await fetchUserInfo(config, accessToken, sub).catch(() => ({}));
}

function nameIn({ nameClaim }: DirectorySettings, claims: Record<string, unknown>): string | undefined {
  const name = claims[nameClaim];
  if (typeof name !== "string") return undefined;
  return name.replaceAll(/[\p{Cc}\p{Cs}]/gu, "").slice(0, NAME_LENGTH_MAX) || undefined;
}
const NAME_LENGTH_MAX = 100;

const causesOf = (error: unknown): Error[] =>
  error instanceof Error ? [error, ...causesOf(error.cause)].slice(0, 5) : [];

const isAway = (error: unknown): boolean => causesOf(error).some((one) => one instanceof Away);

const refusal = (name: "directory.away" | "directory.refused", error: unknown): Refused =>
  new Refused(name, {}, reasonOf(error));

/** For the log: what the library found, and the name of the directory's own refusal. Never a token: those are in no message. */
function reasonOf(error: unknown): string {
  const words = causesOf(error).map((one) =>
    one instanceof ResponseBodyError ? `${one.message} ${one.error}` : one.message,
  );
  return words.join(": ").slice(0, 300);
}
