import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { VenueLimits } from "@longarm/contract/venue-settings";
import type { Environment, Values } from "@longarm/link/environment";
import { isLoopback, readEnvironment } from "@longarm/link/environment";
import type { NatsServers } from "./config/nats-servers.ts";
import { readNatsServers } from "./config/nats-servers.ts";
import { isIssuerAddress, pairOf, playerIssuerContradictions, playerIssuersOf } from "./config/player-issuers.ts";
import { isOrigin, ONLY_NODE, platformVariables, playVariables } from "./config/variables.ts";

type Given = Values<typeof platformVariables>;

/** The push services of the browsers in use. */
const PUSH_HOSTS = [
  "fcm.googleapis.com",
  "updates.push.services.mozilla.com",
  "*.push.apple.com",
  "*.notify.windows.com",
] as const;

/** A page has two sockets, and its browser up to six connections beside them. */
const CONNECTIONS_PER_SOCKET = 5;

/** The configuration of one platform process, read once. Each field is explained beside its variable in `config/variables.ts`. */
export type Config = ReturnType<typeof readConfig>;

/**
 * Reads the environment.
 * @throws ConfigError naming every bad variable at once.
 */
export function readConfig(environment: Environment) {
  return {
    ...shape(readEnvironment(platformVariables, environment, { contradictions })),
    server: serverSettings(environment),
  };
}

/** Variables whose text may be shown: addresses of databases and brokers have passwords in them, and what is not named here is not shown. */
const SHOWN: ReadonlySet<string> = new Set([
  ...[
    "NODE_ID",
    "HOST",
    "PORT",
    "STAFF_HOST",
    "STAFF_PORT",
    "PUBLIC_URL",
    "STAFF_PUBLIC_URL",
    "ALLOWED_ORIGINS",
    "PASSKEY_DOMAIN",
  ],
  ...["INTEGRATION_HOST", "INTEGRATION_PORT", "INTEGRATION_PUBLIC_URL"],
  ...["VENUE_NAME", "TIME_ZONE", "SECOND_PERSON", "DATA_FOLDER", "SETTINGS_FILE", "LOG_LEVEL", "LOG_FORMAT", "DEMO"],
  ...[
    "REGISTRATION",
    "TEAM_CHAT",
    "ENROL_FIRST",
    "ALLOW_ZERO_BALANCE",
    "QUEUE_ANY_BRAND",
    "QUEUE_ANY_DENOMINATION",
    "COUNTRY_HEADER",
    "COUNTRIES_ALLOWED",
  ],
  ...["WEBHOOK_GAMES", "PUSH_HOSTS", "PUSH_CONTACT", "MAIL_FROM", "WEB_FOLDER", "CONSOLE_FOLDER", "BRANDING_FOLDER"],
  ...["OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_LABEL", "OIDC_NAME_CLAIM", "OIDC_ACR", "OIDC_AMR"],
  ...["PLAYER_OIDC_ISSUER", "PLAYER_OIDC_CLIENT_ID", "PLAYER_OIDC_LABEL", "PLAYER_OIDC_REGISTRATION"],
  ...["PLAYER_ISSUERS", "PLAYER_ISSUER_CLIENTS", "PLAYER_ISSUER_LABELS", "PLAYER_ISSUER_REGISTRATION"],
]);

/** What the environment sets, for the console: numbers and the texts above. Of others it shows that they are set. */
function serverSettings(environment: Environment) {
  return Object.entries(platformVariables).map(([name, { fallback }]) => {
    const given = environment[name]?.trim() ?? "";
    const isShown = SHOWN.has(name) || typeof fallback === "number";
    const own = given === "" && fallback !== null ? String(fallback) : given;
    return { name, value: isShown ? own.slice(0, 500) : null, isSet: given !== "" };
  });
}

