import type { KeyObject } from "node:crypto";
import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * What an issuer does that it should not. In the ID token: `wrongNonce`, `wrongAudience`, `expired`, `otherIssuer`, `algNone`, `wrongKey`. On the way
 * back: `mixUp` (the answer names another issuer), `noIss` (it names none), `wrongState`, `denied`. With its answers: `silent`, `slow`, `broken`,
 * `garbage`, `hugeKeys`, `elsewhere` (its token address redirects), `otherDiscovery` (it describes another issuer), `hung` (nothing is answered at all).
 */
export const ISSUER_FAULTS = [
  "wrongNonce",
  "wrongAudience",
  "expired",
  "otherIssuer",
  "algNone",
  "wrongKey",
  "mixUp",
  "noIss",
  "wrongState",
  "denied",
  "silent",
  "slow",
  "broken",
  "garbage",
  "hugeKeys",
  "elsewhere",
  "otherDiscovery",
  "hung",
] as const;
export type IssuerFault = (typeof ISSUER_FAULTS)[number];

export type SimulatedIssuer = {
  /** `PLAYER_OIDC_ISSUER`, or one of `PLAYER_ISSUERS`. */
  readonly issuer: string;
  /** What is wrong from now on; undefined: nothing. */
  fault: IssuerFault | undefined;
  /** False: one from before RFC 9207, whose answers do not say whose they are. */
  namesItself: boolean;
  /** How many codes it was given so far. */
  readonly codesSeen: number;
  /** From now on it signs with another key. */
  rotateKeys(): void;
  /** A logout token about this person (Back-Channel Logout 1.0), with claims of the caller's over the right ones. */
  logoutToken(subject: string, over?: Readonly<Record<string, unknown>>, typ?: string): string;
  close(): Promise<void>;
};

export type IssuerOptions = {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Where browsers may be sent back to. */
  readonly redirectUris: () => readonly string[];
  readonly port?: number;
  readonly fault?: IssuerFault | undefined;
  /** How late a slow answer is, ms. */
  readonly slowMs?: number;
};

const ELSEWHERE = "https://evil.example";
const BODY_BYTES_MAX = 16_384;
const CODE_MS = 60_000;

type Key = { readonly kid: string; readonly privateKey: KeyObject; readonly publicKey: KeyObject };
const newKey = (): Key => ({
  kid: randomBytes(8).toString("hex"),
  ...generateKeyPairSync("rsa", { modulusLength: 2048 }),
});

type Login = { readonly subject: string; readonly at: number };
type Grant = {
  readonly login: Login;
  readonly redirectUri: string;
  readonly nonce: string | null;
  readonly challenge: string | null;
  readonly until: number;
};

const base64url = (text: string | Buffer): string => Buffer.from(text).toString("base64url");
const nowS = (): number => Math.floor(Date.now() / 1_000);

/**
 * An OpenID provider on this computer, with one client. Who comes writes a name, which is the subject, and is remembered by the browser. The e-mail
 * address is the name at `example.test`, verified unless the name begins with `unverified`.
 */
