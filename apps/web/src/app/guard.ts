import type { Role } from "../shared/auth/player.ts";
import { paths } from "../shared/paths/paths.ts";

/** Who may open a route: null everybody, an empty list guests only, else anybody who has one of the roles (specification 2.2). */
export type Access = readonly Role[] | null;
export const ACCESS = { everybody: null, guests: [], players: ["admin", "staff", "user"] } as const satisfies Record<
  string,
  Access
>;

export function mayEnter(access: Access, roles: readonly Role[]): boolean {
  if (access === null) return true;
  if (access.length === 0) return roles.length === 0;
  return access.some((role) => roles.includes(role));
}

/** Where a refused visitor goes, and the path to come back to after the login. */
export type Detour = { readonly to: string; readonly remember?: string };

/** `wanted`: path and query asked for; `remembered`: what an earlier refusal kept. Undefined: go in. */
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

/** A path of this page only, never another origin; one that leads out of the session or to the login itself becomes `/`. */
export function safePath(path: string): string {
  const origin = "http://page.invalid";
  const url = URL.canParse(path, origin) ? new URL(path, origin) : undefined;
  if (url === undefined || url.origin !== origin || !path.startsWith("/")) return paths.start;
  const leadsAway: readonly string[] = [paths.logout, paths.login, paths.callback];
  if (leadsAway.includes(url.pathname.replace(/\/+$/, ""))) return paths.start;
  return `${url.pathname}${url.search}${url.hash}`;
}
