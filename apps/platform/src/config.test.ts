import { ConfigError, isLoopback } from "@longarm/link/environment";
import { expect, test } from "vitest";
import { readConfig } from "./config.ts";

test("nothing set is a platform on this computer", () => {
  const config = readConfig({});
  expect(config).toMatchObject({
    host: "127.0.0.1",
    portNumber: 8080,
    publicUrl: null,
    databaseUrl: null,
    demoAllowed: true,
    login: { attemptsMax: 5, blockMinutes: 15, tokenHours: 12 },
  });
  expect(config.dataFolder).toMatch(/data$/);
});

test("every bad variable is named at once, with what it must be", () => {
  const bad = {
    PORT: "eighty",
    ALLOWED_ORIGINS: "https://play.example.org/path",
    TRUSTED_PROXY_HOPS: "-1",
    TURN_URLS: "stun:example.org",
    LOG_LEVEL: "loud",
    DEMO: "maybe",
    BLOCKED_ADDRESSES: "203.0.113.0/64",
  };
  const read = () => readConfig(bad);
  expect(read).toThrow(ConfigError);
  for (const name of Object.keys(bad)) expect(read).toThrow(new RegExp(`${name} must be`));
});

test("what does not fit together is named too", () => {
  const read = () =>
    readConfig({
      PUBLIC_URL: "play.example.org",
      DATABASE_URL: "mysql://x",
      BUS_URL: "http://x",
      TURN_URLS: "turn:example.org",
    });
  for (const name of ["PUBLIC_URL", "DATABASE_URL", "BUS_URL", "TURN_SECRET"]) expect(read).toThrow(name);
});

test("several processes need one database, a name each, and a NATS server that can be understood", () => {
  const DATABASE_URL = "postgres://u:p@db/longarm";
  const config = readConfig({ DATABASE_URL, NODE_ID: "a", BUS_URL: "nats://long%40arm:p%3Aw@one, nats://two:4333" });
  expect(config.bus).toEqual({ hosts: ["one:4222", "two:4333"], tls: false, user: "long@arm", pass: "p:w" });
  expect(readConfig({ DATABASE_URL, NODE_ID: "a", BUS_URL: "tls://a-token@one" }).bus).toEqual({
    hosts: ["one:4222"],
    tls: true,
    token: "a-token",
  });
  for (const name of ["DATABASE_URL", "NODE_ID"])
    expect(() => readConfig({ BUS_URL: "nats://one" })).toThrow(`${name} is needed with BUS_URL`);
  for (const BUS_URL of ["one:4222", "nats://", "nats://one/path", "nats://one,tls://two", "nats://one,"])
    expect(() => readConfig({ DATABASE_URL, NODE_ID: "a", BUS_URL })).toThrow("BUS_URL must be");
  expect(() => readConfig({ NODE_ID: "a b" })).toThrow("NODE_ID must be");
});

test("an empty variable counts as absent", () => {
  expect(readConfig({ PORT: "", PUBLIC_URL: " ", DEMO: "" })).toEqual(readConfig({}));
});

test.each([
  [{ HOST: "0.0.0.0" }, false],
  [{ HOST: "0.0.0.0", DEMO: "yes" }, true],
  [{ HOST: "127.0.0.1", PUBLIC_URL: "https://play.example.org" }, false],
  [{ HOST: "::1", PUBLIC_URL: "http://localhost:9000" }, true],
  [{ HOST: "127.0.0.1.evil.example" }, false],
])("demo players with %j: %s", (environment, allowed) => {
  expect(readConfig(environment).demoAllowed).toBe(allowed);
});

test("loopback addresses", () => {
  for (const host of ["localhost", "127.0.0.1", "127.9.9.9", "::1", "[::1]"]) expect(isLoopback(host)).toBe(true);
  for (const host of ["", "0.0.0.0", "::", "10.0.0.1", "localhost.example"]) expect(isLoopback(host)).toBe(false);
});

