import type { OpenIdAct } from "@longarm/contract/player-openid";

/** What this tab remembers while its player is at the issuer: nothing of it is in an address. */
export type IssuerVisit = {
  readonly secret: string;
  /** Null: a sign-in. */
  readonly act: OpenIdAct | null;
  /** Which page follows. */
  readonly target: string;
};

const KEY = "longarm.issuerVisit";

/** Leaves the page for the issuer. */
export function visitIssuer({ href, ...visit }: IssuerVisit & { readonly href: string }): void {
  sessionStorage.setItem(KEY, JSON.stringify(visit));
  location.assign(href);
}

/** The visit that this tab is back from, once. */
export function takeIssuerVisit(): IssuerVisit | undefined {
  try {
    const kept = sessionStorage.getItem(KEY);
    sessionStorage.removeItem(KEY);
    return kept === null ? undefined : (JSON.parse(kept) as IssuerVisit);
  } catch {
    return undefined;
  }
}
