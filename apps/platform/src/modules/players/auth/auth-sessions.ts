import { batchReads } from "@longarm/database/batch-reads";
import type { Kysely } from "kysely";
import type { Clock } from "../../../clock.ts";
import type { Authenticated } from "./guard.ts";
import type { Also, AuthSession, NewAuthSession, WhichSession } from "./session-rows.ts";
import {
  confirmSession,
  countPin,
  endSessions,
  extendSession,
  freshUntil,
  lockIdleSessions,
  lockSession,
  openSession,
  openSessionsOf,
  readSessions,
  sessionsOfOpenId,
  sessionsOfPasskey,
  sweepSessions,
  touchSession,
  unlockSession,
} from "./session-rows.ts";
import type { AuthTables } from "./tables.ts";
import type { Claims, Tokens } from "./tokens.ts";

export type { AuthSession, Previous, Visit, WhichSession } from "./session-rows.ts";

/** How old a cached answer may be, ms. A bus message drops it at once; this is for a lost one. */
const CACHE_MS = 5_000;
const CACHE_SIZE_MAX = 20_000;

/** Calls are noted as activity this often at most, ms, and several times within the idle time: it is that much less exact. */
const TOUCH_MS = 5_000;

/** The rows behind tokens, with a short cache. `idleMs`: after how long without activity a sign-in is locked, as it is set now; 0: never. */
export function createAuthSessions(db: Kysely<AuthTables>, clock: Clock, idleMs: () => number) {
  const cache = new Map<string, { readonly readAt: number; readonly session: AuthSession | undefined }>();
  const activity = noteActivity(db, clock, idleMs, drop);
  // Swarms of sign-ins that came together are looked at together again.
  const read = batchReads<{ readonly session: AuthSession | undefined }>(async (jtis) => {
    const found = await readSessions(db, jtis, idleMs());
    return new Map(jtis.map((jti) => [jti, { session: found.get(jti) }]));
  });
  // Grows with every drop, so that a row read before one is not kept after it.
  let drops = 0;

  /** Forgets what is cached of a token, or of a player. */
  function drop(which: { readonly jti?: string | undefined; readonly playerId?: string | undefined }): void {
    drops += 1;
    if (which.jti !== undefined) cache.delete(which.jti);
    if (which.jti !== undefined) activity.forget(which.jti);
    if (which.playerId === undefined) return;
    for (const [jti, { session }] of cache) if (session?.playerId === which.playerId) cache.delete(jti);
  }

  /** What the row says as far as it is known here, at most `CACHE_MS` old. */
  function known(jti: string): { readonly session: AuthSession | undefined } | undefined {
    const found = cache.get(jti);
    return found !== undefined && clock.now() - found.readAt < CACHE_MS ? found : undefined;
  }

  /** What the row says, at most `CACHE_MS` old. */
  async function find(jti: string): Promise<AuthSession | undefined> {
    const found = known(jti);
    if (found !== undefined) return found.session;
    const readAt = clock.now();
    const dropsBefore = drops;
    const { session } = await read(jti);
    if (drops !== dropsBefore) return session;
    if (cache.size >= CACHE_SIZE_MAX) cache.clear();
    cache.set(jti, { readAt, session });
    return session;
  }

  return {
    ...activity,
    known,
    find,
    drop,
    open: (given: NewAuthSession, also?: Also) => openSession(db, given, also),
    async extend(jti: string, hours: number): Promise<Date | undefined> {
      const end = await extendSession(db, jti, hours);
      drop({ jti });
      return end;
    },
    async end(which: WhichSession, reason: string): Promise<void> {
      await endSessions(db, which, reason);
      drop(which);
    },
    async lock(jti: string): Promise<void> {
      await lockSession(db, jti);
      drop({ jti });
    },
    async unlock(jti: string): Promise<void> {
      await unlockSession(db, jti);
      drop({ jti });
    },
    /** Counts one try of the PIN; answers how many are left, below zero when none was. */
    countPin: (jti: string) => countPin(db, jti),
    ...waysOf(db),
    openOf: (playerId: string) => openSessionsOf(db, playerId),
    sweep: () => sweepSessions(db),
  };
}

/** What changes of the ways to sign in need to know. */
const waysOf = (db: Kysely<AuthTables>) => ({
  freshUntil: (jti: string, minutes: number) => freshUntil(db, jti, minutes),
  ofPasskey: (playerId: string, passkeyId: string) => sessionsOfPasskey(db, playerId, passkeyId),
  ofOpenId: (playerId: string, provider: string, until?: Date) => sessionsOfOpenId(db, playerId, provider, until),
  confirm: (jti: string) => confirmSession(db, jti),
});

/** What players do with their sign-ins. */
function noteActivity(
  db: Kysely<AuthTables>,
  clock: Clock,
  idleMs: () => number,
  drop: (which: { readonly jti: string }) => void,
) {
  // When an activity of a sign-in was last written down.
  const touched = new Map<string, number>();
  /** Notes that the player did something. False: the sign-in is locked by now. */
  async function touch(jti: string): Promise<boolean> {
    const isOpen = await touchSession(db, jti, idleMs());
    if (touched.size >= CACHE_SIZE_MAX) touched.clear();
    if (isOpen) touched.set(jti, clock.now());
    else drop({ jti });
    return isOpen;
  }
  return {
    touch,
    forget: (jti: string) => void touched.delete(jti),
    /** As `touch`, for what happens often: true without a query where an activity was noted just now and no lock is known since. */
    async touchSoon(jti: string): Promise<boolean> {
      const last = touched.get(jti);
      const isRecent = last !== undefined && clock.now() - last < Math.min(TOUCH_MS, idleMs() / 4);
      return idleMs() <= 0 || isRecent || (await touch(jti));
    },
    /** Locks the sign-ins of idle players; answers which. */
    async lockIdle(): Promise<string[]> {
      if (idleMs() <= 0) return [];
      const jtis = await lockIdleSessions(db, idleMs());
      for (const jti of jtis) drop({ jti });
      return jtis;
    },
  };
}

export type AuthSessions = ReturnType<typeof createAuthSessions>;

const BAD_TOKEN = { is: "refused", problem: { name: "auth.signature" } } as const;

/** Signature and expiry by the token, everything else by its row; at once where both are known already. */
export function authenticateWith(tokens: Tokens, sessions: AuthSessions) {
  async function look(token: string): Promise<Authenticated> {
    const claims = await tokens.read(token);
    return claims === undefined ? BAD_TOKEN : judged(claims, await sessions.find(claims.jti));
  }
  return (token: string): Authenticated | Promise<Authenticated> => {
    const claims = tokens.known(token);
    const known = claims && sessions.known(claims.jti);
    return claims && known ? judged(claims, known.session) : look(token);
  };
}

function judged(claims: Claims, session: AuthSession | undefined): Authenticated {
  if (!session || session.playerId !== claims.id) return BAD_TOKEN;
  if (session.state === "banned") return { is: "refused", problem: { name: "auth.banned" } };
  if (session.state === "ended") return BAD_TOKEN;
  const { playerId, locked } = session;
  return { is: "caller", playerId, jti: claims.jti, expiresAtMs: claims.exp * 1_000, locked };
}
