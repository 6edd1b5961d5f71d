import type { SessionStatus } from "@longarm/contract/machine";
import { SESSION_STATUSES } from "@longarm/contract/machine";
import type { OpenSession } from "@longarm/contract/notification-socket";
import type { Settings } from "@longarm/contract/settings";

/** What the dialog is about: an open play session and the variant of its machine's status. */
export type Reconnectable = Omit<OpenSession, "status"> & { readonly variant: SessionStatus };

/** The variant of a machine status as it was told: one of ours, another name by the settings, else unknown (decision D-37). */
export function variantOf(status: string | number, names: Settings["reconnectStatus"]): SessionStatus {
  const text = String(status);
  const named = Object.hasOwn(names, text) ? names[text] : text;
  return SESSION_STATUSES.find((one) => one === named) ?? "unknown";
}