function contradictions(given: Given): string[] {
  const found: string[] = [];
  if (given.PUBLIC_URL !== null && !isOrigin(given.PUBLIC_URL))
    found.push("PUBLIC_URL must be an origin like https://play.example.org, without a path");
  if (given.STAFF_PUBLIC_URL !== null && !isOrigin(given.STAFF_PUBLIC_URL))
    found.push("STAFF_PUBLIC_URL must be an origin like https://staff.example.org, without a path");
  if (given.STAFF_PUBLIC_URL !== null && given.STAFF_PORT === null)
    found.push("STAFF_PORT is needed with STAFF_PUBLIC_URL");
  if (given.PASSKEY_DOMAIN !== null && !isBelow(given.PUBLIC_URL, given.PASSKEY_DOMAIN))
    found.push("PASSKEY_DOMAIN must be the host of PUBLIC_URL or end it, such as example.org for play.example.org");
  if (given.STAFF_PUBLIC_URL !== null && given.STAFF_PUBLIC_URL === given.PUBLIC_URL)
    found.push("STAFF_PUBLIC_URL must be another origin than PUBLIC_URL");
  if (given.INTEGRATION_PUBLIC_URL !== null && !isOrigin(given.INTEGRATION_PUBLIC_URL))
    found.push("INTEGRATION_PUBLIC_URL must be an origin like https://api.example.org, without a path");
  found.push(
    ...signedContradictions(given, "WEBHOOK_URL", "WEBHOOK_SECRETS"),
    ...signedContradictions(given, "WALLET_URL", "WALLET_SECRETS"),
    ...(given.WEBHOOK_GAMES && given.WEBHOOK_URL === null ? ["WEBHOOK_URL is needed with WEBHOOK_GAMES"] : []),
    ...providerContradictions(given),
    ...directoryContradictions(given),
    ...issuerContradictions(given, "PLAYER_OIDC"),
    ...playerIssuerContradictions(given),
    ...registerContradictions(given),
    ...mailContradictions(given),
  );
  if (given.DATABASE_OWNER_URL !== null && !/^postgres(ql)?:\/\/\S+$/.test(given.DATABASE_OWNER_URL))
    found.push("DATABASE_OWNER_URL must be like postgres://user:password@host:5432/name");
  if (given.DATABASE_OWNER_URL !== null && given.DATABASE_URL === null)
    found.push("DATABASE_OWNER_URL goes with DATABASE_URL, which names the role that the platform runs as");
  if (given.DATABASE_URL !== null && !/^postgres(ql)?:\/\/\S+$/.test(given.DATABASE_URL))
    found.push("DATABASE_URL must be like postgres://user:password@host:5432/name");
  found.push(...busContradictions(given));
  if (given.COUNTRY_HEADER !== null && !/^[A-Za-z0-9-]{1,64}$/.test(given.COUNTRY_HEADER))
    found.push("COUNTRY_HEADER must be the name of a header, such as CF-IPCountry");
  if (given.COUNTRY_HEADER !== null && given.TRUSTED_PROXY_HOPS === 0)
    found.push("TRUSTED_PROXY_HOPS is needed with COUNTRY_HEADER: without a proxy of yours every caller can write it");
  if (given.COUNTRIES_ALLOWED.length > 0 && given.COUNTRY_HEADER === null)
    found.push("COUNTRY_HEADER is needed with COUNTRIES_ALLOWED");
  if (given.TURN_URLS.length > 0 && given.TURN_SECRET === null) found.push("TURN_SECRET is needed with TURN_URLS");
  if (given.TURN_URLS.length === 0 && given.TURN_SECRET !== null) found.push("TURN_URLS is needed with TURN_SECRET");
  return found;
}

/** Whether pages of this origin may use passkeys of the domain. */
const isBelow = (origin: string | null, domain: string): boolean =>
  origin !== null &&
  isOrigin(origin) &&
  `.${new URL(origin).hostname}`.endsWith(`.${domain}`) &&
  /[^.]\.[^.]|^localhost$/.test(domain);

