import type { NotificationTable } from "@longarm/contract/methods";
import * as z from "zod/mini";
import { firstIssue } from "./first-issue.ts";
import type { PeerLog } from "./peer-log.ts";

type AnyListener = (data: unknown) => void;

/** Gives parsed notifications to their listeners; unknown ones are ignored, bad ones logged and dropped. */
export function hearNotifications(
  notifications: NotificationTable,
  listeners: Readonly<Record<string, AnyListener | undefined>>,
  log: PeerLog,
) {
  return (method: string, data: unknown): void => {
    const schema = Object.hasOwn(notifications, method) ? notifications[method] : undefined;
    if (schema === undefined) return;
    const parsed = z.safeParse(schema, data ?? {});
    if (!parsed.success) {
      log(firstIssue(method, parsed.error));
      return;
    }
    try {
      listeners[method]?.(parsed.data);
    } catch (error) {
      log(`The listener of ${method} failed.`, error);
    }
  };
}
