import type { Role } from "./player.ts";

/** Who may have something, a route or an entry of the navigation: null everybody, an empty list guests only, else anybody who has one of the roles (specification 2.2). */
export type Access = readonly Role[] | null;

/** `roles`: those of the visitor; a guest has none. */
export function mayEnter(access: Access, roles: readonly Role[]): boolean {
  if (access === null) return true;
  if (access.length === 0) return roles.length === 0;
  return access.some((role) => roles.includes(role));
}