/** What is signed is not secret on the way: by http it goes only to this computer. */
function isSafeAddress(address: string): boolean {
  const url = URL.parse(address);
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
  return isSafe && url?.username === "" && url.password === "";
}

function signedContradictions(
  given: Given,
  urlName: "WEBHOOK_URL" | "WALLET_URL",
  secretsName: "WEBHOOK_SECRETS" | "WALLET_SECRETS",
): string[] {
  const { [urlName]: address, [secretsName]: secrets } = given;
  if (address === null) return secrets.length > 0 ? [`${urlName} is needed with ${secretsName}`] : [];
  return [
    ...(isSafeAddress(address)
      ? []
      : [`${urlName} must be an https address without a name and a password; http only on this computer`]),
    ...(secrets.length === 0 ? [`${secretsName} is needed with ${urlName}`] : []),
  ];
}

/** Each provider has one address and its secrets, and no secret is left over. */
function providerContradictions({ PROVIDERS, PROVIDER_SECRETS, WALLET_URL }: Given): string[] {
  const names = PROVIDERS.map((one) => pairOf(one)[0]);
  const secrets = new Set(PROVIDER_SECRETS.map((one) => pairOf(one)[0]));
  return [
    ...(new Set(names).size === names.length ? [] : ["PROVIDERS must name each provider once"]),
    ...(names.length > 0 && WALLET_URL !== null
      ? [
          "PROVIDERS cannot go with WALLET_URL: players add and withdraw money in the operator's wallet. Let the last payment be decided, then leave out PROVIDERS and PROVIDER_SECRETS",
        ]
      : []),
    ...PROVIDERS.filter((one) => !isSafeAddress(pairOf(one)[1])).map(
      (one) =>
        `PROVIDERS: ${pairOf(one)[0]} must have an https address without a name and a password; http only on this computer`,
    ),
    ...names.filter((name) => !secrets.has(name)).map((name) => `PROVIDER_SECRETS must have a secret of ${name}`),
    ...[...secrets]
      .filter((name) => !names.includes(name))
      .map((name) => `PROVIDERS is needed with the secret of ${name}`),
  ];
}

/** What is sent to a register names people: by http it goes only to this computer. */
function registerContradictions({ SPELPAUS_URL, SPELPAUS_ACTOR, SPELPAUS_KEY }: Given): string[] {
  if (SPELPAUS_URL === null)
    return SPELPAUS_ACTOR !== null || SPELPAUS_KEY !== null
      ? ["SPELPAUS_URL is needed with SPELPAUS_ACTOR and SPELPAUS_KEY"]
      : [];
  const url = URL.parse(SPELPAUS_URL);
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
  const isPlain = url !== null && [url.username, url.password, url.search, url.hash].every((part) => part === "");
  return [
    ...(isSafe && isPlain ? [] : ["SPELPAUS_URL must be an https address without a name; http only on this computer"]),
    ...(SPELPAUS_ACTOR === null || SPELPAUS_KEY === null
      ? ["SPELPAUS_ACTOR and SPELPAUS_KEY are needed with SPELPAUS_URL"]
      : []),
  ];
}

/** Staff's directory needs a console. */
const directoryContradictions = (given: Given): string[] => [
  ...issuerContradictions(given, "OIDC"),
  ...(given.OIDC_ISSUER !== null && given.STAFF_PORT === null ? ["STAFF_PORT is needed with OIDC_ISSUER"] : []),
];

