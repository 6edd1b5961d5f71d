import type { NotificationEvent } from "./notifications.ts";

/** Subscription to what the notification socket tells. The returned function ends it. */
export type NotificationEvents = {
  on<M extends keyof NotificationEvent>(method: M, hear: (data: NotificationEvent[M]) => void): () => void;
};

/** The source of notification events: whoever holds the socket tells, everybody may listen. */
export function createNotificationEvents(): NotificationEvents & {
  tell<M extends keyof NotificationEvent>(method: M, data: NotificationEvent[M]): void;
} {
  const listeners = new Map<keyof NotificationEvent, Set<(data: never) => void>>();
  return {
    on(method, hear) {
      const heard = listeners.get(method) ?? new Set();
      listeners.set(method, heard.add(hear as (data: never) => void));
      return () => void heard.delete(hear as (data: never) => void);
    },
    tell(method, data) {
      for (const hear of [...(listeners.get(method) ?? [])]) hear(data as never);
    },
  };
}
