import type { FinalReason } from "@longarm/contract/envelope";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Kysely } from "kysely";
import type { Registry } from "prom-client";
import type { PlatformDeps } from "../../../deps.ts";
import { portOf } from "../../../http-server.ts";
import { openIssuer, providerOf } from "../../../openid.ts";
import { issuerIcons, readMailBrand } from "../../../plugins/branding.ts";
import { signInMetrics } from "../../../plugins/node-metrics.ts";
import { hostRule, originRule } from "../../../plugins/origins.ts";
import type { SettingsFile } from "../../../plugins/settings-file.ts";
import type { Random } from "../../../random.ts";
import type { RelyingParty } from "../../../webauthn.ts";
import type { Audit } from "../../records/audit/index.ts";
import { openAudit } from "../../records/audit/index.ts";
import type { Keys, Players } from "../accounts/index.ts";
import { openKeys } from "../accounts/index.ts";
import type { PasskeyTables } from "../passkeys/index.ts";
import { createOpenId, createPasskeys, passkeySite } from "../passkeys/index.ts";
import type { AccountRoutes } from "./account-routes.ts";
import { accountRoutes } from "./account-routes.ts";
import { addressRoutes } from "./address-routes.ts";
import type { Auth } from "./auth.ts";
import type { AuthSessions, WhichSession } from "./auth-sessions.ts";
import { authenticateWith, createAuthSessions } from "./auth-sessions.ts";
import { createBursts } from "./bursts.ts";
import type { Guard } from "./guard.ts";
import { createGuards } from "./guard.ts";
import { activeRoute, lockRoutes, pinRoute } from "./lock-routes.ts";
import type { LockoutRules } from "./lockout.ts";
import { createLockout, playerNames } from "./lockout.ts";
import { loginLinkRoute } from "./login-link.ts";
import type { SignInDoor } from "./login-route.ts";
import { loginRoute, logoutRoute, validateRoute } from "./login-route.ts";
import type { CodeParts } from "./mailed-codes.ts";
import { sendCode } from "./mailed-codes.ts";
import type { Notices } from "./notices.ts";
import { createNotices } from "./notices.ts";
import type { OpenIdParts } from "./openid-login.ts";
import { openIdLoginRoutes } from "./openid-login.ts";
import { openIdLogoutRoute, openIdRoutes } from "./openid-routes.ts";
import { passkeyLoginRoutes } from "./passkey-login.ts";
import type { PasskeyRoutesParts } from "./passkey-routes.ts";
import { passkeyRoutes } from "./passkey-routes.ts";
import { passwordRoute } from "./password-route.ts";
import { resetRoutes } from "./reset-routes.ts";
import { signInRoutes } from "./sign-in-routes.ts";
import type { Protection } from "./signed-in.ts";
import { recordSignIn, signedIn } from "./signed-in.ts";
import type { AuthTables } from "./tables.ts";
import { createTokens } from "./tokens.ts";
import { createLiveCallers, startUpkeep } from "./upkeep.ts";

export type { Auth } from "./auth.ts";
export type { Bursts } from "./bursts.ts";
export { createBursts } from "./bursts.ts";
export type { Authenticated, Caller, Guard } from "./guard.ts";
export { callerOf } from "./guard.ts";
export type { Lockout, LockoutNames } from "./lockout.ts";
export { createLockout } from "./lockout.ts";
export { endLoginLinks, makeLoginLink } from "./login-link.ts";
export type { Notices } from "./notices.ts";
export { createNotices } from "./notices.ts";
export type { PlayerSocket } from "./player-socket.ts";
export { addPlayerSocket, SOCKETS_PER_PLAYER_MAX } from "./player-socket.ts";
export { endSessions, isSignInOpen, openSessionsOf } from "./session-rows.ts";
export { PLATFORM_VERSION } from "./signed-in.ts";
export type { AuthTables } from "./tables.ts";

export type AuthParts = {
  readonly app: FastifyInstance;
  readonly players: Players;
  /** True for a visitor who may not sign in from where they are. */
  isBlocked(visitor: Pick<FastifyRequest, "clientAddress" | "headers">): boolean;
  /** After how long without activity a sign-in is locked, as they say now. */
  readonly settings: Pick<SettingsFile, "idleLockMs">;
  readonly metrics: Registry;
  readonly protection: Protection;
};

/** The page locks at the idle time; its last report of an input may be on its way for so long, ms. */
const REPORT_LATE_MS = 5_000;

