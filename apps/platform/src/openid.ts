import { createHmac } from "node:crypto";
import { isLoopback } from "@longarm/link/environment";
import type { JWTVerifyGetKey } from "jose";
import { createRemoteJWKSet, decodeProtectedHeader, customFetch as fetchOfKeys, jwtVerify } from "jose";
import type { Configuration, CustomFetch, IDToken } from "openid-client";
import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientSecretBasic,
  ClientSecretPost,
  calculatePKCECodeChallenge,
  clockTolerance,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  ResponseBodyError,
} from "openid-client";
import type { Clock } from "./clock.ts";

/** An OpenID provider that signs staff or players in. */
export type IssuerSettings = {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly label: string;
  readonly scope: string;
  /** The claims that name a person, the first that is there counts. */
  readonly nameClaims: readonly string[];
  readonly acr: readonly string[];
  readonly amr: readonly string[];
};

/** The issuer as the settings name it, without a slash at its end. Tokens of an issuer of many tenants name the tenant instead. */
export const providerOf = ({ issuer }: Pick<IssuerSettings, "issuer">): string => issuer.replace(/\/+$/, "");

/** Whom the issuer signed in. `issuer` and `subject` say who it is; `name` is for people to read. */
export type IssuersPerson = {
  /** The issuer that the browser was sent to, as `providerOf` names it. */
  readonly provider: string;
  readonly issuer: string;
  readonly subject: string;
  readonly name: string;
  /** An address that the issuer has verified. */
  readonly email: string | undefined;
};

/** Where a browser goes. `anew`: the person signs in there again, also where the browser is signed in. `inFragment`: the answer comes back behind `#`, which no server gets. */
type Sending = {
  readonly secret: string;
  readonly redirectUri: string;
  readonly anew: boolean;
  readonly inFragment?: boolean;
};

/** A browser that is back: its secret, what came behind the `?` or `#` of the redirect address, and where it was sent anew, how long ago, seconds. */
type Return = {
  readonly secret: string;
  readonly redirectUri: string;
  readonly answer: string;
  readonly anewS: number | undefined;
};

/** One request to the issuer takes no longer, seconds, and its answer is no larger, bytes. */
const ANSWER_S_MAX = 5;
const ANSWER_BYTES_MAX = 262_144;
/** Clocks may differ by so much, seconds. */
const CLOCKS_S_MAX = 30;
/** Signatures that are believed: none of a shared secret, and not `none`. */
const ALGORITHMS: readonly string[] = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];
/** What the issuer says of itself is read again after so long, ms; its keys, by the library, after five minutes. */
const KNOWN_MS = 3_600_000;
const SUBJECT_LENGTH_MAX = 255;

/** `away`: the issuer was not reached, or has a fault of its own. `refused`: its answer makes no sign-in; the message is the reason, for the log. */
export class IssuerFailed extends Error {
  override readonly name = "IssuerFailed";
  readonly is: "away" | "refused";
  constructor(is: "away" | "refused", why: { readonly cause: unknown }) {
    super(reasonOf(why.cause), why);
    this.is = is;
  }
}

/** A part of an attempt, made of the browser's secret: without the secret none of them can be made. */
const partOf = (secret: string, part: "state" | "nonce" | "verifier"): string =>
  createHmac("sha256", secret).update(`directory ${part}`).digest("base64url");

/** What the issuer says of itself, read once for all who wait for it. @throws IssuerFailed `away`. */
function createKnown(settings: IssuerSettings, clock: Pick<Clock, "now">): () => Promise<Configuration> {
  let known: { readonly readAt: number; readonly config: Promise<Configuration> } | undefined;
  return async () => {
    if (known === undefined || clock.now() - known.readAt > KNOWN_MS)
      known = { readAt: clock.now(), config: discover(settings) };
    const { config } = known;
    try {
      return await config;
    } catch (error) {
      if (known?.config === config) known = undefined;
      throw new IssuerFailed("away", { cause: error });
    }
  };
}

