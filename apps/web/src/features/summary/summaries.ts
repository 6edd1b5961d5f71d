import type { RecentPlay, SessionSummary } from "@longarm/contract/player-record";

/* Which summary waits for the player: that of the sign-in, or that of the play session that has just ended. Without React. */

/** What this browser has shown: in which sign-in of which player, and the newest play session that was summed up. */
export type Shown = { readonly playerId: string; readonly signIn: string; readonly session: string };

/** A text of the storage; undefined: it is none of ours. */
export function shownOf(text: string | null): Shown | undefined {
  const [playerId, signIn, session] = text?.split(" ").map(plain) ?? [];
  if (playerId === undefined || signIn === undefined || session === undefined) return undefined;
  return { playerId, signIn, session };
}

export const shownText = ({ playerId, signIn, session }: Shown): string =>
  [playerId, signIn, session].map((part) => encodeURIComponent(part.toWellFormed())).join(" ");

/** Undefined: somebody else wrote it. */
function plain(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

/** Who is signed in, as far as a summary is about it. Times are ISO 8601, or empty where the platform does not say. */
export type Visitor = { readonly id: string; readonly signedInAt: string; readonly LastLogon: string };

/** Names a sign-in. A platform that does not say when it began says when the one before it did. */
const signInOf = ({ signedInAt, LastLogon }: Visitor): string => signedInAt || LastLogon;

export type Summary =
  /** `last`: the newest play session before; undefined: there was none. */
  | { readonly is: "signIn"; readonly last: SessionSummary | undefined; readonly recent: RecentPlay["recent"] }
  | { readonly is: "session"; readonly session: SessionSummary };

/** The summary that waits; undefined: none. A play session that is not over, or in which nothing was played, has none. */
export function summaryDue(
  player: Visitor,
  { last, recent }: RecentPlay,
  shown: Shown | undefined,
): Summary | undefined {
  const own = shown?.playerId === player.id ? shown : undefined;
  const ended = last !== null && last.end !== null ? last : undefined;
  if (own?.signIn !== signInOf(player) && player.LastLogon !== "" && last?.end !== null)
    return { is: "signIn", last: ended, recent };
  if (ended === undefined || ended.games === 0 || ended.id === own?.session) return undefined;
  // The first sign-in of all, or a platform that names none: what was played before it is no news.
  const isNews =
    own !== undefined || player.signedInAt === "" || Date.parse(ended.start) >= Date.parse(player.signedInAt);
  return isNews ? { is: "session", session: ended } : undefined;
}

/** What has been shown once this summary is closed. */
export function afterShown(player: Visitor, { last }: RecentPlay): Shown {
  return { playerId: player.id, signIn: signInOf(player), session: last?.id ?? "-" };
}
