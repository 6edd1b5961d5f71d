import { redirect } from "@tanstack/react-router";
import type { Access, Role } from "../shared/auth/player.ts";
import { mayEnter } from "../shared/auth/player.ts";
import { paths } from "../shared/paths/paths.ts";
import type { App } from "./app.ts";
import type { PlayerLink } from "./player/player-link.ts";

/** The role groups of the specification (section 6), and `everybody`. */
export const ACCESS = {
  everybody: null,
  admin: ["admin"],
  staff: ["admin", "staff"],
  user: ["admin", "staff", "user"],
  onlyGuest: [],
} as const satisfies Record<string, Access>;

/** Where a refused visitor goes, and the path to come back to after the login. */
type Detour = { readonly to: string; readonly remember?: string };

/** `wanted`: requested path and query; `remembered`: the path that an earlier refusal kept. Undefined: go in. */
export function detourOf(
  access: Access,
  roles: readonly Role[],
  wanted: string,
  remembered: string | undefined,
): Detour | undefined {
  if (mayEnter(access, roles)) return undefined;
  if (roles.length === 0) return { to: paths.login, remember: safePath(wanted) };
  const back = safePath(remembered ?? paths.start);
  return { to: back === wanted ? paths.start : back };
}

/** Pages that are no place to come back to: the way out of the session, and those of guests. */
const NO_WAY_BACK: readonly string[] = [paths.logout, paths.login, paths.callback];
/** Backslashes and control characters have no business in a path: browsers make slashes of some and drop others. */
const STRANGE = /[\\\p{Cc}]/u;

/** A path of this page only, with query and hash, never another origin; one that leads out of the session or to the login itself becomes `/`. */
export function safePath(path: string): string {
  const origin = "http://page.invalid";
  if (!path.startsWith("/") || STRANGE.test(path) || !URL.canParse(path, origin)) return paths.start;
  const { origin: target, pathname, search, hash } = new URL(path, origin);
  const plain = decoded(pathname);
  if (target !== origin || plain === undefined || plain.startsWith("//") || STRANGE.test(plain)) return paths.start;
  if (NO_WAY_BACK.includes(plain.replace(/\/+$/, "").toLowerCase())) return paths.start;
  return `${pathname}${search}${hash}`;
}

/** What the router reads in a path. Undefined when it is broken. */
function decoded(pathname: string): string | undefined {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return undefined;
  }
}

/** A visitor on the way to a page. */
export type Arriving = {
  readonly context: RouterContext;
  readonly location: {
    readonly href: string;
    readonly pathname: string;
    readonly state: { readonly wanted?: string | undefined };
  };
};

/** Redirects visitors who may not enter; the requested path travels in the history entry of the login (specification 2.2). */
export function guard(access: Access) {
  return ({ context, location }: Arriving): void => {
    const { roles } = context.app.auth.state.getState();
    const detour = detourOf(access, roles, location.href, location.state.wanted);
    if (detour === undefined) return;
    throw redirect({
      to: detour.to,
      replace: true,
      ...(detour.remember === undefined ? {} : { state: { wanted: detour.remember } }),
    });
  };
}

/** The same, for what a player on a break may not do: it leads to the page of the break. */
export function guardPlay(arriving: Arriving): void {
  guard(ACCESS.user)(arriving);
  const state = arriving.context.app.auth.state.getState();
  if (state.is !== "guest" && state.player.playClosed !== undefined) goTo(paths.closed)();
}

/** Leads on to another page, which takes the place of this one in the history. */
export const goTo = (to: string) => (): never => {
  throw redirect({ to, replace: true });
};

/** What every route is given. */
export type RouterContext = {
  readonly app: App;
  /** The signed-in player's link; starts it on first use. Rejects for a guest. */
  readonly playerLink: () => Promise<PlayerLink>;
};