/** An issuer has an address, a client and its secret. */
function issuerContradictions(given: Given, kind: "OIDC" | "PLAYER_OIDC"): string[] {
  const [issuerName, idName, secretName] = [`${kind}_ISSUER`, `${kind}_CLIENT_ID`, `${kind}_CLIENT_SECRET`] as const;
  const { [issuerName]: issuer, [idName]: clientId, [secretName]: clientSecret } = given;
  if (issuer === null)
    return clientId !== null || clientSecret !== null
      ? [`${issuerName} is needed with ${idName} and ${secretName}`]
      : [];
  return [
    ...(isIssuerAddress(issuer)
      ? []
      : [`${issuerName} must be an https address like https://login.example.org; http only on this computer`]),
    ...(clientId === null ? [`${idName} is needed with ${issuerName}`] : []),
    ...(clientSecret === null ? [`${secretName} is needed with ${issuerName}`] : []),
  ];
}

/** Codes that sign in travel over it: in the clear only on this computer. */
function mailContradictions({ SMTP_URL, MAIL_FROM }: Given): string[] {
  if (SMTP_URL === null) return MAIL_FROM === null ? [] : ["SMTP_URL is needed with MAIL_FROM"];
  const url = URL.parse(SMTP_URL);
  const isPlain = url !== null && ["", "/"].includes(url.pathname) && url.search === "" && url.hash === "";
  const isServer = url !== null && ["smtp:", "smtps:"].includes(url.protocol) && url.hostname !== "";
  return [
    ...(isPlain && isServer ? [] : ["SMTP_URL must be like smtps://user:password@smtp.example.org"]),
    ...(MAIL_FROM === null ? ["MAIL_FROM is needed with SMTP_URL"] : []),
  ];
}

function busContradictions({ BUS_URL, DATABASE_URL, NODE_ID }: Given): string[] {
  if (BUS_URL === null) return [];
  const servers = readNatsServers(BUS_URL);
  return [
    ...(typeof servers === "string" ? [`BUS_URL ${servers}`] : []),
    ...(DATABASE_URL === null ? ["DATABASE_URL is needed with BUS_URL: all nodes have one database"] : []),
    ...(NODE_ID === ONLY_NODE ? ["NODE_ID is needed with BUS_URL: a name of its own for each process"] : []),
  ];
}

const repository = fileURLToPath(new URL("../../../", import.meta.url));

function shape(given: Given) {
  const dataFolder = resolve(given.DATA_FOLDER);
  const publicUrl = given.PUBLIC_URL === null ? null : new URL(given.PUBLIC_URL).origin;
  return {
    host: given.HOST,
    portNumber: given.PORT,
    publicUrl,
    allowedOrigins: given.ALLOWED_ORIGINS.map((origin) => new URL(origin).origin),
    /** Null: the host of the own origin. */
    passkeyDomain: given.PASSKEY_DOMAIN,
    trustedProxyHops: given.TRUSTED_PROXY_HOPS,
    dataFolder,
    databaseUrl: given.DATABASE_URL,
    databaseOwnerUrl: given.DATABASE_OWNER_URL,
    databaseConnections: given.DATABASE_CONNECTIONS,
    drainMs: given.DRAIN_MS,
    /** Null: this process is the only one. */
    bus: busOf(given),
    turn: { urls: given.TURN_URLS, secret: given.TURN_SECRET },
    /** Demo players may sign in: DEMO is set, or only this computer can reach the platform. */
    demoAllowed:
      given.DEMO || (isLoopback(given.HOST) && (publicUrl === null || isLoopback(new URL(publicUrl).hostname))),
    settingsFile: given.SETTINGS_FILE === null ? null : resolve(given.SETTINGS_FILE),
    ...pageFolders(given),
    logLevel: given.LOG_LEVEL,
    logFormat: given.LOG_FORMAT,
    login: {
      attemptsMax: given.LOGIN_ATTEMPTS,
      attemptsOfName: given.LOGIN_ATTEMPTS_NAME,
      blockMinutes: given.LOGIN_BLOCK_MINUTES,
      tokenHours: given.TOKEN_HOURS,
      passwordDaysMax: given.PASSWORD_DAYS_MAX,
    },
    ...accountsShape(given),
    limits: {
      callsPerMinute: given.CALLS_PER_MINUTE,
      callsPerMinuteAddress: given.CALLS_PER_MINUTE_ADDRESS,
      loginsPerMinuteAddress: given.LOGINS_PER_MINUTE_ADDRESS,
      socketsPerAddress: given.SOCKETS_PER_ADDRESS,
      handshakesPerMinuteAddress: given.HANDSHAKES_PER_MINUTE_ADDRESS,
      messagesPerSecondAddress: given.MESSAGES_PER_SECOND_ADDRESS,
      connections: given.CONNECTIONS_MAX,
      /** Null: every connection comes from a proxy, which has to limit them itself. */
      connectionsPerAddress: given.TRUSTED_PROXY_HOPS === 0 ? CONNECTIONS_PER_SOCKET * given.SOCKETS_PER_ADDRESS : null,
    },
    discount: {
      percent: given.DISCOUNT_PERCENT,
      periodS: given.DISCOUNT_PERIOD_S,
      balanceBelowMinor: given.DISCOUNT_BALANCE_BELOW === 0 ? null : given.DISCOUNT_BALANCE_BELOW,
    },
    blockedAddresses: given.BLOCKED_ADDRESSES,
    countries: {
      header: given.COUNTRY_HEADER?.toLowerCase() ?? null,
      allowed: given.COUNTRIES_ALLOWED.map((country) => country.toUpperCase()),
    },
    teamChat: given.TEAM_CHAT,
    ...receiversShape(given),
    /** None: no verification service is connected. */
    identitySecrets: given.IDENTITY_SECRETS,
    /** Null: Sweden's register is not connected. */
    spelpaus:
      given.SPELPAUS_URL === null
        ? null
        : { url: given.SPELPAUS_URL, actorId: given.SPELPAUS_ACTOR ?? "", key: given.SPELPAUS_KEY ?? "" },
    staff: staffShape(given),
    integration: integrationShape(given),
    play: playShape(given),
    limitsOfServer: limitsOfServer(given),
  };
}

