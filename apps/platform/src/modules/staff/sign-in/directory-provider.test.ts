import type { JWTPayload } from "jose";
import { decodeJwt, exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from "jose";
import { afterEach, describe, expect, test, vi } from "vitest";
import { openIssuer } from "../../../openid.ts";
import { shareDirectoryVenue } from "../../../testing/directory-venue.ts";
import { staffClient } from "../../../testing/staff-client.ts";
import type { Fault } from "../../../testing/test-directory.ts";
import { testVenue } from "../../../testing/test-venue.ts";

const shared = shareDirectoryVenue();
const { sent, finish, signIn, linked } = shared;

describe("a directory that lies", () => {
  const lies: Record<string, Fault["idToken"]> = {
    "another issuer": (right, sign) => sign({ ...decodeJwt(right), iss: "https://evil.example" }),
    "another audience": (right, sign) => sign({ ...decodeJwt(right), aud: "another client" }),
    "further audiences, and another client as the authorized one": (right, sign) =>
      sign({ ...decodeJwt(right), aud: [String(decodeJwt(right).aud), "another client"], azp: "another client" }),
    "another nonce": (right, sign) => sign({ ...decodeJwt(right), nonce: "another" }),
    "no nonce": (right, sign) => sign({ ...decodeJwt(right), nonce: undefined } as JWTPayload),
    "a token that has expired": (right, sign) => sign({ ...decodeJwt(right), exp: Date.now() / 1_000 - 3_600 }),
    "no time of signing in": (right, sign) => sign({ ...decodeJwt(right), auth_time: undefined }),
    "a sign-in of yesterday": (right, sign) => sign({ ...decodeJwt(right), auth_time: Date.now() / 1_000 - 86_400 }),
    "a subject that is none": (right, sign) => sign({ ...decodeJwt(right), sub: 7 as never }),
    "a subject without an end": (right, sign) => sign({ ...decodeJwt(right), sub: "x".repeat(300) }),
    "no signature (alg none)": (right) => new UnsecuredJWT(decodeJwt(right)).encode(),
    "a signature with the client's secret": (right) =>
      new SignJWT(decodeJwt(right))
        .setProtectedHeader({ alg: "HS256" })
        .sign(new TextEncoder().encode(shared.directory.env.OIDC_CLIENT_SECRET)),
    "a signature of a key that is not its own": async (right) => {
      const { privateKey } = await generateKeyPair("RS256");
      return await new SignJWT(decodeJwt(right)).setProtectedHeader({ alg: "RS256" }).sign(privateKey);
    },
    "a key inside the token": async (right) => {
      const { privateKey, publicKey } = await generateKeyPair("RS256");
      const jwk = await exportJWK(publicKey);
      return await new SignJWT(decodeJwt(right)).setProtectedHeader({ alg: "RS256", jwk }).sign(privateKey);
    },
    "claims that were changed": (right) => {
      const [header, , signature] = right.split(".");
      const claims = Buffer.from(JSON.stringify({ ...decodeJwt(right), sub: "boss" })).toString("base64url");
      return `${header}.${claims}.${signature}`;
    },
    "no token": () => undefined as never,
    nonsense: () => "nonsense",
  };

  /** What the log says of each. */
  const reasons: Record<string, string> = {
    "another issuer": '"iss"',
    "another audience": '"aud"',
    "further audiences, and another client as the authorized one": '"azp"',
    "another nonce": '"nonce"',
    "no nonce": '"nonce"',
    "a token that has expired": '"exp"',
    "no time of signing in": '"auth_time"',
    "a sign-in of yesterday": "too much time",
    "a subject that is none": '"sub"',
    "a subject without an end": "too long",
    "no signature (alg none)": '"alg"',
    "a signature with the client's secret": '"alg"',
    "a signature of a key that is not its own": "signature verification",
    "a key inside the token": "signature verification",
    "claims that were changed": "signature verification",
    "no token": "id_token",
    nonsense: "Invalid JWT",
  };

  test.each(Object.entries(lies))("with %s is refused", async (lie, idToken) => {
    const id = await memberForLies();
    shared.directory.fail({ ...(idToken && { idToken }) });
    expect(await signIn(staffClient(shared.venue), "bulent")).toMatchObject({
      status: 401,
      body: { problem: "directory.refused" },
    });
    const line = shared.venue.lines.findLast((one) => one.includes("directory.refused"));
    expect(JSON.parse(line ?? "{}").detail).toContain(reasons[lie]);
    shared.directory.fail({});
    expect((await signIn(staffClient(shared.venue), "bulent")).body).toMatchObject({ person: { id } });
  });

  test("about when the person signed in is not believed: a session that it already had is not enough", async () => {
    await memberForLies();
    shared.directory.person.authenticatedAt = Math.floor(Date.now() / 1_000) - 600;
    expect((await signIn(staffClient(shared.venue), "bulent")).body).toMatchObject({ problem: "directory.refused" });
  });

  let made: string | undefined;
  async function memberForLies(): Promise<string> {
    made ??= (await linked("bulent")).id;
    return made;
  }
});

describe("a directory that does not answer", () => {
  const reply = (path: string, answer: (reply: Parameters<NonNullable<Fault["instead"]>>[1]) => unknown): Fault => ({
    instead(request, response) {
      if (!request.url?.startsWith(path)) return false;
      answer(response);
      return true;
    },
  });
  const huge = (response: Parameters<NonNullable<Fault["instead"]>>[1]) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write(`{"access_token": "${"x".repeat(300_000)}`);
  };
  const faults: Record<string, Fault> = {
    "is gone": reply("/token", (response) => response.destroy()),
    fails: reply("/token", (response) => response.writeHead(503).end()),
    "begins and never ends": reply("/token", (response) =>
      response.writeHead(200, { "content-type": "application/json" }).write("{"),
    ),
    "answers without an end": reply("/token", huge),
    "keeps its keys back": reply("/jwks", (response) => response.writeHead(500).end()),
  };

  test.each(Object.entries(faults))(
    "that %s is said so, the page is answered, and other ways work",
    async (_, fault) => {
      const other = await testVenue({ database: shared.venue.db, env: { STAFF_PORT: "0", ...shared.directory.env } });
      try {
        const client = staffClient(other);
        const answer = await sent(client);
        shared.directory.fail(fault);
        expect(await finish(client, answer)).toMatchObject({ status: 503, body: { problem: "directory.away" } });
        expect((await client.post("sign-in/passkey/begin")).status).toBe(200);
        expect((await client.get("sign-in/ways")).body).toEqual({ directory: { label: "Levent Directory" } });
      } finally {
        await other.close(true);
      }
    },
  );

  test("at all, or describes another issuer, or sends browsers by http elsewhere, sends no browser anywhere; then it is found again", async () => {
    const other = await testVenue({ database: shared.venue.db, env: { STAFF_PORT: "0", ...shared.directory.env } });
    const { issuer } = shared.directory;
    const described = (changes: object) =>
      reply("/.well-known", (response) =>
        response
          .writeHead(200, { "content-type": "application/json" })
          .end(JSON.stringify({ issuer, authorization_endpoint: `${issuer}/auth`, ...changes })),
      );
    try {
      for (const fault of [
        reply("/.well-known", (response) => response.destroy()),
        reply("/.well-known", huge),
        reply("/.well-known", (response) => response.writeHead(302, { location: "http://evil.example" }).end()),
        described({ issuer: "https://evil.example" }),
        described({ authorization_endpoint: "http://evil.example/auth" }),
        described({ authorization_endpoint: "javascript:alert(1)" }),
      ]) {
        shared.directory.fail(fault);
        const begun = await staffClient(other).post("sign-in/directory/begin");
        expect(begun).toMatchObject({ status: 503, body: { problem: "directory.away" } });
      }
      shared.directory.fail({});
      expect((await staffClient(other).post("sign-in/directory/begin")).status).toBe(200);
    } finally {
      await other.close(true);
    }
  });

  test("is read once for many, and an hour later again", async () => {
    const other = await testVenue({ database: shared.venue.db, env: { STAFF_PORT: "0", ...shared.directory.env } });
    try {
      shared.directory.requested();
      await Promise.all(Array.from({ length: 5 }, () => staffClient(other).post("sign-in/directory/begin")));
      expect(shared.directory.requested()).toEqual(["/.well-known/openid-configuration"]);
      other.clock.shift(3_600_001);
      await staffClient(other).post("sign-in/directory/begin");
      expect(shared.directory.requested()).toEqual(["/.well-known/openid-configuration"]);
    } finally {
      await other.close(true);
    }
  });

  test("with the same key is known by its new one, a minute after the keys were read", async () => {
    const { id } = await linked("aras");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    await shared.directory.rotateKeys();
    vi.setSystemTime(Date.now() + 61_000);
    expect((await signIn(staffClient(shared.venue), "aras")).body).toMatchObject({ person: { id } });
  });
});

