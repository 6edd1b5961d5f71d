import type { Balance, ChatTold, OpenSession, Paid, WaitingChanged } from "@longarm/contract/notification-socket";

/** The notifications of the socket by method (contract.md section 3). */
export type NotificationEvent = {
  machine: { id: string; status: number };
  balance: Balance;
  session: OpenSession;
  chat: ChatTold;
  paid: Paid;
  /** Unread: what shows places parses it. */
  queue: unknown;
  waiting: WaitingChanged;
};

/** Subscription to the notifications. The returned function ends it. */
export type NotificationEvents = {
  on<M extends keyof NotificationEvent>(method: M, hear: (data: NotificationEvent[M]) => void): () => void;
};

/** The source of notification events: the owner of the socket emits, any code may listen. */
export function createNotificationEvents(): NotificationEvents & {
  emit<M extends keyof NotificationEvent>(method: M, data: NotificationEvent[M]): void;
} {
  const listeners = new Map<keyof NotificationEvent, Set<(data: never) => void>>();
  return {
    on(method, hear) {
      const heard = listeners.get(method) ?? new Set();
      listeners.set(method, heard.add(hear as (data: never) => void));
      return () => void heard.delete(hear as (data: never) => void);
    },
    emit(method, data) {
      for (const hear of [...(listeners.get(method) ?? [])]) hear(data as never);
    },
  };
}