/** Who receives what the platform reports. */
const receiversShape = (given: Given) => ({
  /** Null: nothing is reported to a receiver of the operator. */
  webhook:
    given.WEBHOOK_URL === null
      ? null
      : { url: given.WEBHOOK_URL, secrets: given.WEBHOOK_SECRETS, games: given.WEBHOOK_GAMES },
  /** Null: players' wallets are those of the ledger. */
  wallet: given.WALLET_URL === null ? null : { url: given.WALLET_URL, secrets: given.WALLET_SECRETS },
  /** Null: players receive no e-mail. */
  mail: given.SMTP_URL === null || given.MAIL_FROM === null ? null : { server: given.SMTP_URL, from: given.MAIL_FROM },
  /** Providers of payments. */
  providers: given.PROVIDERS.map((one) => {
    const [name, url] = pairOf(one);
    const secrets = given.PROVIDER_SECRETS.map(pairOf).filter(([of]) => of === name);
    return { name, url, secrets: secrets.map(([, secret]) => secret) };
  }),
  push: {
    hosts: given.PUSH_HOSTS.length === 0 ? PUSH_HOSTS : given.PUSH_HOSTS,
    contact: given.PUSH_CONTACT,
  },
});

/** What holds of the venue's limits until the venue sets them. */
const limitsOfServer = (given: Given): VenueLimits => ({
  largeWin: given.LARGE_WIN,
  largeWager: given.LARGE_WAGER,
  discountPercent: given.DISCOUNT_PERCENT,
  discountPeriodS: given.DISCOUNT_PERIOD_S,
  discountBalanceBelow: given.DISCOUNT_BALANCE_BELOW,
  emptyWalletSits: given.ALLOW_ZERO_BALANCE,
  noDepositMs: given.NO_DEPOSIT_MS,
  idleMs: given.IDLE_MS,
  idleCountMs: given.IDLE_COUNT_MS,
  spectatorsMax: given.SPECTATORS_MAX,
  watchedMax: given.WATCHED_MAX,
  queuePlaces: given.QUEUE_PLACES,
  queueLength: given.QUEUE_LENGTH,
  queueReadyMs: given.QUEUE_READY_MS,
  queuePasses: given.QUEUE_PASSES,
  queueAwayMs: given.QUEUE_AWAY_MS,
  queueAnyBrand: given.QUEUE_ANY_BRAND,
  queueAnyDenomination: given.QUEUE_ANY_DENOMINATION,
  queueTurnMin: given.QUEUE_TURN_MIN,
  deskCodeMin: given.DESK_CODE_MIN,
  withdrawalReview: given.WITHDRAWAL_REVIEW,
  disputeDays: given.DISPUTE_DAYS,
  sampledGames: given.SAMPLED_GAMES,
  seatHoldMin: given.SEAT_HOLD_MIN,
  seatHoldsPerDay: given.SEAT_HOLDS_PER_DAY,
  seatHoldPrice: given.SEAT_HOLD_PRICE,
});