describe("a directory of several tenants", () => {
  const BASE = "https://login.microsoftonline.com";
  const settings = {
    issuer: `${BASE}/organizations/v2.0`,
    clientId: "longarm",
    clientSecret: "a secret",
    label: "Entra ID",
    scope: "openid profile",
    nameClaims: ["name"],
    acr: [],
    amr: [],
  };
  afterEach(() => vi.unstubAllGlobals());

  test("says by its token whose person it is: the same subject of another tenant is somebody else", async () => {
    const { privateKey, publicKey } = await generateKeyPair("RS256");
    let claims: JWTPayload = {};
    const answers: Record<string, () => Promise<object> | object> = {
      "/organizations/v2.0/.well-known/openid-configuration": () => ({
        issuer: `${BASE}/{tenantid}/v2.0`,
        authorization_endpoint: `${BASE}/authorize`,
        token_endpoint: `${BASE}/token`,
        jwks_uri: `${BASE}/keys`,
        token_endpoint_auth_methods_supported: ["client_secret_post"],
      }),
      "/keys": async () => ({ keys: [{ ...(await exportJWK(publicKey)), kid: "one", use: "sig", alg: "RS256" }] }),
      "/token": async () => ({
        access_token: "x",
        token_type: "Bearer",
        id_token: await new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: "one" }).sign(privateKey),
      }),
    };
    vi.stubGlobal("fetch", async (address: string) => Response.json(await answers[new URL(address).pathname]?.()));
    const directory = openIssuer(settings, { now: () => Date.now() });

    async function personOf(tid: string) {
      const [secret, redirectUri] = ["of this browser", "https://staff.example.org/directory"];
      const { searchParams } = new URL(await directory.addressFor({ secret, redirectUri, anew: true }));
      const now = Math.floor(Date.now() / 1_000);
      const about = { sub: "s1", name: "Ayşe", tid, iss: `${BASE}/${tid}/v2.0`, aud: "longarm" };
      claims = { ...about, iat: now, exp: now + 60, auth_time: now, nonce: searchParams.get("nonce") };
      const answer = `code=c&state=${String(searchParams.get("state"))}`;
      return await directory.personOf({ secret, redirectUri, answer, anewS: 1 });
    }

    const issuers = [await personOf("levent"), await personOf("elsewhere")].map(({ issuer }) => issuer);
    expect(issuers).toEqual([`${BASE}/levent/v2.0`, `${BASE}/elsewhere/v2.0`]);
  });
});