test("a directory signs staff in once all of it is set, by https or on this computer, and its secret is not shown", () => {
  const given = {
    STAFF_PORT: "0",
    OIDC_ISSUER: "https://login.example.org/realms/venue",
    OIDC_CLIENT_ID: "longarm",
    OIDC_CLIENT_SECRET: "a secret",
  };
  const { staff, server } = readConfig(given);
  expect(staff.directory).toEqual({
    issuer: "https://login.example.org/realms/venue",
    clientId: "longarm",
    clientSecret: "a secret",
    label: "login.example.org",
    scope: "openid profile",
    nameClaims: ["preferred_username"],
    acr: [],
    amr: [],
  });
  expect(server.find(({ name }) => name === "OIDC_CLIENT_SECRET")).toMatchObject({ value: null, isSet: true });
  expect(readConfig({ STAFF_PORT: "0" }).staff.directory).toBeNull();
  for (const issuer of ["http://localhost:8080", "http://127.0.0.1:8080/x"])
    expect(readConfig({ ...given, OIDC_ISSUER: issuer }).staff.directory).toMatchObject({ issuer });
  for (const issuer of [
    "http://login.example.org",
    "login.example.org",
    "https://user:secret@login.example.org",
    "https://login.example.org/?realm=venue",
    "https://login.example.org/#venue",
    "file:///etc/passwd",
  ])
    expect(() => readConfig({ ...given, OIDC_ISSUER: issuer })).toThrow(/OIDC_ISSUER must be an https address/);
  for (const name of ["STAFF_PORT", "OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"])
    expect(() => readConfig({ ...given, [name]: "" })).toThrow(new RegExp(`${name} is needed with`));
});

test("money comes through providers or from the operator's wallet: both are refused, each starts", () => {
  const secret = `whsec_${"A".repeat(32)}`;
  const providers = { PROVIDERS: "acme=https://pay.example.org/", PROVIDER_SECRETS: `acme=${secret}` };
  const wallet = { WALLET_URL: "https://wallet.example.org/", WALLET_SECRETS: secret };
  expect(() => readConfig({ ...providers, ...wallet })).toThrow(
    /PROVIDERS cannot go with WALLET_URL: .* leave out PROVIDERS and PROVIDER_SECRETS/,
  );
  expect(readConfig(providers)).toMatchObject({ providers: [{ name: "acme" }], wallet: null });
  expect(readConfig(wallet)).toMatchObject({ providers: [], wallet: { url: wallet.WALLET_URL } });
});

test("an issuer signs players in by the same rules, and needs no console", () => {
  const given = {
    PLAYER_OIDC_ISSUER: "https://login.example.org/realms/players",
    PLAYER_OIDC_CLIENT_ID: "longarm",
    PLAYER_OIDC_CLIENT_SECRET: "a secret",
  };
  const { playerIssuers, staff, server } = readConfig(given);
  expect(playerIssuers).toMatchObject([
    { name: "own", path: "/callback", settings: { label: "login.example.org" }, opensAccounts: false },
  ]);
  expect(staff.directory).toBeNull();
  expect(server.find(({ name }) => name === "PLAYER_OIDC_CLIENT_SECRET")).toMatchObject({ value: null, isSet: true });
  expect(() => readConfig({ ...given, PLAYER_OIDC_ISSUER: "http://login.example.org" })).toThrow(
    /must be an https address/,
  );
  for (const name of Object.keys(given))
    expect(() => readConfig({ ...given, [name]: "" })).toThrow(new RegExp(`${name} is needed with`));
  expect(readConfig({}).playerIssuers).toEqual([]);
});

