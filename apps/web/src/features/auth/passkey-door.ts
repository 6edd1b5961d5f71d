import type { ComponentType } from "react";
import type { ApiFailure } from "../../shared/api/failure.ts";
import type { IssuerKeysProps, OpenIdDoor } from "./issuer-keys.tsx";

/** How an attempt ended. `cancelled`: nothing was chosen; `none`: the browser cannot. */
export type PasskeyEnd =
  | { readonly is: "in" | "cancelled" | "none" }
  | { readonly is: "failed"; readonly failure: ApiFailure };

/** Signing in without the password. */
export type PasskeyDoor = {
  /** Whether this browser has passkeys at this address. */
  readonly isHere: boolean;
  /** By the browser's own sheet. Begun by a press, because browsers want one. */
  use(): Promise<PasskeyEnd>;
  /** Offers keys beside the name field, until `signal`. */
  offer(signal: AbortSignal, ended: (end: PasskeyEnd) => void): Promise<void>;
  /** The operator's issuers, in the order of their buttons. */
  issuers(): Promise<readonly OpenIdDoor[]>;
  /** The buttons of the issuers, which the form need not wait for. */
  readonly IssuerKeys: ComponentType<IssuerKeysProps>;
  /** By a recovery code. */
  byCode(username: string, code: string): Promise<PasskeyEnd>;
};
