import { DESK } from "@longarm/contract/payments";
import { MailAddress } from "@longarm/contract/player-mail";
import { listOf, machineAddress, oneOf, text, variable, wholeNumber, yesNo } from "@longarm/link/environment";
import { isAddressOrNetwork } from "./block-list.ts";

/** The name of a platform that is one process. */
export const ONLY_NODE = "main";

/** Times and limits of seats, play sessions and agents. Times in ms. */
export const playVariables = {
  /** Name of this process among the nodes of one platform; keep it over restarts, and never give it to two at once. */
  NODE_ID: variable(ONLY_NODE, "must be 1 to 64 letters, digits or _ . : -", (name) =>
    /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/.test(name) ? name : undefined,
  ),
  /** How long a seat without credits is kept before its play session ends (countdown 18800). */
  NO_DEPOSIT_MS: wholeNumber(1_000, 86_400_000, 60_000),
  /** How long a player may do nothing before the countdown 18802 begins. */
  IDLE_MS: wholeNumber(1_000, 86_400_000, 120_000),
  /** How long the countdown 18802 runs. */
  IDLE_COUNT_MS: wholeNumber(1_000, 86_400_000, 60_000),
  /** How long a seat waits for a player whose game socket is gone. */
  WAITING_MS: wholeNumber(1_000, 86_400_000, 150_000),
  /** The same while a bonus waits for the player; then staff is called. */
  BONUS_WAITING_MS: wholeNumber(1_000, 86_400_000, 900_000),
  /** How long a machine with a seat may be without its agent before staff is called. */
  AGENT_AWAY_MS: wholeNumber(1_000, 86_400_000, 600_000),
  /** How often an open cash-out is retried and an unknown transfer is read from the machine again. */
  MONEY_RETRY_MS: wholeNumber(50, 60_000, 2_000),
  /** A transfer whose outcome is open for longer calls for staff. */
  TRANSFER_ALARM_MS: wholeNumber(1_000, 3_600_000, 60_000),
  /** How often unresolved seats and transfers are searched: those without a node that looks after them, and those that need help. */
  ORPHAN_SWEEP_MS: wholeNumber(100, 30_000, 10_000),
  /** A seat that is kept by a game, a hand pay, a fault or its end for longer calls for staff. */
  SEAT_STUCK_ALARM_MS: wholeNumber(1_000, 86_400_000, 900_000),
  /** A call for an attendant that is not answered for longer is late: `longarm_calls_late` counts it, and an alert rule looks at that. */
  CALL_LATE_MS: wholeNumber(1_000, 86_400_000, 120_000),
  /** How long an agent lets presses through without a renewed grant. Renewed each third of it. */
  SEAT_LEASE_MS: wholeNumber(1_000, 600_000, 60_000),
  /**
   * How long other nodes wait for a node that has stopped renewing its links and game sockets. A process that has ended is found at once; this
   * is for a computer that is cut off.
   */
  NODE_LEASE_MS: wholeNumber(1_000, 600_000, 15_000),
  /** A win of at least this is written to the audit log, minor units; 0: none is. Source: GLI-19 2.8.8. */
  LARGE_WIN: wholeNumber(0, 9_000_000_000_000, 1_000_000),
  /** The same for the stake of one game, minor units; 0: none is. */
  LARGE_WAGER: wholeNumber(0, 9_000_000_000_000, 100_000),
  /** Whether a player with an empty wallet may sit down. */
  ALLOW_ZERO_BALANCE: yesNo(true),
  /** Machines come only when staff has enrolled them; `no`: one that an agent brings for the first time is in service at once. */
  ENROL_FIRST: yesNo(false),
  /** Spectators of one machine, on all nodes together; 0: no player may watch. */
  SPECTATORS_MAX: wholeNumber(0, 1_000, 8),
  /** Where a media server shows each machine to a crowd, by WHEP, such as https://media.example.org/{machine}/whep: for watchers without a place. */
  CROWD_WHEP: machineAddress,
  /** Machines that one account may watch at once, on all nodes together. */
  WATCHED_MAX: wholeNumber(1, 100, 2),
  /** Places in queues that one player may hold at once; 0: there are no queues. */
  QUEUE_PLACES: wholeNumber(0, 5, 3),
  /** Players who may wait for one machine. */
  QUEUE_LENGTH: wholeNumber(1, 100, 20),
  /** How long a machine is kept for the player whose turn it is; the page shows this time, the platform waits `CALL_GRACE_MS` longer. */
  QUEUE_READY_MS: wholeNumber(20_000, 60_000, 30_000),
  /** How often a player may let the next one go first, for each place; it is no miss. */
  QUEUE_PASSES: wholeNumber(0, 2, 1),
  /** How long a place is kept while no page of its player is open. */
  QUEUE_AWAY_MS: wholeNumber(120_000, 1_800_000, 600_000),
  /** Whether players may wait for any machine of a brand. */
  QUEUE_ANY_BRAND: yesNo(true),
  /** Whether players may wait for any machine of a denomination. */
  QUEUE_ANY_DENOMINATION: yesNo(true),
  /** How long a player may sit while others wait, minutes; fewer than 15 count as 15. 0: as long as they like. */
  QUEUE_TURN_MIN: wholeNumber(0, 240, 0),
  /** How long a code for the cashier's desk is good, minutes; 0: there are no codes. */
  DESK_CODE_MIN: wholeNumber(0, 1_440, 30),
  /** Withdrawals through a provider wait for staff from this amount on, minor units; 0: every one. */
  WITHDRAWAL_REVIEW: wholeNumber(0, 9_000_000_000_000, 1_000_000),
  /** How many days an answer to a player's question about a game takes at most. */
  DISPUTE_DAYS: wholeNumber(1, 60, 3),
  /** How many games of each machine are drawn each day and proved by recording, meters and ledger; 0: none. */
  SAMPLED_GAMES: wholeNumber(0, 20, 1),
  /** How long a player may leave a seat and keep it, minutes; 0: as long as a lost link (`WAITING_MS`). */
  SEAT_HOLD_MIN: wholeNumber(0, 60, 0),
  /** How often in 24 hours. */
  SEAT_HOLDS_PER_DAY: wholeNumber(1, 20, 2),
  /** What it costs each time, minor units; 0: nothing. A hold that a rule makes shorter costs less. */
  SEAT_HOLD_PRICE: wholeNumber(0, 1_000_000, 0),
  /** How often a still of a machine is requested while a lobby is open; the time to take and send it comes on top. */
  STILL_EVERY_MS: wholeNumber(1_000, 3_600_000, 8_000),
} as const;

