import { randomUUID } from "node:crypto";
import type { RequestListener } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { DIRECTORY_PATH } from "@longarm/contract/staff-sign-in";
import type { JWTPayload } from "jose";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import type { Configuration, KoaContextWithOIDC } from "oidc-provider";
import Provider from "oidc-provider";

const TTL_S = 3_600;
const CLIENT = { id: "longarm console", secret: "a secret of the client, long enough" };

/** The settings of a platform whose directory never answers: its calls are there. */
export const SILENT_DIRECTORY = {
  OIDC_ISSUER: "http://127.0.0.1:1",
  OIDC_CLIENT_ID: CLIENT.id,
  OIDC_CLIENT_SECRET: CLIENT.secret,
};

/** What a directory does that it should not. */
export type Fault = {
  /** Answers requests in its place; false: not this one. */
  readonly instead?: (...request: Parameters<RequestListener>) => boolean;
  /** The ID token that it gives in place of the right one. */
  readonly idToken?: (right: string, sign: (claims: JWTPayload) => Promise<string>) => Promise<string> | string;
};

/**
 * A real OpenID provider on this computer, with one client: the console at `consoleOrigin`, which is needed once somebody comes. Who comes signs in at once as `person.is`.
 */
export async function testDirectory(consoleOrigin: () => string) {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const person = { is: "ayse", authenticatedAt: undefined as number | undefined };
  let fault: Fault = {};
  let requests: string[] = [];

  async function open(): Promise<RequestListener> {
    const { privateKey } = await generateKeyPair("RS256", { extractable: true });
    const kid = randomUUID();
    const provider = new Provider(issuer, {
      ...configuration(consoleOrigin()),
      jwks: { keys: [{ ...(await exportJWK(privateKey)), kid, use: "sig", alg: "RS256" }] },
    });
    const sign = (claims: JWTPayload) => new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid }).sign(privateKey);
    provider.use(async (ctx: KoaContextWithOIDC, next: () => Promise<void>) => {
      await next();
      const body = ctx.body as { id_token?: string } | undefined;
      if (ctx.path === "/token" && body?.id_token !== undefined && fault.idToken !== undefined)
        body.id_token = await fault.idToken(body.id_token, sign);
    });
    const answer = provider.callback();
    return (request, reply) => {
      if (!request.url?.startsWith("/interaction/")) return void answer(request, reply);
      const login = {
        accountId: person.is,
        ...(person.authenticatedAt !== undefined && { ts: person.authenticatedAt }),
      };
      void provider.interactionFinished(request, reply, { login }, { mergeWithLastSubmission: false });
    };
  }

  let listener: Promise<RequestListener> | undefined;
  server.on("request", (request, reply) => {
    requests.push(request.url ?? "");
    if (fault.instead?.(request, reply) === true) return;
    listener ??= open();
    void listener.then((answer) => answer(request, reply));
  });

  return {
    issuer,
    person,
    /** The settings of a platform whose staff it signs in. */
    env: {
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: CLIENT.id,
      OIDC_CLIENT_SECRET: CLIENT.secret,
      OIDC_LABEL: "Levent Directory",
    },
    /** The paths that were requested since the last look. */
    requested(): string[] {
      const seen = requests;
      requests = [];
      return seen;
    },
    fail(with_: Fault): void {
      fault = with_;
    },
    /** From now on it signs with another key. */
    async rotateKeys(): Promise<void> {
      listener = open();
      await listener;
    },
    /** Signs in as a browser does, from the address that the console sends it to; answers what comes back behind the `?`. */
    signIn: (href: string, jar = new Map<string, string>()) => follow(href, consoleOrigin() + DIRECTORY_PATH, jar),
    async close(): Promise<void> {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
export type TestDirectory = Awaited<ReturnType<typeof testDirectory>>;

const configuration = (consoleOrigin: string): Configuration => ({
  clients: [
    {
      client_id: CLIENT.id,
      client_secret: CLIENT.secret,
      redirect_uris: [consoleOrigin + DIRECTORY_PATH],
      grant_types: ["authorization_code"],
      response_types: ["code"],
    },
  ],
  pkce: { required: () => true },
  claims: { openid: ["sub"], profile: ["preferred_username"] },
  ttl: { Interaction: TTL_S, Grant: TTL_S, Session: TTL_S, AccessToken: TTL_S, IdToken: TTL_S },
  cookies: { keys: ["a key of the test"] },
  features: { devInteractions: { enabled: false } },
  interactions: { url: (_, { uid }) => `/interaction/${uid}` },
  findAccount: (_, accountId) => ({
    accountId,
    claims: async () => ({ sub: accountId, preferred_username: `${accountId}@levent.example` }),
  }),
  async loadExistingGrant({ oidc }) {
    const { client, session, provider } = oidc;
    const grant = new provider.Grant({ clientId: client?.clientId, accountId: session?.accountId });
    grant.addOIDCScope("openid profile");
    await grant.save();
    return grant;
  },
});

async function follow(href: string, end: string, jar: Map<string, string>): Promise<string> {
  let at = href;
  for (let hop = 0; hop < 10; hop += 1) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const reply = await fetch(at, { redirect: "manual", headers: { cookie } });
    for (const set of reply.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      jar.set(name, value);
    }
    const to = reply.headers.get("location");
    if (to === null) throw new Error(`the directory answered ${reply.status}: ${(await reply.text()).slice(0, 500)}`);
    at = new URL(to, at).href;
    if (at.startsWith(`${end}?`)) return new URL(at).search.slice(1);
  }
  throw new Error("the directory sends its visitors in a circle");
}