export async function serveSimulatedIssuer(options: IssuerOptions): Promise<SimulatedIssuer> {
  const provider = new Provider(options);
  const server = createServer((request, response) => {
    void provider.answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, "127.0.0.1", resolve));
  provider.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(provider, {
    async close() {
      provider.endTimers();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  });
}

class Provider {
  issuer = "";
  fault: IssuerFault | undefined;
  namesItself = true;
  codesSeen = 0;
  readonly #options: IssuerOptions;
  readonly #grants = new Map<string, Grant>();
  readonly #logins = new Map<string, Login>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #key = newKey();

  constructor(options: IssuerOptions) {
    this.#options = options;
    this.fault = options.fault;
  }

  rotateKeys(): void {
    this.#key = newKey();
  }

  logoutToken(subject: string, over: Readonly<Record<string, unknown>> = {}, typ = "logout+jwt"): string {
    const now = nowS();
    const claims = {
      iss: this.issuer,
      aud: this.#options.clientId,
      sub: subject,
      iat: now,
      exp: now + 60,
      jti: randomBytes(8).toString("hex"),
      events: { "http://schemas.openid.net/event/backchannel-logout": {} },
      ...over,
    };
    return signed(this.#key, claims, this.fault === "wrongKey" ? newKey().privateKey : this.#key.privateKey, typ);
  }

  endTimers(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", this.issuer);
    if (this.fault === "hung") return;
    if (url.pathname === "/.well-known/openid-configuration")
      return void json(response, 200, discovery(this.issuer, this.fault, this.namesItself));
    if (url.pathname === "/keys") return void json(response, 200, keySet(this.#key, this.fault));
    if (url.pathname === "/authorize") return void this.#authorize(url.searchParams, request, response);
    if (url.pathname === "/token" && request.method === "POST") return await this.#tokens(request, response);
    response.writeHead(404).end();
  }

  #authorize(query: URLSearchParams, request: IncomingMessage, response: ServerResponse): void {
    const { clientId, redirectUris } = this.#options;
    const redirectUri = query.get("redirect_uri") ?? "";
    const isKnown = query.get("client_id") === clientId && redirectUris().includes(redirectUri);
    if (!isKnown || query.get("response_type") !== "code" || query.get("code_challenge_method") !== "S256")
      return void response.writeHead(400).end("This client may not do that.");
    const cookie = /(?:^|; )issuer=([^;]+)/.exec(request.headers.cookie ?? "")?.[1] ?? "";
    const as = query.get("as");
    const login = as === null ? this.#logins.get(cookie) : { subject: as, at: nowS() };
    const isAnew = query.get("prompt") === "login" && as === null;
    if (login === undefined || isAnew) return void page(response, query);
    const session = randomBytes(16).toString("hex");
    this.#logins.set(session, login);
    const mark = query.get("response_mode") === "fragment" ? "#" : "?";
    response
      .writeHead(303, {
        location: `${redirectUri}${mark}${this.#answerFor(login, redirectUri, query)}`,
        "set-cookie": `issuer=${session}; HttpOnly; SameSite=Lax; Path=/`,
        "referrer-policy": "no-referrer",
      })
      .end();
  }

  #answerFor(login: Login, redirectUri: string, query: URLSearchParams): URLSearchParams {
    const code = randomBytes(16).toString("hex");
    const [nonce, challenge] = [query.get("nonce"), query.get("code_challenge")];
    this.#grants.set(code, { login, redirectUri, nonce, challenge, until: Date.now() + CODE_MS });
    const { fault } = this;
    return new URLSearchParams({
      ...(fault === "denied" ? { error: "access_denied" } : { code }),
      state: fault === "wrongState" ? "another" : (query.get("state") ?? ""),
      ...(fault !== "noIss" && this.namesItself && { iss: fault === "mixUp" ? ELSEWHERE : this.issuer }),
    });
  }

  async #tokens(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await bodyOf(request));
    const { fault } = this;
    this.codesSeen += 1;
    if (fault === "silent") return void response.destroy();
    if (fault === "broken") return void json(response, 503, {});
    if (fault === "garbage") return void response.writeHead(200, { "content-type": "text/html" }).end("<html>");
    if (fault === "elsewhere") return void response.writeHead(307, { location: `${this.issuer}/stolen` }).end();
    const code = form.get("code") ?? "";
    const grant = this.#grants.get(code);
    this.#grants.delete(code);
    if (!isClient(request.headers, this.#options)) return void json(response, 401, { error: "invalid_client" });
    if (grant === undefined || !isFor(grant, form)) return void json(response, 400, { error: "invalid_grant" });
    const body = {
      access_token: randomBytes(16).toString("hex"),
      token_type: "Bearer",
      expires_in: 60,
      id_token: this.#idToken(grant),
    };
    if (fault !== "slow") return void json(response, 200, body);
    this.#timers.add(setTimeout(() => json(response, 200, body), this.#options.slowMs ?? 10_000));
  }

  #idToken({ login: { subject, at }, nonce }: Grant): string {
    const { fault } = this;
    const now = nowS();
    const claims = {
      iss: fault === "otherIssuer" ? ELSEWHERE : this.issuer,
      aud: fault === "wrongAudience" ? "another client" : this.#options.clientId,
      sub: subject,
      nonce: fault === "wrongNonce" ? "another" : nonce,
      iat: fault === "expired" ? now - 7_200 : now,
      exp: fault === "expired" ? now - 3_600 : now + 60,
      auth_time: at,
      name: subject,
      email: `${subject}@example.test`,
      email_verified: !subject.startsWith("unverified"),
    };
    if (fault === "algNone") return `${base64url('{"alg":"none"}')}.${base64url(JSON.stringify(claims))}.`;
    return signed(this.#key, claims, fault === "wrongKey" ? newKey().privateKey : this.#key.privateKey);
  }
}

/** Whether a code was given for this redirect address and this PKCE verifier, just now. */
function isFor({ until, challenge, redirectUri }: Grant, form: URLSearchParams): boolean {
  const given = createHash("sha256")
    .update(form.get("code_verifier") ?? "")
    .digest("base64url");
  return until > Date.now() && challenge === given && redirectUri === form.get("redirect_uri");
}

function signed({ kid }: Key, claims: object, by: KeyObject, typ = "JWT"): string {
  const text = [{ alg: "RS256", typ, kid }, claims].map((part) => base64url(JSON.stringify(part))).join(".");
  return `${text}.${base64url(sign("RSA-SHA256", Buffer.from(text), by))}`;
}

const discovery = (issuer: string, fault: IssuerFault | undefined, namesItself: boolean): object => ({
  issuer: fault === "otherDiscovery" ? ELSEWHERE : issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/keys`,
  response_types_supported: ["code"],
  response_modes_supported: ["query", "fragment"],
  subject_types_supported: ["public"],
  id_token_signing_alg_values_supported: ["RS256"],
  code_challenge_methods_supported: ["S256"],
  authorization_response_iss_parameter_supported: namesItself,
  backchannel_logout_supported: true,
});

const keySet = ({ kid, publicKey }: Key, fault: IssuerFault | undefined): object => ({
  keys: [
    { ...publicKey.export({ format: "jwk" }), kid, use: "sig", alg: "RS256" },
    ...(fault === "hugeKeys" ? [{ kty: "RSA", kid: "x".repeat(400_000) }] : []),
  ],
});

/** Name and password of a client, as OAuth 2.0 writes them (RFC 6749, 2.3.1). */
function isClient(
  { authorization = "" }: IncomingMessage["headers"],
  { clientId, clientSecret }: IssuerOptions,
): boolean {
  const [, given = ""] = /^Basic (.+)$/.exec(authorization) ?? [];
  const pair = Buffer.from(given, "base64").toString("utf8").split(":");
  const [id, secret] = pair.map((part) => decodeURIComponent(part.replaceAll("+", " ")));
  return id === clientId && secret === clientSecret;
}

function json(response: ServerResponse, status: number, body: object): void {
  response
    .writeHead(status, { "content-type": "application/json", "cache-control": "no-store" })
    .end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > BODY_BYTES_MAX) throw new Error("the body is too large");
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** Asks who is there. */
function page(response: ServerResponse, query: URLSearchParams): void {
  const kept = [...query].filter(([name]) => name !== "prompt");
  const fields = kept.map(([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`);
  response
    .writeHead(200, { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" })
    .end(
      `<!doctype html><html lang="en"><title>Simulated issuer</title><h1>Simulated issuer</h1><form action="/authorize">${fields.join("")}<label>Name <input name="as" required autofocus></label> <button>Sign in</button></form></html>`,
    );
}