const pageFolders = (given: Given) => ({
  webFolder: resolve(given.WEB_FOLDER ?? `${repository}apps/web/dist`),
  consoleFolder: resolve(given.CONSOLE_FOLDER ?? `${repository}apps/console/dist`),
  /** Null: `branding` in the data folder, when it is there. */
  brandingFolder: given.BRANDING_FOLDER === null ? null : resolve(given.BRANDING_FOLDER),
});

function staffShape(given: Given) {
  return {
    /** Null: there is no staff listener. */
    portNumber: given.STAFF_PORT,
    host: given.STAFF_HOST,
    publicUrl: given.STAFF_PUBLIC_URL === null ? null : new URL(given.STAFF_PUBLIC_URL).origin,
    idleMs: given.STAFF_IDLE_MS,
    signInHours: given.STAFF_SIGN_IN_HOURS,
    directory: directoryShape(given),
    venue: {
      name: given.VENUE_NAME,
      timeZone: given.TIME_ZONE,
      dayBeginsMinutes: given.DAY_BEGINS_MINUTES,
      secondPerson: given.SECOND_PERSON,
    },
  };
}

/** Where the operator's own systems call. */
const integrationShape = (given: Given) => ({
  /** Null: there is no integration listener. */
  portNumber: given.INTEGRATION_PORT,
  host: given.INTEGRATION_HOST,
  publicUrl: given.INTEGRATION_PUBLIC_URL === null ? null : new URL(given.INTEGRATION_PUBLIC_URL).origin,
  callsPerMinute: given.INTEGRATION_CALLS_PER_MINUTE,
});

/** Null: staff does not sign in with a directory. */
function directoryShape(given: Given) {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = given;
  if (issuer === null || clientId === null || clientSecret === null) return null;
  const { OIDC_NAME_CLAIM: nameClaim, OIDC_ACR: acr, OIDC_AMR: amr } = given;
  const label = given.OIDC_LABEL ?? new URL(issuer).hostname;
  return { issuer, clientId, clientSecret, label, scope: "openid profile", nameClaims: [nameClaim], acr, amr };
}

/** How players get accounts. */
const accountsShape = (given: Given) => ({
  registration: { open: given.REGISTRATION, perHourAddress: given.REGISTRATIONS_PER_HOUR_ADDRESS },
  /** None: players sign in with no issuer. */
  playerIssuers: playerIssuersOf(given),
});

function busOf({ BUS_URL }: Given): NatsServers | null {
  const servers = BUS_URL === null ? "" : readNatsServers(BUS_URL);
  return typeof servers === "string" ? null : servers;
}

/** The variables of `playVariables`, by name. */
function playShape(given: Given): Values<typeof playVariables> {
  const names = Object.keys(playVariables) as (keyof typeof playVariables)[];
  return Object.fromEntries(names.map((name) => [name, given[name]])) as Values<typeof playVariables>;
}