describe("what the operator wants of the directory", () => {
  test.each([
    ["OIDC_ACR", "gold,platinum", { acr: "gold" }, { acr: "bronze" }],
    ["OIDC_AMR", "mfa,pwd", { amr: ["pwd", "otp", "mfa"] }, { amr: ["pwd"] }],
  ])("%s=%s is checked", async (name, value, enough, tooLittle) => {
    const other = await testVenue({
      database: shared.venue.db,
      env: { STAFF_PORT: "0", ...shared.directory.env, [name]: value },
    });
    const member = `strong-${name.toLowerCase()}`;
    try {
      const { id } = await linked(member);
      const enter = async (claims: object | undefined) => {
        shared.directory.fail(
          claims === undefined ? {} : { idToken: (right, sign) => sign({ ...decodeJwt(right), ...claims }) },
        );
        return await signIn(staffClient(other), member);
      };
      for (const claims of [tooLittle, { acr: undefined, amr: undefined }, { acr: ["gold"], amr: "mfa pwd" }])
        expect((await enter(claims)).body).toMatchObject({ problem: "directory.refused" });
      expect((await enter(enough)).body).toMatchObject({ person: { id } });
    } finally {
      await other.close(true);
    }
  });

  test("is nothing at all by default: no such way is shown, and no such call is there", async () => {
    const other = await testVenue({ database: shared.venue.db, env: { STAFF_PORT: "0" } });
    try {
      const client = staffClient(other);
      expect((await client.get("sign-in/ways")).body).toEqual({ directory: null });
      for (const path of [
        "sign-in/directory/begin",
        "sign-in/directory/finish",
        "invitation/directory/begin",
        "unlock/directory/begin",
        "unlock/directory/finish",
        "me/directory/unlink",
        "staff/st_x/directory/unlink",
      ])
        expect({ path, status: (await client.post(path)).status }).toEqual({ path, status: 404 });
    } finally {
      await other.close(true);
    }
  });
});