test("several issuers sign players in, in their order, each with its own client and address to come back to", () => {
  const given = {
    PLAYER_ISSUERS: "levent=https://login.example.org/realms/players, city-2=https://id.example.com/",
    PLAYER_ISSUER_CLIENTS: "city-2=c=1, levent=longarm",
    PLAYER_ISSUER_SECRETS: "levent=a secret=, city-2=another",
    PLAYER_ISSUER_LABELS: "levent=Levent Club & Sons",
    PLAYER_ISSUER_REGISTRATION: "city-2",
  };
  const { playerIssuers, server } = readConfig(given);
  const common = { scope: "openid profile email", nameClaims: ["name", "preferred_username"], acr: [], amr: [] };
  expect(playerIssuers).toEqual([
    {
      ...{ name: "levent", path: "/callback/levent", opensAccounts: false },
      settings: {
        ...common,
        ...{ issuer: "https://login.example.org/realms/players", clientId: "longarm", clientSecret: "a secret=" },
        label: "Levent Club & Sons",
      },
    },
    {
      ...{ name: "city-2", path: "/callback/city-2", opensAccounts: true },
      settings: {
        ...common,
        ...{ issuer: "https://id.example.com/", clientId: "c=1", clientSecret: "another" },
        label: "id.example.com",
      },
    },
  ]);
  expect(server.find(({ name }) => name === "PLAYER_ISSUER_SECRETS")).toMatchObject({ value: null, isSet: true });
  expect(JSON.stringify(server)).not.toContain("a secret");
});

test.each<[string, Record<string, string>]>([
  ["PLAYER_OIDC_ISSUER cannot go with PLAYER_ISSUERS: .*/callback/own", { PLAYER_OIDC_ISSUER: "https://a.example" }],
  [
    "PLAYER_ISSUERS must name each issuer once",
    { PLAYER_ISSUERS: "levent=https://a.example,levent=https://b.example" },
  ],
  [
    "PLAYER_ISSUERS must name each issuer once",
    {
      PLAYER_ISSUERS: "levent=https://a.example,city=https://a.example/",
      PLAYER_ISSUER_CLIENTS: "levent=x,city=y",
      PLAYER_ISSUER_SECRETS: "levent=x,city=y",
    },
  ],
  ["levent must have an https address", { PLAYER_ISSUERS: "levent=http://login.example.org" }],
  ["levent must have an https address", { PLAYER_ISSUERS: "levent=https://user:secret@login.example.org" }],
  ["levent must have an https address", { PLAYER_ISSUERS: "levent=https://login.example.org/?realm=1" }],
  ["PLAYER_ISSUERS must be like", { PLAYER_ISSUERS: "Levent=https://login.example.org" }],
  ["PLAYER_ISSUERS must be like", { PLAYER_ISSUERS: "https://login.example.org" }],
  ["PLAYER_ISSUER_CLIENTS must have the client id of levent", { PLAYER_ISSUER_CLIENTS: "" }],
  ["PLAYER_ISSUER_SECRETS must have the client secret of levent", { PLAYER_ISSUER_SECRETS: "" }],
  ["PLAYER_ISSUERS is needed with the client id of city", { PLAYER_ISSUER_CLIENTS: "levent=a,city=b" }],
  ["PLAYER_ISSUERS is needed with the client secret of levent", { PLAYER_ISSUERS: "" }],
  ["PLAYER_ISSUERS is needed with the label of city", { PLAYER_ISSUER_LABELS: "city=City" }],
  ["PLAYER_ISSUERS is needed with the registration of city", { PLAYER_ISSUER_REGISTRATION: "city" }],
  ["PLAYER_ISSUER_SECRETS must name each issuer once", { PLAYER_ISSUER_SECRETS: "levent=a,levent=b" }],
  ["PLAYER_ISSUER_LABELS must be like", { PLAYER_ISSUER_LABELS: `levent=${"x".repeat(61)}` }],
])("issuers that do not fit together end the start: %s (%o)", (why, over) => {
  const given = {
    PLAYER_ISSUERS: "levent=https://login.example.org",
    PLAYER_ISSUER_CLIENTS: "levent=longarm",
    PLAYER_ISSUER_SECRETS: "levent=a secret",
  };
  expect(() => readConfig({ ...given, ...over })).toThrow(new RegExp(why));
});

test("a form has eight issuers at most", () => {
  const all = Array.from({ length: 9 }, (_, index) => `i${index}`);
  const of = (value: (name: string) => string) => all.map((name) => `${name}=${value(name)}`).join();
  const given = {
    PLAYER_ISSUERS: of((name) => `https://${name}.example`),
    PLAYER_ISSUER_CLIENTS: of(() => "longarm"),
    PLAYER_ISSUER_SECRETS: of(() => "secret"),
  };
  expect(() => readConfig(given)).toThrow(/8 issuers at most/);
});