/** Speaks OpenID Connect with an issuer: code flow with PKCE, state and nonce. */
export function openIssuer(settings: IssuerSettings, clock: Pick<Clock, "now">) {
  const read = createKnown(settings, clock);
  return {
    label: settings.label,

    /** Whose sign-ins a logout token ends. @throws IssuerFailed. */
    logoutOf: createLogouts(settings, read),

    /** Where a browser with this secret goes to sign in. @throws IssuerFailed. */
    async addressFor({ secret, redirectUri, anew, inFragment = false }: Sending): Promise<string> {
      const config = await read();
      const modes = config.serverMetadata().response_modes_supported ?? DEFAULT_MODES;
      return buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: settings.scope,
        state: partOf(secret, "state"),
        nonce: partOf(secret, "nonce"),
        code_challenge: await calculatePKCECodeChallenge(partOf(secret, "verifier")),
        code_challenge_method: "S256",
        ...(anew && { prompt: "login", max_age: "0" }),
        ...(inFragment && modes.includes("fragment") && { response_mode: "fragment" }),
        ...(settings.acr.length > 0 && { acr_values: settings.acr.join(" ") }),
      }).href;
    },

    /** Who signed in. @throws IssuerFailed. */
    async personOf(given: Return): Promise<IssuersPerson> {
      const config = await read();
      try {
        return await exchange(settings, config, given);
      } catch (error) {
        throw new IssuerFailed(isAway(error) ? "away" : "refused", { cause: error });
      }
    },
  };
}
export type Issuer = ReturnType<typeof openIssuer>;

/** Whose sign-ins the issuer ended, and when it said so. */
export type IssuersLogout = Pick<IssuersPerson, "provider" | "issuer" | "subject"> & { readonly at: Date };

const LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout";
/** A logout token is believed for so long, seconds, and keys are fetched for an unknown one this often at most, ms. */
const LOGOUT_S_MAX = 120;
const KEYS_EVERY_MS = 60_000;

/**
 * Reads logout tokens of OpenID Connect Back-Channel Logout 1.0. None of another kind is one: it has its own `typ` and event, and no nonce. One without a
 * subject is refused: which sign-in of the issuer made one here is not kept.
 */
export function createLogouts(settings: IssuerSettings, read: () => Promise<Configuration>) {
  const { issuer, clientId } = settings;
  let keys: JWTVerifyGetKey | undefined;
  function keysAt(address: string): JWTVerifyGetKey {
    keys ??= createRemoteJWKSet(new URL(address), {
      cooldownDuration: KEYS_EVERY_MS,
      timeoutDuration: ANSWER_S_MAX * 1_000,
      [fetchOfKeys]: (url, options) => boundedFetch(new URL(issuer).protocol === "http:")(url, options as never),
    });
    return keys;
  }
  /** @throws IssuerFailed. */
  return async (token: string): Promise<IssuersLogout> => {
    const { jwks_uri: address, issuer: by } = (await read()).serverMetadata();
    try {
      const { payload } = await jwtVerify(token, keysAt(address ?? ""), {
        algorithms: [...ALGORITHMS],
        audience: clientId,
        issuer: by,
        typ: "logout+jwt",
        maxTokenAge: LOGOUT_S_MAX,
        clockTolerance: CLOCKS_S_MAX,
        requiredClaims: ["jti", "exp", "iat", "events", "sub"],
      });
      const { events, nonce, sub = "", iat = 0 } = payload;
      const isLogout = typeof events === "object" && events !== null && LOGOUT_EVENT in events;
      if (!isLogout || nonce !== undefined) throw new Error("it is no logout token");
      return { provider: providerOf(settings), issuer: by, subject: sub, at: new Date(iat * 1_000) };
    } catch (error) {
      throw new IssuerFailed(isAway(error) ? "away" : "refused", { cause: error });
    }
  };
}

/** Source: OpenID Connect Discovery 1.0, section 3. */
const DEFAULT_MODES: readonly string[] = ["query", "fragment"];

