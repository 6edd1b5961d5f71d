import type { Clock, Stop } from "../clock.ts";
import type { Bus, BusAnswer } from "./bus.ts";
import type { Topic, Topics } from "./topics.ts";

export type InProcessBusDeps = {
  readonly clock: Pick<Clock, "after">;
  /** Told when a subscriber or responder throws: a bug, and no reason to keep others from their message. */
  readonly onError: (subject: string, error: unknown) => void;
};

/** Nothing lies between: nothing is ever missed. */
const NEVER_AWAY: Pick<Bus, "onGap" | "state"> = { onGap: () => () => {}, state: () => "up" };

type Handler = (message: unknown) => void;

/** The bus of a platform that is one process. */
export function inProcessBus({ clock, onError }: InProcessBusDeps): Bus {
  const subscribers = new Map<string, Set<Handler>>();
  const responders = new Map<string, (message: unknown) => Promise<unknown>>();
  const open = new Set<(answer: BusAnswer) => void>();
  let closed = false;

  function deliver(topic: string, text: string): void {
    for (const handler of [...(subscribers.get(topic) ?? [])]) {
      // One that was unsubscribed by an earlier handler of the same message is not called.
      if (closed || !subscribers.get(topic)?.has(handler)) continue;
      try {
        handler(JSON.parse(text));
      } catch (error) {
        onError(topic, error);
      }
    }
  }

  async function answerOf(subject: string, text: string): Promise<BusAnswer> {
    const responder = responders.get(subject);
    if (responder === undefined) return { is: "noResponder" };
    try {
      return { is: "done", data: copy(await responder(JSON.parse(text))) };
    } catch (error) {
      onError(subject, error);
      return { is: "unknown", cause: "failed" };
    }
  }

  return {
    publish<T extends Topic>(topic: T, message: Topics[T]) {
      const text = JSON.stringify(message);
      queueMicrotask(() => deliver(topic, text));
    },
    subscribe<T extends Topic>(topic: T, handler: (message: Topics[T]) => void): Stop {
      const all = subscribers.get(topic) ?? new Set<Handler>();
      subscribers.set(topic, all);
      const own: Handler = (message) => handler(message as Topics[T]);
      all.add(own);
      return () => all.delete(own);
    },
    request(subject, message, deadlineMs) {
      const text = JSON.stringify(message) ?? "null";
      if (closed) return Promise.resolve({ is: "noResponder" });
      return new Promise((settled) => {
        const settle = (answer: BusAnswer): void => {
          if (!open.delete(settle)) return;
          stop();
          settled(answer);
        };
        open.add(settle);
        const stop = clock.after(deadlineMs, () => settle({ is: "unknown", cause: "deadline" }));
        void answerOf(subject, text).then(settle);
      });
    },
    respond(subject, handler) {
      responders.set(subject, handler);
      return () => {
        if (responders.get(subject) === handler) responders.delete(subject);
      };
    },
    ...NEVER_AWAY,
    async close() {
      closed = true;
      subscribers.clear();
      responders.clear();
      for (const settle of [...open]) settle({ is: "unknown", cause: "failed" });
    },
  };
}

function copy(value: unknown): unknown {
  return value === undefined ? null : JSON.parse(JSON.stringify(value));
}