/** Signing in and out. Adds its routes to `app`. */
export async function createAuth(
  deps: PlatformDeps,
  { app, players, isBlocked, settings, metrics, protection }: AuthParts,
): Promise<Auth> {
  const { config, bus, clock, random, log } = deps;
  const db = deps.db.kysely.withTables<AuthTables>();
  const audit = openAudit(db, config.play.NODE_ID);
  const sessions = createAuthSessions(db, clock, () => lockAfterMs(settings));
  const tokens = createTokens(await openKeys(db, random, "token"), clock);
  const lockout = createLockout(db, config.login, playerNames(db));
  const bursts = createBursts(db, audit);
  const live = createLiveCallers();
  const authenticate = authenticateWith(tokens, sessions);

  const close = startUpkeep({ bus, db, clock, log, live, sessions, lockout, bursts });

  async function end(which: WhichSession, reason: FinalReason): Promise<void> {
    await sessions.end(which, reason);
    live.end(which, reason);
    bus.publish("auth.ended", { ...which, reason });
  }

  const { callsPerMinute } = config.limits;
  const guardParts = { authenticate, keepsOut: isBlocked, callsPerMinute, touch: sessions.touchSoon };
  const { guard, guardEvenLocked, guardAnywhere } = createGuards(app, guardParts);
  const site = () => passkeySite(config, () => portOf(app) ?? config.portNumber);
  const issuer = await issuerParts(deps, audit, site);
  const { changes, mails } = await openChanges(deps, site, { db, players, lockout, audit });
  const { passkeys, notices } = changes;
  const { teamChat, login } = config;
  const parts = { players, sessions, tokens, random, clock, protection, teamChat, notices, ...login };
  const check = { players, passkeys, lockout, demoAllowed: config.demoAllowed };
  const door = {
    isBlocked,
    signIn: signedIn(parts),
    tell: recordSignIn(bursts, players, signInMetrics(metrics)),
    perMinuteAddress: config.limits.loginsPerMinuteAddress,
  };
  loginRoute(app, { ...door, check });
  passkeyLoginRoutes(app, door, check);
  loginLinkRoute(app, door, { ...check, db });
  openIdLoginRoutes(app, door, { ...check, ...issuer, resets: mails !== null });
  validateRoute(app, guardEvenLocked, parts);
  const confirmAddress = mails && codeSender({ db, random, ...mails });
  accountRoutes(app, guard, { ...config.registration, players, audit, isBlocked, signIn: door.signIn, confirmAddress });
  logoutRoute(app, guardAnywhere, (jti) => end({ jti }, "logged out"));
  const logOut = (which: WhichSession) => end(which, "logged out");
  const changed = (jti: string) => bus.publish("auth.lockChanged", { jti });
  addOwnRoutes({ app, guard, guardEvenLocked, sessions, changes, ...issuer }, { changed, end: logOut });
  addMailRoutes({ app, guard, door, db, random, changes, sessions, rules: login }, mails, logOut);

  return {
    authenticate: async (token) => await authenticate(token),
    guard,
    isLocked: async ({ jti }) => (await sessions.find(jti))?.locked ?? false,
    act: ({ jti }) => sessions.touch(jti),
    whileSignedIn: live.add,
    keepsOut: isBlocked,
    async ban(playerId) {
      const banned = await players.setBanned(playerId, true);
      // Also when it was banned before: a process that ended in between has left its sign-ins open.
      await end({ playerId }, "banned");
      return banned;
    },
    unban: (playerId) => players.setBanned(playerId, false),
    end,
    close,
  };
}

/** The operator's issuers, the page that they send browsers back to, and what opens an account by one. */
async function issuerParts(
  { config, db, random, clock, ledger }: PlatformDeps,
  audit: Audit,
  site: () => RelyingParty,
) {
  const { playerIssuers, registration } = config;
  const isOwn = originRule(config, hostRule(config));
  const originOf: OpenIdParts["originOf"] = ({ headers: { origin, host = "" } }) =>
    origin !== undefined && isOwn(origin, host) ? origin : site().origins[0];
  const { kysely } = db;
  const newAccounts = {
    ...{ db: kysely, audit, random, ledger },
    perHourAddress: registration.perHourAddress,
  };
  if (playerIssuers.length === 0) return { openId: undefined, originOf, newAccounts };
  const icons = await issuerIcons(config);
  const issuers = playerIssuers.map(({ settings, ...issuer }) => ({
    ...issuer,
    ...openIssuer(settings, clock),
    provider: providerOf(settings),
    icon: icons.get(issuer.name) ?? null,
  }));
  const openId = createOpenId({ db: kysely.withTables<PasskeyTables>(), random, issuers });
  return { openId, originOf, newAccounts };
}