/** Changes the code for an ID token, and checks all of both. @throws what is wrong. */
async function exchange(settings: IssuerSettings, config: Configuration, given: Return): Promise<IssuersPerson> {
  const { secret, redirectUri, answer, anewS } = given;
  const url = new URL(redirectUri);
  url.search = answer;
  const tokens = await authorizationCodeGrant(config, url, {
    expectedState: partOf(secret, "state"),
    expectedNonce: partOf(secret, "nonce"),
    pkceCodeVerifier: partOf(secret, "verifier"),
    idTokenExpected: true,
    ...(anewS !== undefined && { maxAge: anewS }),
  });
  const claims = tokens.claims();
  if (claims === undefined || tokens.id_token === undefined) throw new Error("no ID token came");
  if (!ALGORITHMS.includes(decodeProtectedHeader(tokens.id_token).alg ?? ""))
    throw new Error("its alg is not believed");
  checkStrength(settings, claims);
  const wantsMore =
    nameIn(settings, claims) === undefined || (settings.scope.includes("email") && !("email" in claims));
  const more = wantsMore ? await moreOf(config, tokens.access_token, claims) : {};
  return {
    // Checked by the library. What the issuer says of itself names no tenant where it serves several ones (Entra ID).
    provider: providerOf(settings),
    issuer: claims.iss,
    subject: claims.sub,
    name: nameIn(settings, claims) ?? nameIn(settings, more) ?? claims.sub.slice(0, NAME_LENGTH_MAX),
    email: emailIn(claims) ?? emailIn(more),
  };
}

async function discover({ issuer, clientId, clientSecret }: IssuerSettings): Promise<Configuration> {
  const server = new URL(issuer);
  const byHttp = server.protocol === "http:" && isLoopback(server.hostname);
  const config = await discovery(
    server,
    clientId,
    { [clockTolerance]: CLOCKS_S_MAX },
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

/** The issuer was not reached, or has a fault of its own. */
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
      throw new Away("the issuer does not answer", { cause });
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

/** @throws Error: the issuer signed the person in by less than the operator wants. */
function checkStrength({ acr, amr }: IssuerSettings, claims: IDToken): void {
  const { acr: given, amr: checked, sub } = claims;
  if (sub.length > SUBJECT_LENGTH_MAX) throw new Error("its subject is too long");
  if (acr.length > 0 && !(typeof given === "string" && acr.includes(given)))
    throw new Error("acr is none of those that are wanted");
  const known: readonly unknown[] = Array.isArray(checked) ? checked : [];
  if (!amr.every((one) => known.includes(one))) throw new Error("amr has not all that are wanted");
}

/** Many issuers say a person's name only there. Without it the subject is the name. */
async function moreOf(config: Configuration, accessToken: string, { sub }: IDToken): Promise<Record<string, unknown>> {
  if (config.serverMetadata().userinfo_endpoint === undefined) return {};
  return await fetchUserInfo(config, accessToken, sub).catch(() => ({}));
}

function nameIn({ nameClaims }: IssuerSettings, claims: Record<string, unknown>): string | undefined {
  for (const claim of nameClaims) {
    const { [claim]: name } = claims;
    const plain = typeof name === "string" ? name.replaceAll(/[\p{Cc}\p{Cs}]/gu, "").slice(0, NAME_LENGTH_MAX) : "";
    if (plain !== "") return plain;
  }
  return undefined;
}
const NAME_LENGTH_MAX = 100;

function emailIn({ email, email_verified: isVerified }: Record<string, unknown>): string | undefined {
  return isVerified === true && typeof email === "string" ? email : undefined;
}

const causesOf = (error: unknown): Error[] =>
  error instanceof Error ? [error, ...causesOf(error.cause)].slice(0, 5) : [];

const isAway = (error: unknown): boolean => causesOf(error).some((one) => one instanceof Away);

/** For the log: what the library found, and the name of the issuer's own refusal. Never a token: those are in no message. */
function reasonOf(error: unknown): string {
  const words = causesOf(error).map((one) =>
    one instanceof ResponseBodyError || one instanceof AuthorizationResponseError
      ? `${one.message} ${one.error}`
      : one.message,
  );
  return words.join(": ").slice(0, 300);
}
