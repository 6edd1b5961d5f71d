import { redirect } from "@tanstack/react-router";
import type { Access } from "../shared/auth/access.ts";
import { detourOf } from "./guard.ts";
import type { RouterContext } from "./router-context.ts";

/** Somebody on the way to a page. */
export type Arriving = {
  readonly context: RouterContext;
  readonly location: {
    readonly href: string;
    readonly pathname: string;
    readonly state: { readonly wanted?: string | undefined };
  };
};

/** Sends away who may not enter; the wanted path travels in the history entry of the login (specification 2.2). */
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

/** Leads on to another page, which takes the place of this one in the history. */
export const goTo = (to: string) => (): never => {
  throw redirect({ to, replace: true });
};