/** All variables of a platform process. */
export const platformVariables = {
  ...playVariables,
  /** Address to listen on. Anything but a loopback address shows the platform to others: see DEMO. */
  HOST: text("127.0.0.1"),
  /** TCP port; 0 takes a free one and writes it to `DATA_FOLDER/platform.address`. */
  PORT: wholeNumber(0, 65_535, 8080),
  /** Sweden's register of excluded players, `https://api.spelpaus.se`; by http only on this computer. Absent: it answers nothing, and its market is closed. */
  SPELPAUS_URL: text(null),
  /** The licence holder's number at the register. */
  SPELPAUS_ACTOR: text(null),
  /** The key of the register's API. */
  SPELPAUS_KEY: text(null),
  /** TCP port of the staff's console; 0 takes a free one. Absent: there is no console. It is a listener of its own and serves nothing of the players' one. */
  STAFF_PORT: variable<number | null>(null, "must be a whole number from 0 to 65535", (port) =>
    /^\d{1,5}$/.test(port) && Number(port) <= 65_535 ? Number(port) : undefined,
  ),
  /** Address that the staff's console listens on. */
  STAFF_HOST: text("127.0.0.1"),
  /** TCP port for the operator's own systems; 0 takes a free one. Absent: there is none. It is a listener of its own and serves nothing of the others. */
  INTEGRATION_PORT: variable<number | null>(null, "must be a whole number from 0 to 65535", (port) =>
    /^\d{1,5}$/.test(port) && Number(port) <= 65_535 ? Number(port) : undefined,
  ),
  /** Address that it listens on. */
  INTEGRATION_HOST: text("127.0.0.1"),
  /** Where those systems reach it, `https://api.example.org`; absent: by the address of its host. */
  INTEGRATION_PUBLIC_URL: text(null),
  /** Calls of one of these systems in a minute, on each node. */
  INTEGRATION_CALLS_PER_MINUTE: wholeNumber(1, 1_000_000, 1_200),
  /** Where staff reaches the console, `https://staff.example.org`; absent: `http://localhost` with its port. Passkeys belong to this name for ever. */
  STAFF_PUBLIC_URL: text(null),
  /** Staff's screen locks after so long without input, ms. Source: GLI-19 C.6.5. */
  STAFF_IDLE_MS: wholeNumber(1_000, 3_600_000, 300_000),
  /** A sign-in of staff ends after so long, whatever is done, hours. */
  STAFF_SIGN_IN_HOURS: wholeNumber(1, 24, 10),
  /**
   * Lets staff sign in with the operator's directory by OpenID Connect: its issuer, `https://login.example.org/realms/venue`; by http only on this
   * computer. Absent: there is no such way, and what follows is not used.
   */
  OIDC_ISSUER: text(null, 500),
  /** The console's client id at the directory. Its redirect address is the console's address and `/directory`. */
  OIDC_CLIENT_ID: text(null, 500),
  /** The client's secret. */
  OIDC_CLIENT_SECRET: text(null),
  /** What the console calls the directory, on its buttons: "Sign in with …". Absent: the issuer's host name. */
  OIDC_LABEL: text(null, 60),
  /** The claim that names a person, for people to read; who it is, issuer and subject alone decide. */
  OIDC_NAME_CLAIM: text("preferred_username", 100),
  /** Ways of signing in at the directory of which one is needed (its `acr`), separated by commas. Absent: any. */
  OIDC_ACR: listOf("must be values of acr, separated by commas", (item) => item.length <= 200 && !/\s/.test(item)),
  /** What the directory must have checked, all of it (its `amr`), such as `mfa`, separated by commas. Absent: anything. */
  OIDC_AMR: listOf("must be values of amr, separated by commas", (item) => item.length <= 200 && !/\s/.test(item)),
  /** Acts that move money out of the books need a second person. `no`: a venue of one person; every screen and every slip says so. */
  SECOND_PERSON: yesNo(true),
  /** The venue's name on the console and on slips. */
  VENUE_NAME: text("Longarm", 100),
  /** The venue's time zone, such as `Europe/Istanbul`. */
  TIME_ZONE: variable("UTC", "must be a time zone like Europe/Istanbul", (zone) =>
    Intl.supportedValuesOf("timeZone").includes(zone) || zone === "UTC" ? zone : undefined,
  ),
  /** When the venue's business day begins, minutes after midnight. */
  DAY_BEGINS_MINUTES: wholeNumber(0, 1_439, 360),
  /**
   * Where the platform reports what needs a person, and what becomes of it: `https://…` of the operator's own receiver, signed as Standard Webhooks.
   * Absent: nowhere.
   */
  WEBHOOK_URL: text(null),
  /** Secrets of its signature, `whsec_` and 24 to 64 bytes in base64, separated by commas: the newest first, older ones until the receiver has it. */
  WEBHOOK_SECRETS: listOf("must be whsec_ and 24 to 64 bytes in base64, separated by commas", isWebhookSecret),
  /** `yes`: the receiver gets each game that a player plays, too. */
  WEBHOOK_GAMES: yesNo(false),
  /**
   * The operator's own wallet, `https://wallet.example.org/longarm/`: players' money is there, and comes here only while it is on machines. It is
   * called by POST, signed as Standard Webhooks. Absent: the wallets are those of the ledger.
   */
  WALLET_URL: text(null),
  /** Secrets of its signature, `whsec_` and 24 to 64 bytes in base64, separated by commas: the newest first, older ones until the wallet has it. */
  WALLET_SECRETS: listOf("must be whsec_ and 24 to 64 bytes in base64, separated by commas", isWebhookSecret),
  /**
   * Providers of payments, `name=https://pay.example.org/longarm/`, separated by commas: players add and withdraw money through them. Each is called by
   * POST, signed as Standard Webhooks. Absent: there are none.
   */
  PROVIDERS: listOf(
    "must be like acme=https://pay.example.org/longarm/, separated by commas; a name has small letters, digits and -",
    (item) => /^[a-z][a-z0-9-]{0,31}=\S+$/.test(item) && !item.startsWith(`${DESK}=`),
  ),
  /** Secrets that both sides sign with, `name=whsec_…` and 24 to 64 bytes in base64, separated by commas: of each provider the newest first. */
  PROVIDER_SECRETS: listOf(
    "must be like acme=whsec_…, 24 to 64 bytes in base64, separated by commas",
    (item) => /^[a-z][a-z0-9-]{0,31}=/.test(item) && isWebhookSecret(item.slice(item.indexOf("=") + 1)),
  ),
  /** Secrets with which a verification service signs its decisions about identity, `whsec_` and 24 to 64 bytes in base64, the newest first. Absent: none may. */
  IDENTITY_SECRETS: listOf("must be whsec_ and 24 to 64 bytes in base64, separated by commas", isWebhookSecret),
  /** Push services that devices of staff and players may name, as hosts; `*.` before one is any name below it. */
  PUSH_HOSTS: listOf("must be hosts like fcm.googleapis.com or *.push.apple.com, separated by commas", (host) =>
    /^(\*\.)?[A-Za-z0-9.-]+(:\d{1,5})?$/.test(host),
  ),
  /** Whom a push service may write to about this platform, `mailto:…`; absent: the console's address. */
  PUSH_CONTACT: variable<string | null>(null, "must be like mailto:it@example.org", (contact) =>
    /^mailto:[^\s@]+@[^\s@]+$/.test(contact) ? contact : undefined,
  ),
  /**
   * The mail server that sends to players, `smtps://user:password@smtp.example.org` or `smtp://…:587`, which must then offer STARTTLS; without TLS only on
   * this computer. Absent: players receive no e-mail, and no page offers what needs it.
   */
  SMTP_URL: text(null),
  /** The address that mail to players comes from. */
  MAIL_FROM: variable<string | null>(null, "must be an address like no-reply@play.example.org", (address) =>
    MailAddress.safeParse(address).success ? address : undefined,
  ),
  /** Where players reach it, `https://play.example.org`; absent: the address it listens on. Under other names it answers loopback callers only. */
  PUBLIC_URL: text(null),
  /** The domain that players' passkeys belong to: the host of PUBLIC_URL, or a part of it that several sites share. */
  PASSKEY_DOMAIN: text(null),
  /**
   * Lets players sign in with an issuer of OpenID Connect: `https://login.example.org/realms/players`; by http only on this computer. Absent: there is no
   * such way, and what follows is not used.
   */
  PLAYER_OIDC_ISSUER: text(null, 500),
  /** The platform's client id there. Its redirect address is PUBLIC_URL and `/callback`. */
  PLAYER_OIDC_CLIENT_ID: text(null, 500),
  /** The client's secret. */
  PLAYER_OIDC_CLIENT_SECRET: text(null),
  /** What players know it by, on the button: "Sign in with …". Absent: the issuer's host name. */
  PLAYER_OIDC_LABEL: text(null, 60),
  /** Whether who signs in there for the first time gets an account here. `no`: only players who have linked theirs sign in so. */
  PLAYER_OIDC_REGISTRATION: yesNo(false),
  /**
   * Several such issuers, in place of the one above: `levent=https://login.example.org/realms/players`, separated by commas, in the order of their buttons
   * on the log-in. The name before `=` is the operator's own; an icon of the button is `issuer-levent.svg` in the branding folder.
   */
  PLAYER_ISSUERS: listOf(
    "must be like levent=https://login.example.org, separated by commas; a name has small letters, digits and -",
    (item) => item.length <= 500 && /^[a-z][a-z0-9-]{0,31}=\S+$/.test(item),
  ),
  /** The platform's client id at each, `levent=longarm`. Its redirect address there is PUBLIC_URL and `/callback/levent`. */
  PLAYER_ISSUER_CLIENTS: listOf("must be like levent=longarm, separated by commas", isOfIssuer(500)),
  /** The client's secret at each, `levent=…`; one with a comma cannot be written so. */
  PLAYER_ISSUER_SECRETS: listOf("must be like levent=the client's secret, separated by commas", isOfIssuer(2_000)),
  /** What players know each by, `levent=Levent Club`: on the button, "Sign in with …". Absent: the issuer's host name. */
  PLAYER_ISSUER_LABELS: listOf(
    "must be like levent=Levent Club, separated by commas, with 60 characters at most",
    isOfIssuer(60),
  ),
  /** The names of those with which a first sign-in opens an account. At the others only players who have linked theirs sign in. */
  PLAYER_ISSUER_REGISTRATION: listOf("must be names of PLAYER_ISSUERS, separated by commas", (item) =>
    /^[a-z][a-z0-9-]{0,31}$/.test(item),
  ),
  /** Other origins whose pages may open sockets and call the API. */
  ALLOWED_ORIGINS: listOf(
    "must be origins like https://play.example.org, separated by commas, without a path",
    isOrigin,
  ),
  /** How many proxies of your own are in front; that many entries of X-Forwarded-For are trusted. */
  TRUSTED_PROXY_HOPS: wholeNumber(0, 8, 0),
  /** Folder of everything that must survive a restart. */
  DATA_FOLDER: text("data"),
  /** `postgres://…` of a server of your own; absent: one is run in the data folder. */
  DATABASE_URL: text(null),
  /**
   * `postgres://…` of the owner of the tables, for migrations; DATABASE_URL then names a role that owns none, so that the platform can rewrite neither
   * ledger nor audit log. Absent: DATABASE_URL names the owner, who makes such a role where it may.
   */
  DATABASE_OWNER_URL: text(null),
  /** Maximum of database connections of this process. One of them does nothing but hold its name (NODE_ID). */
  DATABASE_CONNECTIONS: wholeNumber(3, 200, 10),
  /** TURN servers for browsers, `turn:host:3478?transport=udp`, separated by commas. */
  TURN_URLS: listOf("must be turn: or turns: addresses, separated by commas", (item) => /^turns?:\S+$/.test(item)),
  /** The shared secret of the TURN servers (their `static-auth-secret`). Needed with TURN_URLS. */
  TURN_SECRET: text(null),
  /** NATS between several platform processes on one database, `nats://user:password@host:4222` or `tls://…`, several separated by commas; absent: this is the only process. */
  BUS_URL: text(null),
  /** How long it reports "not ready" before it ends, ms; for balancers that poll it. It must not be killed meanwhile. */
  DRAIN_MS: wholeNumber(0, 60_000, 0),
  /** Lets demo players sign in although the platform is not on a loopback address. */
  DEMO: yesNo(false),
  /** The operator's Settings.json; absent: `Settings.json` in the data folder, when it is there. */
  SETTINGS_FILE: text(null),
  /** The built web; absent: `apps/web/dist` of this repository. */
  WEB_FOLDER: text(null),
  /** The built console; absent: `apps/console/dist` of this repository. */
  CONSOLE_FOLDER: text(null),
  /** The operator's name, logo, colours and info pages; absent: `branding` in the data folder, when it is there. */
  BRANDING_FOLDER: text(null),
  LOG_LEVEL: oneOf(["fatal", "error", "warn", "info", "debug", "trace", "silent"], "info"),
  /** `json` for machines, `words` for people. */
  LOG_FORMAT: oneOf(["json", "words"], "json"),
  /** Wrong sign-ins of one name from one address before that name is blocked at that address. */
  LOGIN_ATTEMPTS: wholeNumber(1, 100, 5),
  /** Wrong sign-ins of one name from all addresses together before it is blocked for an hour, but for addresses it was signed in from. */
  LOGIN_ATTEMPTS_NAME: wholeNumber(5, 10_000, 100),
  /** How long the block lasts, minutes; wrong sign-ins are no longer counted after the same time. */
  LOGIN_BLOCK_MINUTES: wholeNumber(1, 1_440, 15),
  /** Lets visitors open accounts by themselves (`/pages/auth/register`): with an empty wallet, in the group of all players. */
  REGISTRATION: yesNo(false),
  /** Registrations an hour from one address, accepted or not. */
  REGISTRATIONS_PER_HOUR_ADDRESS: wholeNumber(1, 10_000, 20),
  /** How long a token is good, hours. It is renewed after half of it. */
  TOKEN_HOURS: wholeNumber(1, 168, 12),
  /** Days after which a password is reported as expired; it still works. 0: never. */
  PASSWORD_DAYS_MAX: wholeNumber(0, 3_650, 0),
  /** Calls a minute of one signed-in player. */
  CALLS_PER_MINUTE: wholeNumber(10, 100_000, 300),
  /** Calls a minute from one address, signed in or not. Many players may share one. */
  CALLS_PER_MINUTE_ADDRESS: wholeNumber(10, 1_000_000, 3_000),
  /** Sign-ins a minute from one address. */
  LOGINS_PER_MINUTE_ADDRESS: wholeNumber(1, 10_000, 30),
  /** Sockets open at once from one address. */
  SOCKETS_PER_ADDRESS: wholeNumber(1, 10_000, 200),
  /** Sockets opened a minute from one address, also those that are refused. */
  HANDSHAKES_PER_MINUTE_ADDRESS: wholeNumber(10, 1_000_000, 1_200),
  /** Messages a second from one address, over all sockets of its pages. */
  MESSAGES_PER_SECOND_ADDRESS: wholeNumber(10, 1_000_000, 2_000),
  /** Connections open at once, in all. Without a proxy in front one address may have five times SOCKETS_PER_ADDRESS. */
  CONNECTIONS_MAX: wholeNumber(100, 1_000_000, 20_000),
  /** Percent of a player's net loss that a discount returns; the loss counts from the last discount. 0: no discounts. */
  DISCOUNT_PERCENT: wholeNumber(0, 100, 10),
  /** Minimum time between two discounts of a player, seconds. */
  DISCOUNT_PERIOD_S: wholeNumber(1, 31_536_000, 86_400),
  /** A discount needs a wallet below it, minor units; 0: any wallet. The web has such a limit of its own (`discountMinBalance`). */
  DISCOUNT_BALANCE_BELOW: wholeNumber(0, 9_000_000_000_000, 0),
  /** Addresses or networks (`203.0.113.0/24`) that /check answers with "blocked" and that cannot sign in. */
  BLOCKED_ADDRESSES: listOf(
    "must be addresses or networks like 203.0.113.0/24, separated by commas",
    isAddressOrNetwork,
  ),
  /** Header in which a proxy of your own sends the caller's country (ISO 3166, two letters), and which it removes from calls of others. */
  COUNTRY_HEADER: text(null),
  /** Countries that may come in, `TR,DE`; absent: all. A caller whose country is not known is kept out too. */
  COUNTRIES_ALLOWED: listOf("must be two-letter countries like TR,DE, separated by commas", (item) =>
    /^[A-Za-z]{2}$/.test(item),
  ),
  /** Whether players of one group see each other's names and may write to each other (Team Chat). */
  TEAM_CHAT: yesNo(false),
} as const;

/** `name=value` of an issuer of players. */
function isOfIssuer(lengthMax: number): (item: string) => boolean {
  return (item) => {
    const [, value] = /^[a-z][a-z0-9-]{0,31}=\s*(\S.*)$/.exec(item) ?? [];
    return value !== undefined && value.length <= lengthMax;
  };
}

function isWebhookSecret(given: string): boolean {
  const [, encoded] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(given) ?? [];
  const { length } = Buffer.from(encoded ?? "", "base64");
  return length >= 24 && length <= 64;
}

/** True for `https://host[:port]` or `http://…` and nothing behind it. */
export function isOrigin(given: string): boolean {
  const address = URL.parse(given);
  return address !== null && /^https?:$/.test(address.protocol) && address.origin === given.replace(/\/$/, "");
}
