import type { Stop } from "../clock.ts";
import type { Topic, Topics } from "./topics.ts";

/** The outcome of a bus request. `noResponder`: no handler received it, so it was surely not done. `unknown`: it may have been done. */
export type BusAnswer =
  | { readonly is: "done"; readonly data: unknown }
  | { readonly is: "noResponder" }
  | { readonly is: "unknown"; readonly cause: "deadline" | "failed" };

/**
 * Messages between the nodes of one platform: at most once, in no promised order between topics, never a source of truth. What is
 * sent is copied as JSON, so sender and receiver share no object. Every implementation passes `bus/conformance.ts`.
 */
export interface Bus {
  /** Calls every subscriber on every node, this one too; never throws, never waits. */
  publish<T extends Topic>(topic: T, message: Topics[T]): void;
  subscribe<T extends Topic>(topic: T, handler: (message: Topics[T]) => void): Stop;
  /** Calls the responder of `subject`. Never rejects. `deadlineMs` from 1 to 60 000. */
  request(subject: string, message: unknown, deadlineMs: number): Promise<BusAnswer>;
  /** Answers requests to `subject`; a later responder of the same subject on this node replaces the older one. */
  respond(subject: string, handler: (message: unknown) => Promise<unknown>): Stop;
  /**
   * Calls when messages of other nodes may have been missed: when the way to them is back, theirs or this one's, and every few seconds while this
   * one's is not. A subscriber whose state depends on messages reads that state again.
   */
  onGap(handler: () => void): Stop;
  /** `away`: no message passes between this node and the others. Its own subscribers and responders still receive all of its messages. */
  state(): "up" | "away";
  /** Open requests become unknown, nothing more is delivered. */
  close(): Promise<void>;
}
