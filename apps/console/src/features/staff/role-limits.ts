import type { Permission, RoleLimits } from "@longarm/contract/staff-rights";

/** Permissions whose act waits for a second person up from a limit of the role. */
export const ROLE_LIMITS = {
  "handPay.pay": "handPay",
  "wallet.move": "wallet",
  "bonus.grant": "bonus",
} as const satisfies Partial<Record<Permission, keyof RoleLimits>>;
