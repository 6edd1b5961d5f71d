import { createStore } from "zustand/vanilla";
import type { Live } from "./live.ts";

/** A sentence at the top of the page. */
export type Message = {
  readonly id: number;
  readonly kind: "good" | "bad" | "info";
  readonly text: string;
  /** How long it stays while no pointer is on it, ms. */
  readonly forMs: number;
  /** A key beside it that leads on; it dismisses the message. */
  readonly act?: MessageAct | undefined;
};
export type MessageAct = { readonly label: string; readonly run: () => void };
export type SayMessage = (kind: Message["kind"], text: string, forMs?: number, act?: MessageAct) => void;

/** Messages stay 6 s, toasts (short confirmations) 3 s (specification section 8). */
export const MESSAGE_MS = 6_000;
export const TOAST_MS = 3_000;
/** At most this many at once; the oldest gives way, one that stays for longer than usual last. */
const SHOWN_MAX = 2;

export type Messages = {
  readonly shown: Live<readonly Message[]>;
  readonly say: SayMessage;
  dismiss(id: number): void;
};

export function createMessages(): Messages {
  const shown = createStore<readonly Message[]>(() => []);
  let last = 0;
  return {
    shown,
    say(kind, text, forMs = MESSAGE_MS, act) {
      last += 1;
      const message: Message = { id: last, kind, text, forMs, act };
      const others = shown.getState().filter((other) => other.text !== text);
      const isFull = others.length >= SHOWN_MAX;
      // What stays for long says why something ended by itself: two short messages must not push it away unread (player 15).
      const gives = isFull ? (others.find((other) => other.forMs <= MESSAGE_MS) ?? others[0]) : undefined;
      shown.setState([...others.filter((other) => other !== gives), message], true);
    },
    dismiss(id) {
      shown.setState(
        shown.getState().filter((message) => message.id !== id),
        true,
      );
    },
  };
}
