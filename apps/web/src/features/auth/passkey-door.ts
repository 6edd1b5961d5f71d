import type { ApiFailure } from "../../shared/api/failure.ts";

/** How an attempt ended. `cancelled`: nothing was chosen; `none`: the browser cannot. */
export type PasskeyEnd =
  | { readonly is: "in" | "cancelled" | "none" }
  | { readonly is: "failed"; readonly failure: ApiFailure };

/** Signing in with the operator's issuer. */
export type OpenIdDoor = {
  /** What players know it by. */
  readonly label: string;
  /** Leaves the page; resolves with why that failed. */
  leave(): Promise<ApiFailure | undefined>;
};

/** Signing in without the password. */
export type PasskeyDoor = {
  /** Whether this browser has passkeys at this address. */
  readonly isHere: boolean;
  /** By the browser's own sheet. Begun by a press, because browsers want one. */
  use(): Promise<PasskeyEnd>;
  /** Offers keys beside the name field, until `signal`. */
  offer(signal: AbortSignal, ended: (end: PasskeyEnd) => void): Promise<void>;
  /** The operator's issuer; undefined: there is none. */
  openId(): Promise<OpenIdDoor | undefined>;
  /** By a recovery code. */
  byCode(username: string, code: string): Promise<PasskeyEnd>;
};