/** Mails of one kind that a typed name has sent from one address in the time of the lockout, and in an hour from all of them. */
const MAILS_MAX = 5;
const MAILS_OF_NAME_MAX = 20;

type Db = Kysely<AuthTables>;
type Mails = { readonly keys: Keys; readonly notices: Notices };
type Known = Pick<PasskeyRoutesParts, "players" | "lockout" | "audit"> & { readonly db: Db };

/** What players change of what signs them in, and what mails about it need; null: there is no mail server. */
async function openChanges({ config, random, clock }: PlatformDeps, site: () => RelyingParty, { db, ...known }: Known) {
  const [keys, { casino }] = await Promise.all([openKeys(db, random, "app"), readMailBrand(config)]);
  const providers = config.playerIssuers.map(({ settings }) => providerOf(settings));
  const passkeys = createPasskeys({ db, random, clock, site, providers, keys, casino });
  const { timeZone } = config.staff.venue;
  const mails: Mails | null =
    config.mail === null
      ? null
      : { keys: await openKeys(db, random, "mail"), notices: createNotices({ random, clock, timeZone }) };
  return { changes: { ...known, passkeys, notices: mails?.notices ?? null }, mails };
}

/** Sends a player the code that confirms an address. */
const codeSender =
  (parts: CodeParts): NonNullable<AccountRoutes["confirmAddress"]> =>
  (playerId, to) =>
    sendCode(parts, { purpose: "address", playerId, ...to });

type MailRoutes = Pick<OwnRoutes, "app" | "guard" | "sessions" | "changes"> & {
  readonly door: SignInDoor;
  readonly db: Db;
  readonly random: Random;
  readonly rules: LockoutRules;
};

/** With a mail server a player's address, and a new password by a code that goes there. */
function addMailRoutes(
  { app, guard, door, db, random, changes, sessions, rules }: MailRoutes,
  mails: Mails | null,
  end: (which: WhichSession) => Promise<void>,
): void {
  if (mails === null) return;
  const limits = { ...rules, attemptsMax: MAILS_MAX, attemptsOfName: MAILS_OF_NAME_MAX };
  const requests = createLockout(db, limits, { ...playerNames(db), mark: "\u0002" });
  const parts = { ...changes, ...mails, db, random };
  addressRoutes(app, guard, { ...parts, lockout: requests, sessions, end: (jti) => end({ jti }) });
  resetRoutes(app, door, { ...parts, requests, endAll: (playerId) => end({ playerId }) });
}

type OwnRoutes = {
  readonly app: FastifyInstance;
  readonly guard: Guard;
  readonly guardEvenLocked: Guard;
  readonly sessions: AuthSessions;
  readonly changes: Omit<PasskeyRoutesParts, "sessions" | "end">;
} & Pick<OpenIdParts, "openId" | "originOf">;
type Done = { changed(jti: string): void; end(which: WhichSession): Promise<void> };

/** What players do with their own sign-ins and with what signs them in. */
function addOwnRoutes(
  { app, guard, guardEvenLocked, sessions, changes, openId, originOf }: OwnRoutes,
  { changed, end }: Done,
): void {
  const endOne = (jti: string) => end({ jti });
  passwordRoute(app, guard, changes, (playerId, exceptJti) => end({ playerId, exceptJti }));
  pinRoute(app, guard, changes);
  passkeyRoutes(app, { guard, guardEvenLocked }, { ...changes, sessions, end: endOne });
  openIdLogoutRoute(app, { sessions, end: endOne }, openId);
  openIdRoutes(app, guard, { ...changes, sessions, end: endOne, originOf }, openId);
  signInRoutes(app, guard, { openOf: sessions.openOf, end });
  activeRoute(app, guard, sessions);
  lockRoutes(app, guardEvenLocked, { ...changes, sessions, changed, end: endOne });
}

/** After how long without activity the platform locks a sign-in; 0: never. */
function lockAfterMs(settings: AuthParts["settings"]): number {
  const idleMs = settings.idleLockMs();
  return idleMs > 0 ? idleMs + REPORT_LATE_MS : 0;
}
