import { isAddressOrNetwork } from "./block-list.ts";
import { isOrigin, listOf, oneOf, textOr, wholeNumber, yesNo } from "./values.ts";

const originMessage = "must be origins like https://play.example.org, parted by commas, without a path";

/** What the platform reads from the environment, by name. An empty variable counts as absent. */
export const baseFields = {
  /** Address to listen on. Anything but a loopback address shows the platform to others: see DEMO. */
  HOST: textOr("127.0.0.1"),
  /** TCP port; 0 takes a free one, told in `DATA_FOLDER/platform.address`. */
  PORT: wholeNumber(0, 65_535, 8080),
  /** Where players reach it, `https://play.example.org`; absent: the address it listens on. Under other names it answers nobody but loopback callers. */
  PUBLIC_URL: textOr(null),
  /** Other origins whose pages may open sockets and call the API. */
  ALLOWED_ORIGINS: listOf(originMessage, isOrigin),
  /** How many proxies of your own stand in front; that many entries of X-Forwarded-For are believed. */
  TRUSTED_PROXY_HOPS: wholeNumber(0, 8, 0),
  /** Folder of everything that must survive a restart. */
  DATA_FOLDER: textOr("data"),
  /** `postgres://…` of a server of your own; absent: one is run in the data folder. */
  DATABASE_URL: textOr(null),
  /** Most database connections of this process. One of them does nothing but hold its name (NODE_ID). */
  DATABASE_CONNECTIONS: wholeNumber(3, 200, 10),
  /** TURN servers for browsers, `turn:host:3478?transport=udp`, parted by commas. */
  TURN_URLS: listOf("must be turn: or turns: addresses, parted by commas", (item) => /^turns?:\S+$/.test(item)),
  /** The shared secret of the TURN servers (their `static-auth-secret`). Needed with TURN_URLS. */
  TURN_SECRET: textOr(null),
  /** NATS between several platform processes on one database, `nats://user:password@host:4222` or `tls://…`, several parted by commas; absent: this is the only process. */
  BUS_URL: textOr(null),
  /** How long it says that it is not ready before it ends, ms; for balancers that look from time to time. Nobody may kill it meanwhile. */
  DRAIN_MS: wholeNumber(0, 60_000, 0),
  /** Lets demo players sign in although the platform is not on a loopback address. */
  DEMO: yesNo(false),
  /** The operator's Settings.json; absent: `Settings.json` in the data folder, when it is there. */
  SETTINGS_FILE: textOr(null),
  /** The built web; absent: `apps/web/dist` of this repository. */
  WEB_FOLDER: textOr(null),
  LOG_LEVEL: oneOf(["fatal", "error", "warn", "info", "debug", "trace", "silent"], "info"),
  /** `json` for machines, `words` for people. */
  LOG_FORMAT: oneOf(["json", "words"], "json"),
  /** Wrong sign-ins of one name from one address before both are blocked. */
  LOGIN_ATTEMPTS: wholeNumber(1, 100, 5),
  /** Wrong sign-ins of one name from all addresses together before it is blocked for an hour, but for addresses it was signed in from. */
  LOGIN_ATTEMPTS_NAME: wholeNumber(5, 10_000, 100),
  /** How long the block lasts, minutes; wrong sign-ins are forgotten after the same time. */
  LOGIN_BLOCK_MINUTES: wholeNumber(1, 1_440, 15),
  /** Lets visitors open accounts by themselves (`/pages/auth/register`): with an empty wallet, in the group of all players. */
  REGISTRATION: yesNo(false),
  /** Registrations an hour from one address, taken or not. */
  REGISTRATIONS_PER_HOUR_ADDRESS: wholeNumber(1, 10_000, 20),
  /** How long a token is good, hours. It is renewed after half of it. */
  TOKEN_HOURS: wholeNumber(1, 168, 12),
  /** Days after which a password is told to be expired; it still works. 0: never. */
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
  /** Connections open at once, of everybody. An address may have five for each of its SOCKETS_PER_ADDRESS, unless a proxy stands in front. */
  CONNECTIONS_MAX: wholeNumber(100, 1_000_000, 20_000),
  /** Share of a player's net loss since the last discount that a discount gives back, percent; 0: there is none. */
  DISCOUNT_PERCENT: wholeNumber(0, 100, 10),
  /** Least time between two discounts of a player, seconds. */
  DISCOUNT_PERIOD_S: wholeNumber(1, 31_536_000, 86_400),
  /** A discount needs a wallet below it, minor units; 0: any wallet. The web has such a limit of its own (`discountMinBalance`). */
  DISCOUNT_BALANCE_BELOW: wholeNumber(0, 9_000_000_000_000, 0),
  /** Addresses or networks (`203.0.113.0/24`) that are answered "blocked" by /check and cannot sign in. */
  BLOCKED_ADDRESSES: listOf("must be addresses or networks like 203.0.113.0/24, parted by commas", isAddressOrNetwork),
  /** Header in which a proxy of your own tells the caller's country (ISO 3166, two letters), and which it takes from callers. */
  COUNTRY_HEADER: textOr(null),
  /** Countries that may come in, `TR,DE`; absent: all. A caller whose country is not known is kept out too. */
  COUNTRIES_ALLOWED: listOf("must be two-letter countries like TR,DE, parted by commas", (item) =>
    /^[A-Za-z]{2}$/.test(item),
  ),
  /** Whether players of one group see each other's names and may write to each other (Team Chat). */
  TEAM_CHAT: yesNo(false),
} as const;
